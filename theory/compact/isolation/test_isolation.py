"""Basins, isolation and what goes with them, against brute force from the definitions."""

from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.ball import Real
from theory.compact.isolation.basin import DECODERS, basin_letters
from theory.compact.isolation.detector import BoundedDetector, errors, rightly
from theory.compact.isolation.isolation import JOINT, MATCHING, detector
from theory.compact.isolation.isolation_printed import OFTEN, learned
from theory.compact.isolation.liminf import block_word_distance, ones_of, squares_of_two
from theory.compact.isolation.models import Decoder, averaging, constant_decoder, greedy, matching
from theory.compact.isolation.recency_isolation import Sloped, sloped_detector, sloped_detector_reach
from theory.compact.isolation.score_only import TELLING, sink_attention
from theory.compact.isolation.score_only_nets import FLAGGING, Layer, Readout, states_after
from theory.compact.isolation.situations import bounded, growing_share, read, unsure
from theory.compact.isolation.sparse_words import PRIMES
from theory.compact.isolation.tail_invariance import averaging_readout
from theory.compact.lag_kernels.kernels import Kernel
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, altered, periodic
from theory.errors import InputError
from theory.outcome import Outcome

letters = st.integers(0, 1)
small = st.fractions(0, 1, max_denominator=12)
ALL = [*DECODERS, *MATCHING, JOINT, averaging(Fraction(1, 5), Fraction(1, 2)), constant_decoder(Fraction(1, 7))]


@given(st.sampled_from(ALL), st.lists(st.tuples(letters, letters), max_size=9), letters)
def test_moduli_bound_what_decoders_do(decoder: Decoder, pairs: list[tuple[int, int]], last: int) -> None:
    u, w = [x for x, _ in pairs] + [last], [y for _, y in pairs] + [last]
    assert abs(decoder.one(u) - decoder.one(w)) <= decoder.modulus(decoder.distance(u, w))
    assert 0 <= decoder.one(u) <= 1


@pytest.mark.parametrize("decoder", ALL, ids=str)
def test_decoders_have_learned_their_word(decoder: Decoder) -> None:
    for n in range(decoder.start, decoder.start + 20):
        assert decoder.lead(decoder.word.prefix(n), decoder.word.letter(n + 1)) >= decoder.margin


def test_the_modulus_of_a_match_is_attained() -> None:
    decoder = matching(POWERS, Fraction(1, 2), Fraction(1, 3))
    u, w = POWERS.prefix(9), (1 - POWERS.letter(1), *POWERS.prefix(9)[1:])
    assert abs(decoder.one(u) - decoder.one(w)) == decoder.modulus(Fraction(1, 9))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=5))
def test_what_two_outputs_share(pairs: list[tuple[int, int]]) -> None:
    """(*), for numbers that need not even add up to 1."""
    for right in range(len(pairs)):
        lead, led = (min(x[right] - x[s] for s in range(len(pairs)) if s != right) for x in zip(*pairs, strict=True))
        assert led >= lead - 2 * max(abs(x - y) for x, y in pairs)


def test_greedy_letters_are_the_most_probable() -> None:
    decoder = averaging(Fraction(0), Fraction(1))
    assert greedy(decoder, (1, 1, 0), 2) == [(1, Fraction(1, 3)), (1, Fraction(1, 2))]
    assert greedy(decoder, (0, 0, 1), 1) == [(0, Fraction(1, 3))]
    assert greedy(decoder, (0, 1), 1) == [(1, Fraction(0))]  # a tie


@pytest.mark.parametrize(("delta", "n"), [("0", 127), ("1/2", 255), ("3", 1023)])
def test_basins_in_letters_by_trying_all_counts(delta: str, n: int) -> None:
    boost = exp(float(Fraction(delta)))
    kept = [k for k in range(n) if 4 * boost * k < boost * k + n - k]
    assert basin_letters.evaluate({"delta": delta, "n": str(n)})["basin-letters"].value == max(kept)


