"""The data of a training: three parts that share no sequence, and which sequences a step takes.

What is random at a step depends on the seed and the number of the step alone: nothing is to be saved of it.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import torch

from empirical.tasks.batch import Batch, split
from empirical.tasks.task import Task
from empirical.training.recipe import Recipe


class Purpose(IntEnum):
    """What a random stream is for."""

    ORDER = 1
    DROPOUT = 2


def stream(seed: int, purpose: Purpose, number: int) -> int:
    """The seed of one of many independent streams."""
    return int(np.random.SeedSequence((seed, purpose, number)).generate_state(1, np.uint64)[0] >> 1)


class Data:
    """`train`, `validation` and `test`, drawn under one seed."""

    def __init__(self, task: Task, recipe: Recipe, seed: int) -> None:
        sizes = (recipe.train, recipe.validation, recipe.test)
        drawn = task.generate(sum(sizes) + sum(sizes) // 100 + 8, seed)  # some are drawn twice
        self.train, self.validation, self.test = split(drawn, sizes)
        self._batch, self._seed = recipe.batch, seed
        self._epoch, self._order = -1, torch.empty(0)

    def batch(self, step: int) -> Batch:
        """The sequences of a step, from 0. Every epoch has an order of its own, and drops what fills no batch."""
        epoch, place = divmod(step, len(self.train) // self._batch)
        if epoch != self._epoch:
            generator = torch.Generator().manual_seed(stream(self._seed, Purpose.ORDER, epoch))
            self._epoch, self._order = epoch, torch.randperm(len(self.train), generator=generator)
        return self.train[self._order[place * self._batch : (place + 1) * self._batch]]
