"""The cases by which the steps of proofs.head_continuity on outputs are checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from sympy import Rational, exp, symbols

from proofs.head_cases import GROWTHS, MASS, NONE, exactly
from theory.arithmetic.ball import evaluate
from theory.compact.averaging.averages import averaged
from theory.compact.continuity.single_head import Sharp, changed_mass, changed_share
from theory.compact.continuity.weights_bound import softmax
from theory.compact.isolation.detector import GAIN, logit, sigma
from theory.compact.symbols import Delta, d
from theory.evidence import Case, Equation

r = symbols("r", positive=True)
SHARE = changed_share(Delta, r)
FALSE: dict[str, Sharp] = {
    "half the range": Sharp(lambda spread, k, n: changed_mass(spread / 2, k / n)),
    "e^Delta d/(1 + e^Delta d)": Sharp(lambda spread, k, n: exp(spread) * k / (n + exp(spread) * k)),
    "k/(n + 1)": Sharp(lambda spread, k, n: changed_mass(spread, k / (n + 1))),
}


def mixtures() -> Iterator[Equation]:
    """The difference of two means with one common part."""
    m, m_, C, R, R_ = symbols("m m' C R R'", real=True)
    difference = (1 - m) * C + m * R - ((1 - m_) * C + m_ * R_)
    yield "difference", difference, m * (R - (m_ * R_ + (m - m_) * C) / m)


def hulls() -> Iterator[Equation]:
    """The difference of two means is a mean of differences, three values each."""
    first, second = symbols("v_1:4", real=True), symbols("v'_1:4", real=True)
    a, b = symbols("a_1 a_2", real=True), symbols("b_1 b_2", real=True)
    ours, theirs = [*a, 1 - sum(a)], [*b, 1 - sum(b)]
    difference = sum(p * x for p, x in zip(ours, first, strict=True)) - sum(
        q * y for q, y in zip(theirs, second, strict=True)
    )
    pairs = product(zip(ours, first, strict=True), zip(theirs, second, strict=True))
    yield "three values each", difference, sum(p * q * (x - y) for (p, x), (q, y) in pairs)


def attained(longest: int) -> Iterator[Case]:
    """Logits Delta w_j and values w_j on all words over 0 and 1 that end in 0; on zeros alone the output is 0."""
    for length, level in product(range(2, longest + 1), GROWTHS):
        for start in product((0, 1), repeat=length - 1):
            word = (*start, 0)
            weights = softmax(tuple(level * letter for letter in word))
            found = sum((p * letter for p, letter in zip(weights, word, strict=True)), Fraction(0))
            said = exactly(changed_mass(sympy.log(2**level), Rational(sum(word), length)))
            yield {"w": word, "e^Delta": 2**level}, found == said


def inverse() -> Iterator[Equation]:
    """The share at which the bound is r."""
    yield "mass r", changed_mass(Delta, SHARE), r


def shares(spreads: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Delta, then how many letters of a thousand must change before an output can move by a tenth and by a half."""
    for spread in spreads:
        found = (evaluate(SHARE, {Delta: spread, r: part}) for part in (Fraction(1, 10), Fraction(1, 2)))
        yield spread, *(f"{1000 * float(share):.4f}" for share in found)


def slope() -> Iterator[Equation]:
    """The slope of the logistic function is at most 1/4."""
    z = symbols("z", real=True)
    one = 1 / (1 + exp(-z))
    yield "slope", one.diff(z), one * (1 - one)
    yield "at most 1/4", Rational(1, 4) - one * (1 - one), (Rational(1, 2) - one) ** 2


def readouts() -> Iterator[Case]:
    """sigma(2 a - 4.5 + 4 p) at the output of the boosting head, against its value on zeros."""
    for spread, parts, flag in product((0, 1, 2, 5), (1, 10, 50, 100), (0, 1)):
        mass = evaluate(MASS, {Delta: spread, d: Fraction(parts, 200)})
        moved = abs(sigma(logit(mass, flag)) - sigma(logit(Fraction(0), flag)))
        yield {"Delta": spread, "d": f"{parts}/200", "flag": flag}, moved <= Fraction(GAIN, 4) * mass


def two_layers(longest: int) -> Iterator[Case]:
    """Two averages of 1 0 ... 0: more than 1/n, which is the bound for one at Delta = 0."""
    for length in range(2, longest + 1):
        bound = exactly(changed_mass(NONE, Rational(1, length)))
        yield {"n": length}, averaged((1,), length, 2) > bound


def other_query(longest: int) -> Iterator[Case]:
    """Logits Delta w_n (j mod 2) and values j mod 2, on 0 ... 0 and 0 ... 0 1; above the bound from 12 on."""
    level = 2
    for length in range(2, longest + 1, 2):
        odd = [j % 2 for j in range(1, length + 1)]
        first, second = (softmax(tuple(level * last * bit for bit in odd)) for last in (0, 1))
        gap = sum((p - q) * bit for p, q, bit in zip(second, first, odd, strict=True))
        bound = exactly(changed_mass(sympy.log(4), Rational(1, length)))
        yield {"n": length}, gap == Fraction(4, 5) - Fraction(1, 2) and (gap > bound) is (length >= 12)


def other_sets(longest: int) -> Iterator[Case]:
    """A changed key at twice the range in the other run; values -1 and 1 at one key and 0 elsewhere."""
    for length in range(2, longest + 1):
        boosted = softmax((4, *[0] * (length - 1)))[0]
        yield {"n": length, "range": "twice"}, boosted > exactly(changed_mass(sympy.log(4), Rational(1, length)))
        moved = Fraction(1, length) - Fraction(-1, length)
        yield {"n": length, "values": "-1, 1"}, moved > exactly(changed_mass(NONE, Rational(1, length)))


def smaller() -> Iterator[Case]:
    """Bounds that are exceeded at Delta = 2 and three changed letters of ten."""
    found = evaluate(MASS, {Delta: 2, d: Fraction(3, 10)})
    for name, sharp in FALSE.items():
        yield name, sharp.at(sympy.Integer(2), 3, 10) < found
