"""All that decides one training on words, to the last bit on one machine."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from constructions.compact.decoder import CompactConfig, CompactDecoder
from empirical.words.catalogue import letters, word
from theory.errors import InputError


@dataclass(frozen=True)
class Plan:
    """A decoder of this shape trained to predict these words up to a length.

    Args:
        entry: what the set of words is called.
        words: names of `catalogue.word`.
        model: the decoder; of two letters.
        flags: row i of the learned table is a sum over the words, of a vector that depends on the letters of the word
            at i and i + 1 alone. Its range is finite, as in the converse of isolation, so it is compact; and it means
            something beyond the length of the training too.
        length: letters that are predicted.
        steps, rate, warmup: of AdamW on all prefixes of all words at once. The rate rises linearly, then falls to 0.
        seed: of the first weights; nothing else is random.

    Raises InputError for unknown words, another alphabet, flags without a table, and numbers that make no training.
    """

    entry: str
    words: tuple[str, ...]
    model: CompactConfig
    flags: bool = False
    length: int = 128
    steps: int = 600
    rate: float = 3e-3
    warmup: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.words or len(set(self.words)) < len(self.words):
            raise InputError(f"words={self.words} are none or repeat one; name each word once")
        for name in self.words:
            word(name)
        if self.model.letters != 2:
            raise InputError(f"letters={self.model.letters} is not the alphabet of these words; give 2")
        if self.flags and self.model.encoding != "learned":
            raise InputError(f"flags are rows of a table and encoding={self.model.encoding}; give encoding=learned")
        for name in ("length", "steps", "rate"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name}={getattr(self, name)} is not above 0; give more")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed={self.seed} is not in 0 .. 2^63 - 1; give another")

    @property
    def encoding(self) -> str:
        """How positions are told, in a word or two."""
        name = "flags" if self.flags else self.model.encoding
        scaling = self.model.log_scaling
        return name if scaling is None else f"{name}, log {scaling:g}"

    def as_json(self) -> dict[str, Any]:
        """The plan as it reads in a card."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    def schedule(self, step: int) -> float:
        """The rate at a step, counted from 0, as a share of the largest."""
        return min(1.0, (step + 1) / max(1, self.warmup), (self.steps - step) / max(1, self.steps - self.warmup))

    def decoder(self) -> CompactDecoder:
        """The decoder before its training, in float32. Embeddings start small, so that attention starts even."""
        torch.manual_seed(self.seed)
        model = CompactDecoder(self.model)
        tables = [model.embedding] if self.model.max_length is None else [model.embedding, model.positions]
        for table in tables:
            nn.init.normal_(table.weight, std=0.5)
        if self.flags:
            assert self.model.max_length is not None
            codes = _Rows(kinds(self.words, self.model.max_length))
            parametrize.register_parametrization(model.positions, "weight", codes)
        return model


def kinds(words: tuple[str, ...], length: int) -> Tensor:
    """(length, words): for each position i and each word 2 a + b, where a and b are its letters at i and i + 1."""
    table = letters(words, length + 1)
    return (2 * table[:, :-1] + table[:, 1:]).T


class _Rows(nn.Module):
    """A table whose rows are sums of a few: for each word one of four."""

    def __init__(self, kind: Tensor) -> None:
        super().__init__()
        self.rows = 4 * kind.shape[1]
        self.index: Tensor
        self.register_buffer("index", kind + 4 * torch.arange(kind.shape[1]))

    def forward(self, rows: Tensor) -> Tensor:
        return rows[self.index].sum(1)

    def right_inverse(self, table: Tensor) -> Tensor:
        return table[: self.rows]
