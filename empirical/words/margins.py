"""By how much the right letter leads after every prefix of a word, and how far attention logits of a row reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from constructions.compact.decoder import CompactDecoder
from empirical.words.catalogue import informative, letters, undetermined

LEARNED = 0.1  # a margin that counts as learned
START = 4  # shorter prefixes are left out: eventual learning may begin anywhere, and score-only decoders take 11 for 1


@torch.no_grad()
def probabilities(model: CompactDecoder, words: Tensor) -> Tensor:
    """T(w_1 .. w_n), (words, n, letters) float64, word by word: long words make large matrices."""
    return torch.cat([model(row[None]).double().softmax(-1) for row in words])


def margins(model: CompactDecoder, words: Tensor) -> Tensor:
    """(words, n) for words (words, n + 1): T(next letter) minus the largest other one."""
    found = probabilities(model, words[:, :-1])
    right = found.gather(-1, words[:, 1:, None])
    return (right - found.scatter(-1, words[:, 1:, None], -torch.inf).amax(-1, keepdim=True)).squeeze(-1)


@torch.no_grad()
def oscillations(model: CompactDecoder, words: Tensor) -> Tensor:
    """Delta^ (layers, heads, n): the largest difference within the logits of query n, over these words (words, n).

    All that a softmax sees is in it: position data, cap and length factor. A lower bound of the constant of the theory.
    """
    largest = []
    for row in words:
        x, layers = model.embed(row[None]), []
        for block in model.layers:
            q, k, _ = block.heads(x)
            scores = block.logits(q, k)[0]
            least = scores.masked_fill(scores == -torch.inf, torch.inf).amin(-1)
            layers.append(scores.amax(-1) - least)
            x = block(x)
        largest.append(torch.stack(layers))
    return torch.stack(largest).amax(0)


@dataclass(frozen=True)
class Range:
    """Lengths first .. last: the least margin where words are to be told apart, and at all lengths; None if none."""

    first: int
    last: int
    informative: float | None
    all: float | None


@dataclass(frozen=True)
class Measured:
    """What a trained decoder knows.

    Attributes:
        ranges: up to the length of the training, and then up to each power of two times it.
        learned_up_to: the last length before the first margin below LEARNED, over all words.
        told_up_to: the same over the lengths at which words are to be told apart, if there are any.
        flip_gap: (n,) by how much T(1 0^(n-1)) differs from T(0^n), sup norm.
        spread: by how much T(0^n) differs over n: not at all by theory where positions are only scored.
        oscillation: Delta^ of each layer and head at the length of the training.
        curves: margin at each length of each word.
    """

    ranges: list[Range]
    learned_up_to: int
    told_up_to: int
    oscillation: list[list[float]]
    curves: Tensor
    told: Tensor
    flip_gap: Tensor
    spread: float


def measure(model: CompactDecoder, names: Sequence[str], trained: int, longest: int) -> Measured:
    """Margins at all lengths up to `longest`, in float64; prefixes that no model can predict are left out."""
    model = model.double()
    words = letters(names, longest + 1)
    found = margins(model, words)
    later = torch.arange(1, longest + 1) >= START
    known, told = ~undetermined(words) & later, informative(words) & later
    ranges, first, last = [], START, trained
    while first <= longest:
        last = min(last, longest)
        part = slice(first - 1, last)
        values = [found[:, part][mask[:, part]] for mask in (told, known)]
        ranges.append(Range(first, last, *(float(v.min()) if v.numel() else None for v in values)))
        first, last = last + 1, 2 * last
    zeros, flipped = probabilities(model, letters(("0", "1+0"), longest))
    return Measured(
        ranges,
        _last_good(found, known),
        _last_good(found, told if told.any() else known),
        oscillations(model, words[:, :trained])[..., -1].tolist(),
        found,
        told,
        (zeros - flipped).abs().amax(-1),
        float((zeros.amax(0) - zeros.amin(0)).max()),
    )


def _last_good(margins: Tensor, counted: Tensor) -> int:
    wrong = ((margins < LEARNED) & counted).any(0).nonzero()
    return int(wrong[0]) if len(wrong) else margins.shape[1]
