"""Pictures of a study."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from empirical.language.study import Observed
from empirical.language.verdicts import Verdict
from empirical.scores.figure import CELL, COLOURS, LEAST
from theory.drawing import BLUE, GREY, ORANGE, STYLE, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKED = {"previous-token": BLUE, "induction": ORANGE}


def draw_kinds(observed: Observed, title: str, folder: Path) -> list[Path]:
    """Attention of each kind on repeated tokens, layer by head."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    with rc_context(STYLE):
        maps = {kind: np.stack([found[kind].numpy() for found in observed.kinds]) for kind in observed.kinds[0]}
        layers, heads = next(iter(maps.values())).shape
        width, height = 2 * max(LEAST, CELL * heads) + 1.9, max(LEAST, CELL * layers) + 1
        figure = Figure(figsize=(width, height), layout="constrained")
        panels = figure.subplots(1, len(maps), sharey=True)
        for axes, (kind, values) in zip(panels, maps.items(), strict=True):
            image = axes.imshow(values, cmap=COLOURS, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_locator(MaxNLocator(16, integer=True))
            axes.set_title(kind)
            axes.set_xlabel("head")
        panels[0].set_ylabel("layer")
        figure.colorbar(image, ax=list(panels), pad=0.02, fraction=0.06).set_label("mean attention, second half")
        figure.suptitle(title, fontsize=9)
        return write(figure, folder, "kinds", "png", "svg")


def draw_comparison(observed: Observed, random: Observed, title: str, folder: Path) -> list[Path]:
    """Heads by both scores, by the planes they use, and the planes of all heads by their frequency."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(9.5, 3.2), layout="constrained")
        panels = figure.subplots(1, 3)
        scores = [layer.without_first for layer in observed.layers]
        positional = np.stack([found.positional.mean(0).numpy() for found in scores])
        symbolic = np.stack([found.symbolic.mean(0).numpy() for found in scores])
        fast = np.stack([role.variation[:, role.fast].sum(1).numpy() for role in observed.roles])
        correlation = {found.what: found.spearman for found in observed.correlations}
        ending = ", first token in its place"
        _scatter(panels[0], positional, symbolic, observed)
        panels[0].plot([0, 1], [1, 0], color=GREY, linewidth=0.6, linestyle=":")
        panels[0].set(xlabel=r"$s_{POS}$", ylabel=r"$s_{SYM}$")
        panels[0].set_title(f"Spearman {correlation['s_POS and s_SYM' + ending]:+.2f}; the sum is above 1 (dotted)")
        _scatter(panels[1], fast, positional - symbolic, observed)
        panels[1].set(xlabel="share of variation by fast planes", ylabel=r"$s_{POS} - s_{SYM}$")
        panels[1].set_title(f"Spearman {correlation['variation by fast planes and s_POS - s_SYM' + ending]:+.2f}")
        panels[0].legend(loc="lower left")
        _planes(panels[2], observed, random)
        figure.suptitle(f"{title}: first token in its place", fontsize=9)
        return write(figure, folder, "comparison", "png", "svg")


def _scatter(axes: Axes, x: np.ndarray, y: np.ndarray, observed: Observed) -> None:
    axes.plot(x.ravel(), y.ravel(), ".", color=GREY, markersize=3, alpha=0.6)
    for kind, places in observed.best(3).items():
        rows, columns = zip(*places, strict=True)
        marker = "s" if kind == "induction" else "^"
        axes.plot(x[rows, columns], y[rows, columns], marker, color=MARKED[kind], markersize=5, label=kind)


def _planes(axes: Axes, observed: Observed, random: Observed) -> None:
    """Balance of each plane over the heads: median, and the middle half of the heads."""
    wavelengths = 2 * pi / observed.layers[0].frequencies.abs().numpy()
    for found, colour, label in ((observed, BLUE, "trained"), (random, GREY, "random weights")):
        balance = np.concatenate([role.balance().numpy() for role in found.roles])
        low, middle, high = np.nanquantile(balance, (0.25, 0.5, 0.75), axis=0)
        axes.fill_between(wavelengths, low, high, color=colour, alpha=0.25, linewidth=0)
        axes.plot(wavelengths, middle, color=colour, label=label)
    axes.axvline(observed.layers[0].query, color=GREY, linewidth=0.8, linestyle="--")
    axes.axhline(0, color=GREY, linewidth=0.6)
    axes.set_xscale("log")
    axes.set(xlabel="wavelength, tokens (dashed: prompt)", ylabel=r"$(S_k - P_k)/(S_k + P_k)$")
    axes.set_title("planes: 1 positional, -1 symbolic")
    axes.legend()


def draw_ablation(answers: Sequence[Verdict], title: str, folder: Path) -> list[Path]:
    """Changes of each measure: planes of a role removed, with intervals, and the controls."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        arms = list(dict.fromkeys(answer.arm for answer in answers))
        figure = Figure(figsize=(10, 0.26 * len(arms) + 1.4), layout="constrained")
        panels = figure.subplots(1, 3, sharey=True)
        for axes, measure in zip(panels, ("s_pos", "s_sym", "loss"), strict=True):
            for answer in answers:
                if answer.measure == measure:
                    row, change = arms.index(answer.arm), answer.change
                    axes.plot(answer.controls, [row] * len(answer.controls), "|", color=GREY, markersize=8)
                    axes.plot([change.low, change.high], [row, row], color=ORANGE, linewidth=1.5)
                    axes.plot([change.mean], [row], "o", color=ORANGE, markersize=4)
            axes.axvline(0, color=GREY, linewidth=0.6)
            axes.locator_params(axis="x", nbins=5)
            axes.ticklabel_format(axis="x", scilimits=(-3, 3))
        for axes, name in zip(
            panels, (r"change of $s_{POS}$", r"change of $s_{SYM}$", "change of loss, nats"), strict=True
        ):
            axes.set_xlabel(name)
        panels[0].set_yticks(range(len(arms)), arms, fontsize=7)
        panels[0].invert_yaxis()
        figure.suptitle(
            f"{title}: planes of a role removed (orange), random planes of the same share (grey)", fontsize=9
        )
        return write(figure, folder, "ablation", "png", "svg")
