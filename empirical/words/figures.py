"""Pictures of a study: those of pairs and families, gaps of the scaling, the copy task, rounding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from empirical.plots import band
from empirical.words.curves import LIMITS, Found, by_doublings, powers_and_zero
from empirical.words.pair_figures import draw_flips, draw_map, draw_margins
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED, STYLE, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FIXED = {"range at most 1": "#bbbbbb", "range at most 4": GREY, "not capped": "black"}
ZERO = -12  # where a difference of 0 is drawn in `rounding`, as a power of 10


def draw(data: Found, folder: Path) -> list[Path]:
    """All figures that the parts of a study have, as PNG and SVG. Returns the files."""
    from matplotlib import rc_context

    runs, paths = data["runs"], list[Path]()
    with rc_context(STYLE):
        for part, figures in (
            ("pairs", (draw_margins, draw_flips, draw_map)),
            ("scaling", (_scaling,)),
            ("copying", (_copying,)),
            ("rounding", (_rounding,)),
        ):
            chosen = [{**run[part], **run["result"]} for run in runs if part in run]
            for figure in figures:
                if chosen:
                    paths += figure(chosen, folder)
    return paths


def _scaling(runs: Sequence[Found], folder: Path) -> list[Path]:
    """Gap of the outputs, and least margin of the two words, against log2 n, for each length factor."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex
    from matplotlib.figure import Figure

    words = list(dict.fromkeys(run["plan"]["words"][1] for run in runs))
    figure = Figure(figsize=(8.6, 2.5 * len(words) + 0.3), layout="constrained")
    for row, word in zip(figure.subplots(len(words), 2, squeeze=False), words, strict=True):
        chosen = [run for run in runs if run["plan"]["words"][1] == word]
        settings = list(dict.fromkeys(map(_setting, chosen)))
        scaled = [setting for setting in settings if setting.startswith("c ")]
        for setting in settings:
            same = [run for run in chosen if _setting(run) == setting]
            place = scaled.index(setting) / max(1, len(scaled) - 1) if setting in scaled else None
            colour = FIXED[setting] if place is None else to_hex(colormaps["viridis"](place * 0.9))
            x = np.array([at["doublings"] for at in same[0]["flagged"]])
            gaps = [np.array([max(at["gap"], 1e-18) for at in run["flagged"]]) for run in same]
            margins = [np.array([min(at["zeros"], at["ones"]) for at in run["flagged"]]) for run in same]
            band(row[0], x, gaps, colour, setting)
            band(row[1], x, margins, colour, setting)
        row[0].set(yscale="log", ylabel="gap at flagged n", ylim=(1e-13, 2))
        row[1].set(ylabel="least margin", ylim=LIMITS)
        row[1].legend(fontsize=6, loc="center left", bbox_to_anchor=(1.01, 0.5))
        for axes, what in zip(row, ("gap", "margin"), strict=True):
            axes.set(xlabel=r"$\log_2 (n+1)$", title=f"0 and {word}: {what}")
    return write(figure, folder, "scaling", "png", "svg")


def _setting(run: Found) -> str:
    model = run["plan"]["model"]
    if model["log_scaling"] is not None:
        return f"c at most {2 * model['softcap'] * model['log_scaling']:g}"
    return "not capped" if model["softcap"] is None else f"range at most {2 * model['softcap']:g}"


