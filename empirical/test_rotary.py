"""The rotation of a layer, against complex numbers, for every layout."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from empirical.rotary import Rotary
from theory.errors import InputError

FREQUENCIES = torch.tensor([1.0, -0.7, 0.001], dtype=torch.float64)
ROTARIES = [
    Rotary.adjacent(FREQUENCIES),
    Rotary.half_split(FREQUENCIES, factor=1.3),
    Rotary(FREQUENCIES, torch.tensor([[6, 1], [0, 3], [2, 7]]), factor=0.8),
    Rotary.identity(),
]


def by_complex_numbers(rotary: Rotary, x: Tensor, positions: Tensor) -> Tensor:
    expected = x.clone()
    for (a, b), frequency in zip(rotary.pairs.tolist(), rotary.frequencies.tolist(), strict=True):
        turned = torch.complex(x[..., a], x[..., b]) * rotary.factor * torch.exp(1j * frequency * positions.double())
        expected[..., a], expected[..., b] = turned.real, turned.imag
    return expected


@pytest.mark.parametrize("rotary", ROTARIES)
@given(seed=st.integers(0, 2**32 - 1), start=st.integers(-5, 5000))
def test_rotation_is_multiplication_by_a_phase(rotary: Rotary, seed: int, start: int) -> None:
    random = torch.Generator().manual_seed(seed)
    x = torch.randn(2, 3, 5, 8, dtype=torch.float64, generator=random)
    positions = start + torch.arange(5)
    turned = rotary.rotate(x, positions)
    # One rounding each of phase, cosine, two products and their sum.
    assert (turned - by_complex_numbers(rotary, x, positions)).abs().max() <= 2.0**-50 * (8 + 5e3) * x.abs().max()


@pytest.mark.parametrize("rotary", ROTARIES)
def test_turned_query_has_the_logit_of_both_rotations(rotary: Rotary) -> None:
    random = torch.Generator().manual_seed(7)
    q, k = torch.randn(2, 4, 9, 8, dtype=torch.float64, generator=random)
    i, j = torch.full((9,), 30), torch.arange(9)
    both = (rotary.rotate(q, i) * rotary.rotate(k, j)).sum(-1)
    assert torch.allclose((rotary.relative().rotate(q, i - j) * k).sum(-1), both, rtol=0, atol=1e-12)


def test_angles_are_float64_and_the_result_is_not() -> None:
    x, far = torch.ones(1, 2), torch.tensor([10_000_000])
    turned = Rotary.adjacent([1.0]).rotate(x, far)
    assert turned.dtype == torch.float32
    exact = torch.tensor(1e7, dtype=torch.float64)
    assert torch.allclose(turned.double()[0, 0], exact.cos() - exact.sin(), atol=1e-6)


@pytest.mark.parametrize("layout", [Rotary.adjacent, Rotary.half_split])
def test_frequencies_are_not_rounded(layout: Callable[[list[float]], Rotary]) -> None:
    assert layout([0.1, 1 / 3]).frequencies.tolist() == [0.1, 1 / 3]


def test_gradients_pass() -> None:
    x = torch.randn(3, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda y: ROTARIES[0].rotate(y, torch.arange(3)), x)


@pytest.mark.parametrize(
    ("frequencies", "pairs", "factor", "words"),
    [
        ([1.0], [[0, 1], [2, 3]], 1.0, "for 2 planes"),
        ([1.0, 2.0], [[0, 1], [1, 2]], 1.0, "share a coordinate"),
        ([1.0], [[0, -1]], 1.0, "negative"),
        ([float("nan")], [[0, 1]], 1.0, "not finite"),
        ([1.0], [[0, 1]], float("inf"), "not finite"),
    ],
)
def test_bad_planes_are_named(frequencies: list[float], pairs: list[list[int]], factor: float, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        Rotary(torch.tensor(frequencies), torch.tensor(pairs), factor)
    assert "\n" not in str(error.value)


def test_narrow_vectors_are_named() -> None:
    with pytest.raises(InputError, match="coordinate 5 of vectors of width 4"):
        ROTARIES[0].rotate(torch.ones(1, 4), torch.ones(1))
