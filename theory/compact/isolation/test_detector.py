"""The detector against softmax written out, at oscillations and words that no claim lists."""

from fractions import Fraction
from math import exp, log, tanh

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.ball import Real
from theory.arithmetic.ball import exp as ball_exp
from theory.compact.isolation.detector import (
    LEARNED,
    BoundedDetector,
    errors,
    logit,
    logit_on,
    margin,
    margin_on,
    right,
    share,
    sigma,
)
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, altered, periodic
from theory.outcome import Outcome

boosts = st.fractions(Fraction(1, 2), 40)
SIZES = [Fraction(0), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(1)]


def by_hand(boost: Fraction, letters: tuple[int, ...]) -> float:
    """sigma(4 p + 2 a - 4.5) with a from a softmax over the letters."""
    logits = [log(boost) * letter for letter in letters]
    weights = [exp(x) for x in logits]
    a = sum(w for w, letter in zip(weights, letters, strict=True) if letter) / sum(weights)
    flag = len(letters) + 1 in {2**j for j in range(20)}
    return 1 / (1 + exp(-(4 * flag + 2 * a - 4.5)))


@given(boosts, st.integers(1, 40), st.sampled_from([ZEROS, POWERS, SQUARES, periodic(3), altered((1, 1), ZEROS)]))
def test_predictions_are_those_of_a_softmax(boost: Fraction, n: int, word: Infinite) -> None:
    detector, expected = BoundedDetector(boost), by_hand(boost, word.prefix(n))
    z = logit_on(detector, word, n)
    assert isinstance(z, Fraction)
    assert float(sigma(z)) == pytest.approx(expected, rel=1e-13)
    lead = (2 * expected - 1) * (1 if word.letter(n + 1) else -1)
    assert float(margin_on(detector, word, n)) == pytest.approx(lead, abs=1e-13)
    assert list(errors(detector, word, [n])) == [n] * (lead <= 0)


@given(boosts, st.integers(1, 8), st.data())
def test_the_radius_is_where_0_is_lost(boost: Fraction, j: int, data: st.DataObject) -> None:
    n = 2**j - 1
    k = data.draw(st.integers(0, n))
    word = altered((1,) * k, ZEROS)
    detector = BoundedDetector(boost)
    assert right(logit_on(detector, word, n), 0) is Outcome.of(Fraction(k, n) < detector.radius)
    assert (detector.certified_radius < detector.radius) is Outcome.HOLDS
    changed = sigma(logit(share(boost, k, n), 1)) - sigma(logit(Fraction(0), 1))
    certified = Real.of(Fraction(k, n)) < detector.certified_radius
    assert certified is Outcome.REFUTED or (changed < LEARNED / 2) is Outcome.HOLDS


@given(boosts, st.integers(1, 60))
def test_errors_on_the_powers_are_those_of_the_inequality(boost: Fraction, j: int) -> None:
    detector = BoundedDetector(boost)
    assert detector.wrong_on_powers(j) is Outcome.of(bool([*errors(detector, POWERS, [2**j - 1])]))


@pytest.mark.parametrize("flag", [0, 1])
def test_a_feature_of_a_half_is_enough(flag: int) -> None:
    """0 on 0^w and at least 1/2 on the powers: right on both with margin tanh(1/4); wrong from 1/4 on."""
    for a in SIZES:
        z = logit(a, flag)
        assert isinstance(z, Fraction)
        assert abs(z) >= Fraction(1, 2) or a in {Fraction(1, 4), Fraction(1, 3)}  # so is |T(1) - T(0)| >= tanh(1/4)
        assert float(abs(margin(z, 0))) == pytest.approx(tanh(abs(z) / 2))
        if flag:
            assert right(z, 1) is Outcome.of(a > Fraction(1, 4))
            assert right(z, 0) is Outcome.of(a < Fraction(1, 4))
        else:
            assert right(z, 0) is Outcome.HOLDS


def test_balls_and_fractions_agree() -> None:
    ball = BoundedDetector(ball_exp(1))(POWERS, 63)
    assert float(ball) == pytest.approx(by_hand_feature(exp(1), 6, 63), rel=1e-14)
    assert float(Real.of(BoundedDetector(Fraction(3)).radius)) == pytest.approx(0.1)


def by_hand_feature(boost: float, ones: int, length: int) -> float:
    return boost * ones / (boost * ones + length - ones)


@pytest.mark.parametrize("flags", [SQUARES, periodic(4)], ids=str)
def test_other_flags(flags: Infinite) -> None:
    for n in range(1, 30):
        z = logit_on(BoundedDetector(Fraction(2)), flags, n, flags)
        ones = sum(flags.prefix(n))
        assert z == 4 * flags.letter(n + 1) + 2 * Fraction(2 * ones, n + ones) - Fraction(9, 2)
