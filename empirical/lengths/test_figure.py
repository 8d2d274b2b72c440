"""The figure says which colour is which layer, writes no number over another, and hides no curve."""

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

from empirical.lengths import figure
from empirical.lengths.figure import named_lengths
from theory import drawing

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("longest", [25, 26, 30, 32, 50, 64, 100, 101, 1000, 4999, 5000, 20_000])
def test_lengths_on_the_axis_are_apart(longest: int) -> None:
    found = named_lengths(17, longest)
    assert found[0] == 17 and found[-1] == longest and 3 <= len(found) <= 7
    least = max(1.12, (longest / 17) ** (1 / 6))
    assert all(after / before >= least for before, after in pairwise(found))


def model(name: str, layers: int, lengths: list[int]) -> dict[str, Any]:
    share = {"accuracy": 0.5, "low": 0.4, "high": 0.6}
    measured = [{"length": n, **share, "by_hops": {"1": share}, "kept": [0.5] * layers} for n in lengths]
    foreseen = [
        {"length": n, "share": 0.5, "by_hops": {"1": 0.5}, "kept": [0.4] * layers, "margin": [0.1] * layers}
        for n in lengths
    ]
    run = {"prefixes": "usual", "by_length": measured, "predicted": {"by_length": foreseen}}
    return {"name": name, "kind": f"{name} task", "runs": [run]}


@pytest.mark.parametrize("lengths", [[17, 20, 30], [17, 100, 5000], [17, 20_000]])
def test_the_figure(lengths: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: dict[str, Any] = {}
    usual = drawing.write

    def keep(what: Any, folder: Path, name: str, *kinds: str) -> list[Path]:
        drawn[name] = what
        return usual(what, folder, name, *kinds)

    monkeypatch.setattr(drawing, "write", keep)
    written = figure.draw({"models": [model("number", 4, lengths), model("letter", 1, lengths)]}, tmp_path)
    assert len(written) == 4 and all(path.stat().st_size for path in written)
    bars = [axes for axes in drawn["lengths"].axes if "the first, 0, is dark" in axes.get_ylabel()]
    assert [[text.get_text() for text in bar.get_yticklabels()] for bar in bars] == [["0", "1", "2", "3"], ["0"]]
    for axes in (*drawn["lengths"].axes, *drawn["lengths-by-hops"].axes):
        if axes.get_xlabel():
            boxes = [text.get_window_extent() for text in axes.get_xticklabels(which="both") if text.get_text()]
            assert boxes and not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    curves = {line.get_label(): line for axes in drawn["lengths"].axes for line in axes.lines}
    broad, dashed = curves["Index, best angle at each length"], curves["Index, plane 2, printed"]
    assert dashed.is_dashed() and not broad.is_dashed() and broad.get_linewidth() > 2 * dashed.get_linewidth()
    order = list(curves)
    assert order.index("Index, best angle at each length") < order.index("Index, plane 2, printed")
    assert broad.get_color() != dashed.get_color() and dashed.get_alpha() is None
