"""Several planes keep the offsets 1..n-1 apart by a constant times n^(-2/m) at most: Minkowski's theorem.

Source: derived here; it extends arXiv 2605.31558, Thm 3.2, to m planes. With amplitudes a_k, V_m the volume of the unit
ball and x_k = t theta_k/2 pi - p_k, the body |t| < n, sum a_k x_k^2 <= rho^2 has volume 2^(m+1) if rho^2 is
4 (prod a_k)^(1/m) (V_m n)^(-2/m), so that it holds an integer point (t, p) other than 0. If rho^2 < min a_k it has
t != 0, and 1 - cos 2 pi x <= 2 pi^2 x^2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import prod

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Rational, gamma, pi, sqrt

from theory import symbols
from theory.arithmetic.ball import Real, evaluate, minimum
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Length2, Vector, quantity
from theory.rope.index.window import farey_peaks
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.m_frequency_gaps import (
    HALF_TURN,
    HALVES,
    UNEVEN,
    Amplitudes,
    at_most,
    ball,
    ball_gaps,
    climbed_gap,
    frequency_sets,
    least_form,
    some_below,
)
from theory.symbols import n
from theory.wording import counted

SEED = 2608
CLAIM = "m-frequency-dirichlet-limit"
P = sympy.Symbol("P", positive=True)  # the product of the amplitudes


def ball_volume(m: int) -> Expr:
    """V_m, the volume of the unit ball in m dimensions."""
    return sqrt(pi) ** m / gamma(Rational(m, 2) + 1)


def rho_squared(m: int) -> Expr:
    """rho^2, an expression in n and in the product P of the m amplitudes."""
    return 4 * P ** Rational(1, m) * (ball_volume(m) * n) ** Rational(-2, m)


@dataclass(frozen=True)
class Ellipsoid:
    """G(n) <= 2 pi^2 rho^2; `square` gives rho^2 from m, `small` asks for rho^2 < min a_k."""

    square: Callable[[int], Expr] = rho_squared
    small: bool = True

    @property
    def statement(self) -> Expr:
        return sympy.Le(sympy.Symbol("G(n)"), 2 * pi**2 * self.square(2))

    def at(self, length: int, amplitudes: Amplitudes) -> Real | None:
        """rho^2, or None where the statement does not apply."""
        found = _value(self.square(len(amplitudes)), prod(amplitudes), length)
        return None if self.small and (found < min(amplitudes)) is not Outcome.HOLDS else found


@cache
def _value(square: Expr, product: Fraction, length: int) -> Real:
    return evaluate(square, {P: product, n: length})


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all m >= 1, n >= 2, frequencies, and a_k > 0 with rho^2 < min a_k; shown for m = 2",
    statement=lambda limit: limit.statement,
    variant=Ellipsoid(),
    controls={
        "n^(-3/m)": Ellipsoid(
            lambda m: 4 * P ** Rational(1, m) * ball_volume(m) ** Rational(-2, m) * n ** Rational(-3, m)
        ),
        "V_m squared": Ellipsoid(lambda m: 4 * P ** Rational(1, m) * (ball_volume(m) ** 2 * n) ** Rational(-2, m)),
        "the volume of the cube": Ellipsoid(lambda m: 4 * P ** Rational(1, m) * (2**m * n) ** Rational(-2, m)),
    },
    hypotheses=(Hypothesis("small", "rho^2 < min a_k: no plane is too weak to count", Ellipsoid(small=False)),),
    does_not_show="that n^(-2/m) is what a given model has: with many planes the worst offset is often t = 1",
)
def m_frequency_dirichlet_limit(limit: Ellipsoid, thorough: bool) -> Iterator[Evidence]:
    """One plane at all angles, where it is sharp; two and three at rational turns; all pairs in boxes; an adversary."""
    yield Enumeration("one plane, all angles, between Farey fractions", _one_plane(limit, 60 if thorough else 20))
    for m, order in ((2, 24), (3, 12)) if thorough else ((2, 11), (3, 7)):
        yield Enumeration(f"{counted(m, 'planes')} at rational turns, q <= {order}", _sets(limit, m, order))
    for amplitudes, length in ((HALVES, 12), (UNEVEN, 20), *[(UNEVEN, 40)] * thorough):
        if (square := limit.at(length, amplitudes)) is not None:
            decide = partial(_no_pair_beats, amplitudes, length, square)
            yield BoxCover(f"all pairs of frequencies, n = {length}", (HALF_TURN, HALF_TURN), decide)
    yield Identity("the body has volume 2^(m+1)", _volumes(limit), sympy.powsimp)
    yield Search("random frequencies, climbing", _random(limit, 600 if thorough else 60), seed=SEED)


def _one_plane(limit: Ellipsoid, longest: int) -> Iterator[Case]:
    one: Amplitudes = (Fraction(1),)
    for length in range(2, longest + 1):
        square = limit.at(length, one)
        for peak, height in farey_peaks(length - 1):
            yield {"n": length, "turns": peak}, square is None or square >= height**2


def _sets(limit: Ellipsoid, m: int, order: int) -> Iterator[Case]:
    """The least sum a_k ||t x_k||^2, which is more than what G asks for; first with a plane that is too weak."""
    uneven = tuple(Fraction(1 + k % 2, 2 * m) for k in range(m))
    weak = (Fraction(1), *(Fraction(1, 10**9),) * (m - 1))
    tried = [(weak, 10, [(Fraction(1, 10),) * m])]
    for amplitudes, length in product((uneven, (Fraction(1, m),) * m), range(3, order + 3)):
        tried.append((amplitudes, length, list(frequency_sets(m, order))))
    for amplitudes, length, sets in tried:
        if (square := limit.at(length, amplitudes)) is None:
            continue
        most = square.at(96)
        for turns in sets:
            least = ball(least_form(amplitudes, turns, length - 1))
            case = {"a": [*map(str, amplitudes)], "turns": [*map(str, turns)], "n": length}
            yield case, at_most(least, most)


def _no_pair_beats(amplitudes: Amplitudes, length: int, square: Real, *turns: arb) -> Outcome:
    most = 2 * arb.pi() ** 2 * square.enclose()
    return some_below(ball_gaps(amplitudes, turns, length - 1), most)


def _volumes(limit: Ellipsoid) -> Iterator[Equation]:
    for m in range(1, 9):
        radius = sympy.powdenest(limit.square(m) ** Rational(m, 2), force=True)
        yield f"m = {m}", 2 * n * ball_volume(m) * radius / sqrt(P), sympy.Integer(2) ** (m + 1)


def _random(limit: Ellipsoid, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        m, length = int(random.integers(1, 6)), int(random.integers(2, 80))
        parts = [int(part) for part in random.integers(1, 5, m)]
        amplitudes = tuple(Fraction(part, sum(parts)) for part in parts)
        weights = np.array([float(a) for a in amplitudes])
        square = limit.at(length, amplitudes)
        bound = 2 * np.pi**2 * float(square) if square is not None else 2.0
        observed, allowance = climbed_gap(random, weights, length - 1)
        yield Trial((case, m, length), observed, bound, allowance, vacuous=bound >= 2)


@quantity("m-frequency-limit", unit="logit", claim=CLAIM)
def m_frequency_limit(n: Length2, amplitudes: Vector) -> Bound:
    """2 pi^2 rho^2: no frequencies with these amplitudes have a larger worst gap over the offsets 1..n-1."""
    parts = [Real.of(amplitude) for amplitude in amplitudes]
    least = minimum(parts)
    if (least > 0) is not Outcome.HOLDS:
        raise InputError(f"amplitudes={list(amplitudes)} are not all positive; leave out planes with amplitude 0")
    square = evaluate(rho_squared(len(parts)), {P: prod(parts, start=Real.of(1)), symbols.n: n})
    if (square < least) is not Outcome.HOLDS:
        raise InputError(
            f"n={n} is too short for the amplitudes {list(amplitudes)}: rho^2 = {float(square):.4g} is not below the "
            f"least of them; give a larger n, or leave out weak planes"
        )
    return Bound("upper", evaluate(2 * pi**2, {}) * square)
