"""Bands: numbers that are in all of them, each moved out of its own, and what is printed and drawn of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from empirical.sources import figures
from empirical.sources.bands import rows
from empirical.sources.figures import draw
from empirical.sources.text import render

NAMES = ["kjv", "jargon", "anarchism", "pydoc", "pycode"]
Found = dict[str, Any]


def told(kind: str, K: int) -> Found:
    """One seed of a model with z."""
    control, head = kind in ("shuf", "rand"), kind == "head"
    chance = 1 / K
    rules = {"one-step": 0.9, "likelihoods": 0.95}
    if not control:
        rules |= {"constant offsets": 0.92}
    even = [[chance] * K for _ in range(K)]
    over = [[0.3, 0.1, 0.1, 0.2, 0.3]] * K if K == 5 else even
    here: Found = {
        "right": dict.fromkeys(rules, chance) if control else rules,
        "tied": dict.fromkeys(rules, 0.0),
        "given": {"one-step": over, "likelihoods": even},
        "agreement": 0.9,
        "correlation": 0.95,
        "confidence": {"one-step": 0.25, "likelihoods": 0.25} if control else {"one-step": 0.9, "likelihoods": 0.9},
        "iterative": {"iterative": 0.94, "likelihoods": 0.95},
    }
    if head:
        here |= {"residual": 1e-4, "offsets": ([0.15, 0.05, 0.06, 0.06, 0.15] if K == 5 else [0.1] * K)}
    first = {**here, "right": here["right"] | ({} if control else {"entropy": 0.4, "norm": 0.2})}
    text = {"noted": [0, 50, 100], "loss": [2.0, 1.98, 1.98], "change": -0.02, "error": 0.001, "z": [chance] * K}
    if not control:
        text |= {"single": [1.99, *[2.03] * (K - 1)], "foreign": 2.09}
    return {
        "sources": NAMES[:K],
        "last": 1.9 if control else 1.8,
        "parts": [4.0, 2.5, 2.2, 2.0, 1.8],
        "curve": [4.0, 2.5, 2.2, 2.0],
        "test_loss": {"true": 2.0, "u": 2.0 if control else 2.05},
        "lengths": {"64": first, "128": {name: value for name, value in here.items() if name != "iterative"}},
        "adapted": {"devil": text},
        "foreign": None if control else {"name": "pycode", "z": [chance] * K},
    }


def results(K: int = 5) -> dict[str, list[Found]]:
    course = {"noted": [0, 50, 100], "loss": [2.0, 2.0, 2.001], "change": 0.001, "error": 0.001}
    none = {
        "last": 1.9,
        "parts": [4.0, 2.6, 2.3, 2.1, 1.9],
        "curve": [4.0, 2.6, 2.3, 2.1],
        "test_loss": {"none": 2.03},
        "moved": {"devil": {"free": course, "projected": course}},
    }
    kinds = ("input", "head", "none", "shuf", "rand")
    return {kind: [dict(none) if kind == "none" else told(kind, K) for _ in range(2)] for kind in kinds}


def test_numbers_inside() -> None:
    found = rows(results())
    assert [row.name for row in found if not row.met] == []
    assert len({row.name for row in found}) == len(found) == 46
    assert [row.name for row in rows(results(3)) if not row.met] == []
    assert len(rows(results(3))) == 5


def test_ends_of_bands() -> None:
    """They were fixed before anything was measured."""
    ends = [(row.least, row.most) for row in rows(results()) if (row.least, row.most) not in ((None, 0), (0, None))]
    assert ends == [
        *[(0.03, None), (0.04, None), *[(-0.005, 0.005)] * 2],  # of the test loss
        *[(0.6, None), (0.75, None), *[(0.1, 0.35)] * 2, *[(-0.05, 0.05)] * 4, *[(0.2, None)] * 4],  # of shares found
        *[*[(0.7, None)] * 2, *[(0.85, None)] * 2, *[(None, 0.3)] * 2, (None, 1e-3)],  # of agreement, and the identity
        *[(None, -0.01), (0.07, 0.11), *[(-0.003, None)] * 2],  # of adapting
    ]
    found = rows(results(3))
    assert [row.least for row in found] == [0.65, 0.8, 0.78, 0.85, None] and found[-1].most == 1e-3


@pytest.mark.parametrize(
    ("kind", "path", "value", "missed"),
    [
        ("none", ("last",), 1.7, ["input - none", "head - none"]),
        ("shuf", ("last",), 1.7, ["input - shuf", "head - shuf"]),
        ("head", ("parts",), [4.0, 2.5, 2.2, 2.0, 2.0], ["part 5"]),
        ("input", ("test_loss", "u"), 2.02, ["u - true z: input"]),
        ("rand", ("test_loss", "u"), 2.02, ["u - true z: rand"]),
        ("head", ("lengths", "64", "right", "one-step"), 0.7, ["one step, n=64: head"]),
        ("shuf", ("lengths", "64", "right", "one-step"), 0.5, ["one step, n=64: shuf"]),
        ("input", ("lengths", "64", "right", "constant offsets"), 0.8, ["constant offsets - one step, input"]),
        ("rand", ("lengths", "64", "iterative", "iterative"), 0.8, ["iterative - likelihoods, rand"]),
        ("input", ("lengths", "128", "right", "likelihoods"), 0.8, ["n=128: likelihoods - one step"]),
        ("head", ("lengths", "64", "right", "norm"), 0.8, ["one step - norm, head"]),
        ("head", ("lengths", "64", "agreement"), 0.6, ["chooses as likelihoods: head"]),
        ("input", ("lengths", "64", "correlation"), 0.8, ["correlation: input"]),
        ("shuf", ("lengths", "64", "confidence", "likelihoods"), 0.4, ["largest posterior: shuf"]),
        ("head", ("lengths", "64", "offsets"), [0.15, 0.16, 0.06, 0.06, 0.15], ["offset a letter"]),
        ("head", ("lengths", "64", "offsets"), [0.15, 0.05, 0.06, 0.06, 0.055], ["offset a letter"]),
        ("head", ("lengths", "64", "given", "one-step"), [[0.1, 0.2, 0.2, 0.2, 0.3]] * 5, ["given to kjv"]),
        ("head", ("adapted", "devil", "change"), -0.005, ["change of loss: head"]),
        ("input", ("adapted", "devil", "single"), [1.9, 2, 2, 2, 2], ["best source"]),
        ("input", ("adapted", "devil", "foreign"), 2.2, ["z of pycode"]),
    ],
)
def test_numbers_outside(kind: str, path: tuple[str, ...], value: object, missed: list[str]) -> None:
    found = results()
    for each in found[kind]:
        for name in path[:-1]:
            each = each[name]  # noqa: PLW2901
        each[path[-1]] = value
    names = [row.name for row in rows(found) if not row.met]
    assert len(names) == len(missed) and all(part in name for part, name in zip(missed, names, strict=True))


@pytest.mark.parametrize(
    ("kind", "path", "value", "missed"),
    [
        ("head", ("lengths", "128", "residual"), 2e-3, "largest |P(g - B(c) - ell)|: head"),
        ("input", ("adapted", "devil", "change"), 0.001, "adapting z to devil, change of loss, worst seed: input"),
        ("none", ("moved", "devil", "free", "change"), -0.004, "input moved, free, on devil, worst seed: none"),
    ],
)
def test_one_seed_outside(kind: str, path: tuple[str, ...], value: float, missed: str) -> None:
    found = results()
    each = found[kind][1]
    for name in path[:-1]:
        each[name] = dict(each[name])  # seeds share what is the same
        each = each[name]
    each[path[-1]] = value
    (row,) = (row for row in rows(found) if not row.met)
    assert row.name == missed and row.value == value and not row.clear


def test_seeds_that_disagree_are_told() -> None:
    """The report has every kind and rule, the losses of all texts, and marks what is not settled; figures are drawn."""
    found = results()
    found["head"][0]["last"] = 1.5
    data = {
        "tier": "full",
        "body": "lstm",
        "seeds": [0, 1],
        "every": 10,
        "parts": [[1, 50], [101, 150]],
        "bands": [row.as_json() for row in rows(found)],
        "models": {kind: {"results": found[kind]} for kind in found},
    }
    text = render(data)
    assert "46 of 46 bands met" in text and "?" in text and "shuffled labels" in text
    assert "z adapted to devil: 2.0000, -0.0200 [-0.0200, -0.0200], half way -0.0200" in text
    assert "best source alone: -0.010 [" in text and "z of pycode: 0.090 [" in text
    assert "windows of 128" in text and "found by offsets" not in text and "offset a letter, kjv: 0.150" in text
    assert max(map(len, text.split("\n\n")[1].splitlines())) < 121


def test_figures(tmp_path: Path) -> None:
    found = results(3)
    data = {"body": "lstm", "seeds": [0, 1], "every": 10, "models": {kind: {"results": found[kind]} for kind in found}}
    paths = draw(data, tmp_path)
    assert [path.name for path in paths] == [
        "sources.png",
        "sources.svg",
        "sources-adaptation.png",
        "sources-adaptation.svg",
    ]
    assert all(path.stat().st_size > 10_000 for path in paths)


def test_what_bars_and_lines_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = list[Any]()

    def write(figure: Any, *_: object) -> list[Path]:
        drawn.append(figure)
        return []

    monkeypatch.setattr(figures, "write", write)
    found = results()
    data = {"body": "lstm", "seeds": [0, 1], "every": 10, "models": {kind: {"results": found[kind]} for kind in found}}
    draw(data, tmp_path)
    (learning, _, offsets, given), (changes, mixtures, singles) = (figure.axes for figure in drawn)
    curve = next(line for line in learning.lines if line.get_label() == "z at the head")
    assert curve.get_ydata() == pytest.approx([0, -0.1, -0.1, -0.1])

    def heights(axes: Any) -> Any:
        return pytest.approx([patch.get_height() for patch in axes.patches])

    assert heights(offsets) == [0.15, 0.05, 0.06, 0.06, 0.15]
    assert heights(given) == [0.3, 0.1, 0.1, 0.2, 0.3, *[0.2] * 5]
    assert heights(changes) == [*[-0.02] * 4, 0.001, 0.001]
    assert heights(mixtures) == [0.2] * 10
    assert heights(singles) == [-0.02, -0.01, 0.09]
