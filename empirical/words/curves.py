"""What the figures of a study share: curves of its seeds as a line and a band, and scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Found = Mapping[str, Any]
LIMITS = (-1.05, 1.05)  # of margins


def by_doublings(axes: Axes) -> None:
    """Lengths on a logarithmic axis with powers of two named, and nothing between them."""
    axes.set_xscale("log", base=2)
    axes.minorticks_off()


def powers_and_zero(axes: Axes, least: int, step: int) -> None:
    """A logarithmic axis with ticks at 10^0, 10^-step, ... and, where 0 is drawn, at 10^least, a tick "0"."""
    powers = range(0, least, -step)
    axes.set_yscale("log")
    axes.set_yticks(
        [10.0**power for power in (*powers, least)], labels=[*(f"$10^{{{power}}}$" for power in powers), "0"]
    )
    axes.minorticks_off()


def band(axes: Axes, x: NDArray[np.float64], curves: Sequence[NDArray[np.float64]], colour: str, label: str) -> None:
    """The mean over seeds as a line, and from the least to the largest seed as a band; steps without data are left."""
    values = np.stack(curves)
    there = ~np.isnan(values).any(0)
    axes.plot(x[there], values[:, there].mean(0), color=colour, label=label, linewidth=1.1)
    axes.fill_between(x[there], values[:, there].min(0), values[:, there].max(0), color=colour, alpha=0.15, linewidth=0)
