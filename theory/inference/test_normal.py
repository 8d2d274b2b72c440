"""Normal and Student-t probabilities against SciPy, which computes them in other ways."""

from fractions import Fraction
from math import cos, exp

import pytest
from flint import acb, arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm
from scipy.stats import t as student

from theory.arithmetic.ball import Real
from theory.inference.normal import cdf, density, integral, same_sign, student_tail
from theory.outcome import Outcome

small = st.fractions(-4, 4, max_denominator=50)


@settings(max_examples=15)
@given(small)
def test_the_normal_law(x: Fraction) -> None:
    for exact, rounded, true in ((cdf(x), cdf(float(x)), norm.cdf), (density(x), density(float(x)), norm.pdf)):
        assert float(exact) == pytest.approx(float(true(float(x))), rel=1e-12)
        assert rounded == pytest.approx(float(exact), rel=1e-12)


def test_small_tails_keep_their_digits() -> None:
    assert float(cdf(Fraction(-30))) == pytest.approx(float(norm.cdf(-30.0)), rel=1e-12)
    assert float(student_tail(300, Fraction(1, 10))) == pytest.approx(float(student.cdf(-(3000**0.5), 300)), rel=1e-9)


@settings(max_examples=15)
@given(st.integers(1, 40), st.fractions(Fraction(1, 50), 20, max_denominator=50))
def test_student_tails(freedom: int, weight: Fraction) -> None:
    true = float(student.cdf(-((freedom / float(weight)) ** 0.5), freedom))
    assert float(student_tail(freedom, weight)) == pytest.approx(true, rel=1e-9)
    assert student_tail(freedom, float(weight)) == pytest.approx(true, rel=1e-9)


def test_nothing_lies_infinitely_far_out() -> None:
    assert student_tail(5, Fraction(0)) == 0
    assert (Real.of(student_tail(1, 10**12)) > Fraction(499, 1000)) is Outcome.HOLDS


@pytest.mark.parametrize("rho", [Fraction(-9, 10), Fraction(-1, 3), Fraction(0), Fraction(1, 2), Fraction(99, 100)])
@pytest.mark.parametrize(("a", "b"), [(0, 0), (1, -1), (Fraction(1, 2), 2), (-3, Fraction(1, 3))])
def test_two_of_one_sign(a: Fraction, b: Fraction, rho: Fraction) -> None:
    law = multivariate_normal([0, 0], [[1, float(rho)], [float(rho), 1]])
    true = float(law.cdf([float(a), float(b)]) + law.cdf([-float(a), -float(b)]))
    assert float(Real.of(same_sign(a, b, rho))) == pytest.approx(true, abs=1e-7)


def test_orthants() -> None:
    """1/2 + asin(rho)/pi at the origin, which Niven's angles make rational."""
    assert float(Real.of(same_sign(Fraction(0), Fraction(0), Fraction(1, 2)))) == pytest.approx(2 / 3, rel=1e-15)


def test_integrals_enclose() -> None:
    found = integral(lambda x, analytic: (-x * x).exp() * acb(x).cos(), arb(0), arb(2))
    true, error = quad(lambda x: exp(-x * x) * cos(x), 0, 2)
    assert float(found.mid()) == pytest.approx(true, abs=10 * error)
