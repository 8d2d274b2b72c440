"""Scales at which a target outweighs its competitors, against SciPy's root finder; certified ceilings."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq

from theory.arithmetic.ball import Real, exp, log, pi, sqrt, versine
from theory.errors import InputError, Undecided
from theory.outcome import Outcome
from theory.rope.scale import around, ceiling, scale_threshold, weight_sum

GAPS = [
    [Fraction(1, 3), Fraction(2, 7), Fraction(5)],
    [Fraction(1)] * 4,
    [Fraction(1, 10**9), Fraction(1), Fraction(2), Fraction(3)],
    [Fraction(t * t, 100) for t in range(1, 40)],
]


@pytest.mark.parametrize("level", [1, 2, Fraction(1, 100)])
@pytest.mark.parametrize("gaps", GAPS)
def test_threshold_is_the_root(gaps: list[Fraction], level: Fraction | int) -> None:
    floats = np.array([float(gap) for gap in gaps])
    root = brentq(lambda u: np.exp(-np.exp(u) * floats).sum() - float(level), -40, 40, xtol=1e-15, rtol=1e-15)
    found = scale_threshold([Real.of(gap) for gap in gaps], level)
    # SciPy's sum is rounded to 1e-16, which a gap of 1e-9 lets through to the root nearly a hundred million times.
    assert float(found) == pytest.approx(np.exp(root), rel=1e-12 if floats.min() > 1e-3 else 1e-8)
    check_certified(gaps, found, level)


def check_certified(gaps: list[Fraction], found: Real, level: Fraction | int) -> None:
    assert found.ball(500).rel_accuracy_bits() >= 500
    reals, nudge = [Real.of(gap) for gap in gaps], Fraction(1, 10**30)
    assert (weight_sum(reals, found * (1 + nudge)) < level) is Outcome.HOLDS
    assert (weight_sum(reals, found * (1 - nudge)) < level) is Outcome.REFUTED


def test_gap_far_below_the_rounding_of_floats() -> None:
    gaps = [Fraction(1, 10**20), Fraction(1), Fraction(2)]
    check_certified(gaps, scale_threshold([Real.of(gap) for gap in gaps]), 1)


def test_equal_gaps_have_a_closed_form() -> None:
    found, expected = scale_threshold([versine(pi / 4)] * 16), log(16) / versine(pi / 4)
    assert abs((found - expected).at(128)) < 1e-30


def test_vanishing_gaps_use_up_the_level() -> None:
    found = scale_threshold([Real.of(0), Real.of(1), Real.of(1), Real.of(1)], 2)
    assert float(found) == pytest.approx(np.log(3), rel=1e-15)


def test_few_competitors_need_no_scale() -> None:
    assert scale_threshold([]).exact == 0
    assert scale_threshold([Real.of(1)]).exact == 0
    assert scale_threshold([Real.of(1)] * 3, 3).exact == 0
    assert scale_threshold([Real.of(0), Real.of(1), Real.of(1)], 3).exact == 0


@pytest.mark.parametrize(
    ("gaps", "level", "named"),
    [([1, 0], 1, "1 competitors"), ([1, -1], 1, "above the target"), ([0, 0, 3, 4], 2, "2 competitors")],
)
def test_no_scale_is_enough(gaps: list[int], level: int, named: str) -> None:
    with pytest.raises(InputError, match=named):
        scale_threshold([Real.of(gap) for gap in gaps], level)


def test_gap_of_undecided_sign() -> None:
    with pytest.raises(Undecided, match="sign of a logit gap"):
        scale_threshold([Real.of(1), sqrt(2) * sqrt(3) - sqrt(6)])


def test_weight_sum() -> None:
    assert float(weight_sum([Real.of(1), Real.of(2)], Real.of(3))) == pytest.approx(np.exp(-3) + np.exp(-6), rel=1e-15)
    assert weight_sum([], Real.of(3)).exact == 0


def test_scales_around_a_threshold() -> None:
    gaps = [Real.of(1), Real.of(Fraction(1, 2))]
    scales = around(gaps)
    assert scales[0] == 0 and Fraction(1) in scales and len(scales) == 4
    sums = [weight_sum(gaps, Real.of(scale)) < 1 for scale in scales[1:3]]
    assert scales[2] - scales[1] == Fraction(1, 10**4) and sums == [Outcome.REFUTED, Outcome.HOLDS]
    assert around([Real.of(-1)]) == [0, 1]
    assert around([Real.of(1)]) == [0, Fraction(1, 10**4), 1] or around([Real.of(1)]) == [0, 1]


@pytest.mark.parametrize(
    ("value", "least"),
    [
        (Real.of(3), 3),
        (Real.of(Fraction(7, 2)), 4),
        (Real.of(Fraction(-7, 2)), -3),
        (pi, 4),
        (-pi, -3),
        (exp(10), 22027),
        (Real.of(10**40) + exp(-50), 10**40 + 1),
        (Real.of(10**40) - exp(-50), 10**40),
    ],
)
def test_ceiling(value: Real, least: int) -> None:
    assert ceiling(value) == least


def test_ceiling_of_an_integer_in_disguise() -> None:
    with pytest.raises(Undecided, match="is an integer"):
        ceiling(sqrt(2) * sqrt(8))
