"""A decoder on many sequences behind one shared prefix, which is read once for all of them and for all lengths.

A token sees those before it only, and RoPE only distances: keys and values of the first m tokens of a prefix are the
same whatever comes after them. So one pass over the longest prefix serves all shorter ones, and a sequence behind it
costs its own few tokens. No matrix of n x n weights is formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor
from torch.nn import functional as F

from empirical.decoder import Block, Decoder, turn


@dataclass(frozen=True, eq=False)
class Prefix:
    """Keys, rotated, and values of a prefix in every layer, (layers, heads, m, head width)."""

    keys: Tensor
    values: Tensor


@dataclass(frozen=True, eq=False)
class Reading:
    """What a decoder makes of some sequences.

    Args:
        logits: of the answer, (sequences, vocabulary).
        kept: attention of the last token to the sequence itself, all that is not the prefix, (layers, sequences,
            heads).
    """

    logits: Tensor
    kept: Tensor


@torch.no_grad()
def read_prefix(model: Decoder, tokens: Tensor) -> Prefix:
    """Read a prefix (m,) of at least one token."""
    x = model.embedding(tokens[None])
    keys, values = [], []
    blocks = cast("list[Block]", list(model.blocks))
    for layer, block in enumerate(blocks):
        attention, y = block.attention, block.norm(x)
        phases = model.phases(layer, len(tokens))
        k, v = turn(attention.by_head(attention.key(y)), phases), attention.by_head(attention.value(y))
        keys.append(k[0])
        values.append(v[0])
        if layer < len(blocks) - 1:
            q = turn(attention.by_head(attention.query(y)), phases)
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + attention.output(mixed.transpose(1, 2).flatten(-2)) + block.mlp(y)
    return Prefix(torch.stack(keys), torch.stack(values))


@torch.no_grad()
def read(model: Decoder, prefix: Prefix | None, m: int, tokens: Tensor) -> Reading:
    """Read sequences (s, n), each behind the first m tokens of the prefix."""
    n = tokens.shape[1]
    x, kept = model.embedding(tokens), []
    blocks = cast("list[Block]", list(model.blocks))
    for layer, block in enumerate(blocks):
        attention, y = block.attention, block.norm(x)
        rows = 1 if layer == len(blocks) - 1 else n
        phases = model.phases(layer, m + n)[m:]
        q = turn(attention.by_head(attention.query(y[:, -rows:])), phases[-rows:])
        k, v = turn(attention.by_head(attention.key(y)), phases), attention.by_head(attention.value(y))
        unseen = torch.ones(rows, n, dtype=torch.bool).triu(n - rows + 1)
        logits = (q @ k.mT).masked_fill(unseen, -torch.inf)
        if m and prefix is not None:
            logits = torch.cat((q @ prefix.keys[layer, :, :m].mT, logits), dim=-1)
        weights = (logits * attention.head_width**-0.5).softmax(-1)
        mixed = weights[..., m:] @ v
        if m and prefix is not None:
            mixed += weights[..., :m] @ prefix.values[layer, :, :m]
        kept.append(weights[:, :, -1, m:].sum(-1))
        x = x[:, -rows:] + attention.output(mixed.transpose(1, 2).flatten(-2)) + block.mlp(y[:, -rows:])
    return Reading(model.unembedding(model.norm(x[:, -1])), torch.stack(kept))
