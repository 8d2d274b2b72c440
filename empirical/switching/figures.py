"""Pictures of a study: learning, forgetting, sharing and new means; and inference on its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from empirical.plots import band, bar
from empirical.switching.figures_unaided import panels as panels_unaided
from empirical.switching.measures import THRESHOLDS
from empirical.switching.text import NAMES
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED, STYLE, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Found = Mapping[str, Any]
COLOURS = {"lstm": ORANGE, "gbi": BLUE, "shuffled": GREY}


def draw(data: Found, folder: Path) -> list[Path]:
    """All figures as PNG and SVG. Returns the files."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    found = {name: training["result"] for name, training in data["trainings"].items()}
    with rc_context(STYLE):
        first = Figure(figsize=(10, 5), layout="constrained")
        learning, forgetting, shared, new = first.subplots(2, 2).flat
        _learning(learning, found, data["every"], data["trainings"]["gbi"]["plan"]["sigma"] ** 2)
        _forgetting(forgetting, found)
        _shared(shared, found)
        _new_means(new, found, data["theory"])
        first.supxlabel(f"Lines: means over {len(data['seeds'])} seeds; bands: least to largest seed", fontsize=6)
        paths = write(first, folder, "switching", "png", "svg")
        second = Figure(figsize=(10, 5), layout="constrained")
        above, below = second.subfigures(2, 1, squeeze=False)[:, 0]
        _evidence(above.subplots(1, 2), found["gbi"])
        panels = below.subplots(1, 3, width_ratios=(2, 1, 1))
        _posteriors(panels[0], found["gbi"]["posteriors"])
        _errors(panels[1], found)
        _hull(panels[2], found["hull"]["hull"])
        second.supxlabel("Points and posteriors: first seed; bars: means over seeds, 95 % intervals", fontsize=6)
        paths += write(second, folder, "switching-inference", "png", "svg")
        third = Figure(figsize=(10, 5), layout="constrained")
        panels_unaided(third, found, data["every"])
        third.supxlabel(f"Lines: means over {len(data['seeds'])} seeds; bands: least to largest seed", fontsize=6)
        return [*paths, *write(third, folder, "switching-unaided", "png", "svg")]


def _learning(axes: Axes, found: Found, every: int, floor: float) -> None:
    for kind, name in NAMES.items():
        curves = [np.array(curve, dtype=np.float64) for curve in found[kind]["curve"]]
        band(axes, every * np.arange(len(curves[0]), dtype=np.float64), curves, COLOURS[kind], name)
    axes.axhline(floor, color="black", linewidth=0.8, linestyle="--", label=r"noise $\sigma^2$")
    axes.set(xlabel="step", ylabel="squared error, next 100 steps", title="learning a stream that switches")
    axes.legend(fontsize=7)


def _forgetting(axes: Axes, found: Found) -> None:
    for kind, name, colour, label in (
        ("lstm", "told", ORANGE, "LSTM"),
        ("gbi", "told", BLUE, "GBI-LSTM, z told"),
        ("gbi", "inferred", GREEN, "GBI-LSTM, z by one step"),
    ):
        steps = np.array(found[kind]["forgetting_steps"], dtype=float)
        band(axes, steps, _by_seed(found[kind]["forgetting"][name]), colour, label)
    axes.set(xlabel="further steps on task 1 alone", ylabel="expected error on task 2", title="forgetting")
    axes.legend(fontsize=7)


def _by_seed(rows: Sequence[Sequence[float]]) -> list[NDArray[np.float64]]:
    return [np.array(curve, dtype=np.float64) for curve in zip(*rows, strict=True)]


def _shared(axes: Axes, found: Found) -> None:
    for shift, kind in ((-0.2, "lstm"), (0.2, "gbi")):
        for place, values in enumerate(found[kind]["shared_units"]):
            label = NAMES[kind] if place == 0 else None
            bar(axes, place + shift, values, COLOURS[kind], label)
            axes.plot([place + shift] * len(values), values, ".", color="black", markersize=3)
    axes.set_xticks(range(len(THRESHOLDS)), [f"{threshold:g}" for threshold in THRESHOLDS])
    axes.set(xlabel="threshold, of the largest activity", ylabel="units of both tasks / of any", title="shared units")
    axes.legend(fontsize=7)


