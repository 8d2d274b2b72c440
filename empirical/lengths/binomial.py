"""Intervals for a share of right answers, where answers come in clusters that depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, variance

from scipy.stats import beta

LEVEL = 0.95


def interval(right: float, of: float) -> tuple[float, float]:
    """The exact (Clopper-Pearson) interval for a share, of `right` among `of` independent answers, whole or not."""
    tail = (1 - LEVEL) / 2
    low = 0.0 if right <= 0 else float(beta.ppf(tail, right, of - right + 1))
    high = 1.0 if right >= of else float(beta.ppf(1 - tail, right + 1, of - right))
    return low, high


def clustered(strata: Sequence[Sequence[float]], size: int) -> tuple[float, float, float]:
    """Mean share and the ends of its interval, from the shares of clusters of `size` answers, in strata of clusters.

    Answers count as as many independent ones as have the variance of the mean that the clusters show, and as no more
    than there are (Korn and Graubard). With one cluster in a stratum, or equal ones throughout, each answer counts.
    """
    mean = fmean([fmean(shares) for shares in strata])
    answers = size * sum(len(shares) for shares in strata)
    spread = sum(variance(shares) / len(shares) for shares in strata if len(shares) > 1) / len(strata) ** 2
    counted = min(answers, mean * (1 - mean) / spread) if spread > 0 else answers
    return mean, *interval(mean * counted, counted)
