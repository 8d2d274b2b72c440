"""Pictures of a study: learning and inference; and one z adapted to texts of no source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from empirical.plots import band, bar
from empirical.sources.bands import chosen, lengths, over, right
from empirical.sources.text import NAMES, RULES
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED, STYLE, write
from theory.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Found = Mapping[str, Any]
Results = Mapping[str, Sequence[Found]]
COLOURS = {"input": ORANGE, "head": BLUE, "none": "black", "shuf": GREY, "rand": GREEN}
SKY = "#56B4E9"
SPAN = 10  # points of a curve that are averaged, of short curves fewer


def draw(data: Found, folder: Path) -> list[Path]:
    """Both figures as PNG and SVG. Returns the files."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    results = {kind: data["models"][kind]["results"] for kind in NAMES}
    foot = (
        f"{data['body']}, {counted(len(data['seeds']), 'seeds')}. Lines: means, bands: least to largest seed. "
        "Bars: means, 95 % intervals; dots: seeds"
    )
    with rc_context(STYLE):
        first = Figure(figsize=(10, 5.4), layout="constrained")
        learning, found, offsets, given = first.subplots(2, 2).flat
        _learning(learning, results, data["every"])
        _found(found, results)
        _offsets(offsets, results["head"])
        _given(given, results["head"])
        first.supxlabel(foot, fontsize=6)
        paths = write(first, folder, "sources", "png", "svg")
        second = Figure(figsize=(10, 5.4), layout="constrained")
        above, below = second.subfigures(2, 1, squeeze=False)[:, 0]
        _changes(above.subplots(), results)
        left, middle = below.subplots(1, 2)
        _mixtures(left, results)
        _singles(middle, results["input"])
        second.supxlabel(foot, fontsize=6)
        return [*paths, *write(second, folder, "sources-adaptation", "png", "svg")]


def _learning(axes: Axes, results: Results, every: int) -> None:
    """Each kind beside models without z that saw the same windows; the means of several points."""
    without = [np.array(each["curve"], dtype=np.float64) for each in results["none"]]
    span = min(SPAN, 1 + len(without[0]) // SPAN)
    for kind, found in results.items():
        if kind == "none":
            continue
        curves = [np.array(each["curve"]) - plain for each, plain in zip(found, without, strict=True)]
        smooth = [np.convolve(curve, np.ones(span) / span, "valid") for curve in curves]
        steps = every * (np.arange(len(smooth[0]), dtype=np.float64) + span / 2)
        band(axes, steps, smooth, COLOURS[kind], NAMES[kind])
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="step", ylabel="training loss - that without z", title="learning, seed by seed, nats a letter")
    _legend_above(axes, 4)


def _found(axes: Axes, results: Results) -> None:
    names = lengths(results)
    shown = [(kind, length) for kind in ("input", "head") for length in (names[0], names[-1])]
    shown += [(kind, names[0]) for kind in ("shuf", "rand")]
    colours = dict(zip(RULES, (BLUE, GREEN, RED, SKY, ORANGE, GREY, "#BBBBBB"), strict=True))
    labelled = set[str]()
    for place, (kind, length) in enumerate(shown):
        here = results[kind][0]["lengths"][length]
        rules = [rule for rule in RULES if rule in here["right"] or (rule == "iterative" and rule in here)]
        width = 0.84 / len(rules)
        for number, rule in enumerate(rules):
            if rule == "iterative":
                values = over(results[kind], "lengths", length, rule, rule)
            else:
                values = right(results, kind, length, rule)
            at = place + width * (number - (len(rules) - 1) / 2)
            bar(axes, at, values, colours[rule], None if rule in labelled else RULES[rule], width)
            labelled.add(rule)
    K = len(results["head"][0]["sources"])
    axes.axhline(1 / K, color="black", linewidth=0.8, linestyle="--")
    ticks = [f"{NAMES[kind]}\nn={length}" for kind, length in shown]
    axes.set_xticks(range(len(shown)), ticks, fontsize=6)
    axes.set(ylabel="windows given to their source", title="inference; dashed: chance", ylim=(0, 1.3))
    axes.legend(fontsize=6, ncols=4, loc="upper center")


