"""Distances, detectors and margins against their definitions, at words and numbers that no claim lists."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.compact.learnability.doubt import doubt_last_error, doubt_margin
from theory.compact.learnability.joint import joint_margin, joint_margin_on_words, jointly_learned_from
from theory.compact.learnability.models import Doubt, JointDetector, leads, margin
from theory.compact.learnability.separation import periodic_distance, periodic_words_learned
from theory.compact.learnability.single_word import single_word_margin
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, altered, constant, hamming, periodic
from theory.errors import InputError
from theory.quantities import Quantity

WORDS = st.sampled_from([ZEROS, constant(1), POWERS, SQUARES, periodic(2), periodic(5), altered((1, 1), periodic(3))])


def value(quantity: Quantity, name: str = "", **arguments: object) -> float:
    results = quantity.evaluate({key: str(text) for key, text in arguments.items()})
    result = results[name or quantity.name].value
    return float(result)


@given(st.integers(1, 60), st.integers(1, 60))
def test_distances_of_periodic_words_are_those_of_a_common_multiple(m: int, other: int) -> None:
    size = (m + 1) * (other + 1)
    found = hamming(periodic(m).prefix(size), periodic(other).prefix(size))
    assert periodic_distance.function(m, other).value == found  # type: ignore[union-attr]


@given(st.fractions(Fraction(1, 50), 1))
def test_number_of_words_is_the_floor(radius: Fraction) -> None:
    assert value(periodic_words_learned, radius=radius) == math.floor(1 / radius)


@given(st.lists(WORDS, min_size=1, max_size=4), st.integers(1, 40), st.fractions(Fraction(1, 20), 1), st.data())
def test_joint_detector_is_a_softmax_of_gated_agreements(
    words: list[Infinite], n: int, gate: Fraction, data: st.DataObject
) -> None:
    word = tuple(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    detector = JointDetector(tuple(words), gate, Fraction(7))
    z = np.zeros(2)
    for alpha in words:
        agree = np.mean(np.array(word) == np.array(alpha.prefix(n)))
        z[alpha.letter(n + 1)] += 7 * max(0.0, agree - 1 + float(gate))
    found = detector.logits(word)
    assert [float(x) for x in found] == pytest.approx(z, abs=1e-12)
    p = np.exp(z) / np.exp(z).sum()
    for right in (0, 1):
        assert float(margin(found, right)) == pytest.approx(p[right] - p[1 - right], abs=1e-12)
        assert leads(found, right) is (found[right] > found[1 - right])


@given(st.sampled_from([(1, 2), (1, 4), (2, 3), (3, 5)]))
def test_words_are_learned_from_where_they_are_apart(periods: tuple[int, int]) -> None:
    words = tuple(map(periodic, periods))
    gate = Fraction(str(periodic_distance.function(*periods).value)) / 2  # type: ignore[union-attr]
    start = JointDetector(words, gate).learned_from(120)
    for n in range(1, 121):
        apart = hamming(*(word.prefix(n) for word in words)) >= gate
        assert n < start or apart
    found = jointly_learned_from.function(words, gate, 120)
    assert found["from"].value == start and found["right"].value is True  # type: ignore[index]


@given(st.integers(2, 9), st.fractions(Fraction(1, 10), 6), st.fractions(Fraction(1, 10), 1), st.fractions(0, 1))
def test_margin_of_changed_words(letters: int, gain: Fraction, gate: Fraction, part: Fraction) -> None:
    changed = gate * part * Fraction(99, 100)
    z = math.exp(float(gain * (gate - changed)))
    expected = (z - 1) / (z + letters - 1)
    assert value(joint_margin, letters=letters, gain=gain, gate=gate, changed=changed) == pytest.approx(expected)
    assert value(single_word_margin, letters=letters, gain=gain) == pytest.approx(
        (math.exp(gain) - 1) / (math.exp(gain) + letters - 1)
    )


@given(st.integers(1, 15), st.integers(1, 500), WORDS)
def test_doubt_is_the_sum_over_all_digits(digits: int, n: int, word: Infinite) -> None:
    share, total = Fraction(word.nonzero(n), n), Fraction(0)
    for m in range(1, digits + 1):
        radius = (Fraction(1, m + 1) - Fraction(1, m + 2)) / 2
        tent = max(Fraction(0), 1 - abs(share - Fraction(1, m + 1)) / radius)
        total += 8 * (Fraction(int((n + 1) % (m + 1) == 0)) - Fraction(1, 2)) * tent / 2**m
    assert Doubt(digits).logit(word.nonzero(n), n) == total


@pytest.mark.parametrize("m", [1, 4, 6, 7])
def test_last_errors_of_the_witness_are_the_last(m: int) -> None:
    wrong = [n for n in range(1, 700) if value(doubt_margin, m=m, n=n) <= 0]
    assert value(doubt_last_error, m=m, n=699) == wrong[-1]
    assert value(doubt_last_error, m=m, n=wrong[-1] - 1) == wrong[-2]


@pytest.mark.parametrize(
    ("quantity", "arguments", "complaint"),
    [
        (periodic_words_learned, {"radius": "0"}, "radius"),
        (joint_margin, {"letters": "2", "gain": "1", "gate": "1/4", "changed": "1/4"}, "changed"),
        (joint_margin, {"letters": "2", "gain": "-1", "gate": "1/4"}, "gain"),
        (joint_margin_on_words, {"words": "0^w per", "gain": "1", "gate": "1", "n": "3"}, "per"),
        (jointly_learned_from, {"words": "", "gate": "1", "n": "3"}, "no word"),
    ],
)
def test_bad_arguments_are_named(quantity: Quantity, arguments: dict[str, str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as error:
        quantity.evaluate(arguments)
    assert "\n" not in str(error.value)
