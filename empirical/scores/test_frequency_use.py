"""Shares of planes, against plain sums, and planes alone against heads of one plane."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.rotary import Rotary
from empirical.scores.score import score_layer

FREQUENCIES = torch.tensor([1.0, 0.2], dtype=torch.float64)


def drawn(seed: int, rotary: Rotary, *, n: int = 7, d: int = 6) -> LayerHeads:
    random = torch.Generator().manual_seed(seed)
    queries = torch.randn(2, 4, n, d, dtype=torch.float64, generator=random)
    keys = torch.randn(2, 2, n, d, dtype=torch.float64, generator=random)
    return LayerHeads(3, queries, keys, rotary, 0.5)


def by_plane(heads: LayerHeads) -> Tensor:
    """Contributions (prompts, heads, keys, planes + 1) of both sides turned by their own positions."""
    n = heads.queries.shape[2]
    positions = torch.arange(1, n + 1)
    q = heads.rotary.rotate(heads.queries, positions)[:, :, -1:]
    k = heads.rotary.rotate(heads.keys, positions).repeat_interleave(2, dim=1)
    terms = heads.scale * q * k
    planes = [terms[..., pair].sum(-1) for pair in heads.rotary.pairs]
    return torch.stack([*planes, terms.sum(-1) - sum(planes)], dim=-1)


@pytest.mark.parametrize(
    "rotary",
    [Rotary.adjacent(FREQUENCIES), Rotary(FREQUENCIES, torch.tensor([[5, 0], [2, 3]]), 1.5), Rotary.identity()],
)
def test_shares_are_those_of_the_contributions(rotary: Rotary) -> None:
    heads = drawn(1, rotary)
    use, parts = score_layer(heads).use, by_plane(heads)
    size = parts.abs().sum(2)
    assert torch.allclose(use.size, size / size.sum(-1, keepdim=True), atol=1e-13)
    logits = parts.sum(-1, keepdim=True)
    covariance = ((parts - parts.mean(2, keepdim=True)) * (logits - logits.mean(2, keepdim=True))).mean(2)
    assert torch.allclose(use.variation, covariance / logits.var(2, correction=0), atol=1e-12)
    for shares in (use.size, use.variation):
        assert torch.allclose(shares.sum(-1), torch.ones(2, 4, dtype=torch.float64), atol=1e-12)


def test_a_plane_that_is_alike_for_all_keys_varies_nothing() -> None:
    """A large constant in one plane of frequency 0: all of the size, none of the variation."""
    heads = drawn(2, Rotary.adjacent(torch.tensor([0.0, 0.2])))
    keys = heads.keys.clone()
    keys[..., :2] = torch.tensor([1e3, -1e3], dtype=torch.float64)
    use = score_layer(replace(heads, keys=keys)).use
    assert (use.size[..., 0] > 0.9).all()
    assert (use.variation[..., 0].abs() < 1e-9).all()


def test_equal_logits_have_no_shares_of_variation() -> None:
    heads = drawn(3, Rotary.identity())
    equal = replace(heads, keys=heads.keys[:, :, :1].expand_as(heads.keys))
    found = score_layer(equal)
    assert found.use.variation.isnan().all() and not found.use.size.isnan().any()
    assert torch.allclose(found.positional, torch.ones(2, 4, dtype=torch.float64))


def test_mean_id_weights_planes_by_their_share() -> None:
    use = score_layer(drawn(4, Rotary.adjacent(FREQUENCIES))).use
    first, second, _ = use.size.unbind(-1)
    assert torch.allclose(use.mean_id(), (first + 2 * second) / (first + second), atol=1e-14)


@pytest.mark.parametrize("softcap", [None, 0.7])
def test_planes_alone_are_heads_of_one_plane(softcap: float | None) -> None:
    rotary = Rotary(FREQUENCIES, torch.tensor([[5, 0], [2, 3]]), 1.5)
    heads = replace(drawn(5, rotary), softcap=softcap)
    alone = score_layer(heads, planes=True).planes
    assert alone is not None and alone.positional.shape == (2, 4, 3)
    for plane, kept in enumerate(([5, 0], [2, 3], [1, 4])):
        only = torch.zeros(6, dtype=torch.float64)
        only[kept] = 1
        found = score_layer(replace(heads, queries=heads.queries * only))
        assert torch.allclose(alone.positional[..., plane], found.positional, atol=1e-10)
        assert torch.allclose(alone.symbolic[..., plane], found.symbolic, atol=1e-10)
    # What is not rotated cannot tell positions apart.
    assert torch.allclose(alone.symbolic[..., 2], torch.ones(2, 4, dtype=torch.float64))