def _copying(runs: Sequence[Found], folder: Path) -> list[Path]:
    """Gap, probabilities, log-perplexities and N pplx(beta_N) against N, the last bit flipped."""
    from matplotlib.figure import Figure

    flipped = [[at for at in run["flipped"] if at["flipped"] == at["length"]] for run in runs]
    x = np.array([at["length"] for at in flipped[0]], dtype=float)
    figure = Figure(figsize=(10, 2.5), layout="constrained")
    panels = figure.subplots(1, 4)

    def show(axes: Axes, name: str, colour: str, label: str) -> None:
        band(axes, x, [np.array([at[name] for at in run], dtype=float) for run in flipped], colour, label)

    show(panels[0], "gap", BLUE, "gap")
    show(panels[1], "least_right", BLUE, r"least $T(0)$ on $\alpha_N$")
    show(panels[1], "flipped_bit", ORANGE, r"$T(1)$ at the bit of $\beta_N$")
    show(panels[2], "alpha", BLUE, r"$\alpha_N$")
    show(panels[2], "beta", ORANGE, r"$\beta_N$")
    bad = [np.array([at["length"] * at["beta"] for at in run]) for run in flipped]
    band(panels[3], x, bad, ORANGE, r"$\beta_N$")
    names = (
        ("gap of the outputs", "sup norm of the change"),
        ("right letters", "probability"),
        ("log-perplexity", "nats a letter"),
        (r"$N \cdot$ log-perplexity of $\beta_N$", "nats"),
    )
    for axes, (title, name) in zip(panels, names, strict=True):
        by_doublings(axes)
        axes.set(xlabel="N", ylabel=name)
        axes.axvline(runs[0]["plan"]["bits"], color=GREY, linewidth=0.8, linestyle="--")
        axes.set_title(title)
        if axes in (panels[1], panels[2]):
            axes.legend(fontsize=6)
    for axes in (panels[0], panels[2]):
        axes.set_yscale("log")
    figure.suptitle(
        r"copying $\alpha_N = 0^N$, and $\beta_N$ with the last bit flipped; "
        f"trained up to N = {runs[0]['plan']['bits']} (dashed)"
    )
    return write(figure, folder, "copy", "png", "svg")


def _rounding(runs: Sequence[Found], folder: Path) -> list[Path]:
    """Gap in float64, difference as computed and noise against N; 0 has a tick of its own. Of the first seed.

    Squares stand where the most probable letter has the same bits for both prompts.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 2.6), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name in zip(panels, ("bfloat16", "float32"), strict=True):
        found = runs[0][name]["lengths"]
        x = np.array([at["length"] for at in found])
        floor = 10.0**ZERO
        for key, colour, style, label in (
            ("gap", BLUE, "-", "gap, float64"),
            ("computed", ORANGE, "--", "gap, as computed"),
            ("error", GREEN, "-", "error of one run"),
            ("noise", GREY, "-", "noise of batches"),
        ):
            axes.plot(x, [max(at[key], floor) for at in found], style, color=colour, label=label, linewidth=1)
        same = np.array([at["top_same"] for at in found])
        axes.plot(
            x[same],
            np.full(same.sum(), floor),
            "s",
            color=ORANGE,
            markersize=3,
            label="most probable letter:\nthe same bits",
        )
        by_doublings(axes)
        powers_and_zero(axes, ZERO, 2)
        axes.set(xlabel="N", title=name)
    panels[0].set_ylabel("largest difference of probabilities")
    panels[-1].legend(fontsize=6, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return write(figure, folder, "rounding", "png", "svg")


def draw_constants(data: Found, folder: Path) -> list[Path]:
    """A language model on constant strings: gap by length and place, and the change of the sum of surprises."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    changes = data["changes"]
    kinds = list(dict.fromkeys((at["symbol"], at["fronted"]) for at in changes))
    with rc_context(STYLE):
        figure = Figure(figsize=(9, 2.3 * len(kinds)), layout="constrained")
        for row, kind in zip(figure.subplots(len(kinds), 3, squeeze=False), kinds, strict=True):
            chosen = [at for at in changes if (at["symbol"], at["fronted"]) == kind]
            title = f"{'first token, then ' if kind[1] else ''}string of {kind[0]!r}"
            for number, length in enumerate(dict.fromkeys(at["length"] for at in chosen)):
                same = [at for at in chosen if at["length"] == length]
                colour = (BLUE, GREEN, ORANGE, RED, "black", GREY)[number % 6]
                lag = [at["length"] - at["place"] for at in same]
                row[0].plot(lag, [at["gap"] for at in same], ".-", color=colour, label=f"N = {length}", linewidth=0.8)
                row[1].plot(lag, [at["zeta"] for at in same], ".-", color=colour, linewidth=0.8)
                sums = [(at["length"] - 1) * (at["changed"] - at["constant"]) for at in same]
                row[2].plot(lag, sums, ".-", color=colour, linewidth=0.8)
            names = ("gap at the end", "oscillation of log T", "(N - 1) x change\nof log-perplexity")
            for axes, name in zip(row, names, strict=True):
                by_doublings(axes)
                axes.set(xlabel="tokens behind the changed one", ylabel=name, title=title)
            row[0].set_yscale("log")
            row[0].legend(fontsize=6)
        return write(figure, folder, "constants", "png", "svg")
