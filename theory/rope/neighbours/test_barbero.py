"""Aligned heads against attention by its definition in float64, and hand-built heads in torch."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import numpy as np
import pytest
import torch

from tests.asked import values
from theory.arithmetic.angle import Angle
from theory.claims import STATEMENT, discover
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.quantities import quantities
from theory.rope.neighbours.barbero_attention_bound import Weight, aligned_norm
from theory.rope.universal_limits.worst_gap import worst_gap

torch.set_num_threads(1)


def test_norms_do_not_depend_on_the_scale_of_the_amplitudes() -> None:
    arguments = {"n": "90", "eps": "0.02", "frequencies": '[1, "3/7"]'}
    one, seven = (values("aligned-norm", **arguments, amplitudes=a)["squared norm"] for a in ("[1, 1]", "[7, 7]"))
    assert (abs(one / seven - 1) < Fraction(1, 10**30)) is Outcome.HOLDS
    gap = min(2 - np.cos(t) - np.cos(3 * t / 7) for t in range(1, 90)) / 2
    assert float(one) == pytest.approx(np.log(89 * 0.98 / 0.02) / gap, rel=1e-12)


def attention(scale: float, theta: np.ndarray, n: int, r: int) -> float:
    """The weight of the key at offset r of n, from queries, keys and complex rotations in float64."""
    query = np.full(len(theta), np.sqrt(scale / len(theta)), dtype=complex)
    positions = np.arange(1, n + 1)[:, None]
    keys = query * np.exp(1j * theta * r) * np.exp(1j * theta * positions)
    logits = (keys.conj() * (query * np.exp(1j * theta * n))).real.sum(axis=1)
    weights = np.exp(logits - logits.max())
    return float((weights / weights.sum())[n - 1 - r])


@pytest.mark.parametrize("case", range(12))
def test_norm_suffices_and_is_within_a_logarithm(case: int) -> None:
    random = Random(case)
    n, eps = random.randint(3, 60), Fraction(1, random.randint(3, 300))
    angles = [Angle.rope(random.choice([50, 10**4]), 32, k) for k in sorted(random.sample(range(1, 17), 3))]
    theta = np.array([float(angle.real) for angle in angles])
    found = aligned_norm(n, eps, [angle.expr for angle in angles])
    scale = float(found["squared norm"].value)
    assert all(attention(scale * 1.001, theta, m, r) > 1 - eps for m in range(2, n + 1) for r in (0, m // 2, m - 1))
    # One competitor at the worst gap alone takes eps at a norm that is short of it by log(n - 1).
    t = worst_gap(n, angles).t
    short = scale * float(np.log(float((1 - eps) / eps))) / float(found["logit gap"].value)
    assert attention(short * 0.999, theta, t + 1, 0) < 1 - eps


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="no rational number between 0 and 1"):
        quantities()["aligned-norm"].evaluate({"n": "5", "eps": "1", "frequencies": "[1]"})
    with pytest.raises(InputError, match="return within n=5"):
        quantities()["aligned-norm"].evaluate({"n": "5", "eps": "1/2", "frequencies": '["pi/2"]'})


def test_shared_tokens_and_aligned_keys_in_torch(ledger: Submissions) -> None:
    def diagonal() -> Iterator[Case]:
        generator = torch.Generator().manual_seed(641)
        for d in (2, 8, 64):
            for _ in range(20):
                w_q, w_k = torch.randn(2, d, d, dtype=torch.float64, generator=generator)
                bos, x = torch.randn(2, d, dtype=torch.float64, generator=generator)
                keys = torch.stack([bos, x, x]) @ w_k.T
                weights = torch.softmax(keys @ (w_q @ x), 0)
                # Equal keys have bitwise equal products, up to the order of summation.
                yield {"d": d}, bool(weights[2] < 0.5 + 1e-12) and abs(float(weights[2] - weights[1])) < 1e-9

    def aligned() -> Iterator[Case]:
        generator = torch.Generator().manual_seed(5)
        for m in (1, 4, 32):
            theta = 10000.0 ** (-torch.arange(m, dtype=torch.float64) / m)
            for r in (0, 1, 5, 30):
                query = torch.view_as_complex(torch.randn(m, 2, dtype=torch.float64, generator=generator))
                positions = torch.arange(1, 32, dtype=torch.float64)[:, None]
                turns = torch.polar(torch.ones_like(positions * theta), positions * theta)
                key = query * torch.polar(torch.ones_like(theta), r * theta)
                logits = ((key * turns).conj() * (query * turns[-1])).real.sum(1)
                yield {"m": m, "r": r}, int(logits.argmax()) == 30 - r

    ledger.submit("barbero-nope-diagonal", Constructed("random projections, repeated token", diagonal()))
    ledger.submit("barbero-basics", Constructed("random queries with turned keys", aligned()))


def test_sharpness_of_the_odds() -> None:
    """With two competitors at equal gaps the weight is 1 - eps exactly at the bound: a little less does not do."""
    claim = discover()["barbero-attention-bound"]
    slack = Weight(lambda N, eps: (N - 1) * (1 - eps) / eps * Fraction(99, 100))
    assert any(piece.outcome is Outcome.REFUTED for piece in claim.check(slack, False))
    assert claim.examine(STATEMENT).outcome is Outcome.HOLDS
