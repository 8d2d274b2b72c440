"""A decoder on finite words whose position data stay in a compact set, or leave it in one chosen way.

Pre-norm blocks of causal softmax attention and a gated MLP, without biases, on a residual stream; a norm and an
unembedding read the next letter off every position. Encodings "none", "rope", "sinusoidal" and "learned" are compact;
"alibi" and "window" weigh keys by their lag; `log_scaling` lets logits grow with the length.
Source: arXiv 2505.10606, the class of decoder-only transformers with compact positional encodings.
"""

from __future__ import annotations

from typing import Self, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from constructions.compact.config import CompactConfig
from theory.errors import InputError

__all__ = ["Block", "CompactConfig", "CompactDecoder"]


def _norm(config: CompactConfig) -> nn.Module:
    if config.norm == "rms":
        return nn.RMSNorm(config.width, eps=config.epsilon)
    return nn.LayerNorm(config.width, eps=config.epsilon, bias=False)


class Block(nn.Module):
    """x + attention(norm x), then x + MLP(norm x)."""

    def __init__(self, config: CompactConfig) -> None:
        super().__init__()
        width, shared = config.width, config.groups * config.head_width
        self.config = config
        self.norm1, self.norm2 = _norm(config), _norm(config)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, shared, bias=False)
        self.value = nn.Linear(width, shared, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        self.gate = nn.Linear(width, config.mlp_width, bias=False)
        self.up = nn.Linear(width, config.mlp_width, bias=False)
        self.down = nn.Linear(config.mlp_width, width, bias=False)

    def heads(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of all query heads, (b, heads, n, head width) each, before any rotation."""
        y = self.norm1(x)
        q, k, v = (
            weights(y).unflatten(-1, (-1, self.config.head_width)).transpose(1, 2)
            for weights in (self.query, self.key, self.value)
        )
        share = self.config.heads // self.config.groups
        return q, k.repeat_interleave(share, dim=1), v.repeat_interleave(share, dim=1)

    def logits(self, q: Tensor, k: Tensor) -> Tensor:
        """The logits (b, heads, n, n) of query (row) and key, position data included; -inf for keys not seen."""
        config, n = self.config, q.shape[-2]
        positions = torch.arange(n, dtype=torch.float64, device=q.device)
        if config.encoding == "rope":
            q, k = (_turn(z, positions, config.base) for z in (q, k))
        scores = q @ k.mT * config.head_width**-0.5
        if config.softcap is not None:
            scores = config.softcap * torch.tanh(scores / config.softcap)
        if config.log_scaling is not None:
            scores = scores * (config.log_scaling * torch.log(positions + 1)).to(scores.dtype)[:, None]
        lag = positions[:, None] - positions
        if config.encoding == "alibi":
            slopes = torch.tensor(config.biases, dtype=torch.float64, device=q.device)
            scores = scores - (slopes[:, None, None] * lag).to(scores.dtype)
        hidden = lag < 0 if config.window is None else (lag < 0) | (lag >= config.window)
        return scores.masked_fill(hidden, -torch.inf)

    def attend(self, x: Tensor) -> Tensor:
        """What attention adds to the stream x (b, n, width)."""
        q, k, v = self.heads(x)
        mixed = self.logits(q, k).softmax(-1) @ v
        return cast(Tensor, self.output(mixed.transpose(1, 2).flatten(-2)))

    def forward(self, x: Tensor) -> Tensor:
        """The residual stream x (b, n, width) after this block."""
        x = x + self.attend(x)
        y = self.norm2(x)
        return x + cast(Tensor, self.down(F.silu(self.gate(y)) * self.up(y)))


class CompactDecoder(nn.Module):
    """Finite words to the distribution of the next letter after each of their prefixes."""

    def __init__(self, config: CompactConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.letters, config.width)
        if config.max_length is not None:
            self.positions = nn.Embedding(config.max_length, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = _norm(config)
        self.unembedding = nn.Linear(config.width, config.letters, bias=False)

    @property
    def layers(self) -> list[Block]:
        """The blocks in their order."""
        return cast("list[Block]", list(self.blocks))

    def embed(self, words: Tensor) -> Tensor:
        """Letters (b, n) to the stream before the first block, (b, n, width). Raises InputError as forward."""
        config = self.config
        if words.ndim != 2 or 0 in words.shape or words.dtype != torch.int64:
            kind = f"{str(words.dtype).removeprefix('torch.')} of shape {tuple(words.shape)}"
            raise InputError(f"words are {kind}; give int64 letters of shape (words, length), neither of them 0")
        low, high = (int(x) for x in words.aminmax())
        if low < 0 or high >= config.letters:
            wrong = low if low < 0 else high
            raise InputError(f"letter {wrong} is not one of the {config.letters} of the alphabet; they count from 0")
        x, n = self.embedding(words), words.shape[1]
        if config.max_length is not None:
            if n > config.max_length:
                raise InputError(
                    f"words of length {n} exceed max_length={config.max_length}; no position is learned there"
                )
            x = x + self.positions.weight[:n]
        if config.encoding == "sinusoidal":
            angles = _angles(torch.arange(n, dtype=torch.float64, device=x.device), config.width, config.base)
            x = x + torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2).to(x.dtype)
        return cast(Tensor, x)

    def forward(self, words: Tensor) -> Tensor:
        """Letters (b, n), int64, to logits of the next letter after every prefix, (b, n, letters).

        They are divided by the output temperature: their softmax is what the decoder predicts.

        Raises InputError for words of another shape or dtype, for letters outside the alphabet, for words longer than
        a learned table, and for logits that are not finite.
        """
        x = self.embed(words)
        for block in self.layers:
            x = block(x)
        logits = cast(Tensor, self.unembedding(self.norm(x))) / self.config.output_temperature
        if not logits.isfinite().all():
            raise InputError("logits of the next letter are not finite; a weight is NaN or infinite, or too large")
        return logits

    def next_letter(self, words: Tensor) -> Tensor:
        """Letters (b, n) to the probabilities of the letter after the whole word, (b, letters)."""
        return self(words)[:, -1].softmax(-1)

    @classmethod
    def reference(cls, gains: str = "small", *, norm: str = "rms", encoding: str = "rope") -> Self:
        """The float64 decoder with weights in closed form: 3 letters, width 8, 2 layers, 2 heads on 1 key head.

        `gains` is "small" (0.1 for queries, keys and MLP, 0.2 for values) or "default" (0.5, and 0.3 for the MLP).
        """
        if gains not in GAINS:
            raise InputError(f"gains={gains!r} are unknown; give one of {', '.join(GAINS)}")
        attention, values, mlp = GAINS[gains]
        config = CompactConfig(
            letters=3, width=8, layers=2, heads=2, key_heads=1, mlp_width=16, norm=norm, encoding=encoding
        )
        model = cls(config).double()
        closed = {"embedding": _waves(3, 8, 0, 8**0.5), "unembedding": _waves(3, 8, 99, 1)}
        for layer in range(config.layers):
            tag = 10 * (layer + 1)
            name = f"blocks.{layer}"
            for k, (part, rows, columns, gain) in enumerate(
                (
                    ("query", 8, 8, attention),
                    ("key", 4, 8, attention),
                    ("value", 4, 8, values),
                    ("output", 8, 8, values),
                    ("gate", 16, 8, mlp),
                    ("up", 16, 8, mlp),
                    ("down", 8, 16, mlp),
                ),
                start=1,
            ):
                closed[f"{name}.{part}"] = _waves(rows, columns, tag + k, gain)
            for k in (1, 2):
                closed[f"{name}.norm{k}"] = 1 + 0.1 * torch.sin(torch.arange(8, dtype=torch.float64) + tag + k - 1)
        closed["norm"] = torch.ones(8, dtype=torch.float64)
        model.load_state_dict({f"{name}.weight": weight for name, weight in closed.items()})
        return model.eval()


GAINS = {"small": (0.1, 0.2, 0.1), "default": (0.5, 0.5, 0.3)}


def _waves(rows: int, columns: int, tag: int, gain: float) -> Tensor:
    r = torch.arange(rows, dtype=torch.float64)[:, None]
    c = torch.arange(columns, dtype=torch.float64)
    return gain * torch.sin(1 + 0.37 * tag + 1.7 * r + 2.3 * c + 0.11 * r * c) / columns**0.5


def _angles(positions: Tensor, width: int, base: float) -> Tensor:
    """Position times base^(-2k/width), for the planes k < width/2; (n, planes)."""
    planes = torch.arange(width // 2, dtype=torch.float64, device=positions.device)
    return positions[:, None] * base ** (-2 * planes / width)


def _turn(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """Queries or keys (..., n, d), coordinates k and k + d/2 turned by the angles of their positions."""
    angles = _angles(positions, x.shape[-1], base)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)
