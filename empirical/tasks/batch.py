"""Sequences of one task with their answers, and their split into parts that share no sequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from theory.errors import InputError


@dataclass(frozen=True)
class Batch:
    """Sequences of one task and length.

    Attributes:
        tokens: token numbers, (sequences, n), int64.
        answers: the number of the token that is the answer, (sequences,), int64.
        hops: how many hops the walk takes from the last token, (sequences,), int64.
        positions: where the answer stands, from 1, (sequences,), int64.

    Raises InputError if shapes or types differ from these, or if an answer does not stand at its position.
    """

    tokens: Tensor
    answers: Tensor
    hops: Tensor
    positions: Tensor

    def __post_init__(self) -> None:
        if self.tokens.ndim != 2:
            raise InputError(f"tokens have shape {tuple(self.tokens.shape)}; give sequences x length")
        count, length = self.tokens.shape
        for name in ("tokens", "answers", "hops", "positions"):
            values: Tensor = getattr(self, name)
            if values.dtype != torch.int64:
                raise InputError(f"{name} are {values.dtype}; give int64")
            if name != "tokens" and values.shape != (count,):
                raise InputError(f"{name} have shape {tuple(values.shape)}; give one for each of the {count} sequences")
        if count and not (int(self.positions.min()) >= 1 and int(self.positions.max()) <= length):
            raise InputError(f"a position is outside 1..{length}; count from 1, within the sequence")
        wrong = self.tokens.gather(1, self.positions[:, None] - 1)[:, 0] != self.answers
        if wrong.any():
            row = int(wrong.nonzero()[0, 0])
            raise InputError(f"the answer of sequence {row} does not stand at its position; give matching answers")

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, rows: Tensor | slice) -> Batch:
        """The sequences at these places (a slice, or numbers as a tensor)."""
        return Batch(self.tokens[rows], self.answers[rows], self.hops[rows], self.positions[rows])


def split(batch: Batch, sizes: Sequence[int]) -> tuple[Batch, ...]:
    """Parts of these sizes (the paper's: 432000, 2400, 45600), all of whose sequences are different.

    Hops take turns in the order of the batch: where none runs out, their counts in a part differ by at most one.
    Raises InputError if the batch has fewer different sequences.
    """
    if not sizes or min(sizes) < 1:
        raise InputError(f"sizes={list(sizes)} are no sizes of parts; give at least one, each of at least 1")
    rows = np.ascontiguousarray(batch.tokens.numpy())
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0]
    first = np.sort(np.unique(whole, return_index=True)[1])
    if len(first) < sum(sizes):
        raise InputError(
            f"parts of {sum(sizes)} sequences in all, but only {len(first)} of {len(batch)} are different; "
            "ask for smaller parts, or generate more sequences or a larger task"
        )
    hops = batch.hops.numpy()[first]
    turn = np.zeros(len(first), dtype=np.int64)
    for hop in np.unique(hops):
        turn[hops == hop] = np.arange((hops == hop).sum())
    order = torch.from_numpy(first[np.lexsort((hops, turn))])
    return tuple(batch[part] for part in order[: sum(sizes)].split(list(sizes)))
