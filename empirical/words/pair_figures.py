"""Pictures of words learned in pairs and families: margins, what one letter changes, and the map of periods."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from empirical.plots import band
from empirical.words.curves import LIMITS, Found, by_doublings, powers_and_zero
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED, write

COLOURS = {
    "none": GREY,
    "rope": BLUE,
    "sinusoidal": ORANGE,
    "learned": GREEN,
    "flags": "black",
    "alibi": RED,
    "window": "#CC79A7",
}
ZERO = -18  # where a gap of 0 is drawn, as a power of 10


def _encoding(run: Found) -> str:
    return "flags" if run["plan"]["flags"] else str(run["plan"]["model"]["encoding"])


def _grouped(runs: Sequence[Found], name: str) -> dict[str, list[NDArray[np.float64]]]:
    """The curves `name` of each encoding, one a seed, NaN where there is nothing."""
    groups: dict[str, list[NDArray[np.float64]]] = {}
    for run in runs:
        groups.setdefault(_encoding(run), []).append(np.array(run[name], dtype=float))
    return groups


def draw_margins(runs: Sequence[Found], folder: Path) -> list[Path]:
    """Least margin over the words against n: at the lengths that tell words apart, if there are any."""
    from matplotlib.figure import Figure

    entries = list(dict.fromkeys(run["plan"]["entry"] for run in runs))
    columns = min(4, len(entries))
    figure = Figure(figsize=(2.7 * columns, 2.1 * -(-len(entries) // columns) + 0.6), layout="constrained")
    panels = figure.subplots(-(-len(entries) // columns), columns, sharey=True, squeeze=False).flatten()
    for axes, entry in zip(panels, entries, strict=False):
        chosen = [run for run in runs if run["plan"]["entry"] == entry]
        for name, curves in _grouped(chosen, "least_margin").items():
            bins = next(run["bins"] for run in chosen if _encoding(run) == name)
            band(axes, np.array(bins[:-1], dtype=float), curves, COLOURS[name], name)
        axes.axvline(chosen[0]["plan"]["length"], color=GREY, linewidth=0.8, linestyle="--")
        axes.axhline(0, color=GREY, linewidth=0.5)
        by_doublings(axes)
        axes.set(ylim=LIMITS, title=entry, xlabel="n")
    for axes in panels[len(entries) :]:
        axes.set_axis_off()
    panels[0].set_ylabel("least margin")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=7)
    return write(figure, folder, "margins", "png", "svg")


def draw_flips(runs: Sequence[Found], folder: Path) -> list[Path]:
    """By how much T(1 0^(n-1)) differs from T(0^n), for the decoders of two sets of words; 0 has a tick of its own."""
    from matplotlib.figure import Figure

    entries = [name for name in dict.fromkeys(run["plan"]["entry"] for run in runs) if name in ("0, chi", "0, per1..6")]
    if not entries:
        return []
    figure = Figure(figsize=(3.6 * len(entries) + 1.4, 2.6), layout="constrained")
    panels = figure.subplots(1, len(entries), sharey=True, squeeze=False)[0]
    for axes, entry in zip(panels, entries, strict=True):
        chosen = [run for run in runs if run["plan"]["entry"] == entry]
        for name, curves in _grouped(chosen, "flip_gap").items():
            bins = next(run["bins"] for run in chosen if _encoding(run) == name)
            x = np.array(bins[:-1], dtype=float)
            band(axes, x, [np.maximum(curve, 10.0**ZERO) for curve in curves], COLOURS[name], name)
        longest = np.array(chosen[0]["bins"], dtype=float)
        axes.plot(longest, 1 / longest, color=GREY, linewidth=0.6, linestyle=":", label="1/n")
        axes.axvline(chosen[0]["plan"]["length"], color=GREY, linewidth=0.8, linestyle="--")
        by_doublings(axes)
        powers_and_zero(axes, ZERO, 4)
        axes.set(xlabel="n", title=f"trained on {entry}")
    panels[0].set_ylabel(r"gap of $0^n$ and $1\,0^{n-1}$")
    panels[-1].legend(fontsize=6, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return write(figure, folder, "flips", "png", "svg")


def draw_map(runs: Sequence[Found], folder: Path) -> list[Path]:
    """Margins on per_m over (m, n), mean over seeds; below the line are the periods of the training."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    families = [run for run in runs if "family_margins" in run]
    if not families:
        return []
    largest = max((run["plan"]["words"] for run in families), key=len)
    chosen = [run for run in families if run["plan"]["words"] == largest]
    groups = {name: np.stack(maps).mean(0) for name, maps in _grouped(chosen, "family_margins").items()}
    columns = min(4, len(groups))
    figure = Figure(figsize=(2.2 * columns + 1, 2.1 * -(-len(groups) // columns) + 0.4), layout="constrained")
    panels = figure.subplots(-(-len(groups) // columns), columns, sharey=True, squeeze=False).flatten()
    for axes, (name, values) in zip(panels, groups.items(), strict=False):
        bins = next(run["bins"] for run in chosen if _encoding(run) == name)
        rows = np.arange(len(values) + 1) + 0.5
        image = axes.pcolormesh(bins, rows, values, cmap="RdBu", vmin=-1, vmax=1)
        axes.axvline(chosen[0]["plan"]["length"], color="black", linewidth=0.8, linestyle="--")
        axes.axhline(sum(word.startswith("per") for word in largest) + 0.5, color="black", linewidth=0.8)
        by_doublings(axes)
        axes.set(xlabel="n", title=name, xlim=(bins[0], bins[-1]))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in panels[len(groups) :]:
        axes.set_axis_off()
    for axes in panels[::columns]:
        axes.set_ylabel(r"$m$ of $\mathrm{per}_m$")
    figure.colorbar(image, ax=list(panels), pad=0.01).set_label("least margin of a bin")
    figure.suptitle(f"trained on {chosen[0]['plan']['entry']}, up to n dashed", fontsize=9)
    return write(figure, folder, "learned-map", "png", "svg")
