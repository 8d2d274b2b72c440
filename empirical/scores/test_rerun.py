"""Scores from one logit matrix are those of running the layer again for every swap."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from empirical.rotary import Rotary
from empirical.scores import logit_matrix
from empirical.scores.score import score_layer
from tests.score_rerun import Layer, rerun_scores

FREQUENCIES = [1.0, -0.31, 0.02]
ROTARIES = {
    "adjacent": Rotary.adjacent(FREQUENCIES),
    "half-split": Rotary.half_split(FREQUENCIES),
    "partial, with a factor": Rotary(torch.tensor([0.5, 2.0]), torch.tensor([[4, 1], [2, 5]]), factor=1.2),
    "none": Rotary.identity(),
}


def drawn(random: torch.Generator, *, prompts: int, n: int, **more: Any) -> tuple[Layer, Tensor]:
    layer = Layer.drawn(random, width=10, d=6, **more)
    return layer, torch.randn(prompts, n, 10, dtype=torch.float64, generator=random)


def assert_equal(layer: Layer, x: Tensor, at: int, **how: Any) -> None:
    found = score_layer(layer.heads(x), query=at, **how)
    tau = how["tau"]
    for drop, scores in ((0, found.counted), (1, found.without_first)):
        for prompt, tokens in enumerate(x):
            if at - 1 - drop < 2 * how.get("block", 1):
                assert scores.positional[prompt].isnan().all() and scores.symbolic[prompt].isnan().all()
                continue
            direct = rerun_scores(layer, tokens, at=at, drop=drop, **how)
            for one, other in zip(direct, (scores.positional[prompt], scores.symbolic[prompt]), strict=True):
                # Weights are good to some n u times the size of logits, and alpha to 1/tau of that.
                assert (one - other).abs().max() <= 1e-12 * (1 + 1e-2 / tau)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    rotary=st.sampled_from(sorted(ROTARIES)),
    groups=st.sampled_from([1, 2, 4]),
    size=st.sampled_from([0.3, 1.0, 3.0]),
    softcap=st.sampled_from([None, 2.0]),
    block=st.integers(1, 3),
    tau=st.sampled_from([1e-4, 0.1, 10.0]),
    temperature=st.sampled_from([1.0, 0.5]),
    length=st.integers(7, 11),
    back=st.integers(0, 3),
)
def test_scores_are_those_of_the_layer_run_again(
    seed: int,
    rotary: str,
    groups: int,
    size: float,
    softcap: float | None,
    block: int,
    tau: float,
    temperature: float,
    length: int,
    back: int,
) -> None:
    random = torch.Generator().manual_seed(seed)
    layer, x = drawn(
        random, prompts=2, n=length, heads=4, groups=groups, rotary=ROTARIES[rotary], size=size, softcap=softcap
    )
    at = max(length - back, 2 * block + 1)
    assert_equal(layer, x, at, tau=tau, block=block, temperature=temperature)


@pytest.mark.parametrize("window", [3, 5, 8, 9, 30])
def test_only_keys_in_the_window_are_swapped(window: int) -> None:
    random = torch.Generator().manual_seed(window)
    layer, x = drawn(random, prompts=3, n=9, heads=2, groups=1, rotary=ROTARIES["adjacent"], size=2.0, window=window)
    if window >= 9:
        assert_equal(layer, x, 9, tau=1e-4)
    else:
        # The first token is out of sight, so leaving it out changes nothing.
        found = score_layer(layer.heads(x))
        assert found.keys == window
        assert found.positional.equal(found.without_first.positional)
        direct = [rerun_scores(layer, tokens, at=9, tau=1e-4) for tokens in x]
        assert torch.allclose(found.positional, torch.stack([p for p, _ in direct]), rtol=0, atol=1e-10)
        assert torch.allclose(found.symbolic, torch.stack([s for _, s in direct]), rtol=0, atol=1e-10)


def test_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    random = torch.Generator().manual_seed(5)
    layer, x = drawn(random, prompts=3, n=8, heads=4, groups=2, rotary=ROTARIES["half-split"])
    whole = score_layer(layer.heads(x), planes=True)
    monkeypatch.setattr(logit_matrix, "CHUNK_BYTES", 5 * 8 * 64)
    parts = score_layer(layer.heads(x), planes=True)
    assert whole.planes is not None and parts.planes is not None
    for one, other in (
        (whole.positional, parts.positional),
        (whole.without_first.nulls.random, parts.without_first.nulls.random),
        (whole.use.variation, parts.use.variation),
        (whole.planes.symbolic, parts.planes.symbolic),
    ):
        assert one.shape[:2] == (3, 4)
        assert torch.allclose(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_narrow_vectors_are_widened_first(dtype: torch.dtype) -> None:
    random = torch.Generator().manual_seed(9)
    layer, x = drawn(random, prompts=2, n=8, heads=2, groups=2, rotary=ROTARIES["adjacent"])
    heads = layer.heads(x)
    narrow = replace(heads, queries=heads.queries.to(dtype), keys=heads.keys.to(dtype))
    wide = replace(narrow, queries=narrow.queries.double(), keys=narrow.keys.double())
    found, expected = score_layer(narrow).symbolic, score_layer(wide).symbolic
    assert found.dtype == torch.float64 and found.equal(expected)


def test_any_query_counts_from_both_ends() -> None:
    random = torch.Generator().manual_seed(3)
    layer, x = drawn(random, prompts=2, n=9, heads=2, groups=1, rotary=ROTARIES["adjacent"])
    heads = layer.heads(x)
    assert score_layer(heads, query=-3).positional.equal(score_layer(heads, query=7).positional)
    assert score_layer(heads).query == 9
