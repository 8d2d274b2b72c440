"""What the tasks share: checked sizes, balance, and a generator whose output depends on its seed alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from empirical.tasks.balance import Deck, Numbers, shares
from empirical.tasks.batch import Batch
from theory.errors import InputError

MOST_NUMBERS = 2**27  # held at once, 1 GiB; more is a mistake
MOST_TYPES = 2**20


def require(least: int, **sizes: int) -> None:
    """Raise InputError unless these are whole numbers, and at least `least`."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int | np.integer):
            raise InputError(f"{name}={size!r} is no whole number; give an integer >= {least}")
        if size < least:
            raise InputError(f"{name}={size} is below {least}; give {name} >= {least}")


def require_few(length: int, types: int) -> None:
    """Raise InputError for longer sequences or more token types than are handled."""
    if max(length, types) > MOST_TYPES:
        raise InputError(
            f"{length} tokens of {types} types: at most {MOST_TYPES} of both are handled; give smaller sizes"
        )


class Task(ABC):
    """A task on sequences of one length: tokens of a vocabulary, a walk from the last token, an answer.

    A subclass says which answers can stand where, and fills in the rest.
    """

    @property
    @abstractmethod
    def length(self) -> int:
        """Tokens of a sequence without prepended ones."""

    @property
    @abstractmethod
    def vocabulary_size(self) -> int:
        """How many token types there are."""

    @property
    @abstractmethod
    def all_hops(self) -> Sequence[int]:
        """The numbers of hops that a batch is balanced over."""

    @property
    def width(self) -> int:
        """Numbers held for each sequence while it is generated."""
        return self.length

    def require_known(self, hops: int) -> None:
        """Raise InputError unless batches are balanced over this number of hops."""
        if hops not in self.all_hops:
            raise InputError(f"hops={hops} is not the task's; give {' or '.join(map(str, self.all_hops))}")

    @abstractmethod
    def choices(self, hops: int) -> tuple[Numbers, Numbers]:
        """The positions (from 1) at which the answer of a walk of `hops` hops can stand, and the answers.

        Raises InputError if there is no such walk.
        """

    @abstractmethod
    def fill(
        self, rng: np.random.Generator, hops: int, positions: Numbers, answers: Numbers, prepended: int
    ) -> tuple[Numbers, Numbers]:
        """Random sequences with these answers at these positions (from 1), and the tokens to prepend."""

    @abstractmethod
    def solve(self, tokens: Tensor) -> Batch:
        """Token numbers (sequences, n) with their answers, found from the tokens alone.

        Raises InputError at the first sequence that has none.
        """

    def generate(self, sequences: int, seed: int, *, hops: int | None = None, prepended: int = 0) -> Batch:
        """Random sequences with their answers.

        Args:
            sequences: how many.
            seed: equal seeds give equal sequences, on every machine with the same NumPy.
            hops: of all walks; by default all numbers of hops have shares that differ by at most one.
            prepended: irrelevant targets in front. The sequences behind them are the same with and without.

        Given the hops, the counts of answers, of answer positions and of pairs of both differ by at most one each, over
        all that are possible; so do the counts over all hops of answers, and of positions where all hops allow the same
        ones. Raises InputError if there are no such sequences, or too many to hold.
        """
        require(1, sequences=sequences)
        require(0, seed=seed, prepended=prepended)
        if hops is not None:
            require(min(self.all_hops), hops=hops)
        most = MOST_NUMBERS // (self.width + prepended)
        if sequences > most:
            remedy = f"ask for at most {most}, and for more under further seeds" if most else "prepend fewer"
            raise InputError(
                f"sequences={sequences} of length {self.length + prepended} are more than can be held at once; {remedy}"
            )
        rng = np.random.default_rng(seed)
        wanted = list(self.all_hops) if hops is None else [hops]
        choices = [self.choices(number) for number in wanted]
        deck = Deck(rng, self.length + 1, self.vocabulary_size)
        tokens = np.empty((sequences, prepended + self.length), dtype=np.int64)
        answers, walked, positions = (np.empty(sequences, dtype=np.int64) for _ in range(3))
        ends = np.cumsum(shares(sequences, len(wanted), rng))[:-1]
        for number, choice, rows in zip(wanted, choices, np.split(rng.permutation(sequences), ends), strict=True):
            position, answer = deck.deal(len(rows), *choice)
            tokens[rows, prepended:], tokens[rows, :prepended] = self.fill(rng, number, position, answer, prepended)
            answers[rows], walked[rows], positions[rows] = answer, number, position + prepended
        return Batch(*map(torch.from_numpy, (tokens, answers, walked, positions)))


class WalkTask(Task):
    """A task whose sequences are targets, links, and the last token, from which a walk of 1 to `hops` hops starts."""

    targets: int
    links: int
    hops: int

    @property
    def length(self) -> int:
        return self.targets + self.links + 1

    @property
    def all_hops(self) -> Sequence[int]:
        return range(1, self.hops + 1)
