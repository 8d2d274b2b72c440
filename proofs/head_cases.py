"""The cases by which the steps of proofs.head_continuity are checked, from weights as quotients of exponentials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy
from sympy import Expr, Rational, exp, symbols

from theory.arithmetic.ball import evaluate
from theory.compact.averaging.averages import averaged
from theory.compact.continuity.single_head import Sharp, changed_mass, changed_share
from theory.compact.continuity.weights_bound import Weights, softmax
from theory.compact.isolation.detector import GAIN, logit, sigma
from theory.compact.symbols import Delta, d, k, n, v
from theory.evidence import Case, Equation

WEIGHTS = Weights()
NONE = sympy.Integer(0)  # virtual keys
LEAST, LEAST_PLAIN = WEIGHTS.lower(n, NONE, Delta)
LARGEST, LARGEST_PLAIN = WEIGHTS.upper(n, NONE, Delta)
MASS = changed_mass(Delta, d)
r = symbols("r", positive=True)
SHARE = changed_share(Delta, r)
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


FALSE: dict[str, Sharp] = {
    "half the range": Sharp(lambda spread, k, n: changed_mass(spread / 2, k / n)),
    "e^Delta d/(1 + e^Delta d)": Sharp(lambda spread, k, n: exp(spread) * k / (n + exp(spread) * k)),
    "k/(n + 1)": Sharp(lambda spread, k, n: changed_mass(spread, k / (n + 1))),
}


def of_masses(spreads: Sequence[int], counts: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Delta, then the bound for each number of changed letters of a thousand."""
    for spread in spreads:
        found = (evaluate(MASS, {Delta: spread, d: Fraction(count, 1000)}) for count in counts)
        yield spread, *(f"{float(mass):.4f}" for mass in found)
