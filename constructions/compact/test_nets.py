"""Nets that attain bounds, against sums written out; small models that lack one hypothesis."""

from math import exp, log

import numpy as np
import pytest
import torch

from constructions.compact import necessity
from constructions.compact.nets import (
    alibi,
    alibi_detector,
    averaging_net,
    exponent_witness,
    scalar_net,
    window_net,
)
from constructions.compact.word_decoder import WordDecoder, letters_of
from theory.compact.averaging.averages import averaged
from theory.compact.continuity.scalar_head import ScalarLayer, run
from theory.compact.lag_kernels.kernels import random_biases
from theory.compact.lag_kernels.nets import BiasedHead
from theory.compact.words import POWERS, ZEROS, altered


def one_then_zeros(n: int) -> torch.Tensor:
    return letters_of(altered((1,), ZEROS), n) if n < 10**5 else torch.eye(1, n, dtype=torch.int64)[0]


@pytest.mark.parametrize("layers", [1, 2, 5])
def test_repeated_averages_are_exact(layers: int) -> None:
    random = np.random.default_rng(layers)
    for n in (1, 7, 40):
        word = random.integers(0, 2, n)
        ones = [int(i) + 1 for i in np.flatnonzero(word)]
        found = averaging_net(layers)(torch.tensor(word), torch.tensor([n]))[0, 1]
        assert float(found) == pytest.approx(float(averaged(ones, n, layers)), rel=1e-13, abs=1e-15)


@pytest.mark.parametrize(
    ("layers", "ones", "n", "share"),
    [(2, 1, 100, 0.051873775), (8, 200, 20000, 0.904170673), (3, 5, 50, 0.575167719), (8, 1, 100, 0.824681805)],
)
def test_worked_averages(layers: int, ones: int, n: int, share: float) -> None:
    word = (torch.arange(n) < ones).long()
    assert float(averaging_net(layers)(word, torch.tensor([n]))[0, 1]) == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize(
    ("n", "slope", "gap"),
    [(10, log(2), 0.250244379), (5, 1, 0.234121657), (20, 0.5, 0.238662054), (200, 0.0625, 0.0569163723)],
)
def test_one_letter_before_the_last_moves_alibi(n: int, slope: float, gap: float) -> None:
    u, w = torch.zeros(n, dtype=torch.int64), torch.zeros(n, dtype=torch.int64)
    w[-2] = 1
    outputs = alibi(slope)(u, torch.tensor([n]))[0, 1], alibi(slope)(w, torch.tensor([n]))[0, 1]
    assert float(outputs[1] - outputs[0]) == pytest.approx(gap, abs=1e-9)


def test_alibi_cannot_tell_the_powers_from_zeros() -> None:
    detector = alibi_detector(log(2))
    word = letters_of(POWERS, 2049)
    assert detector.errors(word) == [2**j - 1 for j in range(3, 12)]
    assert detector.errors(torch.zeros_like(word)) == []
    a = detector.states(word, torch.tensor([3, 7, 15])).tolist()
    assert a == pytest.approx([0.428571, 0.086614, 0.00424207], abs=1e-6)


@pytest.mark.parametrize(("layers", "window"), [(1, 1), (1, 4), (2, 2), (3, 3)])
def test_windows_read_their_reach_and_no_more(layers: int, window: int) -> None:
    reach, n = layers * (window - 1) + 1, 40
    plain = torch.zeros(n, dtype=torch.int64)
    for lag, weight in ((reach - 1, window**-layers), (reach, 0)):
        word = plain.clone()
        word[n - 1 - lag] = 1
        found = window_net(layers, window)(word, torch.tensor([n]))[0, 1]
        assert float(found) == pytest.approx(weight, rel=1e-14)


EXPONENTS = {
    (0.5, False): (0.159777, 0.0903480, 0.0516965, 0.0296719),
    (0.5, True): (0.400131, 0.369295, 0.355491, 0.349982),
    (0.4, True): (0.232515, 0.167664, 0.122993, 0.090025),
}


@pytest.mark.parametrize(("c", "total"), EXPONENTS)
def test_growing_logits_decay_as_worked_out(c: float, total: bool) -> None:
    for power, gap in enumerate(EXPONENTS[c, total], start=3):
        n = 10**power
        found = exponent_witness(c, n if total else None)(one_then_zeros(n), torch.tensor([n]))[0, 1]
        assert float(found) == pytest.approx(gap, rel=1e-5)


def test_growing_logits_are_their_sums() -> None:
    """Both layers once more, key by key."""
    n, c = 50, 0.3
    for total in (None, n):
        first = []
        for i in range(1, n + 1):
            boost = (total or i) ** c
            first.append(boost / (boost + i - 1))
        boost = n**c
        kept = int(n ** (1 - c) + 1e-9)
        second = (boost * sum(first[:kept]) + sum(first[kept:])) / (boost * kept + n - kept)
        found = exponent_witness(c, total)(one_then_zeros(n), torch.tensor([n]))[0, 1]
        assert float(found) == pytest.approx(second, rel=1e-13)


def test_scalar_nets_are_those_of_theory() -> None:
    random = np.random.default_rng(5)
    for _ in range(10):
        n = int(random.integers(2, 12))
        biased = tuple(BiasedHead.biased(random, random_biases(random, n)) for _ in range(2))
        layers = (ScalarLayer.draw(random), ScalarLayer(0.7, biased))
        word, codes = random.integers(0, 2, n), random.uniform(-1, 1, 2)
        found = scalar_net(torch.tensor(codes), layers)(torch.tensor(word))[-1, 1]
        assert float(found) == pytest.approx((1 + run(layers, codes[word])[-1]) / 2, abs=1e-12)


def last(model: WordDecoder, word: list[int]) -> list[float]:
    found: list[float] = model(torch.tensor(word), torch.tensor([len(word)]))[0].tolist()
    return found


def test_models_without_a_hypothesis() -> None:
    zeros = [0] * 99
    assert last(necessity.constant_model(0.9, 0.09, 0.01), [0, 1, 2]) == [0.9, 0.09, 0.01]
    repeat = necessity.bigram((0, 1), 5.0)
    assert last(repeat, [*zeros, 0])[1] < 0.01 < 0.99 < last(repeat, [*zeros, 1])[1]
    assert [last(necessity.parity_of_length(), [0] * n)[1] for n in (1, 2, 3)] == [1, 0, 1]
    assert [last(necessity.sum_attention(), [k, *zeros])[1] for k in (0, 1)] == [0, 1]
    assert last(necessity.root_readout(), [1, *zeros])[1] == pytest.approx(0.1)
    assert last(necessity.linear_readout(0.1, 0.4), [1] + [0] * 9)[1] == pytest.approx(0.14)
    assert [last(necessity.threshold_readout(8, 0.25), [1] + [0] * (n - 1))[1] for n in (3, 4, 5)] == pytest.approx(
        [0.660756, 0.5, 0.401312], abs=1e-6
    )
    u, w = (last(necessity.alternating_query(2), [*zeros, letter])[1] for letter in (0, 1))
    assert w - u == pytest.approx(1 / (1 + exp(-2)) - 0.5, abs=1e-12)


def test_sinks_count() -> None:
    word = letters_of(POWERS, 2000)
    assert necessity.counting_sink()(word)[:, 1].tolist() == pytest.approx([n / (n + 1) for n in range(1, 2001)])
    blind = necessity.sink_in_narrow_windows()
    assert torch.equal(blind(word), blind(1 - word))
    margins = blind.margins(word)
    assert margins[1:].min() == pytest.approx(0.98661, abs=1e-5) and margins[0] < 0
