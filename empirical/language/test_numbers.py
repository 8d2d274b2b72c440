"""Correlations and verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from empirical.language.arms import Arm, Cut
from empirical.language.comparison import Correlation
from empirical.language.verdicts import Difference, verdicts
from empirical.scores.bootstrap import Resampling

QUICK = Resampling(resamples=200)


def test_correlations_are_those_of_scipy() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=60)
    y = np.round(np.exp(x + random.normal(size=60)), 1)  # with ties
    found = Correlation.of("x and y", np.append(x, np.nan), np.append(y, 1.0), QUICK)
    assert found.heads == 60
    assert found.spearman == pytest.approx(spearmanr(x, y).statistic)
    assert found.pearson == pytest.approx(pearsonr(x, y).statistic)
    assert found.spearman_low < found.spearman < found.spearman_high
    assert found.pearson_low < found.pearson < found.pearson_high


@pytest.mark.parametrize(
    ("low", "high", "predicted", "verdict"),
    [
        (0.02, 0.04, 1, "as predicted"),
        (0.02, 0.04, -1, "against"),
        (0.02, 0.04, 0, "against"),
        (-0.04, -0.02, -1, "as predicted"),
        (-0.009, 0.009, 0, "as predicted"),
        (-0.009, 0.009, 1, "none"),
        (0.005, 0.04, 1, "undecided"),
        (-0.02, 0.02, 0, "undecided"),
        (float("nan"), float("nan"), 1, "undecided"),
    ],
)
def test_verdicts_follow_the_interval(low: float, high: float, predicted: int, verdict: str) -> None:
    assert Difference((low + high) / 2, low, high, predicted).verdict == verdict


def test_changes_are_compared_with_the_mean_control_of_the_same_sequence() -> None:
    cut = Cut(0, 0, (1,), 0.1, 0.1)
    arm = Arm("induction", "symbolic", (cut, cut), ((cut, cut), (cut, cut)))
    found = {
        "before": {"loss": [1.0, 2.0]},
        "arm 0": {"loss": [2.0, 4.0]},
        "arm 0, control 0": {"loss": [1.5, 2.0]},
        "arm 0, control 1": {"loss": [1.5, 3.0]},
    }
    (answer,) = verdicts([arm], found, QUICK)
    assert (answer.before, answer.change.mean, answer.controls) == (1.5, 1.5, (0.25, 0.75))
    assert answer.beyond is not None
    assert answer.beyond.mean == 1.0 and (answer.beyond.low, answer.beyond.high) == (0.5, 1.5)
    assert answer.beyond.verdict == "as predicted"
    (alone,) = verdicts([Arm("induction", "symbolic", (cut, cut), ())], found, QUICK)
    assert alone.beyond is None
