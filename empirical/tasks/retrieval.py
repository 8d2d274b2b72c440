"""Retrieval at the last token (x, y): it becomes the token with left letter y.

Source: arXiv 2605.31558, Definition F.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from constructions.reference import Pair
from constructions.vocabulary import Vocabulary, pair_vocabulary
from empirical.tasks.balance import Numbers
from empirical.tasks.batch import Batch
from empirical.tasks.solvers import retrieval_outputs
from empirical.tasks.task import Task, require, require_few


@dataclass(frozen=True)
class RetrievalTask(Task):
    """Proper sequences of pairs; tokens as in the letter task.

    With 1 hop the last token (x, y) wants y, and the answer, LL or LI, is the only token with left letter y. It is not
    the first token, which can hardly be LL in a proper sequence. With 0 hops the last token is LI, and stays. Other
    tokens are uniform as far as they keep the sequence proper; one that would not has a uniform integer instead of its
    right letter. One letter is wanted by no token: prepended tokens are LI tokens with this left letter.
    """

    alphabet: int = 8
    integers: int = 8
    length: int = 17

    def __post_init__(self) -> None:
        require(3, alphabet=self.alphabet, length=self.length)
        require(1, integers=self.integers)
        require_few(self.length, self.vocabulary_size)

    @property
    def vocabulary(self) -> Vocabulary[Pair]:
        """The token types, in the order of their numbers."""
        return pair_vocabulary(self.alphabet, self.integers)

    @property
    def vocabulary_size(self) -> int:
        return self.alphabet * (self.alphabet + self.integers)

    @property
    def width(self) -> int:
        return max(self.length, self.alphabet)

    @property
    def all_hops(self) -> Sequence[int]:
        return (0, 1)

    def choices(self, hops: int) -> tuple[Numbers, Numbers]:
        self.require_known(hops)
        types = np.arange(self.vocabulary_size)
        if hops:
            return np.arange(2, self.length), types
        return np.array([self.length]), types[types % (self.alphabet + self.integers) >= self.alphabet]

    def fill(
        self, rng: np.random.Generator, hops: int, positions: Numbers, answers: Numbers, prepended: int
    ) -> tuple[Numbers, Numbers]:
        rows, each = np.arange(len(positions)), np.arange(len(positions))[:, None]
        types = self.alphabet + self.integers
        own, wanted = answers // types, answers % types
        linked = (wanted < self.alphabet) & (wanted != own)
        keys = rng.random((len(rows), self.alphabet))
        if hops:
            keys[rows[linked], wanted[linked]] = -1
            keys[rows, own] = -2
        letters = keys.argsort(-1)  # what the answer has on the left, what it has on the right, then the others
        spare = letters[:, -1]
        taken = np.where(linked, 2, 1) if hops else np.zeros_like(rows)
        drawn = taken[:, None] + rng.integers(self.alphabet - taken[:, None], size=(len(rows), self.length))
        lefts, rights = letters[each, drawn], rng.integers(types, size=(len(rows), self.length))
        integers = self.alphabet + rng.integers(self.integers, size=(len(rows), self.length))
        if hops:
            # What an LL answer wants stands at a random earlier place, as an LI token.
            places, chosen = rng.integers(positions - 1)[linked], rows[linked]
            lefts[chosen, places], rights[chosen, places] = wanted[linked], integers[chosen, places]
            rights[:, -1] = own
        lefts[rows, positions - 1], rights[rows, positions - 1] = own, wanted
        self._make_proper(lefts, rights, integers, spare)
        prefix = spare[:, None] * types + self.alphabet
        prefix = prefix + rng.spawn(1)[0].integers(self.integers, size=(len(rows), prepended))
        return lefts * types + rights, prefix

    def _make_proper(self, lefts: Numbers, rights: Numbers, integers: Numbers, spare: Numbers) -> None:
        """Put an integer wherever a right letter is not the left letter of exactly one token type so far."""
        rows, none, many = np.arange(len(lefts)), -1, -2
        only = np.full((len(rows), self.alphabet), none)  # for each left letter so far: its only right symbol
        for left, right, integer in zip(lefts.T, rights.T, integers.T, strict=True):
            letter = right < self.alphabet
            found = only[rows, np.where(letter, right, 0)]
            proper = np.where(left == right, (found == none) | (found == right), found >= 0)
            right[:] = np.where(letter & (~proper | (right == spare)), integer, right)
            before = only[rows, left]
            only[rows, left] = np.where((before == none) | (before == right), right, many)

    def solve(self, tokens: Tensor) -> Batch:
        return retrieval_outputs(tokens, self.alphabet, self.vocabulary)
