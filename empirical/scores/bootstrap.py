"""Intervals for averages over prompts, by drawing prompts with replacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from theory.errors import InputError

AT_ONCE = 2**22  # numbers drawn before they are used


@dataclass(frozen=True)
class Resampling:
    """The percentile bootstrap: `resamples` draws from this seed, and an interval that holds a share `level` of them.

    It speaks of prompts like these, and with few of them it is somewhat too narrow.
    """

    level: float = 0.95
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise InputError(f"level={self.level} is no share of the resamples; give 0 < level < 1")
        if self.resamples < 1:
            raise InputError(f"resamples={self.resamples} draws nothing; give resamples >= 1")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed={self.seed} is not in 0 .. 2^63 - 1; give another")

    def __str__(self) -> str:
        return f"{self.level:.0%} percentile bootstrap over prompts, {self.resamples} resamples, seed {self.seed}"

    def interval(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """Ends of the interval for the mean over prompts of values (prompts, ...); NaN for a single prompt."""
        prompts, rest = len(values), values.flatten(1)
        if prompts < 2:
            nothing = torch.full_like(values[0], torch.nan)
            return nothing, nothing
        random = torch.Generator().manual_seed(self.seed)
        means, left = [], self.resamples
        while left:
            count = min(left, max(1, AT_ONCE // prompts))
            drawn = torch.randint(prompts, (count, prompts), generator=random)
            times = torch.zeros(count, prompts, dtype=rest.dtype).scatter_add_(
                1, drawn, torch.ones(count, prompts, dtype=rest.dtype)
            )
            means.append(times @ rest.cpu() / prompts)
            left -= count
        tail = (1 - self.level) / 2
        low, high = np.quantile(torch.cat(means).numpy(), (tail, 1 - tail), axis=0)
        return torch.from_numpy(low).reshape(values.shape[1:]), torch.from_numpy(high).reshape(values.shape[1:])