def _offsets(axes: Axes, head: Sequence[Found]) -> None:
    names, n = head[0]["sources"], lengths({"head": head})[0]
    for place in range(len(names)):
        values = [each["lengths"][n]["offsets"][place] for each in head]
        bar(axes, place, values, BLUE, None, 0.6)
        _dots(axes, place, values)
    axes.set_xticks(range(len(names)), names)
    axes.set(ylabel="nats a letter", title=f"offset of each source from the mixture u, z at the head, n={n}")


def _given(axes: Axes, head: Sequence[Found]) -> None:
    names, n = head[0]["sources"], lengths({"head": head})[0]
    for shift, rule, colour in ((-0.2, "one-step", BLUE), (0.2, "likelihoods", SKY)):
        for place in range(len(names)):
            tables = [each["lengths"][n]["given"][rule] for each in head]
            values = [chosen(table, place) for table in tables]
            bar(axes, place + shift, values, colour, RULES[rule] if place == 0 else None)
            _dots(axes, place + shift, values)
    axes.axhline(1 / len(names), color="black", linewidth=0.8, linestyle="--")
    axes.set_xticks(range(len(names)), names)
    title = f"windows given to each, z at the head, n={n}; dashed: the truth"
    axes.set(ylabel="share of all", title=title)
    axes.legend(fontsize=7)


def _changes(axes: Axes, results: Results) -> None:
    texts = list(results["head"][0]["adapted"])
    ways = [
        (NAMES[kind], COLOURS[kind], [over(found, "adapted", text, "change") for text in texts])
        for kind, found in results.items()
        if kind != "none"
    ]
    for way, colour in (("projected", RED), ("free", "#CC79A7")):
        changes = [over(results["none"], "moved", text, way, "change") for text in texts]
        ways.append((f"no z, input moved, {way}", colour, changes))
    _by_text(axes, texts, ways)
    axes.set(ylabel="change of loss, nats a letter", title="adapting to a text of no source, judged on its second half")


def _by_text(axes: Axes, texts: Sequence[str], ways: Sequence[tuple[str, str, list[list[float]]]]) -> None:
    """At every text a bar for every way: its name, its colour, and the numbers of all seeds, text by text."""
    width = 0.84 / len(ways)
    for number, (label, colour, values) in enumerate(ways):
        for place, each in enumerate(values):
            at = place + width * (number - (len(ways) - 1) / 2)
            bar(axes, at, each, colour, label if place == 0 else None, width)
            _dots(axes, at, each)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(texts)), texts)
    _legend_above(axes, 3)


def _mixtures(axes: Axes, results: Results) -> None:
    names, texts = results["head"][0]["sources"], list(results["head"][0]["adapted"])
    shown = [(text, kind) for text in texts for kind in ("input", "head")]
    floor = np.zeros(len(shown))
    colours = (BLUE, ORANGE, GREEN, RED, GREY)
    for number, name in enumerate(names):
        shares = [np.mean([each["adapted"][text]["z"][number] for each in results[kind]]) for text, kind in shown]
        axes.bar(range(len(shown)), shares, 0.7, floor, color=colours[number % len(colours)], label=name)
        floor += np.array(shares)
    axes.set_xticks(range(len(shown)), [f"{text}\n{kind}" for text, kind in shown], fontsize=6)
    axes.set(ylabel="z, mean over seeds", title="what the texts are taken for", ylim=(0, 1.25))
    axes.legend(fontsize=6, ncols=len(names), loc="upper center")


def _singles(axes: Axes, found: Sequence[Found]) -> None:
    """Losses relative to u, seed by seed."""
    texts = list(found[0]["adapted"])

    def beyond(loss: Callable[[Found], float]) -> list[list[float]]:
        measured = [[each["adapted"][text] for each in found] for text in texts]
        return [[loss(here) - here["loss"][0] for here in each] for each in measured]

    ways = [
        ("the adapted mixture", BLUE, beyond(lambda here: here["loss"][-1])),
        ("the best source alone", ORANGE, beyond(lambda here: min(here["single"]))),
        (f"z adapted to {found[0]['foreign']['name']}", GREY, beyond(lambda here: here["foreign"])),
    ]
    _by_text(axes, texts, ways)
    axes.set(ylabel="loss - that with z = u", title="mixture or selection, z at the input")


def _legend_above(axes: Axes, columns: int) -> None:
    """A legend above all that is drawn."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.3 * (high - low))
    axes.legend(fontsize=6, ncols=columns, loc="upper center")


def _dots(axes: Axes, place: float, values: Sequence[float]) -> None:
    axes.plot([place] * len(values), values, ".", color="black", markersize=3)
