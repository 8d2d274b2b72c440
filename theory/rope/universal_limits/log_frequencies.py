"""A gap that does not shrink with the length takes at least of the order of ln n planes.

Source: derived here; it shows what arXiv 2605.31558, Thm 3.2, becomes with several planes. It is claim
m-frequency-box-limit, solved for the number of planes; that so many are enough is claim log-frequencies-suffice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Symbol, acos, cos, exp, log, pi

from theory.arithmetic.ball import Real, evaluate
from theory.arithmetic.ball import acos as arccos
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Length2, Positive, quantity
from theory.rope.index.window import farey_peaks
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.m_frequency_gaps import ball, ball_gaps, climb, float_gaps, frequency_sets
from theory.rope.universal_limits.one_frequency import TURN
from theory.rope.universal_limits.one_frequency_end_target import supremum
from theory.symbols import n

SEED = 2612
CLAIM = "log-frequencies"
c, D, m = (Symbol(name, positive=True) for name in "cDm")
# A gap of c B is that of one plane at D turns, c = 1 - cos(2 pi D).
PLANES = log(n) / log(1 / D)


@dataclass(frozen=True)
class Needed:
    """A gap of c B at a target with n - 1 keys on either side takes m >= `least` planes, in n and D.

    Args:
        least: the number of planes.
        ends: one-sided targets with their best phase are to obey as well.
        letters: heads whose keys know their letters are to obey as well.
    """

    least: Expr = PLANES
    ends: bool = False
    letters: bool = False

    @property
    def statement(self) -> Expr:
        return sympy.Ge(m, self.least.subs(D, acos(1 - c) / (2 * pi)))

    def planes(self, length: int, distance: Fraction | Real) -> Real:
        if isinstance(distance, Fraction):  # exact logarithms cancel
            return Real.of(self.least.subs({n: length, D: sympy.Rational(distance)}))
        return evaluate(self.least, {n: length, D: distance})


def turns_of(gap: Real) -> Real:
    """D, from a gap c = 1 - cos(2 pi D)."""
    return arccos(1 - gap) / TURN


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all n >= 2, 0 < c < 2, frequencies and amplitudes of sum B with G(n) >= c B",
    statement=lambda needed: needed.statement,
    variant=Needed(),
    controls={
        "log2 n": Needed(log(n) / log(2)),
        "3 pi/2 in place of 2 pi": Needed(log(n) / log(3 / (4 * D))),
        "one plane more": Needed(PLANES + 1),
    },
    hypotheses=(
        Hypothesis("two-sided", "the target has n - 1 keys on either side", Needed(ends=True)),
        Hypothesis("content-independent", "all keys are turns of one vector", Needed(letters=True)),
    ),
    does_not_show="that these many are enough: constants are not matched",
)
def log_frequencies(needed: Needed, thorough: bool) -> Iterator[Evidence]:
    """One plane at all angles, where it is sharp; two and three at rational turns; the inversion; climbed heads."""
    if needed.letters:
        yield Enumeration("two letters at frequency 0, gap 2", [("n=3", needed.planes(3, Fraction(1, 2)) <= 1)])
    if needed.ends:
        ends = (({"n": length}, needed.planes(length, turns_of(supremum(length))) <= 1) for length in range(3, 9))
        yield Enumeration("one plane, end targets", ends)
    yield Enumeration("one plane, all angles", _one_plane(needed, 60 if thorough else 12))
    for planes, order in ((2, 16), (3, 9)) if thorough else ((2, 7), (3, 6)):
        yield Enumeration(f"{planes} planes at rational turns, q <= {order}", _sets(needed, planes, order))
    yield Identity("at that m the bound of the box is c", _inverse())
    yield Search("climbed frequencies", _climbed(needed, 300 if thorough else 40), seed=SEED)


def _one_plane(needed: Needed, longest: int) -> Iterator[Case]:
    for length in range(2, longest + 1):
        for peak, height in farey_peaks(length - 1):
            yield {"n": length, "turns": peak, "D": height}, needed.planes(length, height) <= 1


def _sets(needed: Needed, planes: int, order: int) -> Iterator[Case]:
    shares = (Fraction(1, planes),) * planes
    for length, turns in product(range(3, order + 1), frequency_sets(planes, order)):
        least = min(ball_gaps(shares, map(ball, turns), length - 1), key=float)
        if least > arb(2) ** -40:  # a gap of 0 takes no plane
            yield {"n": length, "turns": [*map(str, turns)]}, needed.planes(length, turns_of(fixed(least))) <= planes


def fixed(gap: arb) -> Real:
    """The number in a ball that gets no smaller at higher precision."""
    return Real(lambda: gap)


def _inverse() -> Iterator[Equation]:
    at = PLANES.subs(D, acos(1 - c) / (2 * pi))
    yield "1 - cos(2 pi n^(-1/m))", 1 - cos(2 * pi * exp(-log(n) / at)), c


def _climbed(needed: Needed, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        planes, length = int(random.integers(1, 5)), int(random.integers(3, 60))
        weights = random.dirichlet(np.ones(planes))
        gap = float_gaps(weights, climb(random, weights, length - 1), length - 1).min()
        # 2^-30 is far above the rounding of the gap, and moves a needed number by less than itself times 2^10.
        at = turns_of(Real.of(Fraction(float(gap)) * (1 - Fraction(1, 2**30))))
        yield Trial((case, planes, length), float(needed.planes(length, at)), float(planes))


@quantity("planes-needed", unit="planes", claim=CLAIM)
def planes_needed(n: Length2, gap: Positive) -> Bound:
    """The number ln n/ln(2 pi/arccos(1 - gap)); fewer planes do not keep this gap at amplitudes of sum 1, length n."""
    if (gap < 2) is not Outcome.HOLDS:
        raise InputError(f"gap={float(gap):g} is not known to be below 2, which no gap exceeds; give 0 < gap < 2")
    return Bound("lower", Needed().planes(n, turns_of(gap)))
