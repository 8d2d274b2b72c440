"""Attention patterns as drawn: every weight up to 40 tokens, the largest of each block beyond."""

from fractions import Fraction

import pytest
import torch

from constructions.demo.figures import _patterns
from constructions.demo.showcase import View


@pytest.mark.parametrize(("n", "block"), [(1, 1), (40, 1), (41, 2), (80, 2), (81, 3)])
def test_patterns_show_every_weight_or_the_largest_of_a_block(n: int, block: int) -> None:
    weights = torch.rand(n, n, generator=torch.Generator().manual_seed(n)).tril()
    figure = _patterns("title", [("heading", View(tuple("a" * n), weights, None, None, Fraction(0)))])
    pattern, bar = figure.axes
    shown = pattern.images[0].get_array()
    starts = range(0, n, block)
    assert shown is not None and shown.tolist() == [
        [float(weights[i : i + block, j : j + block].max()) for j in starts] for i in starts
    ]
    assert (f"{block} x {block} positions" in bar.get_ylabel()) == (block > 1)
    positions = " position" * (block > 1)
    assert (pattern.get_xlabel(), pattern.get_ylabel()) == (f"key{positions}", f"query{positions}")
    labels = [text.get_text() for text in pattern.texts[1::2]]
    assert labels == (["a"] * n if block == 1 else [str(1 + start) for start in starts])
