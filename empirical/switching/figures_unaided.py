"""Pictures of networks that were told no task, beside those that were and one without any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from empirical.plots import band
from empirical.switching.plan import MEANS
from empirical.switching.stream import LOW
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Found = Mapping[str, Any]
COLOURS = {"label-free": RED, "iterative": GREEN, "wide": "#CC79A7", "strange": GREY, "lstm": ORANGE, "gbi": BLUE}
LABELS = {
    "lstm": "LSTM",
    "gbi": "GBI-LSTM, told",
    "label-free": "told nothing, one step",
    "iterative": "told nothing, iterative",
    "wide": "told nothing, one step, 4 entries",
    "strange": "control, z of other windows",
}


def panels(figure: Figure, found: Found, every: int) -> None:
    """All six."""
    axes = figure.subplots(2, 3)
    _learning(axes[0, 0], found, every)
    _right(axes[0, 1], found)
    _switches(axes[0, 2], found)
    _stream(axes[1, 0], found["label-free"]["shown"])
    _vertices(axes[1, 1], found)
    _forgetting(axes[1, 2], found)


def _learning(axes: Axes, found: Found, every: int) -> None:
    for kind in ("strange", "lstm", "label-free", "gbi"):
        curves = [np.array(curve, dtype=np.float64) for curve in found[kind]["curve"]]
        band(axes, every * np.arange(len(curves[0]), dtype=np.float64), curves, COLOURS[kind], LABELS[kind])
    axes.set(xlabel="step", ylabel="squared error, next 100 steps", title="learning")
    axes.legend(fontsize=6)


def _right(axes: Axes, found: Found) -> None:
    for kind in ("strange", "wide", "iterative", "label-free"):
        curves = [np.array(curve) for curve in zip(*found[kind]["right_eighths"], strict=True)]
        band(axes, np.arange(1, 9, dtype=np.float64), curves, COLOURS[kind], LABELS[kind])
    axes.axhline(0.5, color="black", linewidth=0.8, linestyle="--")
    axes.set(xlabel="eighth of the training", ylabel="steps with the right z", title="z while they learn", ylim=(0, 1))
    axes.legend(fontsize=6, loc="lower right")


def _switches(axes: Axes, found: Found) -> None:
    for kind, way, colour, label in (
        ("label-free", "elsewhere", GREY, "z of other windows"),
        ("label-free", "kept, logits", ORANGE, "kept, logits"),
        ("label-free", "kept, exponentiated", GREEN, "kept, exponentiated"),
        ("label-free", "restarted", RED, "restarted at u"),
        ("gbi", "exact", "black", "exact posterior of the window"),
    ):
        curves = [np.array(curve) for curve in found[kind]["tracking"][way]["since_switch"]]
        band(axes, np.arange(LOW, dtype=np.float64), curves, colour, label)
    axes.set(xlabel="steps since a switch", ylabel="right z", title="a fresh stream, weights frozen", ylim=(0, 1.03))
    axes.legend(fontsize=6, loc="lower right")


def _stream(axes: Axes, shown: Found) -> None:
    steps, task = np.arange(len(shown["task"])), np.array(shown["task"])
    axes.fill_between(steps, 0, task, color=GREY, alpha=0.2, linewidth=0, step="mid", label="task 2")
    axes.plot(steps, shown["kept, logits"], color=ORANGE, linewidth=0.9, label="kept, logits")
    axes.plot(steps, shown["restarted"], color=RED, linewidth=0.9, label="restarted at u")
    axes.set(xlabel="step of a fresh stream", ylabel="task 2, by z", title="one seed, told nothing", ylim=(-0.03, 1.2))
    axes.legend(fontsize=6, loc="upper center", ncols=3)


def _vertices(axes: Axes, found: Found) -> None:
    kinds = ("gbi", "label-free", "wide", "iterative", "strange")
    for place, kind in enumerate(kinds):
        each = np.array(found[kind]["vertices"])  # entries x seeds
        places = place + np.linspace(-0.25, 0.25, each.shape[1])
        for row in np.sort(each, axis=0):
            axes.plot(places, row, ".", color=COLOURS[kind], markersize=4)
    for mean in MEANS:
        axes.axhline(mean, color="black", linewidth=0.8, linestyle="--")
    names = ["told", "one step", "4 entries", "iterative", "control"]
    axes.set_xticks(range(len(kinds)), names, rotation=20)
    axes.set(ylabel=r"mean prediction at $e_k$", title="what the entries of z say, each seed")


def _forgetting(axes: Axes, found: Found) -> None:
    for kind in ("lstm", "iterative", "label-free", "gbi", "wide"):
        way = "told" if kind == "lstm" else "inferred"
        steps = np.array(found[kind]["forgetting_steps"], dtype=float)
        curves = [np.array(curve) for curve in zip(*found[kind]["forgetting"][way], strict=True)]
        label = "GBI-LSTM, then by one step" if kind == "gbi" else LABELS[kind]
        band(axes, steps, curves, COLOURS[kind], label)
    axes.set(
        xlabel="further steps on task 1 alone", ylabel="expected error on task 2", title="forgetting", yscale="log"
    )
    axes.set_ylim(top=14)
    axes.legend(fontsize=6, loc="upper left", ncols=2, handlelength=1.2, columnspacing=0.8)
