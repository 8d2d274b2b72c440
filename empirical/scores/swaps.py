"""All swaps of a head at once: two differences of logits a swap, and no other forward pass.

Source: arXiv 2511.11579, Sec. 3, and arXiv 2605.31558, App. D. A swap exchanges the contents of two disjoint blocks of
b consecutive tokens (b = 1: single tokens); attention is averaged over each block. After it, content I[t] stands at
J[t], so the sum over a block is that of exp M[I[t], J[t]]: b entries along a diagonal of M. The cosines do not see the
normaliser, so blocks obey the closed form of `score-logit-closed-form` with these logarithms of sums for logits.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from empirical.scores.settings import Settings
from theory.errors import InputError


def along_diagonals(M: Tensor, block: int) -> Tensor:
    """L[s, r] = log sum_{t < block} exp M[s + t, r + t] for all starts s, r: from M (..., N, N)."""
    if block == 1:
        return M
    half = block // 2
    sums = along_diagonals(M, half)
    sums = torch.logaddexp(sums[..., :-half, :-half], sums[..., half:, half:])
    if block % 2:
        sums = torch.logaddexp(sums[..., :-1, :-1], M[..., block - 1 :, block - 1 :])
    return sums


def cosines(g: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    """cos(u, v) and cos(u, reversed v) for logit differences g before and h after a swap, of any size.

    `theory.rope.scores.closed_form.cosines` with numerator and denominator divided by exp((|g| + |h|)/2): nothing
    overflows, and no two terms cancel.
    """
    a, b = torch.exp(-g.abs()), torch.exp(-h.abs())
    norm = torch.sqrt((1 + a * a) * (1 + b * b))
    along, across = (1 + a * b) / norm, (a + b) / norm
    same = (g >= 0) == (h >= 0)
    return torch.where(same, along, across), torch.where(same, across, along)


@dataclass(frozen=True, eq=False)
class Swaps:
    """What the swaps of some heads do to the two attention weights that they exchange.

    Args:
        logits: (units, S, S), M[c, p] of blocks, from their first tokens.
        g, h: (units, swaps), log ratio of the two weights before and after.
        alpha: (units, swaps), the weight of each swap in the scores.
    """

    logits: Tensor
    g: Tensor
    h: Tensor
    alpha: Tensor

    def average(self, values: Tensor) -> Tensor:
        """Values of each swap (units, swaps), weighted by alpha; NaN where there is no swap."""
        return (self.alpha * values).sum(-1) if values.shape[-1] else values.new_full(values.shape[:-1], torch.nan)

    def scores(self) -> tuple[Tensor, Tensor]:
        """s_POS and s_SYM, (units,)."""
        positional, symbolic = cosines(self.g, self.h)
        return self.average(positional), self.average(symbolic)


def all_swaps(M: Tensor, own: Tensor, settings: Settings, *, drop: int = 0) -> Swaps:
    """The swaps among N earlier tokens, without the first `drop` of them, which are still attended to.

    `M` (units, N, N), `own` (units,) the logit of the query's own token. Raises InputError if two blocks do not fit.
    """
    block, size = settings.block, M.shape[-1]
    if 2 * block > size:
        raise InputError(f"block={block} is more than half of the {size} earlier keys; give block <= {size // 2}")
    every = torch.logsumexp(torch.cat((M.diagonal(dim1=-2, dim2=-1), own[..., None]), dim=-1), dim=-1)
    logits = along_diagonals(M[..., drop:, drop:], block) if size - drop >= block else M[..., :0, :0]
    return _swaps(logits, every, settings)


def _swaps(logits: Tensor, every: Tensor, settings: Settings) -> Swaps:
    starts = logits.shape[-1]
    i, j = torch.triu_indices(starts, starts, offset=settings.block, device=logits.device)
    flat, before = logits.flatten(-2), logits.diagonal(dim1=-2, dim2=-1)
    attention = torch.exp(before - every[..., None]) / settings.block
    depth = (attention[..., i] - attention[..., j]).abs() / settings.tau
    g, h = before[..., i] - before[..., j], flat[..., j * starts + i] - flat[..., i * starts + j]
    return Swaps(logits, g, h, torch.softmax(depth, dim=-1))
