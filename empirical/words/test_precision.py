"""Rounding: spacings, the averaging witness, and the trap of gaps below a spacing."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from empirical.words.precision import DTYPES, collapse, from_on, lengths_of_collapse, spacing, witness
from empirical.words.rounding import BITS, grid
from theory.compact.precision import mean_collapse_length


@given(st.floats(2.0**-60, 1.0))
def test_spacings(x: float) -> None:
    number = np.float32(x)
    assert float(spacing(torch.tensor(float(number)), torch.float32)) == float(np.spacing(number))


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_the_mean_collapses_where_theory_says(name: str) -> None:
    predicted = int(mean_collapse_length(BITS[name]).value)
    for length in range(predicted - 3, predicted + 4):
        assert witness(name, length).rounded_is_one == (length >= predicted)


@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_from_which_length_on(holds: list[bool]) -> None:
    found = from_on(list(enumerate(holds, 1)))
    starts = [n for n in range(1, len(holds) + 1) if all(holds[n - 1 :])]
    assert found == (starts[0] if starts else None)


def two_outputs(first: float, second: float) -> Tensor:
    return torch.tensor([[first, 1 - first], [second, 1 - second]], dtype=torch.float64)


@pytest.mark.parametrize(("second", "same"), [(1e-6, True), (-1e-6, False)])
def test_a_gap_below_half_a_spacing_may_lie_on_a_border(second: float, same: bool) -> None:
    """Half a spacing above 0.5 lies a border of bfloat16: numbers on both sides of it round apart."""
    border = 0.5 + 2.0**-9
    table = two_outputs(border + 2e-7, border + second)

    def outputs(words: Tensor, dtype: torch.dtype) -> Tensor:
        return table[words[:, 0]].to(dtype)

    found = collapse(outputs, torch.tensor([0]), torch.tensor([1]), torch.bfloat16)
    assert found.spacings < 0.5 and found.same == same == found.top_same and found.noise == 0
    assert found.computed <= found.gap + 2 * found.error
    starts = {"predicted": 1, "top_predicted": 1, "measured": 1 if same else None, "top_measured": 1 if same else None}
    assert lengths_of_collapse([found]) == starts


def test_small_probabilities_keep_what_large_ones_lose() -> None:
    table = two_outputs(1 - 1e-5, 1 - 2e-5)

    def outputs(words: Tensor, dtype: torch.dtype) -> Tensor:
        return table[words[:, 0]].to(dtype)

    found = collapse(outputs, torch.tensor([0]), torch.tensor([1]), torch.bfloat16)
    assert found.top_same and not found.same and found.top_spacings < 0.5 < found.spacings


def test_noise_is_seen() -> None:
    table = two_outputs(0.3, 0.4)

    def outputs(words: Tensor, dtype: torch.dtype) -> Tensor:
        return (table[words[:, 0]] + (len(words) == 4) * 2.0**-12).to(dtype)

    assert collapse(outputs, torch.tensor([0]), torch.tensor([1]), torch.float32).noise == pytest.approx(
        2.0**-12, rel=1e-3
    )


def test_grid() -> None:
    assert grid(64)[0] == 8 and grid(64)[-1] == 64 and len(grid(64)) == 7
    assert set(BITS) == set(DTYPES)
