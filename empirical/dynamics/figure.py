"""Learning dynamics as a picture: accuracy and pure heads above, the scores of every layer below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from empirical.dynamics.summary import Curve, Summary
from theory import drawing
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ACROSS = 4  # layers in a row
HOPS = (BLUE, ORANGE, GREEN, RED)
OF_KIND = {"positional": BLUE, "symbolic": ORANGE, "mixed": GREEN, "indifferent": GREY}
OF_MEASURE = {"s_pos": (r"$s_{POS}$", BLUE), "s_sym": (r"$s_{SYM}$", ORANGE), "relative_entropy": ("entropy", GREY)}


def draw(found: Summary, title: str, note: str, folder: Path, name: str = "dynamics") -> list[Path]:
    """Draw PNG and SVG and return the files. Bands are the intervals over seeds; none for one seed."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    layers = sorted({layer for layer, _ in found.heads})
    rows = -(-len(layers) // ACROSS)
    with rc_context(drawing.STYLE):
        figure = Figure(figsize=(9.5, 3.2 + 1.6 * rows), layout="constrained")
        above, below = figure.subfigures(2, 1, height_ratios=(2.3, 0.6 + 1.6 * rows), squeeze=False)[:, 0]
        panels = above.subplots(1, 1 + len(found.counts), sharex=True)
        for (hops, curve), colour in zip(found.accuracy.items(), _colours(len(found.accuracy)), strict=True):
            _line(panels[0], found.steps, curve, f"{hops} hop{'s' * (hops != '1')}", colour)
        panels[0].set(ylabel="validation accuracy", ylim=(-0.03, 1.03))
        for axes, (gamma, curves) in zip(panels[1:], found.counts.items(), strict=True):
            for kind, curve in curves.items():
                _line(axes, found.steps, curve, kind, OF_KIND[kind])
            axes.set(ylabel="heads", ylim=(-0.03 * len(found.heads), 1.03 * len(found.heads)))
            axes.yaxis.get_major_locator().set_params(integer=True)
            axes.set_title(f"heads of each kind, gamma {gamma:g}")
        for axes in panels:
            axes.set_xlabel("step")
            axes.legend(fontsize=7)
        grid = below.subplots(rows, min(ACROSS, len(layers)), sharex=True, sharey=True, squeeze=False)
        flat = [axes for row in grid for axes in row]
        for axes, layer in zip(flat, layers, strict=False):
            _layer(axes, found, layer)
        for axes in flat[len(layers) :]:
            axes.set_axis_off()
        below.legend(*flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(OF_MEASURE))
        figure.suptitle(title)
        below.supxlabel("step\n" + fill(note, 190), fontsize=6)
        return drawing.write(figure, folder, name, "png", "svg")


def _layer(axes: Axes, found: Summary, layer: int) -> None:
    """Both scores and the entropy over that of uniform attention; a line a head."""
    labelled = True
    for (where, _), curves in found.heads.items():
        if where == layer:
            for measure, (label, colour) in OF_MEASURE.items():
                _line(axes, found.steps, curves[measure], label if labelled else None, colour)
            labelled = False
    axes.set_title(f"layer {layer}")
    axes.set_ylim(-0.03, 1.03)


def _line(axes: Axes, steps: Sequence[int], curve: Curve, label: str | None, colour: Any) -> None:
    axes.plot(steps, [point.mean for point in curve], color=colour, label=label, linewidth=1.2)
    ends = [(point.low, point.high) for point in curve if point.low is not None and point.high is not None]
    if ends:
        low, high = zip(*ends, strict=True)
        axes.fill_between(steps, low, high, color=colour, alpha=0.18, linewidth=0)


def _colours(count: int) -> list[Any]:
    from matplotlib import colormaps

    return list(HOPS[:count]) if count <= len(HOPS) else [colormaps["cividis"](k / count) for k in range(count)]
