"""Information flow as pictures: what moves from link to link of the walk in each layer, and the measures of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from empirical.flow.ablation import NAMES
from empirical.flow.study import Flow
from empirical.scores.records import Row
from theory import drawing
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = "cividis"  # even in lightness, and alike to all eyes
LINES = (BLUE, ORANGE, GREEN, RED, GREY)
FAINT = 0.05  # attention below this is not drawn


def draw(flow: Flow, facts: dict[str, Any], folder: Path) -> list[Path]:
    """Draw `flow` (a diagram for each number of hops) and `flow-measures`, PNG and SVG; returns the files."""
    from matplotlib import rc_context

    title = f"{facts['task']['name']} task, {facts['layers']} layers ({facts['model']})"
    with rc_context(drawing.STYLE):
        return [
            *_diagrams(flow, facts["layers"], f"From the last token to the answer: {title}", folder),
            *_measures(flow, facts["layers"], f"What each layer adds: {title}", folder),
        ]


def _diagrams(flow: Flow, layers: int, title: str, folder: Path) -> list[Path]:
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    every = sorted({row["hops"] for row in flow.lens})
    widths = [hops + 1.0 for hops in (*every, every[-1])]
    figure = Figure(figsize=(1.5 + 0.42 * sum(widths), 1.6 + 0.45 * (layers + 1)), layout="constrained")
    panels = figure.subplots(1, len(widths), sharey=True, width_ratios=widths)
    for axes, hops in zip(panels, every, strict=False):
        _diagram(axes, flow.attention, flow.lens, hops, layers)
        axes.set_title(f"{hops} hop{'s' * (hops != 1)}")
    _diagram(panels[-1], flow.untrained_attention, flow.untrained_lens, every[-1], layers)
    panels[-1].set_title(f"{every[-1]} hops, random weights")
    panels[0].set_ylabel("layers passed")
    panels[0].set_yticks(range(layers + 1))
    bar = figure.colorbar(ScalarMappable(cmap=COLOURS), ax=list(panels), pad=0.01, fraction=0.03, aspect=30)
    bar.set_label("answer read here, share of walks")
    figure.suptitle(title)
    figure.supxlabel(
        "Links of the walk, as they stand in the sequence: Q the last token, A the answer. Lines: mean attention in a "
        "layer by width, to the next link (blue), beyond (orange), itself (grey).",
        fontsize=7,
    )
    return drawing.write(figure, folder, "flow", "png", "svg")


def _diagram(axes: Axes, attention: list[Row], lens: list[Row], hops: int, layers: int) -> None:
    heads = 1 + max(row["head"] for row in attention)
    for row in attention:
        start, end, weight = row["from"], row["to"], row["attention"]
        unread = row["layer"] == layers - 1 and start > 0  # nobody looks at these tokens any more
        if row["hops"] != hops or weight < FAINT or unread:
            continue
        colour = GREY if start == end else BLUE if end == start + 1 else RED
        below = (-end, row["layer"])
        above = (-start, row["layer"] + 1)
        axes.plot(*zip(below, above, strict=True), color=colour, linewidth=4 * weight / heads**0.5, alpha=0.7, zorder=1)
    shown = [row for row in lens if row["hops"] == hops and row["of"] == hops]
    shown = [row for row in shown if row["depth"] < layers or row["at"] == 0]
    axes.scatter(
        [-row["at"] for row in shown],
        [row["depth"] for row in shown],
        c=[row["share"] for row in shown],
        cmap=COLOURS,
        vmin=0,
        vmax=1,
        s=55,
        edgecolors="black",
        linewidths=0.5,
        zorder=2,
    )
    axes.set_xticks(range(-hops, 1), ["A", *map(str, range(hops - 1, 0, -1)), "Q"])
    axes.set_xlim(-hops - 0.5, 0.5)
    axes.tick_params(length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)


def _measures(flow: Flow, layers: int, title: str, folder: Path) -> list[Path]:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    every = sorted({row["hops"] for row in flow.lens})
    most = every[-1]
    figure = Figure(figsize=(11, 5.2), layout="constrained")
    panels = figure.subplots(2, 3, sharey=True).ravel()
    _attention(panels[0], flow, most)
    for colour, hops in zip(_colours(len(every)), every, strict=True):
        rows = [row for row in flow.lens if (row["hops"], row["of"], row["at"]) == (hops, hops, 0)]
        _band(panels[1], [row["depth"] for row in rows], rows, "share", colour, _hops(hops))
    panels[1].set(xlabel="layers passed", title="answer read at the last token")
    for colour, link in zip(_colours(most), range(1, most + 1), strict=True):
        rows = [row for row in flow.lens if (row["hops"], row["of"], row["at"]) == (most, link, 0)]
        _band(
            panels[2],
            [row["depth"] for row in rows],
            rows,
            "share",
            colour,
            "answer" if link == most else f"link {link}",
        )
        panels[2].axhline(rows[0]["chance"], color=colour, linewidth=0.6, linestyle=":")
    panels[2].set(xlabel="layers passed", title=f"links read at the last token, {most} hops")
    single = [row for row in flow.accuracy if len(row["layers"]) == 1 and row["head"] is not None]
    for colour, hops in zip(_colours(len(every)), every, strict=True):
        _removal(panels[3], [row for row in single if _is(row, hops, "mean", "all")], colour, _hops(hops))
    panels[3].set(xlabel="layer", title="accuracy without the head of a layer")
    for colour, tokens in zip((RED, BLUE, ORANGE), ("all", "last", "earlier"), strict=True):
        _removal(panels[4], [row for row in single if _is(row, most, "mean", tokens)], colour, NAMES[tokens])
    _removal(panels[4], [row for row in single if _is(row, most, "zero", "all")], GREY, "all tokens, zero")
    panels[4].set(xlabel="layer", title=f"the same, {most} hops, by tokens")
    onwards = [row for row in flow.accuracy if row["head"] is None]
    for colour, hops in zip(_colours(len(every)), every, strict=True):
        rows = [row for row in onwards if row["hops"] == hops]
        rows.sort(key=lambda row: layers - len(row["layers"]))
        _band(panels[5], [layers - len(row["layers"]) for row in rows], rows, "accuracy", colour, _hops(hops))
    panels[5].set(xlabel="layers whose heads are left, the first ones", title="accuracy without all later heads")
    panels[0].set_ylim(-0.03, 1.03)
    names = ("attention", "share of walks", "share of walks", "accuracy", "accuracy", "accuracy")
    for axes, name in zip(panels, names, strict=True):
        axes.set_ylabel(name)
        axes.xaxis.set_major_locator(MaxNLocator(12, integer=True))
        axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))  # where no curve is
    figure.suptitle(title)
    figure.supxlabel("Bands: 95 % intervals over sequences. Dotted: chance, or uniform attention.", fontsize=7)
    return drawing.write(figure, folder, "flow-measures", "png", "svg")


def _attention(axes: Axes, flow: Flow, hops: int) -> None:
    """Attention to the next link; the mean over the heads of a layer."""
    for link, colour in zip(range(hops), _colours(hops), strict=True):
        rows = [row for row in flow.attention if (row["hops"], row["from"], row["to"]) == (hops, link, link + 1)]
        layers = sorted({row["layer"] for row in rows})
        last = max(layers)
        layers = [layer for layer in layers if layer < last or link == 0]
        means = [_mean([row["attention"] for row in rows if row["layer"] == layer]) for layer in layers]
        axes.plot(layers, means, "o-", color=colour, markersize=3, label="last token" if link == 0 else f"link {link}")
        axes.axhline(rows[0]["uniform"], color=colour, linewidth=0.6, linestyle=":")
    axes.set(xlabel="layer", title=f"attention to the next link, {hops} hops")


def _removal(axes: Axes, rows: list[Row], colour: Any, label: str) -> None:
    layers = sorted({row["layers"][0] for row in rows})
    means = [
        {name: _mean([row[name] for row in rows if row["layers"][0] == layer]) for name in ("accuracy", "low", "high")}
        for layer in layers
    ]
    _band(axes, layers, means, "accuracy", colour, label)


def _band(axes: Axes, x: list[int], rows: list[Row], name: str, colour: Any, label: str) -> None:
    axes.plot(x, [row[name] for row in rows], "o-", color=colour, markersize=3, label=label)
    axes.fill_between(
        x, [row["low"] for row in rows], [row["high"] for row in rows], color=colour, alpha=0.2, linewidth=0
    )


def _is(row: Row, hops: int, by: str, tokens: str) -> bool:
    return bool((row["hops"], row["by"], row["tokens"]) == (hops, by, tokens))


def _hops(hops: int) -> str:
    return f"{hops} hop{'s' * (hops != 1)}"


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _colours(count: int) -> list[Any]:
    from matplotlib import colormaps

    return list(LINES[:count]) if count <= len(LINES) else [colormaps[COLOURS](k / count) for k in range(count)]
