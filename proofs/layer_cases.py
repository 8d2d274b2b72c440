"""The cases by which the steps of proofs.layer_continuity on heads and layers are checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from sympy import Expr, Integer, Rational, Symbol, exp, symbols

from proofs.head_cases import exactly
from theory.arithmetic.ball import Real
from theory.compact.averaging.averages import averaged, causal_average, poisson_tail, poisson_tail_radius
from theory.compact.continuity.constants import (
    HeadConstants,
    LayerConstants,
    first_factor,
    plain_coefficients,
    polynomial,
    total_growth,
)
from theory.compact.continuity.explicit_bound import coefficientwise
from theory.compact.continuity.perturbation import one_key_change, two_key_change
from theory.compact.continuity.radius import asymptotic_radius
from theory.compact.continuity.single_head import changed_mass
from theory.compact.continuity.weights_bound import softmax
from theory.compact.symbols import Delta, d, y
from theory.evidence import Case, Equation
from theory.outcome import Outcome

E, MEAN = symbols("e_i (Ae)_i", nonnegative=True)
HEAD = HeadConstants(Delta, *symbols("D_v lambda_q lambda_k lambda_v phi_1", nonnegative=True))
LAYER = LayerConstants(Symbol("phi_0", nonnegative=True), (HEAD,))
AVERAGE = LayerConstants(0, (HeadConstants(0, 1, 0, 0, 1),))
c_1, c_2 = symbols("c_1 c_2", positive=True)
TAILS = c_1 * poisson_tail(1, d) + c_2 * poisson_tail(2, d)
FIRST = first_factor(*symbols("P Q R B", positive=True))[0]
cancelled, expanded = sympy.cancel, sympy.expand


def velocities() -> Iterator[Equation]:
    """The weights on the way from one row of logits to another."""
    t = symbols("t", real=True)
    for keys in (2, 3):
        start, moves = symbols(f"s_1:{keys + 1}", real=True), symbols(f"X_1:{keys + 1}", real=True)
        terms = [exp(s + t * move) for s, move in zip(start, moves, strict=True)]
        weights = [term / sum(terms) for term in terms]
        mean = sum(p * move for p, move in zip(weights, moves, strict=True))
        yield f"{keys} keys", weights[0].diff(t), weights[0] * (moves[0] - mean)


def spreads() -> Iterator[Equation]:
    """With three weights: the mean distance from the mean is at most the standard deviation, and that at most l."""
    p, z, size = symbols("p_1 p_2"), symbols("z_1:4", real=True), symbols("l", real=True)
    weights = (*p, 1 - sum(p))

    def mean(values: Sequence[Expr]) -> Expr:
        return sum(q * value for q, value in zip(weights, values, strict=True))

    squares, pairs = mean([value**2 for value in z]), ((0, 1), (0, 2), (1, 2))
    apart = sum(weights[i] * weights[j] * (z[i] - z[j]) ** 2 for i, j in pairs)
    yield "E z^2 - (E z)^2", squares - mean(z) ** 2, apart
    inside = mean([(size - value) * (size + value) for value in z]) + mean(z) ** 2
    yield "l^2 - Var z", size**2 - (squares - mean(z) ** 2), inside


def means(longest: int) -> Iterator[Case]:
    """Rows of logits 0, ln 2, ln 4 and moves -1, 0, 1 of the keys: half the mean deviation, E|Z| and its bound."""
    growth = exactly(HeadConstants(sympy.log(4), 0, 0, 0, Integer(1)).mean)
    for length in range(1, longest + 1):
        for row, moves in product(product(range(3), repeat=length), product((-1, 0, 1), repeat=length)):
            weights = softmax(row)
            mean = sum((p * z for p, z in zip(weights, moves, strict=True)), Fraction(0))
            deviation = sum((p * abs(z - mean) for p, z in zip(weights, moves, strict=True)), Fraction(0)) / 2
            size = sum((p * abs(z) for p, z in zip(weights, moves, strict=True)), Fraction(0))
            bound = growth * Fraction(sum(map(abs, moves)), length)
            yield {"logits/ln 2": row, "Z": moves}, deviation <= size <= bound


def outputs() -> Iterator[Equation]:
    """The change of an output in two parts, three keys; and the second one where two keys gain what the third loses."""
    p, p_, v, v_ = symbols("p_1 p_2"), symbols("p'_1 p'_2"), symbols("v_1:4"), symbols("v'_1:4")
    rows = list(zip((*p, 1 - sum(p)), (*p_, 1 - sum(p_)), v, v_, strict=True))
    difference = sum(q * value - q_ * value_ for q, q_, value, value_ in rows)
    yield "in two parts", difference, sum(q * (value - value_) + (q - q_) * value_ for q, q_, value, value_ in rows)
    gained, more = symbols("t_1 t_2")
    mean = (gained * v[0] + more * v[1]) / (gained + more)
    moved = gained * v[0] + more * v[1] - (gained + more) * v[2]
    yield "TV times a difference of means", moved, (gained + more) * (mean - v[2])


def boosted() -> Iterator[Case]:
    """One key of ten, 3 above the others, moves up by 1/10: more than 1/100, and at most e^3.1/100."""
    observed = Real.of(one_key_change(10, Fraction(3), Fraction(1, 10)))
    mean = HeadConstants(Fraction(31, 10), 1, 0, 1, 0).mean * Fraction(1, 100)
    yield "ten keys", Outcome.every([observed > Fraction(1, 100), observed <= mean])


def halves() -> Iterator[Equation]:
    """Two equal keys that move in opposite directions start at the speed that the bound allows."""
    change = symbols("l", positive=True)
    yield "slope", two_key_change(change).diff(change).subs(change, 0), HeadConstants(0, 1, 1, 0, 0).own


def layers() -> Iterator[Equation]:
    """One layer of two heads on e_i and (Ae)_i."""
    heads = [HeadConstants(*symbols(f"D{h} V{h} q{h} k{h} v{h} f{h}", nonnegative=True)) for h in (1, 2)]
    skip = LAYER.skip
    layer = LayerConstants(skip, tuple(heads))
    found = skip * E
    for head in heads:
        value = exp(head.oscillation) * head.value * MEAN
        moved = head.query * E / 2 + head.key * exp(head.oscillation) * MEAN
        found += head.outer * (value + head.diameter * moved)
    yield "two heads", found, layer.a * E + layer.b * MEAN


def products() -> Iterator[Equation]:
    """Layers a + b A on the indicator of the first position, at a later one; and the sum of the coefficients."""
    for depth, length in ((1, 2), (2, 3), (3, 4)):
        factors = [(Symbol(f"a_{level}"), Symbol(f"b_{level}")) for level in range(1, depth + 1)]
        values: list[Any] = [Integer(place == 1) for place in range(1, length + 1)]
        for a, b in factors:
            values = [a * old + b * mean for old, mean in zip(values, causal_average(values), strict=True)]
        _, *coefficients = polynomial(factors)
        shares = (averaged((1,), length, m) for m in range(1, depth + 1))
        terms = (
            c * Rational(share.numerator, share.denominator) for c, share in zip(coefficients, shares, strict=True)
        )
        yield f"{depth} layers", values[-1], sum(terms)
        alone = [LayerConstants(a, (HeadConstants(Integer(0), 0, 0, 0, b),)) for a, b in factors]
        yield f"sum, {depth} layers", total_growth(alone), sum(coefficients)


def single() -> Iterator[Equation]:
    """One changed letter of n = e^y: g_L(1/n), times n."""
    for depth in range(1, 6):
        tail = sympy.expand_log(sympy.expand(sympy.exp(y) * poisson_tail(depth, sympy.exp(-y))), force=True)
        yield f"L = {depth}", tail, sum(y**power / sympy.factorial(power) for power in range(depth))


def radii() -> Iterator[tuple[int, Fraction, Real, Real, Real]]:
    """L, eps, the radius, the share that is always allowed, and the asymptotic one."""
    for depth, power in product((2, 3, 4), (1, 2, 3)):
        level = Fraction(1, 10**power)
        always = Real.of((level / 2 ** (depth - 1)) ** 2)
        yield depth, level, poisson_tail_radius(depth, level), always, asymptotic_radius(depth, level)


def radius_rows() -> Iterator[tuple[object, ...]]:
    """The same as text."""
    for depth, level, *shares in radii():
        yield depth, float(level), *(f"{float(share):.3g}" for share in shares)


def safe() -> Iterator[Case]:
    """g_L just below and just above the radius, at the share that is always allowed, and at the asymptotic one."""
    for depth, level, radius, always, asymptotic in radii():
        below, above = radius * Fraction(999999, 1000000), radius * Fraction(1000001, 1000000)
        allowed = [Real.of(poisson_tail(depth, share)) <= level for share in (below, always)]
        too_far = [Real.of(poisson_tail(depth, share)) > level for share in (above, asymptotic)]
        yield {"L": depth, "eps": str(level)}, Outcome.every([*allowed, *too_far])


def first_layers() -> Iterator[Case]:
    """What both bounds allow where the letters differ, and where they agree, against P_0 1_D + B d_i."""
    for whole, own, mean, share in product((1, 11, 50), (1, 5), (2, 100), (1, 2, 10)):
        p, b = first_factor(Fraction(whole), Fraction(own), Fraction(mean), Fraction(share))
        for running in (Fraction(1, 10), Fraction(2, 5), Fraction(1)):
            differs, agrees = min(whole, own + mean * running), min(share, mean) * running
            case = {"bounds": (whole, own, mean, share), "d_i": str(running)}
            yield case, differs <= p + b * running and agrees <= b * running


def too_small() -> Iterator[Case]:
    """The least of each coefficient: 5 where 41 is allowed."""
    whole, own, mean, share, running = 50, 1, 100, 10, Fraction(2, 5)
    p, b = coefficientwise(whole, own, mean, share)
    yield "d_i = 2/5", (min(whole, own + mean * running), p + b * running) == (41, 5)


def roots(longest: int) -> Iterator[Case]:
    """A readout sqrt(a) of one average at 1 0 ... 0, n = r^2: 1/r, more than any C/n, here for C = 10."""
    for r in range(11, longest + 1):
        share = averaged((1,), r**2, 1)
        bound = 10 * share * plain_coefficients([AVERAGE], 1)[1]
        yield {"n": r**2}, share == Fraction(1, r) ** 2 and Fraction(1, r) > bound


def growths() -> Iterator[Case]:
    """One layer that boosts the changed tenth by e^2: above 3 d, below what the constants allow."""
    found, share = Real.of(changed_mass(2, Fraction(1, 10))), Fraction(1, 10)
    head = HeadConstants(2, 1, 0, 2, 1)
    still = HeadConstants(0, 1, 0, 2, 1)
    yield "Delta = 2", Outcome.every([found > still.mean * share, found <= head.mean * share])
