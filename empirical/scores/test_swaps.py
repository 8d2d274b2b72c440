"""Swaps in float64, against exact balls, brute force and extreme logits."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from empirical.scores.closed_forms import cosines
from empirical.scores.score import SHARP, _exclusion
from empirical.scores.settings import Settings
from empirical.scores.swaps import all_swaps, along_diagonals
from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.rope.scores.acting import deviations
from theory.rope.scores.closed_form import cosines_at
from theory.rope.scores.definition import scores
from theory.rope.scores.exclusion import variance

EXTREMES = [0.0, 1e-300, 1e-12, 0.3, 5.0, 40.0, 800.0, 1e4]


def double(value: object) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


@pytest.mark.parametrize("g", [sign * size for size in EXTREMES for sign in (1, -1)])
def test_cosines_keep_their_digits(g: float) -> None:
    for h in [sign * size for size in EXTREMES for sign in (1, -1)]:
        exact = cosines_at(Real.of(Fraction(g)), Real.of(Fraction(h)))
        for found, expected in zip(cosines(double(g), double(h)), map(float, exact), strict=True):
            # Each exponential, product, sum, root and quotient is rounded once; below 1e-300 numbers run out.
            assert abs(float(found) - expected) <= 12 * 2.0**-53 * expected + 1e-300, (g, h)


@given(st.integers(2, 5), st.sampled_from(["1/10000", "1/10", "3"]), st.integers(0, 2**32 - 1))
def test_scores_are_those_of_exact_balls(size: int, tau: str, seed: int) -> None:
    random = Random(seed)
    M = [[Fraction(random.randint(-40, 40), 16) for _ in range(size)] for _ in range(size)]
    own, temperature = Fraction(random.randint(-40, 40), 16), Fraction(tau)
    expected = scores(M, own, 1, temperature)
    settings = Settings(tau=float(temperature))
    rows = double([[float(entry) for entry in row] for row in M])
    found = all_swaps(rows[None], double([float(own)]), settings).scores()
    for one, other in zip(found, expected, strict=True):
        # Attention is off by a few roundings of shares that are at most 1, and alpha by 1/tau of that.
        assert abs(float(one) - float(other)) <= 1e-15 * (10 + 10 / settings.tau)


@pytest.mark.parametrize("block", range(1, 8))
def test_sums_along_diagonals(block: int) -> None:
    M = 300 * torch.randn(2, 9, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(block))
    found = along_diagonals(M, block)
    starts = 9 - block + 1
    assert found.shape == (2, starts, starts)
    for s, r in product(range(starts), repeat=2):
        terms = torch.stack([M[:, s + t, r + t] for t in range(block)])
        assert torch.allclose(found[:, s, r], torch.logsumexp(terms, 0), rtol=1e-14, atol=0)


def test_huge_logits_are_scored() -> None:
    """A head with logits of 10,000: exactly positional ones stay so, and one swap decides."""
    lam = double([1e4, -1e4, 0.0, 5e3])
    for M, whole, none in ((lam.expand(4, 4), 0, 1), (lam[:, None].expand(4, 4), 1, 0)):
        found = all_swaps(M[None], double([0.0]), Settings()).scores()
        assert float(found[whole]) == pytest.approx(1, abs=1e-15)
        assert 0 <= float(found[none]) < 1e-300


@pytest.mark.parametrize("block", [1, 2])
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([0.01, 1.0, 30.0, 1e4]))
def test_sum_of_scores_and_exclusion_have_their_bounds(block: int, seed: int, scale: float) -> None:
    random = torch.Generator().manual_seed(seed)
    M = scale * torch.randn(20, 5, 5, dtype=torch.float64, generator=random)
    positional, symbolic = all_swaps(M, M[:, 0, 0], Settings(block=block)).scores()
    # 1 is not reached by g and h of finite size, but by their float64 cosines.
    assert (positional + symbolic >= 1 - 1e-15).all() and (positional + symbolic <= 2 + 1e-15).all()
    spread, bound = _exclusion(M)
    assert (spread <= bound * (1 + 1e-14)).all()


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_exclusion_is_that_of_exact_matrices(size: int, seed: int) -> None:
    random = Random(seed)
    M = [[random.randint(-9, 9) for _ in range(size)] for _ in range(size)]
    P, S = deviations(M)
    spread, bound = _exclusion(double(M)[None])
    assert float(spread) == pytest.approx(float(variance([M[c][c] for c in range(size)])), rel=1e-14)
    assert float(bound) == pytest.approx((P**0.5 + S**0.5) ** 2 / (2 * size**2), rel=1e-14)
    assert float(SHARP(double(float(P)), double(float(S)), size)) == float(bound)


def test_blocks_that_do_not_fit_are_named() -> None:
    with pytest.raises(InputError, match=r"block=3 is more than half of the 5 earlier keys; give block <= 2"):
        all_swaps(torch.zeros(1, 5, 5), torch.zeros(1), Settings(block=3))


def test_leaving_out_the_first_of_two_leaves_no_swap() -> None:
    found = all_swaps(torch.zeros(3, 2, 2), torch.zeros(3), Settings()).without_first(1).scores()
    assert all(score.shape == (3,) and bool(score.isnan().all()) for score in found)
