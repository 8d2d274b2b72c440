"""Pictures of a study: accuracies, other images, width and cost; and single images as the decoders see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from empirical.images.bands import accuracy, main, models, widths
from empirical.images.measures import levels
from empirical.plots import band, bar
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED, STYLE, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Found = Mapping[str, Any]
Models = Mapping[str, Sequence[Found]]
KINDS = {"concat": ORANGE, "gated": BLUE, "free": GREEN}
RULES = {
    "classifier": "classifier",
    "likelihoods": "likelihoods (LLI)",
    "iterative": "iterative",
    "offsets of the image": "one step, offsets\nof the image",
    "constant offsets": "one step, constant\noffsets",
    "one-step": "one step",
    "entropy": "entropy-based",
    "norm": "norm-based",
}
SCORES = {
    "centred max": "gradient, centred max",
    "soft": "max softmax(g)",
    "alignment": "alignment",
    "confidence": "LLI confidence",
    "likelihood": "best likelihood",
    "regret": "likelihood regret",
    "classifier": "classifier softmax",
    "ensemble": "ensemble",
}
WAYS = {
    "one pass": ("one pass", GREY),
    "one-step": ("one step", BLUE),
    "likelihoods": ("K passes in turn", ORANGE),
    "likelihoods, at once": ("K passes, one batch", RED),
}


def draw(data: Found, folder: Path) -> list[Path]:
    """Both figures as PNG and SVG. Returns the files."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    named = models(data)
    with rc_context(STYLE):
        first = Figure(figsize=(11, 8), layout="constrained")
        swept = len(widths(named)) > 1
        panels = first.subplot_mosaic("ab;cd" if swept else "ab;dd")
        _accuracies(panels["a"], named)
        _areas(panels["b"], named)
        if swept:
            _widths(panels["c"], named)
        _times(panels["d"], data["costs"]["times"])
        first.supxlabel(
            f"Means over {len(data['seeds'])} seeds, if nothing else is said; bars: 95 % intervals", fontsize=7
        )
        paths = write(first, folder, "images", "png", "svg")
        second = Figure(figsize=(11, 8), layout="constrained")
        _inference(second, named[main(named)["gated"]][0])
        return [*paths, *write(second, folder, "images-inference", "png", "svg")]


def _accuracies(axes: Axes, named: Models) -> None:
    for number, (kind, name) in enumerate(main(named).items()):
        for place, rule in enumerate(RULES):
            label = name if place == 0 else None
            bar(axes, place + 0.27 * (number - 1), accuracy(named[name], rule), KINDS[kind], label, 0.25)
    axes.set_xticks(range(len(RULES)), list(RULES.values()), rotation=40, ha="right")
    axes.set(ylabel="share of test images", title="the class inferred", ylim=(0, 1.15))
    # Two seeds can have intervals that reach up to it.
    axes.legend(fontsize=7, ncols=3, loc="upper right", frameon=True, framealpha=1, edgecolor="none")


def _areas(axes: Axes, named: Models) -> None:
    """A mark for every set of others, at the mean over seeds."""
    for kind, shift in (("concat", -0.15), ("gated", 0.15)):
        seeds = named[main(named)[kind]]
        for other, mark in zip(seeds[0]["auroc"], "os^D", strict=False):
            means = [float(np.mean([seed["auroc"][other][score] for seed in seeds])) for score in SCORES]
            places = np.arange(len(SCORES)) + shift
            axes.plot(places, means, mark, color=KINDS[kind], markersize=5, alpha=0.8, label=f"{kind}, {other}")
    axes.axhline(0.5, color="black", linewidth=0.8, linestyle="--")
    axes.set_xticks(range(len(SCORES)), list(SCORES.values()), rotation=40, ha="right")
    axes.set(ylabel="AUROC against other images", title="images of no class", ylim=(0, 1.03))
    axes.legend(fontsize=7, ncols=2, loc="lower right")


