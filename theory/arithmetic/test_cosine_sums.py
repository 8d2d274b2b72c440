"""Sums of cosines that are equal in disguise, that are close, and that are least."""

from fractions import Fraction

import pytest

from theory.arithmetic.ball import Real, cos, pi, sin
from theory.arithmetic.cosine_sums import same_cosine_sum, smallest_is
from theory.outcome import Outcome

HOLDS, REFUTED, UNDECIDED = Outcome.HOLDS, Outcome.REFUTED, Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("x", "y", "order"),
    [
        (2 * sin(pi / 7) * sin(pi / 9), cos(pi / 7 - pi / 9) - cos(pi / 7 + pi / 9), 63),
        (cos(pi / 5) - cos(2 * pi / 5), Real.of(Fraction(1, 2)), 10),
        (cos(2 * pi / 7) + cos(4 * pi / 7) + cos(6 * pi / 7), Real.of(Fraction(-1, 2)), 7),
        (Real.of(0), cos(pi / 2), 4),
    ],
)
def test_equal_in_disguise(x: Real, y: Real, order: int) -> None:
    assert same_cosine_sum(x, y, order) is HOLDS


def test_close_but_different() -> None:
    order = 10**4
    assert same_cosine_sum(cos(2 * pi / order), Real.of(1), order) is REFUTED
    assert (
        same_cosine_sum(cos(2 * pi / order) - cos(4 * pi / order), cos(6 * pi / order) - cos(2 * pi / order), order)
        is REFUTED
    )


def test_least_of_a_list() -> None:
    a, b, c = cos(pi / 5) - cos(2 * pi / 5), Real.of(Fraction(1, 2)), cos(pi / 5)
    assert smallest_is([c, a], b, 10) is HOLDS
    assert smallest_is([c], b, 10) is REFUTED  # not attained
    assert smallest_is([a, cos(pi / 2)], b, 10) is REFUTED  # not least
    assert smallest_is([], b, 10) is UNDECIDED
    assert smallest_is([Real.of(1)], Real.of(1), 1) is HOLDS
