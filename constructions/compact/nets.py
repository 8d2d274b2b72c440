"""Nets that attain the bounds: repeated averages, kernels of the lag, logits that grow with the length.

Source: derived here; the bias of ALiBi is that of arXiv 2108.12409.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from constructions.compact.detectors import gathered, itself, ones, readout, within
from constructions.compact.word_decoder import (
    Head,
    Layer,
    MarkedHead,
    Value,
    WordDecoder,
    averaging,
    two_letters,
)
from theory.compact.continuity.scalar_head import ScalarHead, ScalarLayer
from theory.compact.lag_kernels.nets import READOUT, BiasedHead


def share_of_ones(x: Tensor, i: Tensor) -> Tensor:
    """The output (1 - x, x)."""
    return two_letters(x)


def averaging_net(layers: int) -> WordDecoder:
    """Layers x <- A x of uniform attention on x = 1[w_j = 1]: T(1) is (A^layers 1_D)(n), D the ones."""
    return WordDecoder(ones, (Layer((averaging(itself),), gathered),) * layers, share_of_ones)


def alibi(slope: float, output: Value = share_of_ones, layers: int = 1) -> WordDecoder:
    """Layers x <- attention with logits -slope (i - j) and values x."""
    one = Layer((Head(lambda x, y, i, j: -slope * (i - j).double(), itself),), gathered)
    return WordDecoder(ones, (one,) * layers, output)


def alibi_detector(slope: float) -> WordDecoder:
    """The feature of ALiBi with the common head of detectors."""
    return alibi(slope, readout)


def window_net(layers: int, window: int) -> WordDecoder:
    """Layers x <- mean of x over the last `window` tokens."""
    one = Layer((Head(lambda x, y, i, j: within(i - j, window), itself),), gathered)
    return WordDecoder(ones, (one,) * layers, share_of_ones)


def exponent_witness(c: float, total: int | None = None) -> WordDecoder:
    """Two layers with logits c ln(h): the first on ones, the second on the keys j <= h^(1 - c).

    h is the query, or for every query the length `total`. On 1 0^(n-1) the last state decays no faster than the
    exponent of the length permits.
    """

    def scale(i: Tensor) -> Tensor:
        return i.double() if total is None else torch.full_like(i, total, dtype=torch.float64)

    def factor(i: Tensor) -> Tensor:
        return c * scale(i).log()

    def earliest(x: Tensor, y: Tensor, i: Tensor, j: Tensor) -> Tensor:
        # The power of a power of ten is an integer that rounding may miss from below.
        return factor(i) * (j <= (scale(i) ** (1 - c) + 1e-9).floor())

    layers = (Layer((MarkedHead(factor, itself, itself),), gathered), Layer((Head(earliest, itself),), gathered))
    return WordDecoder(ones, layers, share_of_ones)


def scalar_head(head: ScalarHead) -> Head:
    """The head in torch: logits (al x_i x_j + be x_j) cos(turn (i - j)) plus its biases, if any; values v x_j."""
    biases = torch.tensor(head.biases) if isinstance(head, BiasedHead) else None

    def score(x: Tensor, y: Tensor, i: Tensor, j: Tensor) -> Tensor:
        logits = (head.product * x + head.linear) * y * torch.cos(head.turn * (i - j).double())
        return logits if biases is None else logits + biases[i - 1, j - 1]

    return Head(score, lambda x, j: head.value * x)


def scalar_layer(layer: ScalarLayer) -> Layer:
    """The layer in torch: states x <- tanh(skip x + sum of the heads' outer a)."""

    def update(x: Tensor, *others: Tensor) -> Tensor:
        *found, _ = others
        return torch.tanh(layer.skip * x + sum(head.outer * a for head, a in zip(layer.heads, found, strict=True)))

    return Layer(tuple(map(scalar_head, layer.heads)), update)


def scalar_net(codes: Tensor, layers: Sequence[ScalarLayer]) -> WordDecoder:
    """A net of one number a position that starts at codes (V,) of the letters, in [-1, 1]; T(1) = (1 + x)/2."""
    return WordDecoder(
        lambda word, i: codes[word], tuple(map(scalar_layer, layers)), lambda x, i: two_letters(READOUT * (1 + x))
    )
