"""Where the walk of each sequence goes, as tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from constructions.reference import Walk, letter_walk, number_walk
from empirical.tasks.batch import Batch
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from theory.errors import InputError

_WALKS: dict[type, Callable[[Any], Walk]] = {NumberTask: number_walk, LetterTask: letter_walk}


@dataclass(frozen=True, eq=False)
class Walks:
    """Sequences whose walks all have `hops` hops.

    Args:
        hops: of each walk.
        rows: which sequences of a batch these are, (walks,).
        tokens: (walks, n).
        places: of the links, from 0, (walks, hops + 1): the last token first, the answer last.
        targets: how many tokens at the head of a sequence are targets, those that walks end at.
    """

    hops: int
    rows: Tensor
    tokens: Tensor
    places: Tensor
    targets: int

    def __len__(self) -> int:
        return len(self.rows)

    def link(self, number: int) -> Tensor:
        """The token number at a link, (walks,)."""
        return self.tokens.gather(1, self.places[:, number : number + 1])[:, 0]

    def of(self, values: Tensor) -> Tensor:
        """What values (sequences, n, ...) of the whole batch are at the links, (walks, hops + 1, ...)."""
        return values[self.rows[:, None], self.places]


def walks(task: NumberTask | LetterTask, batch: Batch) -> Iterator[Walks]:
    """The walks of a batch, by their hops. InputError for a walk that does not take the hops that the batch says."""
    walk = _WALKS[type(task)]
    paths = [walk(task.vocabulary.decode(row)).path for row in batch.tokens.tolist()]
    for hops in batch.hops.unique().tolist():
        rows = (batch.hops == hops).nonzero()[:, 0]
        found = [paths[row] for row in rows.tolist()]
        wrong = next((path for path in found if len(path) != hops + 1), None)
        if wrong is not None:
            raise InputError(f"a walk takes {len(wrong) - 1} hops where the batch says {hops}; solve the batch anew")
        targets = task.targets + batch.tokens.shape[1] - task.length
        yield Walks(hops, rows, batch.tokens[rows], torch.tensor(found) - 1, targets)
