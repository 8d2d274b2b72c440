"""Pictures of a study: margins, the map of learned periods, gaps of the scaling, the copy task, rounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED, STYLE, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Found = Mapping[str, Any]
COLOURS = {
    "none": GREY,
    "rope": BLUE,
    "sinusoidal": ORANGE,
    "learned": GREEN,
    "flags": "black",
    "alibi": RED,
    "window": "#CC79A7",
}
LIMITS = (-1.05, 1.05)


def draw(data: Found, folder: Path) -> list[Path]:
    """All figures that the parts of a study have, as PNG and SVG. Returns the files."""
    from matplotlib import rc_context

    runs, paths = data["runs"], list[Path]()
    with rc_context(STYLE):
        for part, figures in (
            ("pairs", (_margins, _flips, _map)),
            ("scaling", (_scaling,)),
            ("copying", (_copying,)),
            ("rounding", (_rounding,)),
        ):
            chosen = [{**run[part], **run["result"]} for run in runs if part in run]
            for figure in figures:
                if chosen:
                    paths += figure(chosen, folder)
    return paths


def _encoding(run: Found) -> str:
    return "flags" if run["plan"]["flags"] else str(run["plan"]["model"]["encoding"])


def _grouped(runs: Sequence[Found], name: str) -> dict[str, list[NDArray[np.float64]]]:
    """The curves `name` of each encoding, one a seed, NaN where there is nothing."""
    groups: dict[str, list[NDArray[np.float64]]] = {}
    for run in runs:
        groups.setdefault(_encoding(run), []).append(np.array(run[name], dtype=float))
    return groups


def _band(axes: Axes, x: NDArray[np.float64], curves: Sequence[NDArray[np.float64]], colour: str, label: str) -> None:
    """The mean over seeds as a line, and from the least to the largest seed as a band; steps without data are left."""
    values = np.stack(curves)
    there = ~np.isnan(values).any(0)
    axes.plot(x[there], values[:, there].mean(0), color=colour, label=label, linewidth=1.1)
    axes.fill_between(x[there], values[:, there].min(0), values[:, there].max(0), color=colour, alpha=0.15, linewidth=0)


def _margins(runs: Sequence[Found], folder: Path) -> list[Path]:
    """Least margin over the words against n: at the lengths that tell words apart, if there are any."""
    from matplotlib.figure import Figure

    entries = list(dict.fromkeys(run["plan"]["entry"] for run in runs))
    columns = min(4, len(entries))
    figure = Figure(figsize=(2.7 * columns, 2.1 * -(-len(entries) // columns) + 0.6), layout="constrained")
    panels = figure.subplots(-(-len(entries) // columns), columns, sharey=True, squeeze=False).flatten()
    for axes, entry in zip(panels, entries, strict=False):
        chosen = [run for run in runs if run["plan"]["entry"] == entry]
        for name, curves in _grouped(chosen, "least_margin").items():
            bins = next(run["bins"] for run in chosen if _encoding(run) == name)
            _band(axes, np.array(bins[:-1], dtype=float), curves, COLOURS[name], name)
        axes.axvline(chosen[0]["plan"]["length"], color=GREY, linewidth=0.8, linestyle="--")
        axes.axhline(0, color=GREY, linewidth=0.5)
        axes.set(xscale="log", ylim=LIMITS, title=entry, xlabel="n")
    for axes in panels[len(entries) :]:
        axes.set_axis_off()
    panels[0].set_ylabel("least margin")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=7)
    return write(figure, folder, "margins", "png", "svg")


def _flips(runs: Sequence[Found], folder: Path) -> list[Path]:
    """By how much T(1 0^(n-1)) differs from T(0^n), for the decoders of two sets of words."""
    from matplotlib.figure import Figure

    entries = [name for name in dict.fromkeys(run["plan"]["entry"] for run in runs) if name in ("0, chi", "per1..6")]
    if not entries:
        return []
    figure = Figure(figsize=(3.6 * len(entries) + 1.4, 2.6), layout="constrained")
    panels = figure.subplots(1, len(entries), sharey=True, squeeze=False)[0]
    for axes, entry in zip(panels, entries, strict=True):
        chosen = [run for run in runs if run["plan"]["entry"] == entry]
        for name, curves in _grouped(chosen, "flip_gap").items():
            bins = next(run["bins"] for run in chosen if _encoding(run) == name)
            x = np.array(bins[:-1], dtype=float)
            _band(axes, x, [np.maximum(curve, 1e-17) for curve in curves], COLOURS[name], name)
        longest = np.array(chosen[0]["bins"], dtype=float)
        axes.plot(longest, 1 / longest, color=GREY, linewidth=0.6, linestyle=":")
        axes.axvline(chosen[0]["plan"]["length"], color=GREY, linewidth=0.8, linestyle="--")
        axes.set(xscale="log", yscale="log", xlabel="n", title=f"trained on {entry}")
    panels[0].set_ylabel(r"gap of $0^n$ and $1\,0^{n-1}$")
    panels[-1].legend(fontsize=6, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return write(figure, folder, "flips", "png", "svg")


def _map(runs: Sequence[Found], folder: Path) -> list[Path]:
    """Margins on per_m over (m, n), mean over seeds; below the line are the periods of the training."""
    from matplotlib.figure import Figure

    families = [run for run in runs if "family_margins" in run]
    if not families:
        return []
    largest = max((run["plan"]["words"] for run in families), key=len)
    chosen = [run for run in families if run["plan"]["words"] == largest]
    groups = {name: np.stack(maps).mean(0) for name, maps in _grouped(chosen, "family_margins").items()}
    figure = Figure(figsize=(2.2 * len(groups) + 1, 2.6), layout="constrained")
    panels = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for axes, (name, values) in zip(panels, groups.items(), strict=True):
        bins = next(run["bins"] for run in chosen if _encoding(run) == name)
        rows = np.arange(len(values) + 1) + 0.5
        image = axes.pcolormesh(bins, rows, values, cmap="RdBu", vmin=-1, vmax=1)
        axes.axvline(chosen[0]["plan"]["length"], color="black", linewidth=0.8, linestyle="--")
        axes.axhline(sum(word.startswith("per") for word in largest) + 0.5, color="black", linewidth=0.8)
        axes.set(xscale="log", xlabel="n", title=name, xlim=(bins[0], bins[-1]))
    panels[0].set_ylabel(r"$m$ of $\mathrm{per}_m$")
    figure.colorbar(image, ax=list(panels), pad=0.01).set_label("least margin of a bin")
    figure.suptitle(f"trained on {chosen[0]['plan']['entry']}, up to n dashed", fontsize=9)
    return write(figure, folder, "learned-map", "png", "svg")


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
        for number, setting in enumerate(settings):
            same = [run for run in chosen if _setting(run) == setting]
            colour = to_hex(colormaps["viridis"](number / max(1, len(settings) - 1) * 0.9))
            x = np.array([at["doublings"] for at in same[0]["flagged"]])
            gaps = [np.array([max(at["gap"], 1e-18) for at in run["flagged"]]) for run in same]
            margins = [np.array([min(at["zeros"], at["ones"]) for at in run["flagged"]]) for run in same]
            _band(row[0], x, gaps, colour, setting)
            _band(row[1], x, margins, colour, setting)
        row[0].set(yscale="log", ylabel="gap at flagged n", ylim=(1e-13, 2))
        row[1].set(ylabel="least margin", ylim=LIMITS)
        row[1].legend(fontsize=6, loc="center left", bbox_to_anchor=(1.01, 0.5))
        for axes in row:
            axes.set(xlabel=r"$\log_2 (n+1)$", title=f"0 and {word}")
    return write(figure, folder, "scaling", "png", "svg")


def _setting(run: Found) -> str:
    model = run["plan"]["model"]
    if model["log_scaling"] is not None:
        return f"c at most {2 * model['softcap'] * model['log_scaling']:g}"
    return "logits not capped" if model["softcap"] is None else f"range at most {2 * model['softcap']:g}"


def _copying(runs: Sequence[Found], folder: Path) -> list[Path]:
    """Gap, probabilities, log-perplexities and N pplx(beta_N) against N, the last bit flipped."""
    from matplotlib.figure import Figure

    flipped = [[at for at in run["flipped"] if at["flipped"] == at["length"]] for run in runs]
    x = np.array([at["length"] for at in flipped[0]], dtype=float)
    figure = Figure(figsize=(10, 2.5), layout="constrained")
    panels = figure.subplots(1, 4)

    def show(axes: Axes, name: str, colour: str, label: str) -> None:
        _band(axes, x, [np.array([at[name] for at in run], dtype=float) for run in flipped], colour, label)

    show(panels[0], "gap", BLUE, "sup norm of the change")
    show(panels[1], "least_right", BLUE, r"least $T(0)$ on $\alpha_N$")
    show(panels[1], "flipped_bit", ORANGE, r"$T(1)$ at the bit of $\beta_N$")
    show(panels[2], "alpha", BLUE, r"$\alpha_N$")
    show(panels[2], "beta", ORANGE, r"$\beta_N$")
    bad = [np.array([at["length"] * at["beta"] for at in run]) for run in flipped]
    _band(panels[3], x, bad, ORANGE, r"$N \cdot$ log-perplexity of $\beta_N$")
    for axes, name in zip(panels, ("gap", "probability", "log-perplexity, nats", "nats"), strict=True):
        axes.set(xscale="log", xlabel="N", ylabel=name)
        axes.axvline(runs[0]["plan"]["bits"], color=GREY, linewidth=0.8, linestyle="--")
        axes.legend(fontsize=6)
    for axes in (panels[0], panels[2]):
        axes.set_yscale("log")
    return write(figure, folder, "copy", "png", "svg")


def _rounding(runs: Sequence[Found], folder: Path) -> list[Path]:
    """Gap in float64, difference as computed and noise against N; filled where the bits are the same."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 2.6), layout="constrained")
    for axes, name in zip(figure.subplots(1, 2), ("bfloat16", "float32"), strict=True):
        found = runs[0][name]["lengths"]
        x = np.array([at["length"] for at in found])
        floor = 1e-12
        for key, colour, label in (
            ("gap", BLUE, "gap, float64"),
            ("computed", ORANGE, "as computed"),
            ("error", GREEN, "error of one run"),
            ("noise", GREY, "noise of batches"),
        ):
            axes.plot(x, [max(at[key], floor) for at in found], color=colour, label=label, linewidth=1)
        same = np.array([at["same"] for at in found])
        axes.plot(x[same], np.full(same.sum(), floor), "s", color=ORANGE, markersize=3, label="same bits")
        axes.set(xscale="log", yscale="log", xlabel="N", title=name, ylabel="largest difference of probabilities")
        axes.legend(fontsize=6)
    return write(figure, folder, "rounding", "png", "svg")


