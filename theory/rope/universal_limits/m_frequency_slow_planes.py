"""Planes that hardly turn within a length add little to its worst gap, so that the fast ones alone limit it.

Source: derived here; it extends arXiv 2605.31558, Thm 3.2. Minkowski's theorem for a set S of fast planes (claim
m-frequency-dirichlet-limit) gives an offset t < n; any other plane adds a_k (1 - cos t theta_k) there, which is at most
a_k min(2, ((n - 1) theta_k)^2/2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Min, Symbol, pi

from theory.arithmetic.ball import Real, evaluate, minimum
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import BoxCover, Case, Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Length2, Vector, quantity
from theory.rope.index.window import rational_turns
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.m_frequency_dirichlet import P, rho_squared
from theory.rope.universal_limits.m_frequency_gaps import (
    HALF_TURN,
    UNEVEN,
    ball,
    ball_gaps,
    climb,
    float_gap_error,
    float_gaps,
    some_below,
)
from theory.rope.universal_limits.one_frequency import TURN
from theory.symbols import n, theta

SEED = 2611
CLAIM = "m-frequency-slow-planes"
a = Symbol("a", positive=True)
SLOW = a * Min(2, ((n - 1) * theta) ** 2 / 2)


@dataclass(frozen=True)
class Slow:
    """G(n) <= 2 pi^2 rho^2(S) + the sum of `cost` over the planes outside S; `small` asks for rho^2 < min a_k in S."""

    cost: Expr = SLOW
    small: bool = True

    @property
    def statement(self) -> Expr:
        return sympy.Le(Symbol("G(n)"), 2 * pi**2 * Symbol("rho_S^2") + sympy.Function("sum_{k not in S}")(self.cost))


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all n >= 2, sets S of planes with rho_S^2 < min_S a_k, frequencies |theta_k| <= pi, a_k > 0",
    statement=lambda slow: slow.statement,
    variant=Slow(),
    controls={
        "slow planes forgotten": Slow(sympy.S.Zero),
        "one step of them": Slow(a * theta**2 / 2),
        "a quarter of it": Slow(SLOW / 4),
    },
    hypotheses=(Hypothesis("small", "rho_S^2 < min a_k over S", Slow(small=False)),),
    does_not_show="which S is best: every choice is a bound",
)
def m_frequency_slow_planes(slow: Slow, thorough: bool) -> Iterator[Evidence]:
    """A fast and a slow plane at rational turns, then in boxes that cover all pairs; random sets of planes."""
    yield Enumeration("one fast plane and another", _pairs(slow, 24 if thorough else 7))
    for length in (4, 7, 17) if thorough else (4, 6):
        decide = partial(_no_pair_beats, slow, length)
        yield BoxCover(f"all pairs, one of them fast, n = {length}", (HALF_TURN, HALF_TURN), decide)
    yield Search("random fast and slow planes", _random(slow, 600 if thorough else 60), seed=SEED)


def _bound(slow: Slow, length: int, fast: list[Real], others: list[tuple[Real, Real]]) -> Real | None:
    """The bound for amplitudes of S, and amplitudes and angles of the others; None where it does not apply."""
    costs = Real.total(evaluate(slow.cost, {a: amplitude, theta: angle, n: length}) for amplitude, angle in others)
    if not fast:
        return costs
    square = evaluate(rho_squared(len(fast)), {P: prod(fast, start=Real.of(1)), n: length})
    if slow.small and (square < minimum(fast)) is not Outcome.HOLDS:
        return None
    return TURN**2 / 2 * square + costs


def _pairs(slow: Slow, longest: int) -> Iterator[Case]:
    weak, lattice = (Fraction(1), Fraction(1, 10**9)), (Fraction(1, 10), Fraction(1, 10))
    if (most := _bound(slow, 10, [Real.of(x) for x in weak], [])) is not None:
        yield "a weak plane in S", some_below(ball_gaps(weak, map(ball, lattice), 9), most.enclose())
    for length, (fast, other) in product(
        range(3, longest + 1), (UNEVEN, UNEVEN[::-1], (Fraction(7, 8), Fraction(1, 8)))
    ):
        others = [Fraction(1, part * length) for part in (20, 6, 2)] + [Fraction(1, 6)]
        for first, second in product(rational_turns(2, length + 1), others):
            most = _bound(slow, length, [Real.of(fast)], [(Real.of(other), TURN * second)])
            if most is not None:
                found = ball_gaps((fast, other), (ball(first), ball(second)), length - 1)
                yield {"n": length, "turns": (str(first), str(second))}, some_below(found, most.enclose())


def _no_pair_beats(slow: Slow, length: int, first: arb, second: arb) -> Outcome:
    fast, other = map(Real.of, UNEVEN)
    most = _bound(slow, length, [fast], [(other, TURN * Real(lambda: second))])
    return (
        Outcome.UNDECIDED
        if most is None
        else some_below(ball_gaps(UNEVEN, (first, second), length - 1), most.enclose())
    )


def _random(slow: Slow, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        m, others, length = (int(random.integers(*ends)) for ends in ((1, 4), (1, 4), (6, 60)))
        weights = random.integers(1, 9, m + others) / 8
        fast = climb(random, weights[:m], length - 1)
        turns = np.concatenate([fast, random.uniform(0, 0.3, others) / length])
        exact = [Real.of(Fraction(weight)) for weight in weights]
        angles = [TURN * Fraction(x) for x in turns[m:]]
        bound = _bound(slow, length, exact[:m], list(zip(exact[m:], angles, strict=True)))
        most = 2 * weights.sum() if bound is None else float(bound)
        observed = float(float_gaps(weights, turns, length - 1).min())
        allowance = float_gap_error(weights, turns, length - 1)
        yield Trial((case, m, length), observed, most, allowance, vacuous=most >= 2 * weights.sum())


@quantity("m-frequency-slow-planes-limit", unit="logit", claim=CLAIM)
def m_frequency_slow_planes_limit(n: Length2, amplitudes: Vector, angles: Vector) -> Bound:
    """An upper bound on the worst gap over the offsets 1..n-1 of these angles, |theta| <= pi, in radians.

    The least of the bounds whose set S holds the fastest planes: none of them, one, two, ..., all.
    """
    if len(amplitudes) != len(angles):
        raise InputError(f"of amplitudes there are {len(amplitudes)}, of angles {len(angles)}; give one for each")
    planes = [(Real.of(amplitude), abs(Real.of(angle))) for amplitude, angle in zip(amplitudes, angles, strict=True)]
    for number, (amplitude, angle) in enumerate(planes):
        if Outcome.every((amplitude > 0, angle <= TURN / 2)) is not Outcome.HOLDS:
            raise InputError(
                f"plane {number + 1} has amplitude {amplitudes[number]} and angle {angles[number]}; give an amplitude "
                "> 0 and an angle from -pi to pi"
            )
    planes.sort(key=lambda plane: -float(plane[1]))
    found = (_bound(Slow(), n, [x for x, _ in planes[:size]], planes[size:]) for size in range(len(planes) + 1))
    return Bound("upper", minimum(bound for bound in found if bound is not None))
