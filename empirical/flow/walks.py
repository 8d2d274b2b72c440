"""The walks of a batch, by their hops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from empirical.tasks.batch import Batch
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.walks import places
from theory.errors import InputError


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
    found = task.solve(batch.tokens).hops
    if (wrong := (found != batch.hops).nonzero()[:, 0]).numel():
        taken, said = int(found[wrong[0]]), int(batch.hops[wrong[0]])
        raise InputError(f"a walk takes {taken} hops where the batch says {said}; solve the batch anew")
    targets = task.targets + batch.tokens.shape[1] - task.length
    for hops in found.unique().tolist():
        rows = (found == hops).nonzero()[:, 0]
        tokens = batch.tokens[rows]
        yield Walks(hops, rows, tokens, places(task, tokens, hops), targets)
