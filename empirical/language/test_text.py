"""A study as text."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import torch

from empirical.language.study import Observed
from empirical.language.text import render
from empirical.language.verdicts import Difference, Verdict


def test_lines_fit_80_columns_and_verdicts_are_explained() -> None:
    scores = SimpleNamespace(positional=torch.rand(3, 4), symbolic=torch.rand(3, 4))
    kinds = [{"previous-token": torch.rand(4)}]
    observed = SimpleNamespace(
        best=lambda heads: {"previous-token": [(0, head) for head in range(heads)]},
        layers=[SimpleNamespace(without_first=scores)],
        kinds=kinds,
        correlations=(),
    )
    change = Difference(-0.123, -0.2, -0.1, -1)
    answers = [Verdict("previous-token (0, 0), positional planes", "s_pos", 0.9, change, (-0.001,) * 9, change)]
    lines = render(cast(Observed, observed), (), answers, 2).splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("    s_pos 0.900  -0.123 [-0.200, -0.100] as predicted; -0.001") for line in lines)
    assert sum(line.startswith("as predicted, or against:") for line in lines) == 1
