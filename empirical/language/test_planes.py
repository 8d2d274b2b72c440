"""Roles of planes: against the definition, and on heads whose planes are known to be of one kind."""

from __future__ import annotations

from math import pi

import pytest
import torch

from empirical.capture.heads import LayerHeads
from empirical.language.planes import MIXED, POSITIONAL, SYMBOLIC, plane_roles, single
from empirical.rotary import Rotary
from empirical.scores.score import score_layer
from empirical.scores.settings import Settings
from theory.rope.scores.acting import deviations

N, DOUBLE = 9, torch.float64


def drawn(rotary: Rotary, heads: int = 4, groups: int = 2, prompts: int = 3) -> LayerHeads:
    random = torch.Generator().manual_seed(0)
    width = 2 * rotary.planes
    queries, keys = (torch.randn(prompts, h, N, width, generator=random, dtype=DOUBLE) for h in (heads, groups))
    return LayerHeads(2, queries, keys, rotary, scale=0.7)


@pytest.mark.parametrize("rotary", [Rotary.adjacent([1.0, 0.3, 0.01]), Rotary.half_split([-1.0, 0.3, 0.01])])
def test_deviations_are_those_of_the_definition(rotary: Rotary) -> None:
    heads = drawn(rotary)
    found = plane_roles(heads, Settings())
    for head in range(4):
        for plane in range(3):
            P = S = 0.0
            for prompt in range(3):
                q, k = heads.queries[prompt, head, -1], heads.keys[prompt, head // 2]
                kept = torch.zeros_like(q)
                kept[rotary.pairs[plane]] = 1
                at = rotary.rotate((kept * q)[None], torch.tensor([N - 1]))[0]
                M = [
                    [float(0.7 * rotary.rotate(k[c][None], torch.tensor([p]))[0] @ at) for p in range(N - 1)]
                    for c in range(N - 1)
                ]
                parts = deviations(M)
                P, S = P + parts[0], S + parts[1]
            assert float(found.P[head, plane]) == pytest.approx(P, rel=1e-12)
            assert float(found.S[head, plane]) == pytest.approx(S, rel=1e-12)
            assert float(found.balance()[head, plane]) == pytest.approx((S - P) / (S + P), rel=1e-12)


def test_roles() -> None:
    """Fast planes with equal keys are positional, slow ones with unequal keys symbolic, and the others mixed."""
    whole_turn = 2 * pi / N
    heads = drawn(Rotary.adjacent([1.0, whole_turn, 0.999 * whole_turn, 1e-3]), heads=1, groups=1)
    heads.keys[..., [0, 1, 2, 3, 4, 5]] = 1.0
    found = plane_roles(heads, Settings())
    assert found.fast.tolist() == [True, True, False, False]
    assert found.P[0, :3].tolist() == pytest.approx([0, 0, 0], abs=1e-20)
    assert [found.role(0, plane) for plane in range(4)] == [POSITIONAL, POSITIONAL, MIXED, SYMBOLIC]
    assert found.of_role(0, POSITIONAL) == [0, 1] and found.of_role(0, MIXED) == [2]


def test_shares_add_up() -> None:
    found = plane_roles(drawn(Rotary.adjacent([1.0, 0.3, 0.01])), Settings())
    assert torch.allclose(found.size.sum(1), torch.ones(4, dtype=DOUBLE))
    assert torch.allclose(found.variation.sum(1), torch.ones(4, dtype=DOUBLE))


def test_one_head_alone_scores_as_in_its_layer() -> None:
    heads = drawn(Rotary.adjacent([1.0, 0.3]))
    whole = score_layer(heads)
    for head in range(4):
        assert torch.allclose(score_layer(single(heads, head)).symbolic[:, 0], whole.symbolic[:, head])
