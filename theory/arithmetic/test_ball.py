"""Balls contain what they claim to, and comparisons decide only what is certain."""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.ball import (
    Real,
    acos,
    besseli,
    cos,
    evaluate,
    exp,
    log,
    maximum,
    minimum,
    pi,
    sin,
    sqrt,
    versine,
)
from theory.errors import InputError
from theory.outcome import Outcome
from theory.symbols import beta, t, theta

HOLDS, REFUTED, UNDECIDED = Outcome.HOLDS, Outcome.REFUTED, Outcome.UNDECIDED
fractions = st.fractions(min_value=-50, max_value=50, max_denominator=40)


def hidden(value: Fraction | int) -> Real:
    """The same number, known through its balls only."""
    rational = fmpq(Fraction(value).numerator, Fraction(value).denominator)
    return Real(lambda: arb(rational))


def encloses(real: Real, value: Fraction, bits: int = 100) -> bool:
    bounds = real.fixed_point(bits)
    return bounds is not None and bounds[0] <= value * 2**bits <= bounds[1]


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
@given(x=fractions, y=fractions)
def test_arithmetic_is_that_of_the_rationals(operation: Callable[..., Any], x: Fraction, y: Fraction) -> None:
    if operation is operator.truediv and y == 0:
        with pytest.raises(ZeroDivisionError):
            Real.of(x) / y
        return
    value = operation(x, y)
    for left, right in ((Real.of(x), y), (x, Real.of(y)), (Real.of(x), Real.of(y))):
        assert operation(left, right).exact == value
    blurred = operation(hidden(x), hidden(y))
    assert encloses(blurred, value)
    if value:
        assert abs(float(blurred) - value) <= math.ulp(value)


@given(x=fractions, y=fractions, z=fractions)
def test_rational_multiples_of_pi_stay_exact(x: Fraction, y: Fraction, z: Fraction) -> None:
    assert (x * pi + pi * y).over_pi == x + y
    assert (x + y * pi - z * pi - x).equals((y - z) * pi) is HOLDS
    assert abs(x * pi).over_pi == abs(x)
    if y:
        assert (x * pi / (y * pi)).exact == x / y
        assert ((x + y * pi) * 3 / (x + y * pi)).exact == 3
        assert (x * pi / y).over_pi == x / y


@pytest.mark.parametrize(("a", "b"), [(1, 0), (0, 1), (1, 1)])
def test_rationals_that_have_grown_beyond_use_are_balls(a: int, b: int) -> None:
    small, large = (Real.of_linear(a * fmpq(x), b * fmpq(x)) for x in (2**1000, 2**70_000))
    assert (small.exact, small.over_pi) == (a * 2**1000 if not b else None, b * 2**1000 if not a else None)
    assert (large.exact, large.over_pi) == (None, None) and (large > small) is HOLDS


@given(x=fractions, y=fractions)
def test_comparisons_agree_with_the_rationals(x: Fraction, y: Fraction) -> None:
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        assert compare(Real.of(x), y) is Outcome.of(compare(x, y))
        assert compare(x, Real.of(y)) is Outcome.of(compare(x, y))
        seen = compare(hidden(x) / 3 * 3, y)
        assert seen is Outcome.of(compare(x, y)) or (x == y and seen is UNDECIDED)
    assert Real.of(x).equals(y) is Outcome.of(x == y)


def test_precision_rises_until_a_comparison_is_decided() -> None:
    tiny = Fraction(1, 10**600)
    assert (sqrt(2) ** 2 > 2 - tiny) is HOLDS
    assert (sqrt(2) ** 2 >= 2 + tiny) is REFUTED
    assert (sqrt(2) ** 2 < 2) is UNDECIDED
    assert (sqrt(2) ** 2 >= 2) is UNDECIDED
    assert (sqrt(2) ** 2).equals(2) is UNDECIDED
    assert (sqrt(2)).equals(Fraction(14142, 10000)) is REFUTED


