"""The limits of a model as a figure: reach of each plane, against wavelength and context."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.drawing import BLUE, GREY, ORANGE, RED, STYLE, write
from theory.limits.model import LayerLimits, Limits
from theory.limits.text import describe_settings, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Dashes tell the logit scales apart.
POSITIONAL, SYMBOLIC, ANGLE = BLUE, RED, ORANGE
DASHES = ("-", (0, (4, 1.5)), (0, (1.5, 1)), "-.")


def draw(found: Limits, folder: Path) -> list[Path]:
    """Draw the limits into `folder`, as PNG and PDF. InputError where it cannot be written to."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    count = len(found.layers)
    with rc_context(STYLE):
        figure = Figure(figsize=(6.4, 0.9 + 3.2 * count), layout="constrained")
        panels = figure.subplots(count, 1, squeeze=False)[:, 0]
        for axes, layer in zip(panels, found.layers, strict=True):
            _panel(axes, layer, found)
        figure.suptitle(f"{found.model.name}: reach of each plane of its RoPE, {found.question.letters} letters")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7)
        return write(figure, folder, "limits", "png", "pdf")


def _panel(axes: Axes, layer: LayerLimits, found: Limits) -> None:
    planes = range(1, len(layer.planes) + 1)
    turning = [(k, float(p.wavelength)) for k, p in zip(planes, layer.planes, strict=True) if p.wavelength is not None]
    if turning:
        axes.plot(*zip(*turning, strict=True), color=GREY, linewidth=1, label="wavelength")
    axes.plot(
        planes,
        [p.by_angle for p in layer.planes],
        color=ANGLE,
        linewidth=3,
        alpha=0.6,
        label="symbolic, by the angle alone",
    )
    for index, beta in enumerate(found.question.betas):
        style: dict[str, Any] = {"linestyle": DASHES[index % len(DASHES)], "linewidth": 1.4}
        for name, color, reach in (
            ("positional", POSITIONAL, [p.positional[index] for p in layer.planes]),
            ("symbolic", SYMBOLIC, [p.symbolic[index] for p in layer.planes]),
        ):
            axes.plot(planes, reach, color=color, label=f"{name}, beta {number(beta)}", **style)
    axes.axhline(layer.length, color="black", linestyle="--", linewidth=0.8)
    text = f"{layer.length:,} tokens"
    axes.annotate(text, (0.5, layer.length), xytext=(0, 2), textcoords="offset points", fontsize=7)
    axes.set_yscale("log")
    axes.set_ylim(0.8, _top(layer))
    axes.set_xlim(0, len(layer.planes) + 1)
    kind = "" if layer.kind == "all" else f"{layer.kind}: "
    axes.set_title(kind + describe_settings(layer.settings, found.question.still), loc="left", fontsize=7)
    axes.set_xlabel("plane, fastest first")
    axes.set_ylabel("tokens")


def _top(layer: LayerLimits) -> float:
    """Still planes reach as far as the softmax alone lets them, which may be off any chart."""
    lengths: Sequence[float] = [float(p.wavelength) for p in layer.planes if p.wavelength is not None]
    return 30 * max([*lengths, layer.length])
