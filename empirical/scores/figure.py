"""Both scores of every head as maps, layer by head, with the values of heads that do nothing in particular."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import torch

from empirical.scores.head_scores import HeadScores
from theory.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE: dict[Any, Any] = {
    "font.size": 8,
    "axes.titlesize": 9,
    "legend.frameon": False,
    "savefig.dpi": 150,
    "svg.hashsalt": "headproof",
}
KINDS: dict[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None}}
COLOURS = "cividis"  # even in lightness, and alike to all eyes
CELL, LEAST = 0.2, 1.7  # inches


def draw(runs: Mapping[str, Sequence[HeadScores]], folder: Path, name: str = "scores") -> list[Path]:
    """Draw the score maps of some runs, one below the other, as PNG and SVG, and return the files.

    `runs` holds the layers of each run under its label. Pure heads are framed where their high score is; marks at the
    colour bar show what heads would score that attend to everything alike, or whose logits after a swap are random
    (median over heads). InputError if there is nothing to draw or the folder cannot be written to.
    """
    from matplotlib import rc_context

    if not runs or not all(runs.values()):
        raise InputError("there is no layer to draw; give the scores of at least one")
    with rc_context(STYLE):
        figure = _figure(runs)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            paths = [folder / f"{name}.{kind}" for kind in KINDS]
            for path, (kind, metadata) in zip(paths, KINDS.items(), strict=True):
                part = path.with_name(f".{path.name}.{os.getpid()}.part")
                figure.savefig(part, format=kind, metadata=metadata)
                os.replace(part, path)
        except OSError as error:
            raise InputError(f"{folder} cannot be written to: {error.strerror}; give --out another folder") from error
    return paths


def _figure(runs: Mapping[str, Sequence[HeadScores]]) -> Figure:
    from matplotlib.figure import Figure

    heads = max(found.positional.shape[1] for layers in runs.values() for found in layers)
    heights = [max(LEAST, CELL * len(layers)) for layers in runs.values()]
    width = 2 * max(LEAST, CELL * heads) + 2.2
    figure = Figure(figsize=(width, sum(heights) + 0.6 * len(heights) + 0.6), layout="constrained")
    rows = figure.subplots(len(runs), 2, squeeze=False, gridspec_kw={"height_ratios": heights})
    for axes, (label, layers) in zip(rows, runs.items(), strict=True):
        for panel, kind in zip(axes, ("positional", "symbolic"), strict=True):
            _panel(panel, layers, kind)
            panel.set_title(f"{label}: {kind}", loc="left")
        axes[0].set_ylabel("layer")
        bar = figure.colorbar(axes[1].images[0], ax=list(axes), pad=0.01, fraction=0.05)
        bar.set_label("score, mean over prompts")
        _marks(bar.ax, layers)
    settings = next(iter(runs.values()))[0].settings
    figure.supxlabel(fill(str(settings), int(width * 16)), fontsize=6)
    return figure


def _panel(axes: Axes, layers: Sequence[HeadScores], kind: str) -> None:
    from matplotlib.patches import Rectangle

    widest = max(found.positional.shape[1] for found in layers)
    values = torch.full((len(layers), widest), torch.nan, dtype=torch.float64)
    for row, found in enumerate(layers):
        scores = getattr(found, kind).mean(0)
        values[row, : len(scores)] = scores
        for head, purity in enumerate(found.purity()):
            if purity == kind:
                axes.add_patch(Rectangle((head - 0.44, row - 0.44), 0.88, 0.88, fill=False, linewidth=0.8))
    axes.imshow(values.numpy(), cmap=COLOURS, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    axes.set_yticks(*_ticks([found.layer for found in layers]))
    axes.set_xticks(*_ticks(list(range(widest))))
    axes.set_xlabel("head (framed: pure)")


def _ticks(numbers: Sequence[int]) -> tuple[list[int], list[str]]:
    step = -(-len(numbers) // 16)
    places = list(range(0, len(numbers), step))
    return places, [str(numbers[place]) for place in places]


def _marks(axes: Axes, layers: Sequence[HeadScores]) -> None:
    """Nulls as lines across the colour bar, named on its free side."""
    for name, colour in (("everything", "white"), ("random", "white")):
        values = torch.cat([getattr(found.counted.nulls, name).flatten() for found in layers])
        height = float(values.nanmedian())
        axes.axhline(height, color=colour, linewidth=1.2)
        axes.annotate(
            name, (0, height), xytext=(-2, 0), textcoords="offset points", ha="right", va="center", fontsize=6
        )
