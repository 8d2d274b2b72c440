"""Zeros of falling functions, against numbers known in closed form."""

from fractions import Fraction
from functools import partial

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.ball import pi
from theory.arithmetic.root import falling_root
from theory.outcome import Outcome


@given(st.fractions(0, 1, max_denominator=1000), st.sampled_from([1, 3, 5, 7]))
def test_radicals(value: Fraction, degree: int) -> None:
    power = arb(value.numerator) / value.denominator
    root = falling_root(lambda x: value.numerator - value.denominator * x**degree, Fraction(-1, 8), Fraction(9, 8))
    for bits in (53, 200, 1000):
        ball = root.at(bits)
        assert ball.is_finite() and (ball**degree).overlaps(power)
        assert ball.rad() < 2.0 ** -(bits // 8 - 2)


def line(p: int, q: int, x: arb) -> arb:
    return p - q * x


def test_relative_accuracy_and_zeros_hit_exactly() -> None:
    half_pi = falling_root(arb.cos, 1, 2)
    assert half_pi.ball(300).rel_accuracy_bits() >= 300
    assert abs(half_pi - pi / 2).at(500) < 1e-120
    for zero in (Fraction(1, 2), Fraction(1, 3), Fraction(0)):
        numerator, denominator = zero.as_integer_ratio()
        found = falling_root(partial(line, numerator, denominator), -1, 2)
        assert found.at(128).overlaps(arb(numerator) / denominator) and found.at(128).rad() < 1e-30


@pytest.mark.parametrize("sign", [1, -1])
def test_without_a_change_of_sign_nothing_is_decided(sign: int) -> None:
    nowhere = falling_root(lambda x: sign * (2 - x / 4), 0, 1)
    assert (nowhere < 5) is Outcome.UNDECIDED