def draw_constants(data: Found, folder: Path) -> list[Path]:
    """A language model on constant strings: gap by length and place, and the change of the sum of surprises."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    changes = data["changes"]
    symbols = list(dict.fromkeys(at["symbol"] for at in changes))
    with rc_context(STYLE):
        figure = Figure(figsize=(9, 2.5 * len(symbols)), layout="constrained")
        for row, symbol in zip(figure.subplots(len(symbols), 3, squeeze=False), symbols, strict=True):
            chosen = [at for at in changes if at["symbol"] == symbol]
            for number, length in enumerate(dict.fromkeys(at["length"] for at in chosen)):
                same = [at for at in chosen if at["length"] == length]
                colour = (BLUE, GREEN, ORANGE, RED, "black", GREY)[number % 6]
                lag = [at["length"] - at["place"] for at in same]
                row[0].plot(lag, [at["gap"] for at in same], ".-", color=colour, label=f"N = {length}", linewidth=0.8)
                row[1].plot(lag, [at["zeta"] for at in same], ".-", color=colour, linewidth=0.8)
                sums = [(at["length"] - 1) * (at["changed"] - at["constant"]) for at in same]
                row[2].plot(lag, sums, ".-", color=colour, linewidth=0.8)
            names = ("gap at the end", "oscillation of log T", "(N - 1) x change of log-perplexity")
            for axes, name in zip(row, names, strict=True):
                axes.set(
                    xscale="log", xlabel="tokens behind the changed one", ylabel=name, title=f"string of {symbol!r}"
                )
            row[0].set_yscale("log")
            row[0].legend(fontsize=6)
        return write(figure, folder, "constants", "png", "svg")
