"""Values of several seeds in a figure: as a line and a band, as a bar with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from empirical.intervals import over_seeds

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def band(axes: Axes, x: NDArray[np.float64], curves: Sequence[NDArray[np.float64]], colour: str, label: str) -> None:
    """The mean over seeds as a line, least to largest seed as a band; steps that some seed lacks are left out."""
    values = np.stack(curves)
    there = ~np.isnan(values).any(0)
    axes.plot(x[there], values[:, there].mean(0), color=colour, label=label, linewidth=1.1)
    axes.fill_between(x[there], values[:, there].min(0), values[:, there].max(0), color=colour, alpha=0.15, linewidth=0)


def bar(axes: Axes, place: float, values: Sequence[float], colour: str, label: str | None, width: float = 0.36) -> None:
    """The mean over seeds as a bar, with its interval."""
    found = over_seeds(values)
    half = 0.0 if found.high is None else found.high - found.mean
    axes.bar(place, found.mean, width, yerr=half, color=colour, label=label, error_kw={"linewidth": 0.8})
