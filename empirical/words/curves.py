"""Scales that the figures of the study share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

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
