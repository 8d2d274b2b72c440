"""What the figures of a study share: the curves of its seeds as a line and a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Found = Mapping[str, Any]
LIMITS = (-1.05, 1.05)  # of margins


def band(axes: Axes, x: NDArray[np.float64], curves: Sequence[NDArray[np.float64]], colour: str, label: str) -> None:
    """The mean over seeds as a line, and from the least to the largest seed as a band; steps without data are left."""
    values = np.stack(curves)
    there = ~np.isnan(values).any(0)
    axes.plot(x[there], values[:, there].mean(0), color=colour, label=label, linewidth=1.1)
    axes.fill_between(x[there], values[:, there].min(0), values[:, there].max(0), color=colour, alpha=0.15, linewidth=0)
