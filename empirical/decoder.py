"""A GPT-J decoder for controlled experiments, which answers at the last token.

A block adds attention and MLP, both of the same normed input, to the residual stream: x + A(norm x) + M(norm x).
RoPE turns plane k of every query and key, coordinates 2k and 2k + 1, by frequencies[k] radians a position: read as a
complex number, the plane is multiplied by exp(i t theta_k).

Source: arXiv 2605.31558, Section 5 and Appendix C.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from empirical.capture.heads import LayerHeads
from empirical.decoder_config import DecoderConfig
from empirical.rotary import Rotary
from theory.errors import InputError


class Attention(nn.Module):
    """Causal softmax attention; every head reads and writes `head_width` coordinates."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.head_width = config.head_width
        self.query = nn.Linear(config.width, config.width, bias=False)
        self.key = nn.Linear(config.width, config.width, bias=False)
        self.value = nn.Linear(config.width, config.width, bias=False)
        self.output = nn.Linear(config.width, config.width, bias=False)
        self.dropout = nn.Dropout(config.dropout)

    def by_head(self, x: Tensor) -> Tensor:
        """(b, n, width) to (b, heads, n, head width)."""
        return x.unflatten(-1, (-1, self.head_width)).transpose(1, 2)

    def weights(self, q: Tensor, k: Tensor, phases: Tensor) -> Tensor:
        """Softmax of <turned q, turned k> / sqrt(head width) over the tokens that each query sees, (b, heads, rows, n).

        The queries q (b, heads, rows, head width) are those of the last tokens of the keys k (b, heads, n, head width).
        """
        rows, n = q.shape[2], k.shape[2]
        logits = turn(q, phases[-rows:]) @ turn(k, phases).mT * self.head_width**-0.5
        unseen = torch.ones(rows, n, dtype=torch.bool, device=q.device).triu(n - rows + 1)
        return logits.masked_fill(unseen, -torch.inf).softmax(-1)

    def forward(self, x: Tensor, phases: Tensor, rows: int) -> Tensor:
        """What the last `rows` of the n tokens receive: x (b, n, width) to (b, rows, width)."""
        q, k, v = self.by_head(self.query(x[:, -rows:])), self.by_head(self.key(x)), self.by_head(self.value(x))
        mixed = self.dropout(self.weights(q, k, phases)).to(v.dtype) @ v
        return cast(Tensor, self.output(mixed.transpose(1, 2).flatten(-2)))


class Block(nn.Module):
    """A residual block, x + attention(norm x) + mlp(norm x)."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.width)
        self.attention = Attention(config)
        self.mlp = nn.Sequential(
            nn.Linear(config.width, config.inner_width),
            nn.GELU(approximate="tanh"),
            nn.Linear(config.inner_width, config.width),
        )
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, phases: Tensor, rows: int) -> Tensor:
        """The residual stream x (b, n, width) after this block, at the last `rows` tokens: (b, rows, width)."""
        y = self.norm(x)
        attended = self.dropout(self.attention(y, phases, rows))
        return cast(Tensor, x[:, -rows:] + attended + self.dropout(self.mlp(y[:, -rows:])))


class Decoder(nn.Module):
    """Token numbers (b, n) to the logits of the last token (b, vocabulary)."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        self.unembedding = nn.Linear(config.width, config.vocabulary)
        self.apply(_as_gptj)

    def forward(self, tokens: Tensor) -> Tensor:
        n = tokens.shape[1]
        x = self.dropout(self.embedding(tokens))
        for layer, block in enumerate(self.blocks):
            # Of the last block only the last token is read, and only that is computed.
            x = block(x, self.phases(layer, n), rows=1 if layer == self.config.layers - 1 else n)
        return cast(Tensor, self.unembedding(self.norm(x[:, -1])))

    @torch.no_grad()
    def heads(self, tokens: Tensor) -> Iterator[LayerHeads]:
        """Queries, keys and attention weights of every layer on tokens (prompts, n), layer by layer.

        Raises InputError for a model in training mode with dropout, whose attention is not its own.
        """
        if self.training and self.config.dropout:
            raise InputError(f"dropout={self.config.dropout} disturbs a model in training mode; call eval() first")
        n = tokens.shape[1]
        x = self.embedding(tokens)
        for layer, block in enumerate(cast("list[Block]", list(self.blocks))):
            attention, phases, y = block.attention, self.phases(layer, n), block.norm(x)
            q, k = attention.by_head(attention.query(y)), attention.by_head(attention.key(y))
            weights = attention.weights(q, k, phases)
            yield LayerHeads(layer, q, k, self.rotary(layer), self.config.head_width**-0.5, attention=weights)
            x = block(x, phases, rows=n)

    def rotary(self, layer: int) -> Rotary:
        """The rotation of a layer, counted from 0."""
        return Rotary.adjacent(torch.tensor(self.config.planes(layer), dtype=torch.float64))

    def phases(self, layer: int, n: int) -> Tensor:
        """exp(i t theta_k) for t = 0 .. n - 1 and every plane of a head, (n, head width / 2) complex.

        Planes that do not rotate have theta_k = 0.
        """
        chosen = torch.tensor(self.config.planes(layer), dtype=torch.float64)
        theta = F.pad(chosen, (0, self.config.head_width // 2 - len(chosen)))
        angles = torch.arange(n, dtype=torch.float64)[:, None] * theta
        weight = self.embedding.weight
        return torch.polar(torch.ones_like(angles), angles).to(weight.device, weight.dtype.to_complex())


def turn(x: Tensor, phases: Tensor) -> Tensor:
    """The planes of x (b, heads, n, d), read as complex numbers, multiplied by phases (n, d / 2)."""
    planes = torch.view_as_complex(x.to(phases.real.dtype).unflatten(-1, (-1, 2)))
    return torch.view_as_real(planes * phases).flatten(-2).to(x.dtype)


def _as_gptj(module: nn.Module) -> None:
    """Weights normal with standard deviation 0.02, biases 0."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
