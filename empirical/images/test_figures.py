"""Figures show the numbers that they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from empirical.images import figures

Seed = dict[str, Any]


@pytest.fixture
def axes() -> Axes:
    return Figure().add_subplot()


def bars(axes: Axes) -> list[Rectangle]:
    """From left to right."""
    found = [each for each in axes.patches if isinstance(each, Rectangle)]
    return sorted(found, key=lambda bar: bar.get_x())


def seed(number: int) -> Seed:
    """Of numbers that all differ."""
    draw = np.random.default_rng(number)
    sets = ("digits", "photographs", "faces")
    return {
        "accuracy": {rule: draw.uniform() for rule in figures.RULES},
        "auroc": {other: {score: draw.uniform() for score in figures.SCORES} for other in sets},
        "spread": draw.uniform(),
        "reconstruction": draw.uniform(),
    }


NAMED = {
    name: [seed(10 * at), seed(10 * at + 1)] for at, name in enumerate(("concat-4", "concat-8", "gated-8", "free"))
}


def test_accuracies(axes: Axes) -> None:
    figures._accuracies(axes, NAMED)
    shown = sorted(bar.get_height() for bar in bars(axes))
    chosen = [seeds for name, seeds in NAMED.items() if name != "concat-8"]
    assert shown == pytest.approx(
        sorted((a["accuracy"][of] + b["accuracy"][of]) / 2 for a, b in chosen for of in figures.RULES)
    )
    classifier = [each["accuracy"]["classifier"] for each in NAMED["concat-4"]]
    assert bars(axes)[0].get_height() == pytest.approx(sum(classifier) / 2)


def test_other_images(axes: Axes) -> None:
    figures._areas(axes, NAMED)
    lines = {str(line.get_label()): np.asarray(line.get_ydata()) for line in axes.get_lines()}
    for kind, name in (("concat", "concat-4"), ("gated", "gated-8")):
        for other in ("digits", "photographs", "faces"):
            a, b = (each["auroc"][other] for each in NAMED[name])
            assert lines[f"{kind}, {other}"] == pytest.approx([(a[of] + b[of]) / 2 for of in figures.SCORES])


def test_widths(axes: Axes) -> None:
    named = {**NAMED, "concat-8": NAMED["concat-8"][:1]}  # of the other width the same seed alone
    figures._widths(axes, named)
    assert "seeds: 1," in axes.get_title()
    (right,) = (each for each in axes.figure.axes if each is not axes)
    for where, at, value in (
        (axes, 0, lambda each: each["accuracy"]["likelihoods"]),
        (axes, 1, lambda each: each["accuracy"]["one-step"]),
        (right, 0, lambda each: each["spread"]),
        (right, 1, lambda each: each["reconstruction"]),
    ):
        line = where.get_lines()[at]
        assert list(np.asarray(line.get_xdata())) == [4, 8]
        assert np.asarray(line.get_ydata()) == pytest.approx(
            [value(named[name][0]) for name in ("concat-4", "concat-8")]
        )


def test_times(axes: Axes) -> None:
    draw = np.random.default_rng(5)
    cases = [("10", "1"), ("10", "64"), ("100", "1"), ("100", "64")]
    found: dict[str, Any] = {"10": {}, "100": {}}
    for tasks, size in cases:
        found[tasks][size] = {way: draw.uniform() for way in figures.WAYS}
    figures._times(axes, {"gated": found})
    shown = [bar.get_height() for bar in bars(axes)]
    assert shown == pytest.approx([found[tasks][size][way] for tasks, size in cases for way in figures.WAYS])
    assert [label.get_text() for label in axes.get_xticklabels()][1] == "K = 10\nbatch of 64"
