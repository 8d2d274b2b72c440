"""Correlations by their definition, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from empirical.correlation import centred, correlation


def test_of_all_entries() -> None:
    a, b = torch.randn(2, 40, 3, generator=torch.Generator().manual_seed(0))
    expected = float(np.corrcoef(a.flatten().numpy(), b.flatten().numpy())[0, 1])
    assert correlation(a, b) == pytest.approx(expected, abs=1e-7)
    assert correlation(3 * a + 1, -a) == pytest.approx(-1)


def test_what_all_tasks_have_in_common_is_left_out() -> None:
    a, shared = torch.randn(40, 3), torch.randn(40, 1)
    assert centred(a).mean(-1).abs().max() < 1e-6
    assert abs(correlation(a, a + 9 * shared)) < 0.9
    assert correlation(centred(a), centred(a + 9 * shared)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("level", [0.0, 1.0, 0.1, -1e30, 1e-30])
def test_a_constant_goes_with_nothing(level: float) -> None:
    values = torch.randn(37, 3, dtype=torch.float64)
    constant = torch.full((37, 3), level, dtype=torch.float64)  # the mean of 111 times 0.1 is not 0.1
    assert level != 0.1 or centred(constant.flatten()).any()
    assert correlation(values, constant) == correlation(constant, values) == 0