@pytest.mark.parametrize(
    "value", [log(-1), sqrt(-2), acos(2), 1 / (sqrt(2) ** 2 - 2), Real(arb.nan), Real(arb.pos_inf)]
)
def test_what_is_not_finite_decides_nothing(value: Real) -> None:
    for compare in (operator.lt, operator.le, operator.gt, operator.ge, Real.equals):
        assert compare(value, 0) is UNDECIDED


def test_accuracy_is_relative_and_leaves_the_global_precision_alone() -> None:
    before = ctx.prec
    cancelled = exp(Fraction(1, 10**30)) - 1
    assert cancelled.ball(200).rel_accuracy_bits() >= 200
    assert float(cancelled) == 1e-30
    assert float(sqrt(2) ** 2 - 2) == pytest.approx(0, abs=1e-300)
    with pytest.raises(ZeroDivisionError):
        Real(lambda: arb(1 // 0)).at(500)
    assert ctx.prec == before


def test_cosines_of_rational_multiples_of_pi() -> None:
    for multiple in (Fraction(p, q) for q in range(1, 13) for p in range(-3 * q, 3 * q + 1)):
        for function, reference in ((cos, math.cos), (sin, math.sin)):
            value = function(multiple * pi)
            assert float(value) == pytest.approx(reference(multiple * math.pi), abs=1e-14)
            # Niven: the rational values are 0, 1/2 and 1, up to sign, and all of them are recognised.
            rational = abs(round(2 * reference(multiple * math.pi)) - 2 * reference(multiple * math.pi)) < 1e-9
            assert (value.exact is not None) is rational
        assert versine(multiple * pi).equals(1 - cos(multiple * pi)) is not REFUTED
    assert float(sin(pi * 10**40 + pi * Fraction(1, 10**20))) == pytest.approx(math.pi * 1e-20, rel=1e-15)


def test_versine_keeps_small_angles() -> None:
    assert float(versine(Real.of(Fraction(1, 10**200)))) == 0  # below the smallest float ...
    assert (versine(Real.of(Fraction(1, 10**200))) > Fraction(49, 10**402)) is HOLDS  # ... but not 0
    assert versine(pi / 3).exact == Fraction(1, 2)
    assert sympy.expand_trig(versine(2 * theta) - 1 + sympy.cos(2 * theta)).expand().simplify() == 0


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (sympy.Rational(1, 3) + 2 ** sympy.Rational(1, 3), 1 / 3 + 2 ** (1 / 3)),
        (sympy.sqrt(2) ** 3 / sympy.pi - sympy.E, 2**1.5 / math.pi - math.e),
        (sympy.Pow(2, sympy.pi), 2**math.pi),
        (sympy.exp(-beta) * sympy.besseli(0, beta), math.exp(-2.5) * 3.2898391440501231),
        (sympy.Sum(sympy.exp(-beta * (1 - sympy.cos(t))), (t, 1, 4)), None),
        (sympy.Sum(t, (t, 5, 2)), 0),
        (sympy.Min(beta, sympy.cosh(1)) + sympy.Max(beta, 2, sympy.tan(1)) + sympy.Abs(-beta), None),
        (
            sympy.tan(beta)
            + sympy.sech(beta)
            + sympy.tanh(beta)
            + sympy.sinh(beta)
            + sympy.acos(beta / 4)
            + sympy.log(beta),
            None,
        ),
        (sympy.GoldenRatio, (1 + 5**0.5) / 2),
    ],
)
def test_evaluation_of_expressions(expr: sympy.Expr, value: float | None) -> None:
    if value is None:
        value = float(sympy.lambdify(beta, expr.doit(), "mpmath")(2.5))
    assert float(evaluate(expr, {beta: Fraction(5, 2)})) == pytest.approx(value, rel=1e-14, abs=1e-14)


@pytest.mark.parametrize(
    "expr", [theta, sympy.Float("0.5"), sympy.I, sympy.oo, sympy.gamma(theta), sympy.Sum(t, (t, 1, sympy.pi))]
)
def test_what_has_no_exact_value_is_refused(expr: sympy.Expr) -> None:
    with pytest.raises(InputError):
        evaluate(expr)