@given(st.sampled_from(MATCHING), st.lists(letters, min_size=2, max_size=12))
def test_partings_by_looking_ahead(decoder: Decoder, word: list[int]) -> None:
    """Every close agreement has its next parting in the list, and nothing else is there."""
    horizon = len(word)
    alpha = decoder.word.prefix(horizon)
    expected = set()
    for n in range(decoder.start, horizon):
        close = 2 * decoder.modulus(decoder.distance(word[:n], alpha[:n])) < decoder.margin
        if close and word[n - 1] == alpha[n - 1]:
            expected.add(next((m for m in range(n, horizon) if word[m] != alpha[m]), None))
    found = list(read(decoder, word).partings(range(1, horizon), horizon))
    assert set(found) == expected
    assert len(found) == len(set(found))


@given(st.fractions(1, 8, max_denominator=5), st.sampled_from([POWERS, SQUARES, periodic(30)]), st.integers(2, 90))
def test_a_situation_is_the_detector(boost: Fraction, word: Infinite, n: int) -> None:
    situation = bounded(boost, word, "")
    share = boost * word.nonzero(n) / (boost * word.nonzero(n) + n - word.nonzero(n))
    z = 4 * word.letter(n + 1) + 2 * float(share) - 4.5
    wrong = (z <= 0) if word.letter(n + 1) else (z >= 0)
    assert situation.right(n) is Outcome.of(not wrong)
    if situation.close(n) and situation.parted(n + 1):
        assert situation.wrong(n) is Outcome.HOLDS and wrong


def test_what_evades_is_right_on_both_words() -> None:
    assert not [*errors(growing_share, POWERS, range(1, 600))]
    assert not [*errors(growing_share, ZEROS, range(1, 600))]
    assert all(unsure().right(n) is Outcome.HOLDS for n in range(1, 300))
    assert [n for n in range(1, 40) if JOINT.lead(periodic(1).prefix(n), periodic(1).letter(n + 1)) <= 0] == [1]


@pytest.mark.parametrize("start", [(1,), (1, 0, 1), (0, 1, 1, 1), (1,) * 6], ids=str)
def test_the_printed_form_is_refuted_by_any_beginning(start: tuple[int, ...]) -> None:
    """A decoder that is blind to the word has learned 0^w, and any word that is 0^w from some letter on."""
    decoder, word = constant_decoder(Fraction(2, 9)), altered(start, ZEROS)
    assert learned(decoder, ZEROS, 60) and learned(decoder, word, 60) and not learned(decoder, SQUARES, 60)
    differs = [i for i in range(1, 61) if word.letter(i)]
    assert differs and not OFTEN.distinct([i for i in differs if i > len(start)])


def test_ones_of_blocks_letter_by_letter() -> None:
    word, end, j = "", 0, 0
    while j < 4:
        word += str(j % 2) * (2 ** (j * j) - end)
        end, j = 2 ** (j * j), j + 1
    assert ones_of(squares_of_two, 3) == [word[: 2 ** (j * j)].count("1") for j in range(4)]
    found = block_word_distance.evaluate({"block": "3"})
    assert found["from 0^w"].value == Fraction(word.count("1"), len(word)) == 1 - found["from 1^w"].value


def test_primes() -> None:
    assert [i for i in range(1, 2000) if PRIMES.letter(i)] == list(sympy.primerange(1, 2000))
    assert PRIMES.nonzero(1999) == sympy.primepi(1999)


@pytest.mark.parametrize(("m", "lost"), [(7, False), (8, False), (9, True), (10, True)])
def test_the_least_period_that_is_lost(m: int, lost: bool) -> None:
    """At Delta = 1, by the weight that the ones have in the long run: 1/(m + 1) against 1/(1 + 3 e)."""
    word, n = periodic(m), (m + 1) * 5000 - 1
    assert rightly(BoundedDetector(Fraction(271828, 100000)), word, n, word) is Outcome.of(not lost)


