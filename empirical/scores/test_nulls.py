"""Nulls against the heads that they speak of."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from empirical.scores.nulls import CONSTANT, nulls
from empirical.scores.nulls import _expected as expected
from empirical.scores.settings import Settings
from empirical.scores.swaps import all_swaps

TAUS = (1e-4, 0.05)


def matrix(seed: int, size: int = 7, scale: float = 1.5) -> Tensor:
    return scale * torch.randn(1, size, size, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("block", [1, 2])
def test_pure_heads_have_their_null(tau: float, block: int) -> None:
    logits, own, settings = matrix(1)[:, 0], torch.tensor([0.4], dtype=torch.float64), Settings(tau=tau, block=block)
    symbolic_head, positional_head = logits[..., None].expand(1, 7, 7), logits[:, None].expand(1, 7, 7)
    symbolic = all_swaps(symbolic_head, own, settings)
    assert symbolic.scores()[0] == pytest.approx(nulls(symbolic).pure, rel=1e-13)
    assert symbolic.scores()[1] == pytest.approx(1, rel=1e-14)
    positional = all_swaps(positional_head, own, settings)
    assert positional.scores()[1] == pytest.approx(nulls(positional).pure, rel=1e-13)
    assert nulls(positional).pure.equal(nulls(symbolic).pure)


@pytest.mark.parametrize("tau", TAUS)
def test_the_null_of_any_head_is_that_of_a_pure_one_with_its_attention(tau: float) -> None:
    M, own, settings = matrix(6), torch.tensor([0.4], dtype=torch.float64), Settings(tau=tau)
    pure = M.diagonal(dim1=-2, dim2=-1)[:, None].expand(1, 7, 7)
    assert nulls(all_swaps(M, own, settings)).pure == pytest.approx(
        all_swaps(pure, own, settings).scores()[1], rel=1e-13
    )


@pytest.mark.parametrize("block", [1, 2])
def test_without_the_first_token_it_may_as_well_be_the_queries_own(block: int) -> None:
    """What is attended to and never swapped counts by its weight alone."""
    M, own, settings = matrix(5), torch.tensor([0.4], dtype=torch.float64), Settings(tau=0.05, block=block)
    left = all_swaps(M, own, settings).without_first(block)
    fewer = all_swaps(M[:, 1:, 1:], torch.logaddexp(own, M[:, 0, 0]), settings)
    found, expected_nulls = nulls(left), nulls(fewer)
    pairs = [*zip(left.scores(), fewer.scores(), strict=True), (found.pure, expected_nulls.pure)]
    pairs += [(found.random, expected_nulls.random), (found.everything, expected_nulls.everything)]
    for one, other in pairs:
        assert one == pytest.approx(other, rel=1e-12)


def test_constant_heads_score_what_is_said() -> None:
    swaps = all_swaps(torch.full((1, 5, 5), 0.7, dtype=torch.float64), torch.zeros(1), Settings())
    found = nulls(swaps)
    for score in (*swaps.scores(), found.pure, found.random, found.everything):
        assert float(score) == pytest.approx(CONSTANT, abs=1e-14)


@pytest.mark.parametrize("tau", TAUS)
def test_heads_that_attend_to_everything(tau: float) -> None:
    """With equal logits before the swap, both scores are the null, whatever the temperature."""
    M = matrix(2)
    flat = M - torch.diag_embed(M.diagonal(dim1=-2, dim2=-1))
    own, settings = torch.zeros(1, dtype=torch.float64), Settings(tau=tau)
    for score in all_swaps(flat, own, settings).scores():
        assert score == pytest.approx(nulls(all_swaps(M, own, settings)).everything, rel=1e-13)


@pytest.mark.parametrize("tau", TAUS)
def test_random_heads_score_their_null_on_average(tau: float) -> None:
    M, draws, settings = matrix(3, scale=0.8), 40_000, Settings(tau=tau)
    own = torch.zeros(1, dtype=torch.float64)
    found = nulls(all_swaps(M, own, settings)).random
    random = torch.Generator().manual_seed(4)
    drawn = M.std(correction=0) * torch.randn(draws, 7, 7, dtype=torch.float64, generator=random)
    drawn.diagonal(dim1=-2, dim2=-1).copy_(M.diagonal(dim1=-2, dim2=-1).expand(draws, 7))
    for scores in all_swaps(drawn, own.expand(draws), settings).scores():
        assert abs(float(scores.mean() - found)) <= 5 * float(scores.std()) / draws**0.5


@pytest.mark.parametrize("deviation", [0.0, 0.1, 0.99, 1.01, 7.0, 1e3])
def test_expected_value_by_a_finer_rule(deviation: float) -> None:
    h = torch.linspace(-1, 1, 2_000_001, dtype=torch.float64) * min(40.0, 12 * max(deviation, 1e-3))
    x = h / max(deviation, 1e-12)
    density = torch.exp(-x * x / 2) / (2 * torch.pi) ** 0.5 / max(deviation, 1e-12)
    excess = torch.sqrt(1 + 1 / torch.cosh(h)) - 1
    fine = 2**0.5 * (1 + float(torch.trapezoid(density * excess, h))) if deviation else 2.0
    assert float(expected(torch.tensor([deviation], dtype=torch.float64))) == pytest.approx(fine, abs=1e-12)
