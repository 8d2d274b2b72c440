"""Intervals for shares, of independent and of dependent answers."""

from __future__ import annotations

from math import comb

import pytest

from empirical.lengths.binomial import clustered, interval


def tail(least: int, of: int, share: float) -> float:
    """The chance of at least so many right answers, by the definition."""
    return sum(comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(least, of + 1))


@pytest.mark.parametrize(("right", "of"), [(3, 10), (0, 7), (7, 7), (50, 64)])
def test_interval_by_its_definition(right: int, of: int) -> None:
    """At its ends what was found, or more extreme, has the chance 2.5 %."""
    low, high = interval(right, of)
    assert low <= right / of <= high
    assert tail(right, of, low) == pytest.approx(0.025) if right else low == 0
    assert 1 - tail(right + 1, of, high) == pytest.approx(0.025) if right < of else high == 1


def test_clusters_that_differ_widen_the_interval() -> None:
    alike = clustered([[0.5] * 8], 16)
    assert alike == (0.5, *interval(64, 128))
    mean, low, high = clustered([[0, 1] * 4], 16)
    assert mean == 0.5 and low < alike[1] < alike[2] < high
    # Whole clusters that are right or wrong: as many answers as clusters, less one.
    assert (low, high) == interval(0.5 * 7, 7)
    assert clustered([[1.0, 1.0]], 16) == (1.0, *interval(32, 32))


def test_strata_do_not_count_as_differences_between_clusters() -> None:
    assert clustered([[0.0, 0.0], [1.0, 1.0]], 10) == (0.5, *interval(20, 40))
    assert clustered([[0.25], [0.75]], 8) == (0.5, *interval(8, 16))
