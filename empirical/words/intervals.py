"""Intervals over the few seeds of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean over seeds and Student's interval for it; no ends for a single seed."""

    mean: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        return f"{self.mean:.3f}" if self.low is None else f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def over_seeds(values: Sequence[float]) -> Interval:
    """The mean of one number a seed, with its 95 % interval if seeds were drawn from a normal distribution."""
    numbers = np.asarray(values, dtype=float)
    mean, count = float(numbers.mean()), len(numbers)
    if count < 2:
        return Interval(mean, None, None)
    half = float(t.ppf((1 + LEVEL) / 2, count - 1) * numbers.std(ddof=1) / count**0.5)
    return Interval(mean, mean - half, mean + half)