weights = st.lists(st.integers(1, 9), min_size=8, max_size=8)


@given(weights, small, st.lists(st.integers(0, 2), min_size=1, max_size=8), st.booleans())
def test_attention_outputs_by_softmax(lags: list[int], gain: Fraction, word: list[int], sink: bool) -> None:
    layer = Layer(Kernel("drawn", lambda i, r: lags[r]), gain, sink)
    values = [letter / 2 for letter in word]
    i = len(word)
    logits = [log(lags[i - 1 - j]) + 2 * log(1 + float(gain) * values[j]) for j in range(i)]
    attended = sum(exp(s) * v for s, v in zip(logits, values, strict=True)) / (sum(map(exp, logits)) + sink)
    assert float(layer.attended([Fraction(letter, 2) for letter in word], i)) == pytest.approx(attended)
    assert float(states_after([layer], word)[-1]) == pytest.approx((values[-1] + attended) / 2)
    assert states_after([layer, layer], word)[: i // 2] == states_after([layer, layer], word[: i // 2])


@given(weights, small, st.integers(0, 2), st.integers(1, 8))
def test_one_letter_for_ever_is_one_state(lags: list[int], gain: Fraction, letter: int, n: int) -> None:
    layers = [Layer(Kernel("drawn", lambda i, r: lags[r] + i), gain)] * 2
    assert states_after(layers, (letter,) * n) == [Fraction(letter, 2)] * n


def test_readouts_stay_probabilities() -> None:
    quarters = [Fraction(k, 4) for k in range(5)]
    for level, slope, feature in product(quarters, (-2, 3), quarters):
        readout = Readout(level, Fraction(slope), Fraction(1, 2))
        assert readout.one(feature, 1) == min(1, max(0, level + slope * feature + Fraction(1, 2)))


def test_a_sink_tells_how_many_keys_are_seen() -> None:
    for n in range(1, 30):
        seen = Layer(FLAGGING, sink=True).attended([Fraction(1)] * n, n)
        keys = (1 + (n + 1 in {2, 4, 8, 16, 32})) if n > 1 else 1
        assert Real.of(sink_attention.evaluate({"keys": str(keys)})["feature"].value).equals(seen) is Outcome.HOLDS


@given(st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10), st.integers(1, 60))
def test_the_feature_of_a_slope_by_softmax(q: Fraction, n: int) -> None:
    logits = -log(1 / q) * np.arange(n)[::-1]
    weights = np.exp(logits) / np.exp(logits).sum()
    expected = weights[[i for i in range(n) if POWERS.letter(i + 1)]].sum()
    assert float(Sloped(q)(POWERS, n)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("q", [Fraction(1, 10), Fraction(2, 3), Fraction(99, 100)])
def test_reach_of_a_slope(q: Fraction) -> None:
    far = int(str(sloped_detector_reach.evaluate({"q": str(q)})["sloped-detector-reach"].value))
    assert float(q) ** far < np.tanh(0.25) < float(q) ** (far - 1)


def test_quantities_refuse() -> None:
    with pytest.raises(InputError, match="do not fit"):
        detector.evaluate({"delta": "1", "ones": "6", "n": "5"})
    with pytest.raises(InputError, match="do not fit"):
        averaging_readout.evaluate({"ones": "6", "n": "5"})
    with pytest.raises(InputError, match="number of a block"):
        block_word_distance.evaluate({"block": "1000"})
    with pytest.raises(InputError, match="above"):
        sloped_detector.evaluate({"n": "10^9", "q": "1/2"})


def test_windows_and_a_sink_learn_the_powers() -> None:
    """What (iv) of the obstruction has no sink for: the head sees no letter, and is right from length 2 on."""
    layer = Layer(FLAGGING, sink=True)
    for n in range(2, 70):
        one = TELLING.one(layer.attended([Fraction(1)] * n, n), 0)
        assert one == POWERS.letter(n + 1)
