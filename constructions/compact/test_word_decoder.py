"""Heads against loops over keys, fast heads against slow ones, and what is refused."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from constructions.compact import word_decoder
from constructions.compact.detectors import gathered, itself, ones
from constructions.compact.nets import averaging_net, share_of_ones
from constructions.compact.word_decoder import Head, Layer, MarkedHead, WordDecoder, averaging, head, letters_of
from theory.compact.words import POWERS, SQUARES
from theory.errors import InputError

words = st.lists(st.integers(0, 1), min_size=1, max_size=12)


def score(x: Tensor, y: Tensor, i: Tensor, j: Tensor) -> Tensor:
    return x * y + (i - 2 * j).double() / 7


@given(words, st.data())
def test_a_head_is_its_definition_at_each_query(word: list[int], data: st.DataObject) -> None:
    n = len(word)
    chosen = data.draw(st.lists(st.integers(1, n), min_size=1))
    found = Head(score, lambda x, j: x - j)(ones(torch.tensor(word), torch.arange(1, n + 1)), torch.tensor(chosen))
    for i, a in zip(chosen, found.tolist(), strict=True):
        weights = [math.exp(word[i - 1] * word[j - 1] + (i - 2 * j) / 7) for j in range(1, i + 1)]
        values = [word[j - 1] - j for j in range(1, i + 1)]
        expected = sum(p * v for p, v in zip(weights, values, strict=True)) / sum(weights)
        assert a == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_chunks_of_queries_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones(letters_of(SQUARES, 50), torch.arange(1, 51))
    queries, attention = torch.arange(1, 51), Head(score, itself)
    whole = attention(x, queries)
    monkeypatch.setattr(word_decoder, "CELLS", 120)
    torch.testing.assert_close(attention(x, queries), whole, rtol=1e-15, atol=1e-15)


def test_a_pattern_of_logits() -> None:
    x = ones(letters_of(SQUARES, 9), torch.arange(1, 10))
    i = torch.arange(1, 10)
    logits = score(x[:, None], x[None], i[:, None], i)
    torch.testing.assert_close(head(logits, x), Head(score, itself)(x, i), rtol=1e-14, atol=1e-15)
    torch.testing.assert_close(head(logits, x[:, None])[:, 0], head(logits, x), rtol=1e-14, atol=1e-15)


@given(words, st.floats(-3, 3), st.data())
def test_marked_heads_are_heads(word: list[int], gain: float, data: st.DataObject) -> None:
    """Vector values too, and marks that need not be the letters."""
    marks = torch.tensor([data.draw(st.integers(0, 1)) for _ in word], dtype=torch.float64)
    x, i = ones(torch.tensor(word), torch.arange(1, len(word) + 1)), torch.arange(1, len(word) + 1)

    def value(x: Tensor, j: Tensor) -> Tensor:
        return torch.stack((x, 1 - x + j.double()), dim=-1)

    fast = MarkedHead(lambda i: gain * i.double().log(), lambda x, j: marks[j - 1], value)
    slow = Head(lambda x, y, i, j: gain * i.double().log() * marks[j - 1], value)
    torch.testing.assert_close(fast(x, i), slow(x, i), rtol=1e-12, atol=1e-12)
    single = MarkedHead(fast.factor, fast.mark, itself)
    torch.testing.assert_close(single(x, i.flip(0)), slow(x, i)[:, 0].flip(0), rtol=1e-12, atol=1e-12)


def test_averages_of_averages_at_chosen_lengths() -> None:
    word, at = letters_of(POWERS, 40), torch.tensor([40, 3])
    values = [float(letter) for letter in word]
    for layers in range(4):
        found = averaging_net(layers)(word, at)[:, 1]
        assert found.tolist() == pytest.approx([values[39], values[2]], rel=1e-14)
        values = [sum(values[:i]) / i for i in range(1, 41)]


def test_margins_and_errors() -> None:
    rows = torch.tensor([[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.1, 0.2, 0.7]], dtype=torch.float64)
    model = WordDecoder(lambda word, i: rows[i - 1], (), lambda x, i: x)
    word = torch.tensor([2, 0, 0, 1])
    assert model.margins(word).tolist() == pytest.approx([0.2, 0.0, -0.5])
    assert model.errors(word) == [2, 3]
    assert model.margins(word, torch.tensor([3])).tolist() == pytest.approx([-0.5])
    assert model.errors(word, torch.tensor([1])) == []


def test_bad_words_lengths_and_states_are_refused() -> None:
    model = averaging_net(1)
    for word, named in (
        (torch.zeros(1, 3, dtype=torch.int64), "(1, 3)"),
        (torch.zeros(0, dtype=torch.int64), "(0,)"),
        (torch.full((3,), torch.nan), "float32"),
    ):
        with pytest.raises(InputError) as caught:
            model(word)
        assert named in str(caught.value) and "\n" not in str(caught.value)
    word = letters_of(POWERS, 5)
    for lengths, named in (([0], "length 0"), ([2, 6], "length 6")):
        with pytest.raises(InputError, match=named):
            model(word, torch.tensor(lengths))
    with pytest.raises(InputError, match="no letter after 5"):
        model.margins(word, torch.tensor([5]))
    divides = WordDecoder(ones, (Layer((averaging(itself),), lambda x, a, i: 0 / a),), share_of_ones)
    with pytest.raises(InputError, match="NaN or infinite"):
        divides(torch.zeros(4, dtype=torch.int64))


def test_logits_in_single_precision_are_a_mistake() -> None:
    rounded = WordDecoder(ones, (Layer((Head(lambda x, y, i, j: 0.3 * (i - j), itself),), gathered),), share_of_ones)
    with pytest.raises(TypeError, match="float32"):
        rounded(letters_of(POWERS, 5))


def test_letters_can_be_written_over() -> None:
    letters_of(POWERS, 5).zero_()
    assert letters_of(POWERS, 5).tolist() == [1, 1, 0, 1, 0]
