"""Features, factors and gaps against softmax written out, at words and numbers that no claim lists."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.ball import Real
from theory.compact.evasions.finite_n import detector_first_failure, range_for_share, share_of_range
from theory.compact.evasions.joint import evasion_feature, evasion_first_error, evasion_margin
from theory.compact.evasions.layer_norm import layer_norm_first_loss
from theory.compact.evasions.log_scaling_numbers import log_scaling_feature, log_scaling_least, two_layer_gap
from theory.compact.evasions.models import MODELS, places
from theory.compact.evasions.token_positions import output, token_position_outputs
from theory.compact.evasions.two_layers import boosted, query_gap, total_length_gap
from theory.compact.evasions.vanishing_margin import argmax_margin
from theory.compact.isolation.detector import margin_on
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, altered, periodic
from theory.errors import InputError
from theory.quantities import Quantity

WORDS = st.sampled_from([ZEROS, POWERS, SQUARES, periodic(3), altered((0, 1, 1), ZEROS)])


def value(quantity: Quantity, name: str = "", **arguments: object) -> float:
    results = quantity.evaluate({key: str(text) for key, text in arguments.items()})
    return float(results[name or quantity.name].value)


@given(st.sampled_from(sorted(MODELS)), WORDS, st.integers(1, 200))
def test_features_are_forward_passes(name: str, word: Infinite, n: int) -> None:
    build, usual = MODELS[name]
    evader = build(usual)
    letters = np.array(word.prefix(n), dtype=float)
    assert float(Real.of(evader.feature(word, n))) == pytest.approx(evader.forward(letters), abs=1e-11)


@given(WORDS, st.integers(1, 400))
def test_places_of_ones(word: Infinite, n: int) -> None:
    assert places(word, n) == [i for i in range(1, n + 1) if word.letter(i)]


@pytest.mark.parametrize("model", ["E1:1/3", "E2", "E2b:1/2", "E3:3/4", "E4:1e-3", "E8:3", "E9:5"])
def test_least_margins_are_minima_and_first_errors_the_first(model: str) -> None:
    name, _, number = model.partition(":")
    build, usual = MODELS[name]
    evader = build(Fraction(number) if number else usual)
    for key, word in (("zeros", ZEROS), ("powers", POWERS)):
        margins = [float(margin_on(evader.feature, word, n)) for n in range(1, 130)]
        assert value(evasion_margin, key, model=model, n=129) == pytest.approx(min(margins), abs=1e-14)
        wrong = [j for j in range(1, 8) if margins[2**j - 2] <= 0]
        said = evasion_first_error.evaluate({"model": model, "exponents": "7"})[key].value
        assert said == (f"2^{wrong[0]}" if wrong else "none up to 2^7")


@given(st.fractions(Fraction(1, 10**5), Fraction(1, 10)), st.integers(1, 12))
def test_layer_norm_loses_zeros_where_it_is_said(eps: Fraction, j: int) -> None:
    found = layer_norm_first_loss.evaluate({"eps_": str(eps)})
    first = int(str(found["first-flagged"].value).removeprefix("2^"))
    size = 1 / (2 * (2**j - 1))
    lost = (1 - size / math.sqrt(size**2 + eps)) / 2 >= 0.25
    assert lost is (j >= first)


@given(st.integers(1, 300))
def test_margins_of_the_argmax_model(n: int) -> None:
    def z(word: Infinite, i: int) -> float:
        flag = (word is not ZEROS and word.letter(i + 1)) or math.log2(i + 1).is_integer()
        return (1 if word.letter(i + 1) else -1) * (4 * (flag - 1) + (word.nonzero(i) - 0.5) / i)

    for key, word in (("zeros", ZEROS), ("powers", POWERS)):
        expected = min(math.tanh(z(word, i) / 2) for i in range(1, n + 1))
        assert value(argmax_margin, key, n=n) == pytest.approx(expected, rel=1e-12)


@given(st.integers(1, 30), st.fractions(1, 9))
def test_positions_that_count_tokens(m: int, boost: Fraction) -> None:
    word = (0,) * m + (2,) + (1,) * m
    weights = np.array([float(boost)] * m + [1.0] * (m + 1))
    assert float(output(word, boost)) == pytest.approx(weights[:m].sum() / weights.sum())
    found = value(token_position_outputs, "after", m=m, spread=2)
    assert found == pytest.approx(m * math.exp(2) / (m * math.exp(2) + m + 1))


def simulated(n: int, c: float, indexed: bool) -> float:
    """Both layers by causal softmax over all positions, on 1 0^(n - 1)."""
    i = np.arange(1, n + 1)
    word = (i == 1).astype(float)
    factor = c * np.log(i if indexed else np.full(n, n))
    logits = factor[:, None] * word[None, :] + np.where(i[None, :] <= i[:, None], 0, -np.inf)
    first = (np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)) @ word
    last = factor[-1] * (i <= math.floor(n ** (1 - c) + 1e-9))
    return float((np.exp(last) / np.exp(last).sum()) @ first)


@given(st.integers(2, 150), st.integers(1, 19))
def test_two_layers_are_what_softmax_gives(n: int, twentieths: int) -> None:
    c = Fraction(twentieths, 20)
    if abs(n ** float(1 - c) - round(n ** float(1 - c))) > 1e-7 or c == Fraction(1, 2):
        assert boosted(n, c) == math.floor(n ** float(1 - c) + 1e-9)
        assert float(query_gap(n, c)) == pytest.approx(simulated(n, float(c), True), rel=1e-10)
        assert float(total_length_gap(n, c)) == pytest.approx(simulated(n, float(c), False), rel=1e-10)


def test_blocks_enclose_the_sum() -> None:
    n, c = 30_000, Fraction(3, 10)
    j = np.arange(1, n + 1, dtype=float)
    terms = 1 / (1 + (j - 1) / j**0.3)
    first = boosted(n, c)
    expected = (n**0.3 * terms[:first].sum() + terms[first:].sum()) / (n**0.3 * first + n - first)
    assert float(query_gap(n, c)) == pytest.approx(expected, rel=1e-7)
    assert query_gap(n, c).ball(64).contains(expected) or abs(float(query_gap(n, c)) - expected) < 1e-12


@given(st.fractions(0, 2), st.integers(1, 5000), st.sampled_from(["powers", "squares"]))
def test_weights_of_ones(c: Fraction, n: int, word: str) -> None:
    ones = n.bit_length() if word == "powers" else math.isqrt(n)
    expected = n ** float(c) * ones / (n ** float(c) * ones + n - ones)
    assert value(log_scaling_feature, c=c, n=n, word=word) == pytest.approx(expected, rel=1e-10)


def test_least_weights_are_minima_over_flagged_lengths() -> None:
    flagged = [m**2 - 1 for m in range(2, 32)]
    expected = min(n**0.6 * math.isqrt(n) / (n**0.6 * math.isqrt(n) + n - math.isqrt(n)) for n in flagged)
    assert value(log_scaling_least, "feature", c="3/5", n=31**2, word="squares") == pytest.approx(expected)


@given(st.integers(2, 10**6), st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_a_range_and_its_share_are_inverse(n: int, share: Fraction) -> None:
    needed = value(range_for_share, n=n, share=share)
    if needed >= 0:
        found = value(share_of_range, n=n, spread=Fraction(needed))
        assert found == pytest.approx(float(share), rel=1e-9)


@given(st.fractions(0, 25))
def test_first_failures_by_hand(spread: Fraction) -> None:
    j = int(value(detector_first_failure, "exponent", spread=spread))
    boost = math.exp(spread)
    assert 3 * boost * j <= (2**j - 1 - j) * (1 + 1e-12)
    assert 3 * boost * (j - 1) > (2 ** (j - 1) - j) * (1 - 1e-12)
    assert value(detector_first_failure, "radius", spread=spread) == pytest.approx(1 / (1 + 3 * boost))


@pytest.mark.parametrize(
    ("quantity", "arguments", "complaint"),
    [
        (evasion_feature, {"model": "E5", "n": "3"}, "E5 is no model"),
        (evasion_feature, {"model": "E7:1", "n": "3"}, "no number of E7"),
        (evasion_feature, {"model": "E8:1/2", "n": "3"}, "whole"),
        (evasion_feature, {"model": "E2b:0", "n": "3"}, "E2b"),
        (layer_norm_first_loss, {"eps_": "0"}, "eps_"),
        (log_scaling_feature, {"c": "-1", "n": "3"}, "c = -1"),
        (log_scaling_feature, {"c": "1", "n": "3", "word": "primes"}, "primes"),
        (two_layer_gap, {"n": "10", "c": "1", "factor": "query"}, "c = 1"),
        (two_layer_gap, {"n": "10", "c": "1/2", "factor": "key"}, "key"),
        (two_layer_gap, {"n": "1e10", "c": "1/2", "factor": "query"}, "beyond"),
        (range_for_share, {"n": "4", "share": "1"}, "share"),
        (share_of_range, {"n": "4", "spread": "-1"}, "spread"),
        (token_position_outputs, {"m": "4", "spread": "-1"}, "spread"),
    ],
)
def test_bad_arguments_are_named(quantity: Quantity, arguments: dict[str, str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as error:
        quantity.evaluate(arguments)
    assert "\n" not in str(error.value)
