"""Averages over trainings that differ in nothing but their seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from scipy.stats import t as student

LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean over seeds and the ends of its interval, Student's, for a normal spread over seeds; None for one seed."""

    mean: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        return f"{self.mean:.3f}" if self.low is None else f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def over_seeds(values: Sequence[float]) -> Interval:
    """Of one value a seed."""
    mean, count = fmean(values), len(values)
    if count < 2:
        return Interval(mean, None, None)
    half = float(student.ppf((1 + LEVEL) / 2, count - 1)) * stdev(values) / sqrt(count)
    return Interval(mean, mean - half, mean + half)


@dataclass(frozen=True)
class OverSeeds(Interval):
    """An interval of what is bounded, and the least and largest value.

    Three seeds cannot tell whether their spread is normal; the range assumes nothing.
    """

    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float], largest: float = 1.0) -> OverSeeds:
        """Of one value a seed, each known to be in [0, largest], to which the interval is cut."""
        found, ends = over_seeds(values), (min(values), max(values))
        if found.low is None or found.high is None:
            return cls(found.mean, None, None, *ends)
        return cls(found.mean, max(0.0, found.low), min(largest, found.high), *ends)
