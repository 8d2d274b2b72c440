"""Small models that a theorem on continuity must not cover: each lacks one hypothesis. And two that have them all.

Source: derived here; the constant model refutes a bound of arXiv 2601.22950, App. A.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from constructions.compact.detectors import detector, gathered, itself, ones, powers, within
from constructions.compact.nets import share_of_ones
from constructions.compact.word_decoder import ZERO, Head, Layer, Value, WordDecoder, averaging, softmax, two_letters


def constant_model(*probabilities: float) -> WordDecoder:
    """The same distribution after every word."""
    row = torch.tensor(probabilities, dtype=torch.float64)
    return WordDecoder(ones, (), lambda x, i: row.expand(len(i), -1))


def bigram(following: Sequence[int], gain: float) -> WordDecoder:
    """No layers: after letter s the letter following[s] has logit `gain`, others 0. The last letters must agree."""
    rows = gain * one_hot(torch.tensor(following)).double()
    return WordDecoder(lambda word, i: rows[word], (), lambda x, i: x.softmax(-1))


def parity_of_length() -> WordDecoder:
    """T(1) is the parity of the length: words of different lengths are not compared."""
    return WordDecoder(ones, (), lambda x, i: two_letters((i % 2).double()))


def sum_attention() -> WordDecoder:
    """Attention without its denominator, min(1, number of ones): weights are not of order 1/n."""
    unnormalised = Head(lambda x, y, i, j: ZERO, itself, torch.exp)
    return WordDecoder(ones, (Layer((unnormalised,), lambda x, a, i: a.clamp(max=1)),), share_of_ones)


def root_readout() -> WordDecoder:
    """T(1) is the root of the share of ones: continuous, but not Lipschitz."""
    return detector(averaging(itself), output=lambda a, i: two_letters(a.sqrt()))


def linear_readout(low: float, gain: float) -> WordDecoder:
    """T(1) = low + gain * share of ones."""
    return detector(averaging(itself), output=lambda a, i: two_letters(low + gain * a))


def threshold_readout(gain: float, at: float) -> WordDecoder:
    """T(1) = sigma(gain (share of ones - at))."""
    return detector(averaging(itself), output=lambda a, i: two_letters(torch.sigmoid(gain * (a - at))))


def alternating_query(delta: float) -> WordDecoder:
    """Logits delta 1[w_i = 1] (j mod 2), values j mod 2: a changed last letter moves the weight at every length."""
    score = Head(lambda x, y, i, j: delta * x * (j % 2), lambda x, j: (j % 2).double())
    return WordDecoder(ones, (Layer((score,), gathered),), share_of_ones)


def with_sink(logits: Tensor) -> Tensor:
    """Weights of keys beside a virtual key of logit 0 and value 0."""
    return softmax(torch.cat((torch.zeros_like(logits[:, :1]), logits), dim=-1))[:, 1:]


def counting_sink() -> WordDecoder:
    """Uniform attention on values 1 beside a sink: n/(n + 1), whatever the letters are."""
    return _counts(Head(lambda x, y, i, j: ZERO, _one, with_sink), share_of_ones)


def sink_in_narrow_windows() -> WordDecoder:
    """Windows of 2 where i + 1 is a power of two and 1 elsewhere, beside a sink: learns the powers of two blindly."""

    def score(x: Tensor, y: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return within(i - j, 1 + powers(i + 1))

    return _counts(Head(score, _one, with_sink), lambda a, i: two_letters(torch.sigmoid(60 * (a - 7 / 12))))


def _one(x: Tensor, j: Tensor) -> Tensor:
    return torch.ones(len(j), dtype=torch.float64)


def _counts(head: Head, output: Value) -> WordDecoder:
    return WordDecoder(ones, (Layer((head,), gathered),), output)
