"""One elementary function for every type of number: they agree, and what is exact stays exact."""

import math
from fractions import Fraction
from typing import Any

import pytest
import sympy
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.real import Real
from theory.compact.elementary import alike, exp, largest, log, quotient, smallest, to_ball

KINDS = [float, Fraction, lambda x: Real.of(Fraction(x)), arb, lambda x: sympy.Rational(*x.as_integer_ratio())]


def number(value: Any) -> float:
    if isinstance(value, sympy.Expr):
        value = Real.of(value)
    return float(value.mid()) if isinstance(value, arb) else float(value)


@pytest.mark.parametrize("kind", KINDS)
@given(st.floats(0.01, 50), st.floats(-50, 50))
def test_all_types_agree(kind: Any, x: float, y: float) -> None:
    assert number(log(kind(x))) == pytest.approx(math.log(x), rel=1e-12, abs=1e-14)
    assert number(exp(kind(y))) == pytest.approx(math.exp(y), rel=1e-12)
    assert number(smallest(kind(x), kind(y))) == min(x, y)
    assert number(largest(kind(y), kind(x), kind(0.5))) == max(x, y, 0.5)
    assert number(quotient(kind(x), kind(3.0))) == pytest.approx(x / 3, rel=1e-12)


def test_what_is_exact_stays_exact() -> None:
    assert exp(0) == exp(Fraction(0)) == 1 and isinstance(exp(Fraction(0)), Fraction)
    assert log(1) == log(Fraction(1)) == 0
    assert quotient(1, 3) == Fraction(1, 3)


def test_a_float_grows_to_infinity_and_stays_no_number() -> None:
    assert exp(709.0) < math.inf == exp(710.0)
    assert math.isnan(exp(math.nan))


def test_balls() -> None:
    wide = arb(1, 0.5)
    assert smallest(wide, arb(2)).contains(arb(0.75)) and largest(0, -wide) == 0
    assert largest(Fraction(1, 3), arb(0)).overlaps(arb(1) / 3)
    assert alike(Fraction(1, 3), arb(1)).contains(to_ball(Fraction(1, 3)))
    assert alike(Fraction(1, 4), 1.0) == 0.25 and isinstance(alike(1, 1.0), float)
    assert alike(Fraction(1, 3), 1) == Fraction(1, 3)
