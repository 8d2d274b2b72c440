"""The number task: letters, then integers, and a walk that steps v places back at an integer v until it meets a letter.

Source: arXiv 2605.31558, Section 3.1 and Appendix B.1 (120 letters, integers up to 16, 8 letters and 8 + 1 integers).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from constructions.reference import Symbol
from constructions.vocabulary import Vocabulary, number_vocabulary
from empirical.tasks.balance import Numbers
from empirical.tasks.task import MOST_TYPES, Task, require
from theory.errors import InputError

MOST_LINKS = 1000  # walks are counted in a table of links^2 numbers for each hop


@dataclass(frozen=True)
class NumberTask(Task):
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
        if self.vocabulary_size > MOST_TYPES or self.targets > MOST_TYPES or self.links > MOST_LINKS:
            raise InputError(
                f"letters={self.letters}, integers={self.integers}, targets={self.targets}, links={self.links}: at "
                f"most {MOST_TYPES} token types and targets and {MOST_LINKS} links can be handled; give smaller sizes"
            )

    @property
    def length(self) -> int:
        return self.targets + self.links + 1

    @property
    def vocabulary_size(self) -> int:
        return self.letters + self.integers

    @property
    def vocabulary(self) -> Vocabulary[Symbol]:
        """The token types, in the order of their numbers."""
        return number_vocabulary(self.letters, self.integers)

    @property
    def all_hops(self) -> Sequence[int]:
        return range(1, self.hops + 1)

    def _walks(self, hops: int) -> Numbers:
        """Entry [j, c, k]: ways to go from integer number k, in j hops, to an integer with number 1..c.

        All integers are numbered from 1; entry k = 0 is 0.
        """
        count = self.links + 1
        table = np.zeros((hops, count + 1, count + 1), dtype=np.int64)
        numbers = np.arange(count + 1)
        table[0] = (numbers >= 1) & (numbers <= numbers[:, None])
        for j in range(1, hops):
            for step in range(1, min(self.integers, count) + 1):
                table[j, :, step:] += table[j - 1, :, :-step]
        return table

    def _last_integers(self, positions: Numbers) -> Numbers:
        """The largest number of an integer that can point at each position."""
        return np.clip(positions + self.integers - self.targets, 0, self.links + 1)

    def choices(self, hops: int) -> tuple[Numbers, Numbers]:
        if hops > self.links + 1:
            raise InputError(
                f"hops={hops} needs as many integers, but a sequence has links + 1 = {self.links + 1}; "
                f"give links >= {hops - 1}"
            )
        if comb(self.links, hops - 1) * (self.links + 1) >= 2**63:
            raise InputError(
                f"hops={hops} among links={self.links} make more walks than 64 bits can count; lower hops or links"
            )
        positions = np.arange(1, self.targets + 1)
        possible = self._walks(hops)[hops - 1, self._last_integers(positions), -1] > 0
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
        below = self._walks(hops).cumsum(-1)  # entry [j, c, k]: the ways from integers with numbers up to k
        for left in range(hops - 1, 0, -1):
            ways = below[left - 1, limits]
            least = ways[rows, np.maximum(at - self.integers - 1, 0)]
            drawn = rng.integers(least, ways[rows, at - 1])
            stop = (ways <= drawn[:, None]).sum(-1)
            values[rows, at - 1], at = at - stop, stop
        values[rows, at - 1] = self.targets + at - positions
        return np.concatenate((targets, values + (self.letters - 1)), axis=1), prefix
