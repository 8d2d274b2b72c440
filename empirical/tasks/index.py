"""Index at the last token: an integer v becomes the token v places back, if that is a letter.

Source: arXiv 2605.31558, Definition F.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from constructions.reference import Symbol
from constructions.vocabulary import Vocabulary, number_vocabulary
from empirical.tasks.balance import Numbers
from empirical.tasks.batch import Batch
from empirical.tasks.solvers import index_outputs
from empirical.tasks.task import Task, require, require_few


@dataclass(frozen=True)
class IndexTask(Task):
    """Index-valid sequences of letters and integers; tokens as in the number task.

    With 1 hop the last token is an integer that points at the answer, a letter. With 0 hops it stays: a letter, or an
    integer that points at an integer. Other tokens are uniform among the letters and the integers that point into the
    sequence. Prepended letters are uniform.
    """

    letters: int = 8
    integers: int = 16
    length: int = 17

    def __post_init__(self) -> None:
        require(2, letters=self.letters, length=self.length)
        require(1, integers=self.integers)
        require_few(self.length, self.vocabulary_size)

    @property
    def vocabulary(self) -> Vocabulary[Symbol]:
        """The token types, in the order of their numbers."""
        return number_vocabulary(self.letters, self.integers)

    @property
    def vocabulary_size(self) -> int:
        return self.letters + self.integers

    @property
    def all_hops(self) -> Sequence[int]:
        return (0, 1)

    def choices(self, hops: int) -> tuple[Numbers, Numbers]:
        self.require_known(hops)
        if hops:
            return np.arange(max(1, self.length - self.integers), self.length), np.arange(self.letters)
        return np.array([self.length]), np.arange(self.letters + min(self.integers, self.length - 2))

    def fill(
        self, rng: np.random.Generator, hops: int, positions: Numbers, answers: Numbers, prepended: int
    ) -> tuple[Numbers, Numbers]:
        rows = np.arange(len(positions))
        prefix = rng.spawn(1)[0].integers(self.letters, size=(len(rows), prepended))
        types = self.letters + np.minimum(self.integers, np.arange(self.length))
        tokens = rng.integers(types, size=(len(rows), self.length))
        tokens[rows, positions - 1] = answers
        if hops:
            tokens[:, -1] = self.letters - 1 + self.length - positions
        else:
            stays = np.flatnonzero(answers >= self.letters)
            place = self.length - 1 - (answers[stays] - self.letters + 1)
            tokens[stays, place] = rng.integers(self.letters, types[place])
        return tokens, prefix

    def solve(self, tokens: Tensor) -> Batch:
        return index_outputs(tokens, self.letters, self.vocabulary)