def _new_means(axes: Axes, found: Found, theory: Found) -> None:
    x = np.array(theory["means"], dtype=np.float64)
    for kind, name, colour, label in (
        ("lstm", "none", ORANGE, "LSTM"),
        ("gbi", "one-step", GREEN, "GBI-LSTM, one step"),
        ("gbi", "iterative", BLUE, "GBI-LSTM, iterative"),
    ):
        band(axes, x, _by_seed(found[kind]["new_means"][name]), colour, label)
    axes.plot(x, theory["error"], "--", color="black", linewidth=1, label="proved, linear in z")
    axes.axvspan(0.2, 0.8, color=GREY, alpha=0.1, linewidth=0)
    axes.set(xlabel="mean of the new task", ylabel="expected error", title="new means, weights frozen")
    axes.legend(fontsize=7)


def _evidence(panels: Sequence[Axes], gbi: Found) -> None:
    """The gradient beside what it is, a log-ratio, and beside what it is said to be, a likelihood."""
    points = gbi["points"]
    order = np.argsort(points["gradient"])
    gradient = np.array(points["gradient"])[order]
    for axes, name, label in (
        (panels[0], "log_ratio", r"exact $\log p_1/p_2$"),
        (panels[1], "likelihood", r"normalised likelihood $p_1/(p_1 + p_2)$"),
    ):
        axes.plot(gradient, np.array(points[name])[order], ".", color=BLUE, markersize=2)
        axes.set(xlabel=r"gradient at u, $g_1 - g_2$, newest observation", ylabel=label)
    ends = np.array([gradient[0], gradient[-1]])
    panels[0].plot(ends, ends, color="black", linewidth=0.8, label="equal")
    panels[1].plot(ends, 0.5 + ends / 4, color="black", linewidth=0.8, label=r"$1/2 + (g_1 - g_2)/4$")
    for axes in panels:
        axes.legend(fontsize=7, loc="upper left")
    panels[0].set_title("a gradient is a log-ratio")
    panels[1].set_title("as a likelihood it is right to first order")
    panels[1].set_ylim(-0.1, 1.1)


def _posteriors(axes: Axes, found: Found) -> None:
    steps = np.arange(len(found["task"]))
    axes.fill_between(
        steps, 0, 1 - np.array(found["task"]), color=GREY, alpha=0.2, linewidth=0, step="mid", label="task 1"
    )
    axes.plot(steps, found["bayes"], color="black", linewidth=0.9, label="Bayes")
    axes.plot(steps, found["filter"], color=BLUE, linewidth=0.9, label="GBI filter")
    axes.set(xlabel="step of a fresh stream", ylabel="posterior of task 1", title="filters", ylim=(-0.03, 1.2))
    axes.legend(fontsize=6, loc="upper center", ncols=3)


def _errors(axes: Axes, found: Found) -> None:
    online = {**found["gbi"]["online"], "LSTM": found["lstm"]["online"]["lstm"]}
    chosen = {"oracle": GREY, "bayes": "black", "filter": BLUE, "one-step": GREEN, "LSTM": ORANGE}
    for place, (name, colour) in enumerate(chosen.items()):
        bar(axes, place, online[name], colour, None, 0.7)
    names = [{"bayes": "Bayes", "filter": "GBI filter", "one-step": "one step"}.get(name, name) for name in chosen]
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axes.set(ylabel="realised squared error", title="the stream predicted", ylim=(0, None))


def _hull(axes: Axes, found: Found) -> None:
    for place, seeds in enumerate(found.values()):
        for task, colour in enumerate((ORANGE, BLUE, RED)):
            label = ("low", "middle", "high")[task] if place == 0 else None
            bar(axes, place + 0.27 * (task - 1), [seed[1][task] for seed in seeds], colour, label, 0.25)
    names = [{"offsets of the context": "context offsets", "one-step": "one step"}.get(name, name) for name in found]
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axes.set(ylabel="share of windows", title="the middle of 3, taken for", ylim=(0, 1.25))
    axes.legend(fontsize=6, loc="upper center", ncols=3)
