"""The score maps are written whole, as two kinds of file."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from empirical.capture.heads import LayerHeads
from empirical.rotary import Rotary
from empirical.scores.figure import draw
from empirical.scores.head_scores import HeadScores
from empirical.scores.score import score_layer
from theory.errors import InputError


def layers(heads: int, count: int) -> list[HeadScores]:
    random = torch.Generator().manual_seed(heads)
    drawn = (2 * torch.randn(2, 3, heads, 8, 4, dtype=torch.float64, generator=random) for _ in range(count))
    rotary = Rotary.adjacent([1.0, 0.01])
    return [score_layer(LayerHeads(number, q, k, rotary, 0.5)) for number, (q, k) in enumerate(drawn)]


def test_maps_are_drawn(tmp_path: Path) -> None:
    paths = draw({"one": layers(1, 4), "another": layers(3, 2)}, tmp_path / "new")
    assert [path.name for path in paths] == [
        f"scores{ending}.{kind}" for ending in ("", "-without-first") for kind in ("png", "svg")
    ]
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert "All swaps" in paths[1].read_text()
    text = paths[3].read_text()
    for words in (
        "another",
        "positional score",
        "symbolic score",
        "random",
        "everything",
        "tau 0.0001",
        "leave the first",
    ):
        assert words in text
    assert not [path for path in (tmp_path / "new").iterdir() if path.name.endswith(".part")]


def test_nothing_to_draw_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no layer to draw"):
        draw({}, tmp_path)
    with pytest.raises(InputError, match="no layer to draw"):
        draw({"empty": []}, tmp_path)


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written to"):
        draw({"one": layers(1, 1)}, tmp_path / "file")
