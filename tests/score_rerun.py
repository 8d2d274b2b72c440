"""The scores as their definition says: every swap moves inputs of the layer about, and the layer runs again.

Nothing of empirical.scores is used. The layer is that of a transformer: queries and keys are linear in its inputs,
turned by their own positions, and attention is causal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.rotary import Rotary

Swap = tuple[int, int]


def drawn_heads(seed: int = 0, *, prompts: int = 3, n: int = 6, size: float = 1.0) -> LayerHeads:
    """Four heads with two key heads, two planes and two coordinates that are not rotated, in layer 3."""
    random = torch.Generator().manual_seed(seed)
    queries = size * torch.randn(prompts, 4, n, 6, dtype=torch.float64, generator=random)
    keys = size * torch.randn(prompts, 2, n, 6, dtype=torch.float64, generator=random)
    return LayerHeads(3, queries, keys, Rotary.adjacent([1.0, 0.1]), 0.5)


@dataclass(frozen=True, eq=False)
class Layer:
    """Maps W_Q (heads, d, width) and W_K (key heads, d, width), in float64."""

    W_Q: Tensor
    W_K: Tensor
    rotary: Rotary
    scale: float
    softcap: float | None = None
    window: int | None = None

    @classmethod
    def drawn(
        cls,
        random: torch.Generator,
        *,
        heads: int,
        groups: int,
        width: int,
        d: int,
        rotary: Rotary,
        size: float = 1.0,
        softcap: float | None = None,
        window: int | None = None,
    ) -> Layer:
        """Normal weights, for which logits have a standard deviation of about size^2."""
        W_Q, W_K = (
            size * torch.randn(count, d, width, dtype=torch.float64, generator=random) / width**0.5
            for count in (heads, groups)
        )
        return cls(W_Q, W_K, rotary, d**-0.5, softcap, window)

    def _maps(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x[..., None, :, :] @ self.W_Q.mT, x[..., None, :, :] @ self.W_K.mT

    def heads(self, x: Tensor) -> LayerHeads:
        """Queries and keys on inputs (prompts, n, width)."""
        return LayerHeads(0, *self._maps(x), self.rotary, self.scale, self.softcap, self.window)

    def attention(self, x: Tensor, temperature: float = 1.0) -> Tensor:
        """Weights (..., heads, n, n) on inputs (..., n, width)."""
        n = x.shape[-2]
        positions = torch.arange(1, n + 1)
        q, k = (self.rotary.rotate(vectors, positions) for vectors in self._maps(x))
        k = k.repeat_interleave(len(self.W_Q) // len(self.W_K), dim=-3)
        logits = self.scale * q @ k.mT
        if self.softcap is not None:
            logits = self.softcap * torch.tanh(logits / self.softcap)
        back = positions[:, None] - positions
        unseen = (back < 0) | (back >= (self.window or n))
        return torch.softmax((logits / temperature).masked_fill(unseen, -torch.inf), dim=-1)


def block_swaps(first: int, last: int, block: int) -> list[Swap]:
    """First tokens, from 0, of all pairs of disjoint blocks within the tokens first..last - 1."""
    starts = range(first, last - block + 1)
    return [(i, j) for i in starts for j in starts if j >= i + block]


def orders(n: int, swaps: Sequence[Swap], block: int) -> Tensor:
    """(swaps, n): which content stands at each position once two blocks are exchanged."""
    order = torch.arange(n).repeat(len(swaps), 1)
    i, j = torch.tensor(swaps).T
    for t in range(block):
        rows = torch.arange(len(swaps))
        order[rows, i + t], order[rows, j + t] = j + t, i + t
    return order


def weights_after(
    layer: Layer, x: Tensor, at: int, swaps: Sequence[Swap], block: int, temperature: float, batch: int
) -> Iterator[Tensor]:
    """Attention of the query at `at` (from 0) after each swap of inputs x (n, width): (swaps of a batch, heads, n)."""
    for order in orders(len(x), swaps, block).split(batch):
        yield layer.attention(x[order], temperature)[..., at, :]


def rerun_scores(
    layer: Layer,
    x: Tensor,
    *,
    at: int,
    tau: float,
    block: int = 1,
    temperature: float = 1.0,
    drop: int = 0,
    batch: int = 64,
) -> tuple[Tensor, Tensor]:
    """s_POS and s_SYM (heads,) of inputs x (n, width), for the query at `at`, from 1; no first `drop` is swapped."""
    first = max(drop, at - layer.window) if layer.window else drop
    swaps = block_swaps(first, at - 1, block)
    before = layer.attention(x, temperature)[:, at - 1]
    after = torch.cat(list(weights_after(layer, x, at - 1, swaps, block, temperature, batch)))
    return definition(before, after, swaps, block, tau)


def definition(before: Tensor, after: Tensor, swaps: Sequence[Swap], block: int, tau: float) -> tuple[Tensor, Tensor]:
    """The scores from attention (heads, n) before and (swaps, heads, n) after each swap."""
    v, u = [], []
    for number, (i, j) in enumerate(swaps):
        v.append(torch.stack([before[:, s : s + block].mean(-1) for s in (i, j)], dim=-1))
        u.append(torch.stack([after[number, :, s : s + block].mean(-1) for s in (i, j)], dim=-1))
    V, U = torch.stack(v), torch.stack(u)
    alpha = torch.softmax((V[..., 0] - V[..., 1]).abs() / tau, dim=0)
    norm = U.norm(dim=-1) * V.norm(dim=-1)
    positional, symbolic = ((U * way).sum(-1) / norm for way in (V, V.flip(-1)))
    return (alpha * positional).sum(0), (alpha * symbolic).sum(0)
