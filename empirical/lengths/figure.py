"""Accuracy against length beside what was foreseen of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from empirical.lengths.curves import REPORTED, curves
from empirical.lengths.measure import USUAL
from theory import drawing
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = "viridis"  # even in lightness
MARKERS = ("o", "s", "^", "D", "v", "P")


def draw(data: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draw lengths and lengths-by-hops, each as PNG and SVG; a column for each kind of model. Returns the files."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for model in data["models"]:
        kinds.setdefault(model["kind"], []).append(model)
    width = 1.2 + 3.4 * len(kinds)
    with rc_context(drawing.STYLE):
        figure = Figure(figsize=(width, 8.2), layout="constrained")
        panels = figure.subplots(3, len(kinds), squeeze=False, sharex=True, sharey="row")
        for column, (kind, models) in zip(panels.T, kinds.items(), strict=True):
            _accuracy(column[0], models)
            _kept(column[1], models[0])
            _margins(column[2], models[0])
            if kind in REPORTED:
                label = "arXiv 2605.31558, Fig. 5B, by eye"
                column[0].plot(*zip(*REPORTED[kind], strict=True), "x", color=RED, markersize=6, label=label)
            column[0].set_title(kind)
            _lengths(column[2], models[0])
            _bar(figure, column, len(models[0]["runs"][0]["by_length"][0]["kept"]))
        labels = "accuracy", "attention of the last token\nto the sequence itself", "margin over amplitude"
        for axes, label in zip(panels[:, 0], labels, strict=True):
            axes.set_ylabel(label)
        panels[2, 0].set_ylim(1e-4, 2)
        handles: dict[str, Any] = {}
        for axes in panels[:, :].flat:
            handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        figure.legend(
            list(handles.values()), list(handles), loc="outside lower center", ncols=2 * len(kinds), fontsize=6
        )
        written = drawing.write(figure, folder, "lengths", "png", "svg")
        figure = Figure(figsize=(width, 3.2), layout="constrained")
        row = figure.subplots(1, len(kinds), squeeze=False, sharey=True)[0]
        for axes, (kind, models) in zip(row, kinds.items(), strict=True):
            _by_hops(axes, models[0])
            axes.set_title(f"{kind}: {models[0]['name']}")
            _lengths(axes, models[0])
        row[0].set_ylabel("accuracy")
        figure.legend(*row[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=7)
        return written + drawing.write(figure, folder, "lengths-by-hops", "png", "svg")


def _lengths(axes: Axes, model: Mapping[str, Any]) -> None:
    """The axis of lengths: logarithmic, and with so few numbers that none lies over another."""
    from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

    lengths = [row["length"] for row in model["runs"][0]["by_length"]]
    axes.set(xlabel="length, tokens", xscale="log")
    axes.xaxis.set_major_locator(FixedLocator(named_lengths(lengths[0], lengths[-1])))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def named_lengths(shortest: int, longest: int) -> list[int]:
    """The lengths, of both and round ones between, that are written on the axis: neighbours are a factor apart."""
    apart = max(1.12, (longest / shortest) ** (1 / 6))
    found = sorted({shortest, longest})
    for step in (100, 50, 20, 30, 10, 5, 2, 1):
        for power in range(4):
            n = step * 10**power
            if shortest <= n <= longest and all(max(n / m, m / n) >= apart for m in found):
                found.append(n)
    return sorted(found)


def _bar(figure: Figure, column: Iterable[Axes], layers: int) -> None:
    """Which colour is which layer, beside the two lower panels of a column."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    colours = ScalarMappable(
        BoundaryNorm([at - 0.5 for at in range(layers + 1)], layers), ListedColormap(_shades(layers))
    )
    bar = figure.colorbar(colours, ax=list(column), fraction=0.03, pad=0.01, shrink=0.6, anchor=(0, 0), aspect=40)
    bar.set_ticks(list(range(layers)))
    bar.minorticks_off()
    bar.ax.tick_params(length=0, labelsize=6)
    bar.set_label("layer: the first, 0, is dark, the last light", fontsize=7)


def _shades(count: int) -> list[tuple[float, ...]]:
    from matplotlib import colormaps

    return [colormaps[PALETTE](at / max(1, count - 0.5)) for at in range(count)]


