import math
from fractions import Fraction

import numpy as np
import pytest
import sympy

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, cos
from theory.errors import InputError, Undecided
from theory.outcome import Outcome

HIDDEN_TURN = 2 * sympy.pi * (sympy.sqrt(2) + 1) * (sympy.sqrt(2) - 1)


@pytest.mark.parametrize(
    ("base", "d", "k"), [(10000, 128, 1), (10000, 128, 2), (500000, 64, 32), (Fraction(7, 2), 6, 3), (10, 2, 1)]
)
def test_rope_angles(base: int | Fraction, d: int, k: int) -> None:
    angle = Angle.rope(base, d, k)
    assert float(angle.real) == pytest.approx(float(base) ** (-2 * (k - 1) / d), rel=1e-15)
    assert float(angle.alpha) == pytest.approx(float(angle.real) / (2 * math.pi), rel=1e-15)
    assert float(angle.wavelength) == pytest.approx(2 * math.pi / float(angle.real), rel=1e-15)
    assert angle.turns is None
    assert angle.rotates() is Outcome.HOLDS
    assert Angle.parse(str(angle)) == angle
    # The exact rational power, not a float near it.
    power = angle.real ** (d // 2) * Real.of(base) ** (k - 1) - 1
    assert (abs(power) < Fraction(1, 10**1000)) is Outcome.HOLDS


@pytest.mark.parametrize(
    ("p", "q", "turns"),
    [(5, 13, Fraction(5, 13)), (6, 4, Fraction(3, 2)), (-1, 3, Fraction(-1, 3)), (0, 1, Fraction(0))],
)
def test_turns_are_in_lowest_terms(p: int, q: int, turns: Fraction) -> None:
    angle = Angle.turn(p, q)
    assert angle.turns == turns
    assert angle.alpha.exact == turns
    assert angle.rotates() is Outcome.of(turns.denominator > 1)
    assert Angle.parse(str(angle)) == angle
    assert cos(q * angle.real).exact == 1


@pytest.mark.parametrize(
    ("d", "k", "message"),
    [(7, 1, "even"), (0, 1, "even"), (8, 0, "give one from 1 to d/2 = 4"), (8, 5, "give one from 1 to d/2 = 4")],
)
def test_wrong_planes_are_named(d: int, k: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Angle.rope(10000, d, k)


@pytest.mark.parametrize("base", [0, -2, 1e4, np.float32(2)])
def test_wrong_bases_are_refused(base: int) -> None:
    with pytest.raises(InputError, match=r"base|exact"):
        Angle.rope(base, 8, 1)


@pytest.mark.parametrize(
    "value",
    [sympy.nan, sympy.oo, sympy.zoo, sympy.I, sympy.sqrt(-2), sympy.log(-1), sympy.Symbol("x"), 0.5, "pi", None],
)
def test_what_is_no_angle_is_refused(value: object) -> None:
    with pytest.raises(InputError):
        Angle(value)


def test_multiples_of_a_turn_rotate_nothing() -> None:
    assert Angle(1).rotating() == Angle(sympy.Integer(1))
    assert Angle(-1).rotates() is Outcome.HOLDS
    assert Angle(10**100 * sympy.sqrt(2)).rotates() is Outcome.HOLDS
    for turns in (-1, 0, 3):
        with pytest.raises(InputError, match="multiple of 2 pi"):
            Angle.turn(turns).rotating()
    with pytest.raises(InputError, match="denominator 0"):
        Angle.turn(1, 0)
    assert Angle(HIDDEN_TURN).rotates() is Outcome.UNDECIDED
    with pytest.raises(Undecided, match="undecided at"):
        Angle(HIDDEN_TURN).rotating()


def test_angles_mix_with_reals_and_expressions() -> None:
    angle = Angle.turn(1, 3)
    assert Real.of(angle).over_pi == Fraction(2, 3)
    assert sympy.cos(angle) == -sympy.Rational(1, 2)
    assert len({angle, Angle.parse("2*pi/3"), Angle(1)}) == 2
