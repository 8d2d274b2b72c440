"""Several planes keep the offsets 1..n-1 apart by B (1 - cos(2 pi n^(-1/m))) at most: Dirichlet's theorem.

Source: derived here; it extends arXiv 2605.31558, Thm 3.2, to m planes. The box |t| < n, |t theta_k/2 pi - p_k| <=
n^(-1/m) has volume 2^(m+1), so some 1 <= t < n turns every plane by at most 2 pi n^(-1/m), up to whole turns. The bound
falls with the angle only up to half a turn, n >= 2^m.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import product

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Rational, cos, pi

from theory.arithmetic.ball import Real, versine
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import BoxCover, Case, Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Count, Length2, quantity
from theory.rope.index.window import farey_peaks, fold
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.m_frequency_gaps import (
    HALF_TURN,
    HALVES,
    UNEVEN,
    Amplitudes,
    ball,
    ball_gaps,
    climbed_gap,
    frequency_sets,
    some_below,
)
from theory.rope.universal_limits.one_frequency import TURN
from theory.symbols import n
from theory.wording import counted

SEED = 2609
CLAIM = "m-frequency-box-limit"


@dataclass(frozen=True)
class Box:
    """Some 1 <= t < n has all ||t x_k|| <= `distance`, and then G(n) <= B (1 - cos(2 pi distance)).

    Args:
        distance: an expression in n, from m.
        long: whether n >= 2^m is asked for.
    """

    distance: Callable[[int], Expr] = lambda m: n ** Rational(-1, m)
    long: bool = True

    @property
    def statement(self) -> Expr:
        return sympy.Le(sympy.Symbol("G(n)"), sympy.Symbol("B") * (1 - cos(2 * pi * self.distance(2))))

    def lengths(self, m: int, longest: int) -> range:
        return range(2**m if self.long else 2, longest + 1)

    def turns(self, m: int, length: int) -> Real:
        return exact_distance(self.distance(m), length)

    def at(self, m: int, length: int) -> Real:
        return versine(TURN * self.turns(m, length))


@cache
def exact_distance(distance: Expr, length: int) -> Real:
    """The number, with a root of `length` that is rational recognised."""
    return Real.of(distance.subs(n, length))


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all m >= 1, n >= 2^m, frequencies and amplitudes a_k >= 0 of sum B; shown for m = 2",
    statement=lambda box: box.statement,
    variant=Box(),
    controls={
        "n^(-2/m)": Box(lambda m: n ** Rational(-2, m)),
        "n + 1 parts": Box(lambda m: (n + 1) ** Rational(-1, m)),
        "half of it": Box(lambda m: n ** Rational(-1, m) / 2),
    },
    hypotheses=(Hypothesis("long", "n >= 2^m", Box(long=False)),),
    does_not_show="more than m-frequency-dirichlet-limit for equal amplitudes; but it asks nothing of the amplitudes",
)
def m_frequency_box_limit(box: Box, thorough: bool) -> Iterator[Evidence]:
    """One plane at all angles, where it is sharp; two and three at rational turns; all pairs in boxes; an adversary."""
    yield Enumeration("one plane, all angles, between Farey fractions", _one_plane(box, 60 if thorough else 16))
    for m, order in ((2, 24), (3, 12)) if thorough else ((2, 8), (3, 8)):
        yield Enumeration(f"{counted(m, 'planes')} at rational turns, q <= {order}", _sets(box, m, order))
    for amplitudes, length in ((HALVES, 5), (UNEVEN, 10), *[(HALVES, 40)] * thorough):
        decide = partial(_no_pair_beats, amplitudes, length, box.at(2, length))
        yield BoxCover(f"all pairs of frequencies, n = {length}", (HALF_TURN, HALF_TURN), decide)
    yield Search("random frequencies, climbing", _random(box, 600 if thorough else 60), seed=SEED)


def _one_plane(box: Box, longest: int) -> Iterator[Case]:
    for length in box.lengths(1, longest):
        for peak, height in farey_peaks(length - 1):
            yield {"n": length, "turns": peak}, box.turns(1, length) >= height


def _sets(box: Box, m: int, order: int) -> Iterator[Case]:
    """G from the definition, in balls, and the nearest simultaneous return."""
    for length, turns in product(box.lengths(m, order + 2), frequency_sets(m, order)):
        case = {"turns": [*map(str, turns)], "n": length}
        most = box.at(m, length).at(96)
        shares = tuple(Fraction(1, m) for _ in turns)
        yield case, some_below(ball_gaps(shares, map(ball, turns), length - 1), most)
        if box.long:
            nearest = min(max(fold(t * x) for x in turns) for t in range(1, length))
            yield case, box.turns(m, length) >= nearest


def _no_pair_beats(amplitudes: Amplitudes, length: int, most: Real, *turns: arb) -> Outcome:
    return some_below(ball_gaps(amplitudes, turns, length - 1), most.enclose())


def _random(box: Box, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        m = int(random.integers(1, 5))
        length = int(random.integers(2**m, 90))
        weights = random.dirichlet(np.ones(m))
        observed, allowance = climbed_gap(random, weights, length - 1)
        yield Trial((case, m, length), observed, float(box.at(m, length)), allowance)


@quantity("m-frequency-box-limit", unit="logit", claim=CLAIM)
def m_frequency_box(n: Length2, planes: Count) -> Bound:
    """1 - cos(2 pi n^(-1/planes)): the largest worst gap over the offsets 1..n-1 of amplitudes that sum to 1."""
    if n.bit_length() <= planes:
        raise InputError(f"n={n} is below 2^planes, planes={planes}, where the bound says nothing; give fewer planes")
    return Bound("upper", Box().at(planes, n))
