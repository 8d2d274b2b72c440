"""The best phase of one plane at given offsets: the target stands in the middle of the gap that its rivals leave.

Source: derived here; it completes arXiv 2605.31558, Thm 3.2, which takes aligned phases. Seen from the target, the keys
at the offsets -a..b, without 0, stand at the points t theta of a circle; A and B are the distances from 0 to the
nearest of them on the left and on the right, in [0, 2 pi), and both are 0 if some t theta is a multiple of 2 pi.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Min, cos, pi, sin, symbols

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, evaluate, minimum
from theory.arithmetic.continued_fraction import closest_return
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import AnyAngle, Enclosure, Offset, quantity
from theory.rope.index.window import fold, rational_turns
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.one_frequency import TURN, exceeds, phase_gaps

SEED = 2606
CLAIM = "one-frequency-phase-optimal"
A, B = symbols("A B", nonnegative=True)
OPTIMUM = 2 * sin(Min(A, pi) / 2) * sin(Min(B, pi) / 2)
Distances = tuple[Fraction, Fraction]


def middle(left: Fraction, right: Fraction) -> Distances:
    """The gap of the best phase as distances of the target and of its nearest rival, for A and B in turns."""
    left, right = min(left, Fraction(1, 2)), min(right, Fraction(1, 2))
    return abs(left - right) / 2, (left + right) / 2


@dataclass(frozen=True)
class Optimum:
    """The largest gap over all phases.

    Args:
        value: an expression in A and B.
        distances: the same as a pair of distances, in turns, from A and B in turns.
        phases: multiples of 1/(4 q) turns that are tried: all of them, or only the target at the peak.
    """

    value: Expr = OPTIMUM
    distances: Callable[[Fraction, Fraction], Distances] = middle
    aligned: bool = False


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all theta, a, b >= 0 with a + b >= 1: the maximum over all phases, |q| |k| = 1; an identity",
    statement=lambda optimum: sympy.Eq(sympy.Symbol("max_psi(gap)"), optimum.value),
    variant=Optimum(),
    controls={
        "1 - cos min(A, B)": Optimum(1 - cos(Min(A, B)), lambda left, right: (Fraction(0), min(left, right))),
        "without min(., pi)": Optimum(
            2 * sin(A / 2) * sin(B / 2), lambda left, right: (fold((left - right) / 2), fold((left + right) / 2))
        ),
        "1 - cos((A + B)/2)": Optimum(
            1 - cos((A + B) / 2), lambda left, right: (Fraction(0), fold((left + right) / 2))
        ),
    },
    hypotheses=(Hypothesis("free phase", "the target may stand beside the peak", Optimum(aligned=True)),),
    does_not_show="that one phase is best for all targets: a head that serves an offset fixes its phase",
)
def one_frequency_phase_optimal(optimum: Optimum, thorough: bool) -> Iterator[Evidence]:
    """All phases at rational turns, exactly; the two curves that meet at the best phase; searched phases beside it."""
    order, side = (12, 7) if thorough else (9, 4)
    yield Enumeration(f"all phases, a, b <= {side}, q <= {order}", _rational(optimum, order, side))
    yield Identity("two curves", _curves())
    yield Search("best phase by minimisation", _random(optimum, 2000 if thorough else 150), seed=SEED)


def _rational(optimum: Optimum, order: int, side: int) -> Iterator[Case]:
    for turns, a, b in product(rational_turns(1, order), range(side + 1), range(side + 1)):
        rivals = [t for t in range(-a, b + 1) if t]
        if not rivals:
            continue
        right, left = (min(sign * t * turns % 1 for t in rivals) for sign in (1, -1))
        best = optimum.distances(left, right)
        gaps = {gap for gap in phase_gaps(turns, rivals) if gap[0] == 0 or not optimum.aligned}
        # The best of the tried phases is the claimed gap: nothing exceeds it, and it does not exceed everything.
        above = Outcome.every(~exceeds(gap, best) for gap in gaps)
        attained = ~Outcome.every(exceeds(best, gap) for gap in gaps)
        yield {"turns": turns, "a": a, "b": b}, Outcome.every((above, attained))


def _curves() -> Iterator[Equation]:
    """A rival at u gives a curve with one peak, and the two nearest give curves that cross at (A - B)/2."""
    psi, u = symbols("psi u", real=True)
    a, b = symbols("A B", real=True)
    yield "one rival", cos(psi) - cos(psi + u), 2 * sin(u / 2) * sin(psi + u / 2)
    yield "left rival", (cos(psi) - cos(psi - a)).subs(psi, (a - b) / 2), 2 * sin(a / 2) * sin(b / 2)
    yield "right rival", (cos(psi) - cos(psi + b)).subs(psi, (a - b) / 2), 2 * sin(a / 2) * sin(b / 2)


def _random(optimum: Optimum, count: int) -> Iterator[Trial]:
    from scipy.optimize import minimize_scalar

    random = np.random.default_rng(SEED)
    value = sympy.lambdify((A, B), optimum.value, "numpy")
    for case in range(count):
        a, b = int(random.integers(0, 20)), int(random.integers(1, 20))
        angle = random.uniform(0, np.pi) / random.choice([1, a + b])
        rivals = np.delete(np.arange(-a, b + 1), a) * angle
        right, left = (np.mod(sign * rivals, 2 * np.pi).min() for sign in (1, -1))

        def lost(psi: float, rivals: Any = rivals) -> float:
            return float(np.cos(psi + rivals).max() - np.cos(psi))

        grid = np.linspace(-np.pi, np.pi, 65)
        start = grid[np.argmin([lost(psi) for psi in grid])]
        found = minimize_scalar(lost, bounds=(start - 0.1, start + 0.1), method="bounded").fun
        # A phase up to (a + b) pi + pi is off by its size times 2 u, and so is A or B; the rest are a few u.
        allowance = (4 * np.pi * (a + b + 1) + 16) * np.finfo(np.float64).eps
        yield Trial((case, a, b, angle), -float(found), float(value(left, right)), allowance)


def neighbours(angle: Angle, a: int, b: int) -> tuple[Real, Real]:
    """A and B in radians, exact for rational turns and in O(log) steps for all angles."""
    if a + b == 0:
        raise InputError("left=0, right=0: the target has no rival; give at least one key on a side")
    after, before = (closest_return(angle, reach) if reach else None for reach in (b, a))
    rights = [side.distance for side in (after and after.above, before and before.below) if side]
    lefts = [side.distance for side in (after and after.below, before and before.above) if side]
    return minimum(lefts) * TURN, minimum(rights) * TURN


@quantity("best-phase-gap", unit="logit; radians", claim=CLAIM)
def best_phase_gap(theta: AnyAngle, left: Offset, right: Offset) -> dict[str, Enclosure]:
    """The largest gap of one plane over all phases, |q| |k| = 1, for keys at offsets -left..right from the target.

    `A` and `B` are the distances from the target to its neighbours on the circle.
    """
    nearest = dict(zip((A, B), neighbours(theta, left, right), strict=True))
    return {"gap": Enclosure(evaluate(OPTIMUM, nearest)), "A": Enclosure(nearest[A]), "B": Enclosure(nearest[B])}
