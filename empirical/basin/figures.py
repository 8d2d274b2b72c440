"""Pictures of a basin."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from empirical.basin.measured import Measured
from empirical.basin.pair import shortened
from empirical.basin.report import Report
from theory.compact.averaging.averages import poisson_tail
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED, STYLE, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = {
    "earliest": BLUE,
    "latest": ORANGE,
    "random": GREEN,
    "spread": "#56B4E9",
    "adversarial": RED,
    "erase": "#CC79A7",
}


def draw(report: Report, folder: Path) -> list[Path]:
    """Distance against length, influence against lag, radius against length, and logits against ln n."""
    from matplotlib import rc_context

    paths = []
    with rc_context(STYLE):
        for name, figure in (
            ("distance", _distance(report)),
            ("influence", _influence(report)),
            ("radius", _radius(report)),
            ("logits", _logits(report)),
        ):
            if figure is not None:
                paths += write(figure, folder, name, "png", "svg")
    return paths


def _panels(report: Report) -> tuple[Figure, list[tuple[Axes, Measured]]]:
    """A panel for each word, if anything of it was measured."""
    from matplotlib.figure import Figure

    shown = [found for found in report.measured if found.lengths]
    figure = Figure(figsize=(4.4 * max(1, len(shown)), 3.2), layout="constrained")
    axes = figure.subplots(1, max(1, len(shown)), squeeze=False)[0]
    figure.suptitle(report.subject.name, fontsize=9)
    return figure, list(zip(axes, shown, strict=False))


def _logarithmic(axes: Axes, *, title: str, x: str, y: str) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set(title=title, xlabel=x, ylabel=y)


def _legend(axes: Axes) -> None:
    """Beside the panel, where no curve is."""
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))


def _name(word: str) -> str:
    return shortened(word, 24).replace("^w", r"$^\omega$")


def _distance(report: Report) -> Figure:
    """What is 0 has no place on the axis and is left out."""
    figure, panels = _panels(report)
    layers = max(1, len(report.certificate.constants.layers))
    for axes, found in panels:
        for kind, colour in _COLOURS.items():
            points = {n: d for n, d in found.distances(kind).items() if d > 0}
            if points:
                axes.plot(list(points), list(points.values()), "o-", color=colour, markersize=3, label=kind)
        ns = np.array([at.n for at in found.lengths], dtype=float)
        axes.plot(ns, 1 / ns, ":", color="black", linewidth=0.8, label="1/n")
        tails = [float(poisson_tail(layers, 1 / n)) for n in ns]
        axes.plot(ns, tails, "--", color="black", linewidth=0.8, label=f"$g_{{{layers}}}(1/n)$")
        noise = {at.n: at.noise for at in found.lengths if at.noise > 0}
        if noise:
            axes.plot(list(noise), list(noise.values()), "x", color=GREY, markersize=3, label="one word run twice")
        title = f"{_name(found.word)}: one letter changed"
        _logarithmic(axes, title=title, x="length n", y="distance of outputs, sup norm")
        _legend(axes)
    return figure


def _influence(report: Report) -> Figure:
    figure, panels = _panels(report)
    shades = (0.35, 0.65, 1.0)
    for axes, found in panels:
        rows = [at for at in found.lengths if at.influence][-3:]
        for at, alpha in zip(rows, shades[-len(rows) :], strict=False):
            points = [(at.n - i, moved) for i, moved in enumerate(at.influence, 1) if moved > 0]
            if points:
                label = f"n = {at.n}"
                axes.plot(*zip(*points, strict=True), ".", color=BLUE, alpha=alpha, markersize=4, label=label)
        x, y = "lag n - i of the changed letter", "influence: distance of outputs"
        _logarithmic(axes, title=_name(found.word), x=x, y=y)
        _legend(axes)
    return figure


def _radius(report: Report) -> Figure:
    figure, panels = _panels(report)
    for axes, found in panels:
        for kind, colour in _COLOURS.items():
            points = {n: k / n for n, k in found.radius(kind).items()}
            if points:
                axes.plot(list(points), list(points.values()), "o-", color=colour, markersize=3, label=kind)
        tried = {at.n: max((c.k for c in at.changes), default=1) / at.n for at in found.lengths}
        axes.plot(list(tried), list(tried.values()), "--", color=GREY, linewidth=0.8, label="tried up to")
        if not found.radius():
            axes.text(0.5, 0.4, "none that was tried", transform=axes.transAxes, ha="center", color=GREY)
        title = f"{_name(found.word)}: least share that moves the prediction"
        _logarithmic(axes, title=title, x="length n", y="k/n")
        axes.set_ylim(bottom=min(1 / max(tried), 0.1), top=1)
        _legend(axes)
    return figure


def _logits(report: Report) -> Figure | None:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    seen = report.sight.oscillations
    if not seen:
        return None
    figure = Figure(figsize=(5.2, 3.2), layout="constrained")
    axes = figure.subplots()
    certified = report.certificate.constants.oscillations
    for layer, (heads, bounds) in enumerate(zip(seen, certified, strict=True)):
        label = "certified bound" if layer == 0 else None
        axes.plot([layer] * len(bounds), [float(b) for b in bounds], "_", color=GREY, label=label)
        axes.plot([layer] * len(heads), heads, ".", color=BLUE, label="seen" if layer == 0 else None)
    for n, style in ((report.longest, "-"), (1_000_000, "--")):
        axes.axhline(log(n), color=ORANGE, linestyle=style, linewidth=1, label=f"ln n, n = {n}")
    axes.set_yscale("log")
    axes.set(xlabel="layer", ylabel=r"oscillation of logits $\Delta$, a head a mark")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _legend(axes)
    axes.set_title(f"{report.subject.name}: length decides below the line")
    return figure