@pytest.mark.parametrize("value", [0.5, np.float64(0.5), np.float32(0.5), 1j, "1/2", None])
def test_inexact_numbers_are_refused(value: object) -> None:
    with pytest.raises(InputError, match="is not exact"):
        Real.of(value)


def test_evaluation_keeps_what_is_exact() -> None:
    assert evaluate(sympy.sqrt(beta) * sympy.cos(sympy.pi / 3), {beta: Fraction(9, 4)}).exact == Fraction(3, 4)
    assert evaluate(beta ** sympy.Rational(-3, 2), {beta: Fraction(9, 4)}).exact == Fraction(8, 27)


@pytest.mark.parametrize("left", [2, Fraction(2), np.int64(2), sympy.Integer(2), sympy.sqrt(4)])
def test_operands_on_either_side(left: Any) -> None:
    three = hidden(3)
    assert (left + three).equals(5) is HOLDS
    assert (left - three).equals(-1) is HOLDS
    assert (left * three).equals(6) is HOLDS
    assert float(left / three) == 2 / 3
    assert (left < three) is HOLDS
    assert (left >= three) is REFUTED


def test_powers_roots_and_extrema() -> None:
    assert (Real.of(Fraction(2, 3)) ** -3).exact == Fraction(27, 8)
    assert (hidden(3) ** 4).equals(81) is HOLDS
    assert (hidden(0) ** 0).equals(1) is HOLDS
    assert [abs(Real.of(Fraction(p, 2))).exact for p in (-3, -1, 0, 1, 3)] == [Fraction(p, 2) for p in (3, 1, 0, 1, 3)]
    assert sqrt(Fraction(9, 4)).exact == Fraction(3, 2)
    assert sqrt(Fraction(1, 2)).exact is None
    assert minimum([3, Fraction(1, 2), -1]).exact == -1
    assert maximum([3, Fraction(1, 2), -1]).exact == 3
    assert minimum([hidden(3), 2, sqrt(5)]).equals(2) is HOLDS
    assert maximum([hidden(3), 2, sqrt(5)]).equals(3) is HOLDS
    assert (abs(sqrt(2) - 2) > 0) is HOLDS
    assert float(besseli(1, 3, scaled=True)) == pytest.approx(math.exp(-3) * 3.9533702174026093, rel=1e-15)
    with pytest.raises(InputError, match="at least one"):
        minimum([])


def test_totals_are_flat_and_shared_parts_are_computed_once() -> None:
    assert Real.total(Fraction(1, k * (k + 1)) for k in range(1, 1000)).exact == Fraction(999, 1000)
    assert float(Real.total(sqrt(k) for k in range(5000))) == pytest.approx(math.fsum(map(math.sqrt, range(5000))))
    power = sqrt(2)
    for _ in range(60):
        power = power * power / 2 + power  # 2^60 evaluations, were they not shared
    assert (power > 0) is HOLDS


def test_equality_and_hash_point_to_the_outcome() -> None:
    with pytest.raises(TypeError, match="equals"):
        assert Real.of(1) == 1
    with pytest.raises(TypeError, match="no hash"):
        hash(Real.of(1))


@given(x=fractions, bits=st.integers(2, 300))
def test_fixed_point_bounds(x: Fraction, bits: int) -> None:
    bounds = (hidden(x) / 7).fixed_point(bits)
    assert bounds is not None
    low, high = (Fraction(bound, 2**bits) for bound in bounds)
    assert low <= x / 7 <= high
    assert high - low <= Fraction(16 + 8 * abs(x.numerator // x.denominator), 2**bits)
    assert Real(arb.nan).fixed_point(bits) is None


def test_powers_of_a_number_that_no_ball_tells_from_zero() -> None:
    hidden = cos(1) - cos(1)
    assert abs(float(hidden**2)) < 1e-30
    assert (hidden**2 < 1) is Outcome.HOLDS
    assert (cos(1) ** 5).equals(cos(1) * cos(1) * cos(1) * cos(1) * cos(1)) is not Outcome.REFUTED
