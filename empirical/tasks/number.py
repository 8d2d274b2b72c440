"""The number task: letters, then integers, and a walk that steps v places back at an integer v until it meets a letter.

Source: arXiv 2605.31558, Section 3.1 and Appendix B.1 (120 letters, integers up to 16, 8 letters and 8 + 1 integers).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from torch import Tensor

from constructions.reference import Symbol
from constructions.vocabulary import Vocabulary, number_vocabulary
from empirical.tasks.balance import Numbers
from empirical.tasks.batch import Batch
from empirical.tasks.solvers import number_walks
from empirical.tasks.task import WalkTask, require, require_few
from theory.errors import InputError

MOST_LINKS = 255  # walks are counted in a table of links^2 numbers for each hop


@dataclass(frozen=True)
class NumberTask(WalkTask):
    """The number task of these sizes.

    Attributes:
        letters: of the alphabet; tokens 0..letters-1.
        integers: the integers are 1..integers, tokens letters..letters+integers-1.
        targets: letters at the head of a sequence.
        links: integers that follow, without the last one, where walks start.
        hops: batches have walks of 1 to so many hops.

    Every integer of a sequence points into it. The integers on the walk are such that all walks to the answer's
    position have the same chance; those off it are uniform. With the paper's sizes answers can stand at all targets;
    in general, at the last ones: a walk of h hops reaches back at most h * integers tokens.
    Prepended letters are uniform: no walk goes there.
    """

    letters: int = 120
    integers: int = 16
    targets: int = 8
    links: int = 8
    hops: int = 4

    def __post_init__(self) -> None:
        require(2, letters=self.letters)
        require(1, integers=self.integers, targets=self.targets, hops=self.hops)
        require(0, links=self.links)
        require_few(self.length, self.vocabulary_size)
        if self.links > MOST_LINKS:
            raise InputError(f"links={self.links}: at most {MOST_LINKS} are handled; give fewer")
        self._require_enough(self.hops)

    @property
    def vocabulary_size(self) -> int:
        return self.letters + self.integers

    @property
    def vocabulary(self) -> Vocabulary[Symbol]:
        """The token types, in the order of their numbers."""
        return number_vocabulary(self.letters, self.integers)

    def _require_enough(self, hops: int) -> None:
        if hops > self.links + 1:
            raise InputError(
                f"hops={hops} needs as many integers, but links={self.links} and the last token are {self.links + 1}; "
                f"give links >= {hops - 1} or fewer hops"
            )
        if comb(self.links + 1, hops) >= 2**63:
            raise InputError(
                f"hops={hops} among links={self.links} make more walks than 64 bits can count; lower hops or links"
            )

    def _walks(self, hops: int) -> Numbers:
        """Entry [j, c, k]: the walks of j hops that start at any of the first k integers and end at one of the first c.

        They are counted exactly: there are at most comb(links + 1, hops).
        """
        count = self.links + 1
        numbers = np.arange(count + 1)
        table = np.minimum(numbers, numbers[:, None])[None].repeat(hops, axis=0)
        for j in range(1, hops):
            # From integer k one gets to those before it, at most `integers` places back.
            near = (
                table[j - 1][:, np.maximum(numbers - 1, 0)]
                - table[j - 1][:, np.maximum(numbers - 1 - self.integers, 0)]
            )
            table[j] = near.cumsum(-1)
        return table

    def _last_integers(self, positions: Numbers) -> Numbers:
        """How many integers, from the first, can point at each position."""
        return np.clip(positions + self.integers - self.targets, 0, self.links + 1)

    def choices(self, hops: int) -> tuple[Numbers, Numbers]:
        self._require_enough(hops)
        positions = np.arange(1, self.targets + 1)
        walks = self._walks(hops)[hops - 1, self._last_integers(positions)]
        possible = walks[:, -1] > walks[:, -2]
        if not possible.any():
            raise InputError(
                f"hops={hops} of at most integers={self.integers} places reach back {hops * self.integers} tokens, "
                f"not past links + 1 = {self.links + 1} integers; raise hops or integers, or lower links"
            )
        return positions[possible], np.arange(self.letters)

    def fill(
        self, rng: np.random.Generator, hops: int, positions: Numbers, answers: Numbers, prepended: int
    ) -> tuple[Numbers, Numbers]:
        count, rows = self.links + 1, np.arange(len(positions))
        prefix = rng.spawn(1)[0].integers(self.letters, size=(len(rows), prepended))
        targets = rng.integers(self.letters, size=(len(rows), self.targets))
        targets[rows, positions - 1] = answers
        largest = np.minimum(self.integers, self.targets + np.arange(count))
        values = rng.integers(1, largest + 1, size=(len(rows), count))
        limits = self._last_integers(positions)
        at = np.full(len(rows), count)
        walks = self._walks(hops)
        for left in range(hops - 1, 0, -1):
            starts = walks[left - 1, limits]
            drawn = rng.integers(starts[rows, np.maximum(at - self.integers - 1, 0)], starts[rows, at - 1])
            stop = (starts <= drawn[:, None]).sum(-1)
            values[rows, at - 1], at = at - stop, stop
        values[rows, at - 1] = self.targets + at - positions
        return np.concatenate((targets, values + (self.letters - 1)), axis=1), prefix

    def solve(self, tokens: Tensor) -> Batch:
        return number_walks(tokens, self.letters, self.vocabulary)
