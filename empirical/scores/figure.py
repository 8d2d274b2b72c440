"""Both scores of every head as maps, layer by head, with the values of heads that do nothing in particular."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, cast

import torch

from empirical.scores.head_scores import HeadScores, Scores
from theory import drawing
from theory.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE = drawing.STYLE | {"axes.spines.top": True, "axes.spines.right": True}  # maps have edges all around
MAPS = (
    ("", "counted", "All swaps."),
    ("-without-first", "without_first", "Swaps that leave the first token in its place."),
)
COLOURS = "cividis"  # even in lightness, and alike to all eyes
CELL, LEAST = 0.2, 1.7  # inches
CLOSE = 0.05  # on the colour bar


def draw(runs: Mapping[str, Sequence[HeadScores]], folder: Path, name: str = "scores") -> list[Path]:
    """Draw the score maps of some runs, one below the other, and return the files.

    `runs` holds the layers of each run under its label. NAME counts all swaps, NAME-without-first those that leave the
    first token in its place; each is a PNG and an SVG. Pure heads are framed where their high score is. Marks at the
    colour bar show nulls, medians over heads and prompts: of heads that attend to everything alike, whose logits after
    a swap are random, and the other score of a pure head. InputError if there is nothing to draw or the folder cannot
    be written to.
    """
    from matplotlib import rc_context

    if not runs or not all(runs.values()):
        raise InputError("there is no layer to draw; give the scores of at least one")
    written = []
    with rc_context(STYLE):
        for ending, swaps, note in MAPS:
            figure = _figure({label: [_Map(found, swaps) for found in run] for label, run in runs.items()}, note)
            written += drawing.write(figure, folder, name + ending, "png", "svg")
    return written


@dataclass(frozen=True)
class _Map:
    """One layer, and which of its scores are shown: `counted` or `without_first`."""

    found: HeadScores
    swaps: str

    @property
    def scores(self) -> Scores:
        return cast(Scores, getattr(self.found, self.swaps))


def _figure(runs: Mapping[str, Sequence[_Map]], note: str) -> Figure:
    from matplotlib.figure import Figure

    heads = max(layer.scores.positional.shape[1] for layers in runs.values() for layer in layers)
    heights = [max(LEAST, CELL * len(layers)) + 0.8 for layers in runs.values()]
    figure = Figure(figsize=(2 * max(LEAST, CELL * heads) + 1.9, sum(heights) + 0.5), layout="constrained")
    parts = figure.subfigures(len(runs), 1, squeeze=False, height_ratios=heights)[:, 0]
    for part, (label, layers) in zip(parts, runs.items(), strict=True):
        part.suptitle(label, fontsize=9)
        panels = part.subplots(1, 2, sharey=True)
        for axes, kind in zip(panels, ("positional", "symbolic"), strict=True):
            _panel(axes, layers, kind)
        panels[0].set_ylabel("layer")
        bar = part.colorbar(panels[1].images[0], ax=list(panels), pad=0.02, fraction=0.06)
        bar.set_label("score, mean over prompts")
        _marks(bar.ax, layers)
    settings = next(iter(runs.values()))[0].found.settings
    note = f"{note} Framed: pure. Bar: heads for comparison, median. Settings: {settings}."
    figure.supxlabel(fill(note, int(figure.get_figwidth() * 18)), fontsize=6)
    return figure


def _panel(axes: Axes, layers: Sequence[_Map], kind: str) -> None:
    from matplotlib.patches import Rectangle

    widest = max(layer.scores.positional.shape[1] for layer in layers)
    values = torch.full((len(layers), widest), torch.nan, dtype=torch.float64)
    for row, layer in enumerate(layers):
        scores = getattr(layer.scores, kind).mean(0)
        values[row, : len(scores)] = scores
        for head, purity in enumerate(layer.scores.purity(layer.found.settings.gamma)):
            if purity == kind:
                axes.add_patch(Rectangle((head - 0.44, row - 0.44), 0.88, 0.88, fill=False, linewidth=0.8))
    axes.imshow(values.numpy(), cmap=COLOURS, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    axes.set_yticks(*_ticks([layer.found.layer for layer in layers]))
    axes.set_xticks(*_ticks(list(range(widest))))
    axes.set_title(f"{kind} score")
    axes.set_xlabel("head")


def _ticks(numbers: Sequence[int]) -> tuple[list[int], list[str]]:
    step = -(-len(numbers) // 16)
    places = list(range(0, len(numbers), step))
    return places, [str(numbers[place]) for place in places]


def _marks(axes: Axes, layers: Sequence[_Map]) -> None:
    """Nulls as lines across the colour bar, named on its free side; names of close ones share a line."""
    heights = {
        name: float(torch.cat([getattr(layer.scores.nulls, field).flatten() for layer in layers]).nanmedian())
        for name, field in (("pure, other", "pure"), ("random", "random"), ("everything", "everything"))
    }
    lines: list[tuple[float, list[str]]] = []
    for name, height in sorted(heights.items(), key=lambda item: item[1]):
        axes.axhline(height, color="white", linewidth=1.2)
        if lines and height - lines[-1][0] < CLOSE:
            lines[-1][1].append(name)
        else:
            lines.append((height, [name]))
    for height, names in lines:
        style: dict[str, Any] = {
            "xytext": (-2, 0),
            "textcoords": "offset points",
            "ha": "right",
            "va": "center",
            "fontsize": 6,
        }
        axes.annotate("\n".join(reversed(names)), (0, height), **style)