def _widths(axes: Axes, named: Models) -> None:
    names = widths(named)
    x = np.array([int(name.split("-")[1]) for name in names], dtype=np.float64)
    count = min(len(named[name]) for name in names)
    for rule, colour in (("likelihoods", BLUE), ("one-step", GREEN)):
        band(axes, x, _curves([accuracy(named[name][:count], rule) for name in names]), colour, RULES[rule])
    right = axes.twinx()
    for key, colour, label in (
        ("spread", RED, "spread of decodings (right)"),
        ("reconstruction", GREY, "error of reconstruction (right)"),
    ):
        band(right, x, _curves([[seed[key] for seed in named[name][:count]] for name in names]), colour, label)
    for line in right.get_lines():
        line.set_linestyle("--")
    right.set(ylabel="mean square per pixel (dashed)", yscale="log")
    title = f"a wide code makes z matter less (seeds: {count}, bands: all of them)"
    axes.set(xlabel="width of the code", ylabel="share of test images", title=title)
    axes.set_xscale("log", base=2)
    axes.set_xticks(x, [f"{width:g}" for width in x])
    lines = [*axes.get_lines(), *right.get_lines()]
    axes.legend(lines, [str(line.get_label()) for line in lines], fontsize=7, loc="lower left")


def _curves(rows: Sequence[Sequence[float]]) -> list[NDArray[np.float64]]:
    return [np.array(curve, dtype=np.float64) for curve in zip(*rows, strict=True)]


def _times(axes: Axes, times: Found) -> None:
    cases = [(K, size) for K in times["gated"] for size in times["gated"][K]]
    for number, (way, (label, colour)) in enumerate(WAYS.items()):
        heights = [times["gated"][K][size][way] for K, size in cases]
        places = np.arange(len(cases)) + 0.2 * (number - 1.5)
        axes.bar(places, heights, 0.19, color=colour, label=label)
    axes.set_yscale("log")
    axes.set_xticks(range(len(cases)), [f"K = {K}\nbatch of {size}" for K, size in cases])
    axes.set(ylabel="microseconds of the processor an image", title="time, gated decoder, one thread")
    axes.legend(fontsize=7)


def _inference(figure: Figure, found: Found) -> None:
    above, below = figure.subfigures(2, 1, height_ratios=(2, 3), squeeze=False)[:, 0]
    points = {name: np.array(values) for name, values in found["points"].items()}
    panels = above.subplots(1, 2)
    for axes, name, title in (
        (panels[0], "gradient", "g: the log-likelihood, off by offsets"),
        (panels[1], "corrected", "g - B: the log-likelihood"),
    ):
        axes.plot(points["likelihoods"], points[name], ".", color=BLUE, markersize=2.5)
        ends = np.array([points["likelihoods"].min(), points["likelihoods"].max()])
        axes.plot(ends, ends, color="black", linewidth=0.8, label="equal")
        axes.set(xlabel="log-likelihood of a class, centred, nats", ylabel=f"{title.split(':')[0]}, centred")
        axes.set_title(title)
        axes.legend(fontsize=7)
    rows = below.subfigures(len(found["pictures"]), 1, squeeze=False)[:, 0]
    for row, picture in zip(rows, found["pictures"], strict=True):
        _picture(row, picture)
    figure.supxlabel(
        "Gated decoder, first seed; points: 60 test images and every class; triangles: the largest", fontsize=7
    )


def _picture(figure: SubFigure, picture: Found) -> None:
    """An image, its decodings as every class, and under them what each rule gives the classes."""
    scores = {"one-step": GREEN, "offsets of the image": BLUE, "likelihoods": ORANGE}
    K, side = len(picture["decodings"]), picture["side"]
    grid = figure.add_gridspec(2, K + 1, height_ratios=(1, 1))
    titles = [f"image {picture['image']}", *(f"as {k}" for k in range(K))]
    for place, (text, title) in enumerate(zip((picture["pixels"], *picture["decodings"]), titles, strict=True)):
        axes = figure.add_subplot(grid[0, place])
        axes.imshow(np.array(levels(text)).reshape(side, side), cmap="gray", vmin=-2, vmax=3)
        axes.set_title(title, fontsize=7, fontweight="bold" if place == picture["label"] + 1 else "normal")
        axes.set_xticks([])
        axes.set_yticks([])
    axes = figure.add_subplot(grid[1, 1:])
    above = 0.06 * max(max(picture[name]) - min(picture[name]) for name in scores)
    for number, (name, colour) in enumerate(scores.items()):
        values = picture[name]
        axes.bar(np.arange(K) + 0.27 * (number - 1), values, 0.25, color=colour, label=RULES[name].replace("\n", " "))
        axes.plot(int(np.argmax(values)) + 0.27 * (number - 1), max(values) + above, "v", color=colour, markersize=4)
    axes.set_xticks(range(K))
    axes.set(ylabel="nats, centred", xlim=(-0.5, K - 0.5))
    beside = figure.add_subplot(grid[1, 0])
    beside.set_axis_off()
    beside.legend(*axes.get_legend_handles_labels(), fontsize=6, loc="center")