def _accuracy(axes: Axes, models: Sequence[Mapping[str, Any]]) -> None:
    for number, model in enumerate(models):
        for run in model["runs"]:
            usual, found = run["prefixes"] == USUAL, run["by_length"]
            lengths, colour = [row["length"] for row in found], BLUE if usual else GREEN
            label = "measured, one curve a seed" if usual else "measured, letters of the prefix apart"
            marker = MARKERS[number % len(MARKERS)]
            _with_interval(axes, found, colour, label, marker=marker)
            foreseen = [row["share"] for row in run["predicted"]["by_length"]]
            label = "foreseen" if usual else "foreseen, letters apart"
            axes.plot(lengths, foreseen, color=ORANGE if usual else RED, linestyle="--", linewidth=1, label=label)
            if number == 0 and "shortcut" in found[0]:
                apart = "" if usual else ", apart"
                for name, label, colour in (
                    ("shortcut", "guess among targets whose letter occurs once", GREY),
                    ("pointed", "guess among those that a link wants", "#BBBBBB"),
                ):
                    values = [row[name] for row in found]
                    axes.plot(lengths, values, color=colour, linestyle=":" if usual else "-.", label=label + apart)
            if "severed" in found[0] and usual:
                severed = [row["severed"]["accuracy"] for row in found]
                style: dict[str, Any] = {"color": "black", "linewidth": 0.6, "label": "old answer though query changed"}
                axes.plot(lengths, severed, **style)
    axes.set_ylim(-0.03, 1.05)


def _with_interval(axes: Axes, rows: Sequence[Mapping[str, Any]], colour: Any, label: str, marker: str) -> None:
    lengths = [row["length"] for row in rows]
    means = [row["accuracy"] for row in rows]
    below = [max(0.0, row["accuracy"] - row["low"]) for row in rows]
    above = [max(0.0, row["high"] - row["accuracy"]) for row in rows]
    axes.errorbar(
        lengths,
        means,
        yerr=[below, above],
        color=colour,
        linewidth=1,
        elinewidth=0.6,
        marker=marker,
        markersize=2.5,
        label=label,
    )


def _kept(axes: Axes, model: Mapping[str, Any]) -> None:
    """Measured as points, foreseen as lines, of one model, layer by layer."""
    run = model["runs"][0]
    lengths = [row["length"] for row in run["by_length"]]
    for layer, colour in enumerate(_shades(len(run["by_length"][0]["kept"]))):
        measured = [row["kept"][layer] for row in run["by_length"]]
        foreseen = [row["kept"][layer] for row in run["predicted"]["by_length"]]
        axes.plot(lengths, foreseen, color=colour, linewidth=1)
        axes.plot(lengths, measured, "o", color=colour, markersize=2.5)
    axes.set_ylim(-0.03, 1.05)
    axes.set_title(f"{model['name']}: points measured, lines foreseen", fontsize=7, loc="left")


def _margins(axes: Axes, model: Mapping[str, Any]) -> None:
    """Each head's own margin, and the theory's curves."""
    rows = [row for row in model["runs"][0]["predicted"]["by_length"] if row["margin"] is not None]
    lengths = [row["length"] for row in rows]
    for layer, colour in enumerate(_shades(len(rows[0]["margin"]) if rows else 0)):
        axes.plot(lengths, [row["margin"][layer] for row in rows], color=colour, linewidth=1)
    # The second and third nearly coincide: dashes over a broad line.
    styles: tuple[tuple[str, Any, float], ...] = (
        (BLUE, "-", 1.3),
        ("#BBBBBB", "-", 3.5),
        ("black", (0, (3, 3)), 1.1),
        (RED, "-", 1.3),
    )
    dense = sorted({round(17 * (lengths[-1] / 17) ** (at / 80)) for at in range(81)} | {144}) if lengths else []
    known = [n for n in dense if n <= lengths[-1]]
    for (name, curve), (line, dash, broad) in zip(curves(known).items(), styles, strict=True):
        axes.plot(*zip(*curve, strict=True), color=line, linestyle=dash, linewidth=broad, label=name)
    axes.set_yscale("log")
    axes.set_title(f"{model['name']}: heads, layer by layer, and the theory's", fontsize=7, loc="left")


def _by_hops(axes: Axes, model: Mapping[str, Any]) -> None:
    run = model["runs"][0]
    lengths = [row["length"] for row in run["by_length"]]
    hops = list(run["by_length"][0]["by_hops"])
    for number, colour in zip(hops, _shades(len(hops)), strict=True):
        rows = [{"length": row["length"], **row["by_hops"][number]} for row in run["by_length"]]
        _with_interval(axes, rows, colour, f"{number} hop{'s' * (number != '1')}", marker="o")
        foreseen = [row["by_hops"][number] for row in run["predicted"]["by_length"]]
        axes.plot(lengths, foreseen, color=colour, linestyle="--", linewidth=0.9)
    axes.plot([], [], color=GREY, linestyle="--", linewidth=0.9, label="foreseen")
    axes.set_ylim(-0.03, 1.05)
