"""All swaps of a head at once: two differences of logits a swap, and no other forward pass.

Source: arXiv 2511.11579, Sec. 3, and arXiv 2605.31558, App. D. A swap exchanges the contents of two disjoint blocks of
b consecutive tokens (b = 1: single tokens); attention is averaged over each block. After it, content I[t] stands at
J[t], so the sum over a block is that of exp M[I[t], J[t]]: b entries along a diagonal of M. The cosines do not see the
normaliser, so blocks obey the closed form of `score-logit-closed-form` with these logarithms of sums for logits.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from empirical.scores.closed_forms import BOTH, OTHER, cosines
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


@dataclass(frozen=True, eq=False)
class Swaps:
    """What each swap of some heads adds, (units, swaps) each; swaps that move the first token come first.

    Args:
        logits: (units, S, S), M[c, p] of blocks, from their first tokens.
        depth: the difference of the two weights before the swap, over tau: scores weight swaps by its softmax.
        positional, symbolic: the two cosines.
        equal_before, equal_after: the sum of both, if the two weights were equal before, resp. after it.
        other: the second cosine of a head that attends as this one and is exactly positional or symbolic.
    """

    logits: Tensor
    depth: Tensor
    positional: Tensor
    symbolic: Tensor
    equal_before: Tensor
    equal_after: Tensor
    other: Tensor

    def average(self, *values: Tensor) -> list[Tensor]:
        """Values of each swap (units, swaps), weighted as in the scores: (units,); NaN where there is no swap."""
        if not self.depth.shape[-1]:
            return [self.depth.new_full(self.depth.shape[:-1], torch.nan) for _ in values]
        alpha = torch.softmax(self.depth, dim=-1)
        return [(alpha * value).sum(-1) for value in values]

    def scores(self) -> tuple[Tensor, Tensor]:
        """s_POS and s_SYM, (units,)."""
        positional, symbolic = self.average(self.positional, self.symbolic)
        return positional, symbolic

    def without_first(self, block: int) -> Swaps:
        """The swaps that leave the first token in its place."""
        moving = max(self.logits.shape[-1] - block, 0)
        values = {f.name: getattr(self, f.name)[:, moving:] for f in fields(self)}
        return Swaps(**(values | {"logits": self.logits[:, 1:, 1:]}))


def all_swaps(M: Tensor, own: Tensor, settings: Settings) -> Swaps:
    """The swaps among N earlier tokens.

    `M` (units, N, N), `own` (units,) the logit of the query's own token. Raises InputError if two blocks do not fit.
    """
    block, size = settings.block, M.shape[-1]
    if 2 * block > size:
        raise InputError(f"block={block} is more than half of the {size} earlier keys; give block <= {size // 2}")
    every = torch.logsumexp(torch.cat((M.diagonal(dim1=-2, dim2=-1), own[..., None]), dim=-1), dim=-1)
    logits = along_diagonals(M, block)
    starts = logits.shape[-1]
    i, j = torch.triu_indices(starts, starts, offset=block, device=M.device)
    flat, each = logits.flatten(-2), logits.diagonal(dim1=-2, dim2=-1)
    attention = torch.exp(each - every[..., None]) / block
    depth = (attention[..., i] - attention[..., j]).abs() / settings.tau
    g, h = each[..., i] - each[..., j], flat[..., j * starts + i] - flat[..., i * starts + j]
    return Swaps(logits, depth, *cosines(g, h), BOTH(h), BOTH(g), OTHER(g))
