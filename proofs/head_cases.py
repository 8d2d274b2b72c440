"""The cases by which the steps of proofs.head_continuity are checked, from weights as quotients of exponentials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy
from sympy import Expr, Rational, exp, symbols

from theory.arithmetic.ball import evaluate
from theory.compact.continuity.single_head import changed_mass
from theory.compact.continuity.weights_bound import Weights, softmax
from theory.compact.symbols import Delta, d, k, n, v
from theory.evidence import Case, Equation

WEIGHTS = Weights()
NONE = sympy.Integer(0)  # virtual keys
LEAST, LEAST_PLAIN = WEIGHTS.lower(n, NONE, Delta)
LARGEST, LARGEST_PLAIN = WEIGHTS.upper(n, NONE, Delta)
MASS = changed_mass(Delta, d)
GROWTHS = (1, 2, 3)  # e^Delta = 2, 4, 8


def quotients() -> Iterator[Equation]:
    """A weight as 1 over the exponentials of differences, and its logits moved by one number."""
    s, more = symbols("s_1:5", real=True), symbols("c", real=True)
    for keys in (2, 3, 4):
        weights = [exp(logit) / sum(map(exp, s[:keys])) for logit in s[:keys]]
        apart = 1 / sum(exp(logit - s[0]) for logit in s[:keys])
        yield f"{keys} keys", weights[0], apart
        moved = exp(s[0] + more) / sum(exp(logit + more) for logit in s[:keys])
        yield f"{keys} keys, all logits moved", moved, weights[0]


def bounds() -> Iterator[Equation]:
    """The extreme rows, and by how much the plain bounds are weaker."""
    growth = exp(Delta)
    yield "one term 1 and n - 1 terms e^-Delta", 1 / (1 + (n - 1) * exp(-Delta)), LARGEST
    yield "one term 1 and n - 1 terms e^Delta", 1 / (1 + (n - 1) * growth), LEAST
    yield "e^Delta/n is larger", LARGEST_PLAIN - LARGEST, growth * (growth - 1) / (n * (growth + n - 1))
    yield "e^-Delta/n is smaller", LEAST - LEAST_PLAIN, (growth - 1) / (n * growth * (1 + (n - 1) * growth))


def extremes(longest: int) -> Iterator[Case]:
    """One key above or below all others, by 0, ln 2, ln 4, ln 8."""
    for length, level in product(range(1, longest + 1), (0, *GROWTHS)):
        said = [exactly(bound.subs({n: length, Delta: sympy.log(2**level)})) for bound in (LARGEST, LEAST)]
        found = [softmax((sign * level, *[0] * (length - 1)))[0] for sign in (1, -1)]
        yield {"n": length, "e^Delta": 2**level}, found == said


def virtual() -> Iterator[Equation]:
    """With v more keys the least weight is that among n + v keys."""
    yield "least weight", WEIGHTS.lower(n, v, Delta)[0], LEAST.subs(n, n + v)
    yield "largest weight", WEIGHTS.upper(n, v, Delta)[0], LARGEST


def between() -> Iterator[Equation]:
    """The difference of two logits between two rows."""
    s, t, s_, t_, share = symbols("s_1 s_2 s'_1 s'_2 t", real=True)
    found = (1 - share) * s + share * s_ - ((1 - share) * t + share * t_)
    yield "difference", found, (1 - share) * (s - t) + share * (s_ - t_)


def half() -> Iterator[Equation]:
    """At n = 1 + e^Delta one key may have half of the attention."""
    yield "n = 1 + e^Delta", LARGEST.subs(n, 1 + exp(Delta)), Rational(1, 2)


def largest(spreads: Sequence[int], lengths: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Delta, then the largest weight at each length."""
    for spread in spreads:
        yield spread, *(f"{float(evaluate(LARGEST, {n: length, Delta: spread})):.4f}" for length in lengths)


def slopes() -> Iterator[Equation]:
    """How the mass on two of four keys moves with a logit inside and with one outside."""
    s = symbols("s_1:5", real=True)
    weights = [exp(logit) / sum(map(exp, s)) for logit in s]
    mass = weights[0] + weights[1]
    yield "inside", mass.diff(s[0]), weights[0] * (1 - mass)
    yield "outside", mass.diff(s[2]), -weights[2] * mass


def masses(longest: int) -> Iterator[Case]:
    """All rows of logits 0, ln 2, ln 4 and all sets of changed positions."""
    for length in range(2, longest + 1):
        for row in product(range(3), repeat=length):
            weights = softmax(row)
            for changed in range(1, length):
                most = exactly(changed_mass(sympy.log(4), Rational(changed, length)))
                for places in combinations(range(length), changed):
                    yield {"logits/ln 2": row, "D": places}, sum(weights[j] for j in places) <= most


def exactly(value: Expr) -> Fraction:
    """A rational number of SymPy."""
    return Fraction(int(value.p), int(value.q))


def shapes() -> Iterator[Equation]:
    """The bound from k boosted keys, and what it lies below."""
    growth = exp(Delta)
    yield "k keys of weight e^Delta", k * growth / (k * growth + n - k), changed_mass(Delta, k / n)
    yield "below 1", 1 - MASS, (1 - d) / (1 + (growth - 1) * d)
    yield "below e^Delta d", growth * d - MASS, d**2 * growth * (growth - 1) / (1 + (growth - 1) * d)


def of_masses(spreads: Sequence[int], counts: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Delta, then the bound for each number of changed letters of a thousand."""
    for spread in spreads:
        found = (evaluate(MASS, {Delta: spread, d: Fraction(count, 1000)}) for count in counts)
        yield spread, *(f"{float(mass):.4f}" for mass in found)
