"""Pictures of frequency use and of one plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from empirical.frequencies.plane import VECTORS, Plane
from empirical.scores.figure import COLOURS
from theory import drawing
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "^", "D", "v", "P")
LARGEST = 0.3  # of the colours: shares above look alike
NUMBERED = {"position": "position, tokens", "content": "content, by its number"}


def draw_use(models: Sequence[Mapping[str, Any]], folder: Path) -> list[Path]:
    """Frequency numbers by layer, and the share of each plane: a column for each kind. Returns the files."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for model in models:
        kinds.setdefault(model["kind"], []).append(model)
    with rc_context(drawing.STYLE):
        figure = Figure(figsize=(1.2 + 3 * len(kinds), 6), layout="constrained")
        panels = figure.subplots(2, len(kinds), squeeze=False)
        figure.suptitle("Which planes carry the logits")
        for column, (kind, some) in zip(panels.T, kinds.items(), strict=True):
            _numbers(column[0], some)
            column[0].set(title=kind, xlabel="layer", ylim=(0, 66))
            image = _shares(column[1], some[0]["heads"])
            column[1].set(xlabel="plane, fastest first")
            column[1].set_title(some[0]["name"], fontsize=8)
            column[0].xaxis.set_major_locator(MaxNLocator(integer=True))
            column[1].yaxis.set_major_locator(MaxNLocator(integer=True))
        panels[0, 0].set_ylabel("average number of the plane")
        panels[1, 0].set_ylabel("layer (heads one below the other)")
        bar = figure.colorbar(image, ax=list(panels[1]), pad=0.02, fraction=0.04, extend="max")
        bar.set_label("share of the variation")
        handles: dict[str, Any] = {}
        for axes in panels[0]:
            handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        figure.legend(
            list(handles.values()), list(handles), loc="outside lower center", ncols=1 + len(kinds), fontsize=7
        )
        return drawing.write(figure, folder, "frequencies", "png", "svg")


def _numbers(axes: Axes, models: Sequence[Mapping[str, Any]]) -> None:
    for at, model in enumerate(models):
        layers = [row["layer"] for row in model["heads"]]
        for name, colour, label in (
            ("id_by_size", BLUE, "weighted by size"),
            ("id_by_norm", ORANGE, "weighted by norms"),
            ("id_by_variance", GREEN, "weighted by variance over the keys"),
        ):
            marker = MARKERS[at % len(MARKERS)]
            values = [row[name] for row in model["heads"]]
            axes.plot(layers, values, marker, color=colour, markersize=3, label=label)
    paper = [(row["layer"], row["paper"]) for row in models[0]["heads"] if row["paper"] is not None]
    if paper:
        axes.plot(*zip(*paper, strict=True), "_", color=RED, markersize=9, label="arXiv 2605.31558, Table 1")
    axes.axhline(32.5, color=GREY, linewidth=0.6, linestyle=":", label="all planes alike")


def _shares(axes: Axes, heads: Sequence[Mapping[str, Any]]) -> Any:
    values = np.array([row["variation"] for row in heads])
    extent = (0.5, values.shape[1] + 0.5, len(heads) - 0.5, -0.5)
    style: dict[str, Any] = {"cmap": COLOURS, "vmin": 0, "vmax": LARGEST, "aspect": "auto"}
    return axes.imshow(values, extent=extent, interpolation="nearest", **style)


def draw_plane(found: Plane, title: str, folder: Path, name: str) -> list[Path]:
    """Keys and queries, before and after rotation, coloured by position and by content. Returns the files."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(drawing.STYLE):
        figure = Figure(figsize=(11, 5.8), layout="constrained")
        panels = figure.subplots(2, len(VECTORS))
        for row, by in zip(panels, ("position", "content"), strict=True):
            for axes, (label, vectors) in zip(row, found.vectors.items(), strict=True):
                content = found.query_content if label.startswith("queries") else found.key_content
                values = (found.position if by == "position" else content).numpy()
                image = _points(axes, vectors.numpy(), values)
                if by == "position":
                    axes.set_title(label)
            row[0].set_ylabel(f"coloured by {by}\nsecond coordinate in the plane")
            figure.colorbar(image, ax=list(row), pad=0.01, fraction=0.03).set_label(NUMBERED[by])
        for axes in panels[-1]:
            axes.set_xlabel("first coordinate in the plane")
        figure.suptitle(f"{title}, layer {found.layer}, head {found.head}, plane {found.plane}", fontsize=9)
        note = "Grey: tokens without this content. The product of a rotated key and query is a part of their logit."
        figure.supxlabel(note, fontsize=7)
        return drawing.write(figure, folder, name, "png", "svg")


def _points(axes: Axes, vectors: np.ndarray, values: np.ndarray) -> Any:
    shown = values >= 0
    axes.plot(*vectors[~shown].T, ".", color=GREY, alpha=0.4, markersize=2)
    axes.axhline(0, color=GREY, linewidth=0.4)
    axes.axvline(0, color=GREY, linewidth=0.4)
    axes.set_aspect("equal", adjustable="datalim")
    x, y = vectors[shown].T
    return axes.scatter(x, y, c=values[shown], cmap="viridis", s=5, linewidths=0)
