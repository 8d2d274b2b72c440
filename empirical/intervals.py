"""Averages over trainings that differ in nothing but their seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from scipy.stats import t as student

LEVEL = 0.95


@dataclass(frozen=True)
class OverSeeds:
    """The mean over seeds, the ends of its interval (None for one seed), and the least and largest value.

    The interval is Student's, for a normal spread over seeds. Three seeds cannot tell whether it is normal; the range
    assumes nothing.
    """

    mean: float
    low: float | None
    high: float | None
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float], largest: float = 1.0) -> OverSeeds:
        """Of one value a seed, each known to be in [0, largest], to which the interval is cut."""
        mean, count = fmean(values), len(values)
        if count < 2:
            return cls(mean, None, None, min(values), max(values))
        half = float(student.ppf((1 + LEVEL) / 2, count - 1)) * stdev(values) / sqrt(count)
        return cls(mean, max(0.0, mean - half), min(largest, mean + half), min(values), max(values))
