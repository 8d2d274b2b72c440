"""How two numbers go together over the heads of a model: correlations, with intervals over heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from empirical.language.planes import PlaneRoles
from empirical.scores.bootstrap import Resampling
from empirical.scores.head_scores import HeadScores


@dataclass(frozen=True)
class Correlation:
    """Spearman's and Pearson's coefficient of two numbers of each head, with the ends of their intervals.

    Heads are drawn with replacement. They belong to one model and are not independent of each other, so the interval
    says how much hangs on single heads, not what another model would show.
    """

    what: str
    heads: int
    spearman: float
    spearman_low: float
    spearman_high: float
    pearson: float
    pearson_low: float
    pearson_high: float

    def __str__(self) -> str:
        return (
            f"{self.spearman:+.2f} [{self.spearman_low:+.2f}, {self.spearman_high:+.2f}], "
            f"{self.pearson:+.2f} [{self.pearson_low:+.2f}, {self.pearson_high:+.2f}]"
        )

    @classmethod
    def of(cls, what: str, x: np.ndarray, y: np.ndarray, resampling: Resampling) -> Correlation:
        """The correlations of x and y (heads,); heads where one is not defined are left out."""
        there = np.isfinite(x) & np.isfinite(y)
        x, y = x[there], y[there]
        drawn = np.random.default_rng(resampling.seed).integers(len(x), size=(resampling.resamples, len(x)))
        numbers: list[float] = []
        for as_used in (lambda values: rankdata(values, axis=-1), lambda values: values):
            many = _pearson(as_used(x[drawn]), as_used(y[drawn]))
            tail = (1 - resampling.level) / 2
            numbers += [float(_pearson(as_used(x), as_used(y))), *np.nanquantile(many, (tail, 1 - tail)).tolist()]
        return cls(what, len(x), *numbers)


def _pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Along the last axis."""
    x, y = x - x.mean(-1, keepdims=True), y - y.mean(-1, keepdims=True)
    with np.errstate(invalid="ignore"):  # a resample may hold one head only
        return (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))


def compare(layers: Sequence[HeadScores], roles: Sequence[PlaneRoles], resampling: Resampling) -> list[Correlation]:
    """What the papers report, head by head: the two scores against each other, and the planes in use against both.

    The number of a plane, from 1, grows as its frequency falls; the average is weighted by the shares of size.
    """
    number = np.concatenate([found.use.mean_id().nanmean(0).numpy() for found in layers])
    fast = np.concatenate([role.variation[:, role.fast].sum(1).numpy() for role in roles])
    found = []
    for swaps, name in (("counted", "all swaps"), ("without_first", "first token in its place")):
        positional, symbolic = (
            np.concatenate([getattr(getattr(layer, swaps), kind).mean(0).numpy() for layer in layers])
            for kind in ("positional", "symbolic")
        )
        for what, x, y in (
            ("s_POS and s_SYM", positional, symbolic),
            ("mean plane number and s_POS - s_SYM", number, positional - symbolic),
            ("variation by fast planes and s_POS - s_SYM", fast, positional - symbolic),
        ):
            found.append(Correlation.of(f"{what}, {name}", x, y, resampling))
    return found
