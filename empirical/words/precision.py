"""From which length on a changed letter is lost in rounding: predicted from the exact gap, and as computed.

Two outputs are the same bits only if every probability rounds alike. A gap below half the spacing of floats at a
probability makes that likely, and certain for none: two numbers that close can lie on both sides of a rounding border.
So the predicted length is that of gaps below half a spacing, the measured one that of equal bits, and beside them
stands the noise: by how much outputs for one word differ with its place in a batch and the size of the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import torch
from torch import Tensor

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}
Outputs = Callable[[Tensor, torch.dtype], Tensor]  # words (b, n) to probabilities (b, letters) in this dtype


@dataclass(frozen=True)
class Collapse:
    """Two words of one length through arithmetic of one kind.

    Attributes:
        gap: largest difference of their probabilities in float64.
        spacings: the largest difference of a probability, in spacings of floats at its place.
        top_spacings: that of the most probable letter alone: small probabilities have floats much closer together.
        computed: largest difference of the probabilities as computed.
        error: largest error of a computed probability, against float64.
        noise: largest difference between outputs for one word, alone and in different places of a batch.
        same, top_same: whether all probabilities, or that of the most probable letter, are the same bits, each word
            alone.
    """

    length: int
    gap: float
    spacings: float
    top_spacings: float
    computed: float
    error: float
    noise: float
    same: bool
    top_same: bool


def spacing(x: Tensor, dtype: torch.dtype) -> Tensor:
    """The distance of neighbouring floats of a kind at x > 0."""
    return torch.finfo(dtype).eps * torch.exp2(x.double().log2().floor())


def collapse(outputs: Outputs, first: Tensor, second: Tensor, dtype: torch.dtype) -> Collapse:
    """Words (n,) through `outputs` in float64 and in `dtype`."""
    words = torch.stack((first, second))
    exact = outputs(words, torch.float64).double()
    alone = torch.cat([outputs(word[None], dtype) for word in words]).double()
    batch = torch.cat([outputs(torch.stack([first] * k + [second] + [first]), dtype) for k in (1, 2, 5)]).double()
    is_first = torch.tensor([place != k for k in (1, 2, 5) for place in range(k + 2)])
    noise = torch.where(is_first[:, None], batch - alone[0], batch - alone[1]).abs().max()
    gaps, top = (exact[0] - exact[1]).abs(), int(exact[0].argmax())
    spacings = gaps / spacing(exact.amax(0), dtype)
    return Collapse(
        len(first),
        float(gaps.max()),
        float(spacings.max()),
        float(spacings[top]),
        float((alone[0] - alone[1]).abs().max()),
        float((alone - exact).abs().max()),
        float(noise),
        bool(torch.equal(alone[0], alone[1])),
        bool(alone[0, top] == alone[1, top]),
    )


def lengths_of_collapse(found: Sequence[Collapse]) -> dict[str, int | None]:
    """The least lengths from which on, up to the last, gaps are below half a spacing; and bits are the same.

    Both for all probabilities and for that of the most probable letter.
    """
    return {
        "predicted": from_on([(at.length, at.spacings < 0.5) for at in found]),
        "measured": from_on([(at.length, at.same) for at in found]),
        "top_predicted": from_on([(at.length, at.top_spacings < 0.5) for at in found]),
        "top_measured": from_on([(at.length, at.top_same) for at in found]),
    }


def from_on(found: Sequence[tuple[int, bool]]) -> int | None:
    """The least length from which on, up to the last, it is so; None if it is not so in the end."""
    start = None
    for length, holds in sorted(found, reverse=True):
        if not holds:
            break
        start = length
    return start


@dataclass(frozen=True)
class Witness:
    """1 + 1/n, the average of n - 1 values 1 and a value 2: rounded once, and as attention computes it."""

    dtype: str
    length: int
    rounded_is_one: bool
    attention_is_one: bool


def witness(name: str, length: int) -> Witness:
    """The averaging witness in one kind of float: n equal weights and a product with the values."""
    dtype = DTYPES[name]
    exact = torch.tensor(float(1 + Fraction(1, length)), dtype=torch.float64)
    values = torch.ones(length, dtype=dtype)
    values[0] = 2
    weights = torch.zeros(length, dtype=dtype).softmax(-1)
    return Witness(name, length, bool(exact.to(dtype) == 1), bool(weights @ values == 1))
