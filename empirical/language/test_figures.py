"""Labels of the figures of a study, for small models and small changes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import torch

from empirical.language import figures
from empirical.language.study import Observed
from empirical.language.verdicts import Difference, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that would be written."""
    found: list[Figure] = []

    def keep(figure: Figure, *place: object) -> list[Path]:
        figure.draw_without_rendering()
        found.append(figure)
        return []

    monkeypatch.setattr(figures, "write", keep)
    return found


def test_two_layers_have_whole_numbers(drawn: list[Figure], tmp_path: Path) -> None:
    layer = {"previous-token": torch.rand(4), "induction": torch.rand(4)}
    figures.draw_kinds(cast(Observed, SimpleNamespace(kinds=[layer, layer])), "small", tmp_path)
    for axes in drawn[0].axes[:2]:
        assert all(float(tick).is_integer() for tick in (*axes.get_xticks(), *axes.get_yticks()))


def test_labels_of_small_changes_do_not_overlap(drawn: list[Figure], tmp_path: Path) -> None:
    change = Difference(-0.00005, -0.0001, -0.00001, -1)
    answers = [
        Verdict("arm", measure, 4.6, change, (-0.00003, 0.00003), None) for measure in ("s_pos", "s_sym", "loss")
    ]
    figures.draw_ablation(answers, "small", tmp_path)
    for axes in drawn[0].axes:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
        assert len(boxes) > 1
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
