"""Partial induction: the latest pair with the symbol of the last token.

Source: arXiv 2511.11579.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from constructions.reference import Integer, Letter, Pair, Symbol
from constructions.vocabulary import Vocabulary
from empirical.tasks.balance import Numbers
from empirical.tasks.batch import Batch
from empirical.tasks.solvers import latest_matches
from empirical.tasks.task import Task, require, require_few


@dataclass(frozen=True)
class InductionTask(Task):
    """Partial induction: pairs (s, w), then a symbol that occurs among the s; the answer is the latest pair with it.

    Pair (s, w) is token s * values + w - 1, symbol s token symbols * values + s. Pairs before the answer are uniform,
    prepended ones too, as older matches do not count; pairs after it have other symbols and are uniform among those.
    """

    symbols: int = 8
    values: int = 8
    length: int = 17

    def __post_init__(self) -> None:
        require(2, symbols=self.symbols, length=self.length)
        require(1, values=self.values)
        require_few(self.length, self.vocabulary_size)

    @property
    def vocabulary(self) -> Vocabulary[Pair | Symbol]:
        """The token types, in the order of their numbers."""
        letters = [Letter(number) for number in range(self.symbols)]
        pairs = [Pair(letter, Integer(value)) for letter in letters for value in range(1, self.values + 1)]
        return Vocabulary([*pairs, *letters], f"pairs {pairs[0]}..{pairs[-1]} and symbols {letters[0]}..{letters[-1]}")

    @property
    def vocabulary_size(self) -> int:
        return self.symbols * (self.values + 1)

    @property
    def all_hops(self) -> Sequence[int]:
        return (1,)

    def choices(self, hops: int) -> tuple[Numbers, Numbers]:
        self.require_known(hops)
        return np.arange(1, self.length), np.arange(self.symbols * self.values)

    def fill(
        self, rng: np.random.Generator, hops: int, positions: Numbers, answers: Numbers, prepended: int
    ) -> tuple[Numbers, Numbers]:
        pairs, rows = self.symbols * self.values, np.arange(len(positions))
        prefix = rng.spawn(1)[0].integers(pairs, size=(len(rows), prepended))
        tokens = rng.integers(pairs, size=(len(rows), self.length))
        symbol = answers // self.values
        # A step of 1 to symbols - 1 symbols further, around the alphabet, is uniform among the others.
        other = (symbol[:, None] + rng.integers(1, self.symbols, size=tokens.shape)) % self.symbols
        after = np.arange(self.length) >= positions[:, None]
        tokens = np.where(after, other * self.values + tokens % self.values, tokens)
        tokens[rows, positions - 1] = answers
        tokens[:, -1] = pairs + symbol
        return tokens, prefix

    def solve(self, tokens: Tensor) -> Batch:
        return latest_matches(tokens, self.values, self.vocabulary)
