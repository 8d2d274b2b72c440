"""Where detectors lose one of two words that are near, and what one changed letter does to a decoder, as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from math import e, log

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from constructions.compact.detectors import bounded, content_times_log
from constructions.compact.nets import alibi, averaging_net
from constructions.compact.word_decoder import WordDecoder
from constructions.demo.compact import DELTA, Compact
from theory.arithmetic.ball import exp
from theory.compact.averaging.averages import poisson_tail
from theory.compact.isolation.detector import BoundedDetector, Feature, margin_on
from theory.compact.words import POWERS
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED

FARTHEST = 50  # flagged lengths up to two to this power, in closed form
LARGER = (5, 10, 20)
DEEP = 4
LENGTHS = [int(n) for n in torch.logspace(0.5, 4, 36).round().unique()]


def compact_figure(found: Compact) -> Figure:
    """Margins on the powers of two against the length, and the change of the output by one letter."""
    figure = Figure(figsize=(9.4, 4.2))
    left, right = (figure.add_axes((start, 0.12, 0.405, 0.77)) for start in (0.07, 0.58))
    _margins(left, found)
    _changes(right)
    for axis in (left, right):
        axis.set_xscale("log")
        axis.set_xlabel("length n (letters)")
    return figure


def _margins(axis: Axes, found: Compact) -> None:
    axis.axhline(0, color=GREY, linewidth=0.8)
    lengths = [2**j - 1 for j in range(2, FARTHEST + 1)]

    def curve(feature: Feature) -> list[float]:
        return [float(margin_on(feature, POWERS, n)) for n in lengths]

    for larger in LARGER:
        detector = BoundedDetector(exp(larger))
        axis.plot(lengths, values := curve(detector), color=BLUE, linewidth=0.9, alpha=0.5)
        lost = next(at for at, value in enumerate(values) if value <= 0)
        axis.annotate(f"Δ = {larger}", (lengths[lost], 0), (2, 4), textcoords="offset points", color=BLUE)
    for rival, color in zip(found.rivals, (BLUE, RED, GREEN), strict=True):
        seen = [n for n in rival.margins if n >= lengths[0]]
        # A closed form in n terms ends where torch does.
        exact = [float(rival.margins[n].exact) for n in seen] if rival.name == "ALiBi" else curve(rival.feature)
        axis.plot(lengths[: len(exact)], exact, color=color, label=rival.name.replace("Delta", "Δ"))
        axis.plot(seen, [rival.margins[n].observed for n in seen], "o", color=color, markersize=3.5)
    axis.text(lengths[-1], -0.02, "wrong", color=GREY, ha="right", va="top")
    axis.set_ylabel("lead of the letter that comes")
    axis.set_title("Before each power of two, by detectors that know $0^ω$ (dots: torch)")
    axis.legend(loc="center right", bbox_to_anchor=(1, 0.65))


def _changes(axis: Axes) -> None:
    """The change of T(1), or of the feature, when the first letter changes; for ALiBi the one before the last."""
    n = torch.tensor(LENGTHS)

    def first(model: WordDecoder) -> list[float]:
        word = torch.zeros(LENGTHS[-1], dtype=torch.int64)
        before = model.states(word, n)
        word[0] = 1
        changes: list[float] = (model.states(word, n) - before).tolist()
        return changes

    def before_the_last(length: int) -> float:
        word = torch.zeros(length, dtype=torch.int64)
        word[-2] = 1
        return float(alibi(log(2))(word, torch.tensor([length]))[0, 1])

    tails = [float(poisson_tail(DEEP, 1 / length)) for length in LENGTHS]
    curves: Sequence[tuple[str, list[float], str]] = (
        ("logits ln n: tends to 1/2", first(content_times_log()), GREEN),
        ("ALiBi, the letter before the last", [before_the_last(length) for length in LENGTHS], RED),
        (f"{DEEP} layers of uniform attention", first(averaging_net(DEEP)), ORANGE),
        (f"Δ = {DELTA}", first(bounded(DELTA)), BLUE),
        ("uniform attention: 1/n", first(averaging_net(1)), GREY),
    )
    for label, values, color in curves:
        axis.plot(LENGTHS, values, color=color, label=label)
    axis.plot(LENGTHS, tails, ":", color=ORANGE, linewidth=2.2, label=f"bound of {DEEP} layers: $g_{DEEP}(1/n)$")
    bound = [min(1.0, e**DELTA / length) for length in LENGTHS]
    axis.plot(LENGTHS, bound, ":", color=BLUE, linewidth=2.2, label="bound of one head: $e^Δ/n$")
    axis.set_yscale("log")
    axis.set_ylabel("change of the output")
    axis.set_title("What one changed letter does")
    axis.legend(loc="lower left")
