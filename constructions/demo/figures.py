"""The demo as figures: attention patterns, gap against length with printed and repaired bounds, and models.

Each is written as PNG and as SVG, whole or not at all. Colours are told apart by colour-blind readers too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch.nn.functional import max_pool2d

from constructions.demo.compact_figure import compact_figure
from constructions.demo.demonstrations import DEMONSTRATIONS
from constructions.demo.gap_figures import index_gap, models, retrieval_gap
from constructions.demo.inference_figure import inference_figure
from constructions.demo.inputs import Settings
from constructions.demo.report import Report
from constructions.demo.showcase import View
from constructions.demo.text import NO_TOKEN, NOTHING
from theory.drawing import RED, STYLE, write

MOST_TOKENS = 40
PANEL, MARGIN = 3.2, 0.55  # inches


def write_figures(folder: Path, report: Report, settings: Settings) -> list[Path]:
    """Draw what the report holds into `folder`, and return the files. InputError where they cannot be written."""
    with rc_context(STYLE):
        return [
            path for name, figure in _figures(report, settings) for path in write(figure, folder, name, "png", "svg")
        ]


def _figures(report: Report, settings: Settings) -> Iterator[tuple[str, Figure]]:
    single = [(DEMONSTRATIONS[name].title, shown.views[0]) for name, shown in report.showcases.items() if shown.single]
    if single:
        yield "attention-heads", _patterns("Attention of the heads, last query framed", single)
    for name, shown in report.showcases.items():
        if not shown.single:
            panels = [
                (f"layer {number}: {view.tokens[-1] or NOTHING} enters at the last position", view)
                for number, view in enumerate(shown.views, 1)
            ]
            mixed = f"\n{NO_TOKEN}" if any(None in view.tokens for view in shown.views) else ""
            title = f"{DEMONSTRATIONS[name].title}: answer {shown.output} (last query framed){mixed}"
            yield f"attention-{name}", _patterns(title, panels)
    if "index" in report.showcases:
        yield "gap-index", index_gap(settings)
    if "retrieval-printed" in report.showcases:
        yield "gap-retrieval", retrieval_gap(settings)
    if report.compact is not None:
        yield "compact", compact_figure(report.compact)
    if report.inference is not None:
        yield "inference", inference_figure()
    if report.rows:
        yield "models", models(report.rows)


def _patterns(title: str, panels: Sequence[tuple[str, View]]) -> Figure:
    """Weights n x n in panels, two a line, with tokens as labels and the last query framed; long inputs in blocks."""
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    width, height = columns * (PANEL + MARGIN) + 0.8, lines * (PANEL + MARGIN) + 0.5
    figure = Figure(figsize=(width, height))
    figure.suptitle(title, fontsize=10, y=1 - 0.2 / height, va="center")
    for number, (heading, view) in enumerate(panels):
        line, column = divmod(number, columns)
        left, bottom = column * (PANEL + MARGIN) + MARGIN, (lines - 1 - line) * (PANEL + MARGIN) + MARGIN - 0.1
        axis = figure.add_axes((left / width, bottom / height, (PANEL - 0.05) / width, (PANEL - 0.05) / height))
        _pattern(axis, view, heading)
    bar = figure.colorbar(figure.axes[0].images[0], cax=figure.add_axes((1 - 0.6 / width, 0.3, 0.12 / width, 0.4)))
    block = _block(panels[0][1])
    bar.set_label("attention weight" if block == 1 else f"largest attention weight of {block} x {block} positions")
    bar.outline.set_visible(False)
    return figure


def _pattern(axis: Axes, view: View, heading: str) -> None:
    n, size = len(view.tokens), 6.5 if len(view.tokens) <= 20 else 4.5
    block = _block(view)
    if block == 1:
        weights, labels = view.weights, [token or NOTHING for token in view.tokens]
        axis.add_patch(Rectangle((-0.5, n - 1.5), n, 1, fill=False, edgecolor=RED, linewidth=1.2, clip_on=False))
    else:
        weights = max_pool2d(view.weights[None], block, ceil_mode=True)[0]
        labels = [str(1 + block * at) for at in range(len(weights))]
    axis.imshow(weights.numpy(), cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    # Text is drawn twice as fast as tick labels.
    axis.set_xticks([])
    axis.set_yticks([])
    apart = 0.5 + len(labels) / 100
    for at, label in enumerate(labels):
        turned = 90 if len(labels) > 20 else 0
        axis.text(at, len(labels) - 1 + apart, label, fontsize=size, ha="center", va="top", rotation=turned)
        axis.text(-apart, at, label, fontsize=size, ha="right", va="center")
    axis.set_title(heading, pad=4)
    axis.set_xlabel("key" if block == 1 else "key position", labelpad=16)
    axis.set_ylabel("query" if block == 1 else "query position", labelpad=16)
    axis.spines[:].set_visible(False)


def _block(view: View) -> int:
    """How many positions share a row and a column of the picture."""
    return -(-len(view.tokens) // MOST_TOKENS)
