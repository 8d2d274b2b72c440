"""How much weight the competitors of an aligned target have at least, whatever the frequencies: Fejer's kernel.

Source: derived here; it makes the end of arXiv 2605.31558, App. F.2.1, quantitative. With f(t) = e^(-beta sum a_k (1 -
cos t theta_k)), a function with Fourier coefficients >= 0 and mean M = prod Bes(beta a_k) over the torus of phases,
sum_{|t|<=T} (T + 1 - |t|) f(t) is a sum of those coefficients times |.|^2, of which the mean alone gives (T + 1)^2 M.
So 1 + 2 (f(1) + ... + f(T)) >= (T + 1) M; F_{a,b} adds f over t = 1..a and over t = 1..b.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, prod

import sympy
from flint import arb
from sympy import Expr, Symbol, symbols

from theory.arithmetic.ball import Real, besseli, cos, evaluate, exp
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Bound, Length2, Offset, Positive, Vector, quantity
from theory.rope.index.weights import prefix_sums
from theory.rope.index.window import check_query
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.bessel_bound import mean_weight
from theory.rope.universal_limits.m_frequency_gaps import (
    HALF_TURN,
    HALVES,
    Amplitudes,
    at_most,
    ball,
    ball_gaps,
    frequency_sets,
)
from theory.rope.universal_limits.one_frequency import TURN
from theory.rope.universal_limits.one_frequency_end_target import peak
from theory.symbols import theta
from theory.wording import counted

CLAIM = "competitor-weight-floor"
ONE: Amplitudes = (Fraction(1),)
BETAS = (Fraction(1, 2), Fraction(2), Fraction(7), Fraction(30))
a, b, M = symbols("a b M", nonnegative=True)


def mean_mass(beta: Real, amplitudes: Iterable[Real]) -> Real:
    """prod_k Bes(beta a_k), the mean of e^(-beta sum_k a_k (1 - cos phi_k)) over all phases."""
    return prod((mean_weight(beta * amplitude) for amplitude in amplitudes), start=Real.of(1))


def mass_symbol(scaled: bool) -> Symbol:
    """How M is printed: of Bes, or of I_0 in its place."""
    return Symbol(f"prod_k {'Bes' if scaled else 'I_0'}(beta*a_k)")


@dataclass(frozen=True)
class Floor:
    """F_{a,b} >= `two` and F_{0,b} >= `one`.

    Args:
        two: an expression in a, b and the mean M.
        one: the same for a = 0.
        scaled: whether M is the product of Bes(beta a_k) over the planes, or of I_0(beta a_k).
        aligned: whether the phases are aligned, or an end target may stand in the middle of its arc.
    """

    two: Expr = (a + b + 2) * M / 2 - 1
    one: Expr = ((b + 1) * M - 1) / 2
    scaled: bool = True
    aligned: bool = True

    @property
    def statement(self) -> Expr:
        bounds = sympy.And(sympy.Ge(Symbol("F_ab"), self.two), sympy.Ge(Symbol("F_0b"), self.one))
        return bounds.subs(M, mass_symbol(self.scaled))

    def at(self, left: int, right: int, beta: Fraction, amplitudes: Amplitudes) -> Real:
        mass = prod((besseli(0, beta * amplitude, scaled=self.scaled) for amplitude in amplitudes), start=Real.of(1))
        return evaluate(self.two if left else self.one, {a: left, b: right, M: mass})


@claim(
    CLAIM,
    source=Source(PAPER, "App. F.2.1", "derived"),
    quantifiers="for all m, frequencies, a_k >= 0, beta >= 0 and a, b >= 0",
    statement=lambda floor: floor.statement,
    variant=Floor(),
    controls={
        "two-sided without the half": Floor(two=(a + b + 2) * M - 1),
        "one-sided with b + 2": Floor(one=((b + 2) * M - 1) / 2),
        "two-sided, own weight forgotten": Floor(two=(a + b + 2) * M / 2),
        "I_0 in place of Bes": Floor(scaled=False),
    },
    hypotheses=(
        Hypothesis("aligned", "the logit is sum a_k cos(t theta_k)", Floor(aligned=False), "one-sided targets only"),
    ),
    does_not_show="that the floor is met: at the best frequency F comes near it as inputs grow",
)
def competitor_weight_floor(floor: Floor, thorough: bool) -> Iterator[Evidence]:
    """One and two planes at rational turns and in boxes of all frequencies; the kernel and its coefficients."""
    if not floor.aligned:
        yield Enumeration("one-sided targets in the middle of their arc", _unaligned(floor))
    sizes = ((1, 30, 12), (2, 12, 9), (3, 6, 5)) if thorough else ((1, 9, 5), (2, 5, 3))
    for m, order, reach in sizes:
        yield Enumeration(f"{counted(m, 'planes')} at rational turns, q <= {order}", _rational(floor, m, order, reach))
    boxes = [(ONE, 0, 6, BETAS[2]), (ONE, 2, 5, BETAS[1]), (HALVES, 0, 5, BETAS[0]), (HALVES, 2, 5, BETAS[1])]
    for amplitudes, left, right, beta in boxes:
        decide = partial(_covered, amplitudes, left, right, beta, floor.at(left, right, beta, amplitudes))
        yield BoxCover(
            f"{counted(len(amplitudes), 'planes')}, F_({left},{right})", (HALF_TURN,) * len(amplitudes), decide
        )
    yield Identity("Fejer's kernel, and cosines to a power", _kernel(6))


def _unaligned(floor: Floor) -> Iterator[Case]:
    for right, beta in product((8, 16), BETAS):
        yield {"b": right, "beta": str(beta)}, end_weight(right, Real.of(beta)) >= floor.at(0, right, beta, ONE)


def end_weight(keys: int, beta: Real) -> Real:
    """The weight of the keys on one side of a target, at the best angle and phase of one plane with |q| |k| = 1."""
    turns = peak(keys) / TURN / keys
    heights = [cos(TURN * ((1 - (keys + 1) * turns) / 2 + t * turns)) for t in range(keys + 1)]
    return Real.total(exp(-beta * (heights[0] - height)) for height in heights[1:])


def _rational(floor: Floor, m: int, order: int, reach: int) -> Iterator[Case]:
    amplitudes = (Fraction(1, m),) * m
    for left, right, beta in product(range(reach), range(1, reach + 1), BETAS):
        least = floor.at(left, right, beta, amplitudes).at(64)
        if left > right or least <= 0:
            continue
        for turns in frequency_sets(m, order):
            case = {"a": left, "b": right, "beta": str(beta), "turns": [*map(str, turns)]}
            yield case, at_most(least, weight(amplitudes, map(ball, turns), left, right, ball(beta)))


def weight(amplitudes: Amplitudes, turns: Iterable[arb], left: int, right: int, beta: arb) -> arb:
    """F_{left,right} of several planes, in balls, for frequencies in boxes."""
    sums = prefix_sums(ball_gaps(amplitudes, turns, max(left, right)), beta)
    return sums[left] + sums[right]


def _covered(amplitudes: Amplitudes, left: int, right: int, beta: Fraction, least: Real, *turns: arb) -> Outcome:
    return at_most(least.enclose(), weight(amplitudes, turns, left, right, ball(beta)))


def _kernel(reach: int) -> Iterator[Equation]:
    for T in range(1, reach):
        kernel = sum((T + 1 - abs(t)) * sympy.exp(sympy.I * t * theta) for t in range(-T, T + 1))
        root = sum(sympy.exp(sympy.I * t * theta) for t in range(T + 1))
        yield f"T = {T}", kernel, root * root.subs(theta, -theta)
    for power in range(1, reach):
        waves = sum(comb(power, k) * sympy.exp(sympy.I * (power - 2 * k) * theta) for k in range(power + 1))
        yield f"cos^{power}", sympy.cos(theta) ** power, waves / 2**power


@quantity("competitor-weight-floor", unit="weight of the target", claim=CLAIM)
def competitor_weight_floor_at(n: Length2, beta: Positive, amplitudes: Vector, offset: Offset = 0) -> Bound:
    """The least F_{s,n-1-s} over all frequencies with these amplitudes |q_k| |k_k|, aligned phases, offset s."""
    check_query(n, offset)
    mass = mean_mass(beta, checked(amplitudes))
    left, right = sorted((offset, n - 1 - offset))
    return Bound("lower", evaluate(Floor().two if left else Floor().one, {a: left, b: right, M: mass}))


def checked(amplitudes: Iterable[Expr]) -> list[Real]:
    """The amplitudes; InputError unless all are at least 0."""
    parts = [Real.of(amplitude) for amplitude in amplitudes]
    if Outcome.every(part >= 0 for part in parts) is not Outcome.HOLDS:
        raise InputError(f"amplitudes={[*map(float, parts)]} are not all known to be at least 0; give |q_k| |k_k|")
    return parts
