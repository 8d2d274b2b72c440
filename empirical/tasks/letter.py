"""The letter task: tokens are pairs, and a walk steps from (x, y) to the token with left letter y, up to an integer.

Source: arXiv 2605.31558, Section 3.1 and Appendix B.1 (8 letters, integers up to 8, 8 targets and 8 + 1 links). Targets
are a letter and an integer (LI tokens), links two letters (LL tokens).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from constructions.reference import Pair
from constructions.vocabulary import Vocabulary, pair_vocabulary
from empirical.tasks.balance import Numbers
from empirical.tasks.batch import Batch
from empirical.tasks.solvers import letter_walks
from empirical.tasks.task import WalkTask, require, require_few
from theory.errors import InputError


@dataclass(frozen=True)
class LetterTask(WalkTask):
    """The letter task of these sizes.

    Attributes:
        alphabet: letters; A.
        integers: the integers are 1..integers; I. Token (L, R) is number L (A + I) + R, R = A + i - 1 for integer i.
        targets: LI tokens at the head of a sequence.
        links: LL tokens that follow, without the last one, where walks start.
        hops: batches have walks of 1 to so many hops.

    The letters that a walk wants are different, and each is the left letter of exactly one token, prepended ones
    included: so the path is unique, and one letter must be left for all other tokens. Apart from this all is uniform.
    Answers can stand at all targets, whatever the hops.

    Beware of a shortcut. The answer is always among the targets whose left letter occurs once; at the default sizes a
    guess among these is right for 70 % of the sequences with 1 hop to 89 % of those with 4, and with 100 prepended
    targets for all. No walk is needed. Larger alphabets make the guess worthless (64 letters: 16 %), but not a better
    one, among those of these targets whose letter some link wants: 79 to 95 % at the default sizes, with 1 to 4 hops,
    61 to 70 % with 26 letters, 71 to 81 % with 64.
    """

    alphabet: int = 8
    integers: int = 8
    targets: int = 8
    links: int = 8
    hops: int = 4

    def __post_init__(self) -> None:
        require(2, alphabet=self.alphabet)
        require(1, integers=self.integers, targets=self.targets, hops=self.hops)
        require(0, links=self.links)
        require_few(self.length, self.vocabulary_size)
        self._require_enough(self.hops)

    @property
    def width(self) -> int:
        return max(self.length, self.alphabet)

    @property
    def vocabulary_size(self) -> int:
        return self.alphabet * (self.alphabet + self.integers)

    @property
    def vocabulary(self) -> Vocabulary[Pair]:
        """The token types, in the order of their numbers."""
        return pair_vocabulary(self.alphabet, self.integers)

    def _require_enough(self, hops: int) -> None:
        if hops > self.links + 1:
            raise InputError(
                f"hops={hops} needs as many LL tokens, but links={self.links} and the last token are {self.links + 1}; "
                f"give links >= {hops - 1} or fewer hops"
            )
        if hops >= self.alphabet:
            raise InputError(
                f"hops={hops} wants as many letters, and all other tokens need one more as their left letter, "
                f"but alphabet={self.alphabet}; give alphabet >= {hops + 1} or fewer hops"
            )

    def choices(self, hops: int) -> tuple[Numbers, Numbers]:
        self._require_enough(hops)
        types = np.arange(self.vocabulary_size)
        return np.arange(1, self.targets + 1), types[types % (self.alphabet + self.integers) >= self.alphabet]

    def fill(
        self, rng: np.random.Generator, hops: int, positions: Numbers, answers: Numbers, prepended: int
    ) -> tuple[Numbers, Numbers]:
        rows, rights = np.arange(len(positions))[:, None], self.alphabet + self.integers
        keys = rng.random((len(rows), self.alphabet))
        keys[rows[:, 0], answers // rights] = -1
        letters = keys.argsort(-1)  # those wanted on the walk, the answer's first, then the others
        others = letters[:, hops:]

        def left(rng: np.random.Generator, count: int) -> Numbers:
            return np.take_along_axis(others, rng.integers(others.shape[1], size=(len(rows), count)), axis=1)

        def integer(rng: np.random.Generator, count: int) -> Numbers:
            return self.alphabet + rng.integers(self.integers, size=(len(rows), count))

        lefts = left(rng, self.length)
        letter = rng.integers(self.alphabet, size=(len(rows), self.links + 1))
        found = np.concatenate((integer(rng, self.targets), letter), axis=1)
        stops = self.targets + np.sort(rng.random((len(rows), self.links)).argsort(-1)[:, : hops - 1], axis=-1)
        walk = np.concatenate((positions[:, None] - 1, stops, np.full((len(rows), 1), self.length - 1)), axis=1)
        lefts[rows, walk[:, :-1]] = letters[:, :hops]
        found[rows, walk[:, 1:]] = letters[:, :hops]
        found[rows[:, 0], walk[:, 0]] = answers % rights
        apart = rng.spawn(1)[0]
        prefix = left(apart, prepended) * rights + integer(apart, prepended)
        return lefts * rights + found, prefix

    def solve(self, tokens: Tensor) -> Batch:
        return letter_walks(tokens, self.alphabet, self.vocabulary)
