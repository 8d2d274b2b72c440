"""Scores of a layer as others meet them: what they hold, rows, intervals, nulls of an architecture, and bad input."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

import pytest
import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from empirical.rotary import Rotary
from empirical.scores.bootstrap import Resampling
from empirical.scores.head_scores import pure
from empirical.scores.records import head_rows
from empirical.scores.score import score_layer
from empirical.scores.settings import Settings
from tests.score_rerun import definition, drawn_heads, orders
from theory.errors import InputError

CONFIG = DecoderConfig(vocabulary=12, layers=2, heads=2, width=16)


def decoder(seed: int) -> Decoder:
    torch.manual_seed(seed)
    model = Decoder(CONFIG).double().eval()
    for parameter in model.parameters():
        parameter.data.mul_(8)  # as drawn, attention is uniform
    return model


def test_decoder_layers_run_again() -> None:
    """Contents are exchanged in the residual stream that enters a block of the decoder."""
    model, tokens, n = decoder(1), torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6]]), 8
    swaps = [(i, j) for i in range(n - 1) for j in range(i + 1, n - 1)]
    x = model.embedding(tokens)
    blocks: Any = model.blocks
    for heads, block in zip(model.heads(tokens), blocks, strict=True):
        found, attention = score_layer(heads), block.attention
        moved = block.norm(x[0][orders(n, swaps, 1)])
        q, k = attention.by_head(attention.query(moved)), attention.by_head(attention.key(moved))
        after = attention.weights(q, k, model.phases(heads.layer, n))[:, :, -1]
        assert heads.attention is not None
        direct = definition(heads.attention[0, :, -1], after, swaps, 1, 1e-4)
        for one, other in zip(direct, (found.positional[0], found.symbolic[0]), strict=True):
            # The decoder forms its rotation in an order of its own; attention is then off by some n u, alpha by 1/tau.
            assert (one - other).abs().max() <= 1e-9
        assert torch.allclose(found.first_weight, heads.attention[:, :, -1, 0], atol=1e-12)
        x = block(x, model.phases(heads.layer, n), rows=n)


def test_entropy_is_that_of_the_attention() -> None:
    model = decoder(2)
    tokens = torch.randint(0, 12, (3, 9), generator=torch.Generator().manual_seed(3))
    for heads in model.heads(tokens):
        assert heads.attention is not None
        found, weights = score_layer(heads), heads.attention[:, :, -1]
        entropy = -(weights * weights.clamp_min(1e-300).log()).sum(-1)
        assert torch.allclose(found.entropy, entropy, atol=1e-10)
        assert torch.allclose(found.relative_entropy(), entropy / log(9), atol=1e-10)


def test_entropy_of_one_key_and_of_all() -> None:
    heads = drawn_heads()
    peaked = score_layer(replace(heads, scale=1e4))
    assert (peaked.entropy >= 0).all() and float(peaked.entropy.min()) < 1e-9
    flat = score_layer(replace(heads, scale=0.0))
    assert torch.allclose(flat.relative_entropy(), torch.ones(3, 4, dtype=torch.float64))
    assert flat.counted.exclusion().isnan().all()


@pytest.mark.parametrize(
    ("positional", "symbolic", "gamma", "expected"),
    [
        (0.9, 0.1, 0.1, "positional"),
        (0.1, 0.9, 0.1, "symbolic"),
        (0.95, 0.11, 0.1, ""),
        (0.89, 0.1, 0.1, ""),
        (0.93, 0.04, 0.05, ""),
        (1.0, 1.0, 0.1, ""),
        (float("nan"), float("nan"), 0.1, ""),
    ],
)
def test_purity(positional: float, symbolic: float, gamma: float, expected: str) -> None:
    assert pure(positional, symbolic, gamma) == expected


def test_purity_is_of_averages_over_prompts() -> None:
    found = score_layer(replace(drawn_heads(size=4.0), rotary=Rotary.identity()))
    purity = found.counted.purity(0.1)
    assert purity == ["symbolic" if p <= 0.1 else "" for p in found.positional.mean(0).tolist()]
    assert "symbolic" in purity and [row["pure"] for row in head_rows(found, Resampling())] == purity


def not_finite(vectors: Tensor) -> Tensor:
    vectors[2, 1, -1, 0] = torch.nan
    return vectors


@pytest.mark.parametrize(
    ("heads", "settings", "words"),
    [
        (drawn_heads(n=2), {}, "no two earlier tokens.*n >= 3"),
        (drawn_heads(), {"query": 2}, "no two earlier tokens"),
        (drawn_heads(), {"query": 0}, "query=0 is no position"),
        (drawn_heads(), {"query": 7}, "query=7 is outside prompts of 6 tokens"),
        (drawn_heads(), {"query": -7}, "query=-7 is outside"),
        (drawn_heads(), {"tau": 0.0}, "tau=0.0"),
        (drawn_heads(), {"tau": float("nan")}, "tau=nan"),
        (drawn_heads(), {"temperature": -1.0}, "temperature=-1.0"),
        (drawn_heads(), {"block": 0}, "block=0"),
        (drawn_heads(), {"block": 3}, "block=3 is more than half of the 5"),
        (drawn_heads(), {"gamma": 0.5}, "gamma=0.5"),
        (replace(drawn_heads(), window=2), {}, "a window of 2 tokens"),
        (replace(drawn_heads(), keys=drawn_heads().keys[:, :, 1:]), {}, "layer 3: queries .* do not belong together"),
        (replace(drawn_heads(), keys=drawn_heads().keys[:, [0, 0, 0]]), {}, "key heads that divide"),
        (
            replace(drawn_heads(), queries=not_finite(drawn_heads().queries)),
            {},
            "query head 1, prompt 2: .* not finite",
        ),
        (
            replace(drawn_heads(), keys=not_finite(drawn_heads().keys)),
            {},
            "layer 3, key head 1, .* the key is not",
        ),
    ],
)
def test_bad_input_is_named(heads: LayerHeads, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        score_layer(heads, **settings)
    assert "\n" not in str(error.value)


def test_exclusion_without_the_first_token_is_that_of_the_others() -> None:
    whole, out_of_sight = score_layer(drawn_heads()), score_layer(replace(drawn_heads(), window=5))
    assert torch.allclose(whole.without_first.variance, out_of_sight.counted.variance, rtol=1e-12)
    assert torch.allclose(whole.without_first.bound, out_of_sight.counted.bound, rtol=1e-12)


def test_vectors_out_of_sight_may_be_anything() -> None:
    heads = drawn_heads()
    keys = heads.keys.clone()
    keys[:, :, [0, 5]] = torch.nan
    found = score_layer(replace(heads, keys=keys, window=4), query=5)
    assert found.keys == 4 and not found.positional.isnan().any()


def test_settings_say_what_was_scored() -> None:
    assert str(Settings()) == (
        "last token of the prompt as query, swaps of single tokens among earlier keys in its window, "
        "the first token among them unless said, tau 0.0001, pure at gamma 0.1"
    )
    changed = str(Settings(query=-2, block=4, temperature=0.5))
    assert "token 2 from the end" in changed and "blocks of 4" in changed and "temperature 0.5" in changed
    assert "95% percentile" in str(Resampling()) and "seed 0" in str(Resampling())
