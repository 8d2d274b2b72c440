"""Data: blocks of observations of one task after the other, and fresh windows of a single task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

LOW, HIGH, RATE = 20, 50, 1 / 30  # of the lengths of blocks: geometric, then clipped, hence not memoryless
Key = int | Sequence[int]


def stream(
    key: Key, blocks: int, means: Sequence[float], sigma: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Observations and the tasks they are of, (T,) each; the first task is drawn, the others follow in turn."""
    random = np.random.default_rng(key)
    task = int(random.integers(len(means)))
    data, labels = list[NDArray[np.float64]](), list[NDArray[np.int64]]()
    for _ in range(blocks):
        length = int(np.clip(random.geometric(RATE), LOW, HIGH))
        data.append(means[task] + sigma * random.standard_normal(length))
        labels.append(np.full(length, task))
        task = (task + 1) % len(means)
    return np.concatenate(data), np.concatenate(labels)


def streams(keys: Sequence[Key], blocks: int, means: Sequence[float], sigma: float) -> tuple[Tensor, Tensor]:
    """One stream a key, cut to the length of the shortest: observations and tasks, (S, T) each."""
    found = [stream(key, blocks, means, sigma) for key in keys]
    length = min(len(data) for data, _ in found)
    data, labels = (np.stack([each[part][:length] for each in found]) for part in (0, 1))
    return torch.tensor(data, dtype=torch.float32), torch.tensor(labels)


def relabelled(labels: Tensor, keys: Sequence[Key], tasks: int) -> Tensor:
    """Labels (S, T) that say nothing: one drawn at random for every block."""
    rows = []
    for row, key in zip(labels.numpy(), keys, strict=True):
        block = np.concatenate(([0], np.cumsum(row[1:] != row[:-1])))
        rows.append(np.random.default_rng(key).integers(tasks, size=block[-1] + 1)[block])
    return torch.tensor(np.stack(rows))


def windows(keys: Sequence[Key], means: Sequence[float], sigma: float, count: int, length: int) -> Tensor:
    """Windows of one task each, no switch inside: (S, K, count, length)."""
    rows = [
        np.array(means)[:, None, None] + sigma * np.random.default_rng(key).standard_normal((len(means), count, length))
        for key in keys
    ]
    return torch.tensor(np.stack(rows), dtype=torch.float32)
