"""Scores of a layer as others meet them: what they hold, rows, intervals, nulls of an architecture, and bad input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import log
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from empirical.rotary import Rotary
from empirical.scores.bootstrap import Resampling
from empirical.scores.head_scores import pure
from empirical.scores.random_weights import RandomWeights, random_weights
from empirical.scores.records import head_rows, plane_rows
from empirical.scores.score import score_layer
from empirical.scores.settings import Settings
from tests.score_rerun import definition, orders
from theory.errors import InputError

CONFIG = DecoderConfig(vocabulary=12, layers=2, heads=2, width=16)


def layer(seed: int = 0, *, prompts: int = 3, n: int = 6, size: float = 1.0) -> LayerHeads:
    random = torch.Generator().manual_seed(seed)
    queries = size * torch.randn(prompts, 4, n, 6, dtype=torch.float64, generator=random)
    keys = size * torch.randn(prompts, 2, n, 6, dtype=torch.float64, generator=random)
    return LayerHeads(3, queries, keys, Rotary.adjacent([1.0, 0.1]), 0.5)


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
    heads = layer()
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
    found = score_layer(replace(layer(size=4.0), rotary=Rotary.identity()))
    purity = found.counted.purity(0.1)
    assert purity == ["symbolic" if p <= 0.1 else "" for p in found.positional.mean(0).tolist()]
    assert "symbolic" in purity and [row["pure"] for row in head_rows(found, Resampling())] == purity


def test_rows_hold_each_number_with_its_interval_and_nulls() -> None:
    found, resampling = score_layer(layer(), planes=True), Resampling(resamples=50)
    untrained = random_weights(lambda seed: [layer(seed)], (5, 6), score_layer)
    rows = head_rows(found, resampling, untrained)
    assert [(row["layer"], row["head"], row["prompts"]) for row in rows] == [(3, head, 3) for head in range(4)]
    for head, row in enumerate(rows):
        assert row["s_pos"] == float(found.positional[:, head].mean())
        assert row["s_sym_without_first"] == float(found.without_first.symbolic[:, head].mean())
        for name, ending in product(("s_pos", "s_sym"), ("", "_without_first")):
            assert row[f"{name}_low{ending}"] <= row[name + ending] <= row[f"{name}_high{ending}"]
        assert row["null_random"] == float(found.counted.nulls.random[:, head].mean())
        assert row["exclusion"] == float(found.counted.exclusion()[:, head].max()) <= 1
        assert row["null_untrained_s_pos_mean"] == untrained.positional[3].mean
        assert (row["query"], row["query_position"], row["tau"], row["block"], row["keys"]) == (-1, 6, 1e-4, 1, 6)
    json.dumps(rows, allow_nan=False)


def test_exclusion_of_a_row_is_the_largest_that_is_defined() -> None:
    heads = layer()
    queries = heads.queries.clone()
    queries[1] = 0
    found = score_layer(replace(heads, queries=queries))
    ratios = found.counted.exclusion()
    assert ratios[1].isnan().all() and not ratios[[0, 2]].isnan().any()
    rows = head_rows(found, Resampling(resamples=5))
    assert [row["exclusion"] for row in rows] == ratios[[0, 2]].amax(0).tolist()
    assert head_rows(score_layer(replace(heads, scale=0.0)), Resampling(resamples=5))[0]["exclusion"] is None


def test_rows_of_planes_add_up() -> None:
    found = score_layer(layer(), planes=True)
    rows = list(plane_rows(found))
    assert [row["plane"] for row in rows[:3]] == [1, 2, "none"] and len(rows) == 12
    assert [row["frequency"] for row in rows[:3]] == [1.0, 0.1, 0.0]
    for head in range(4):
        mine = [row for row in rows if row["head"] == head]
        assert sum(row["share_of_size"] for row in mine) == pytest.approx(1)
        assert sum(row["share_of_variation"] for row in mine) == pytest.approx(1)
        assert mine[-1]["s_sym_alone"] == pytest.approx(1)
    assert "s_pos_alone" not in next(plane_rows(score_layer(layer())))


def test_scores_without_the_first_token_need_two_others() -> None:
    found = score_layer(layer(n=3))
    assert not found.positional.isnan().any() and found.without_first.positional.isnan().all()
    row = head_rows(found, Resampling(resamples=5))[0]
    assert row["s_pos_without_first"] is None and row["s_pos_low"] is not None
    json.dumps(head_rows(score_layer(layer(prompts=1)), Resampling()), allow_nan=False)
    json.dumps(list(plane_rows(score_layer(replace(layer(), scale=0.0)))), allow_nan=False)


def test_intervals_cover_the_mean_about_as_often_as_they_say() -> None:
    random = torch.Generator().manual_seed(11)
    values = torch.rand(60, 400, dtype=torch.float64, generator=random) ** 2
    low, high = Resampling(level=0.9, resamples=400).interval(values)
    covered = float(((low <= 1 / 3) & (high >= 1 / 3)).double().mean())
    # 400 independent columns: four standard errors of a share of 0.9 are 0.06; the percentile interval is a bit narrow.
    assert 0.82 <= covered <= 0.96


def test_intervals_are_those_of_a_plain_bootstrap() -> None:
    values = torch.rand(7, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    low, high = Resampling(level=0.5, resamples=4000, seed=3).interval(values)
    draws = np.random.default_rng(0).integers(0, 7, (4000, 7))
    quartiles = np.quantile(values.numpy()[draws].mean(1), (0.25, 0.75), axis=0)
    assert np.abs(np.stack([low, high]) - quartiles).max() < 0.02
    again = Resampling(level=0.5, resamples=4000, seed=3).interval(values)
    assert again[0].equal(low) and again[1].equal(high)


def test_one_prompt_has_no_interval() -> None:
    low, high = Resampling().interval(torch.ones(1, 4))
    assert low.shape == (4,) and low.isnan().all() and high.isnan().all()


def test_random_weights_pool_heads_and_seeds() -> None:
    config = replace(CONFIG, layers=1)
    tokens = torch.randint(0, 12, (4, 7), generator=torch.Generator().manual_seed(0))

    def capture(seed: int) -> Iterator[LayerHeads]:
        torch.manual_seed(seed)
        return Decoder(config).eval().heads(tokens)

    found = random_weights(capture, range(5), score_layer)
    assert isinstance(found, RandomWeights) and found.seeds == (0, 1, 2, 3, 4)
    every = torch.cat([score_layer(heads).positional.mean(0) for seed in range(5) for heads in capture(seed)])
    spread = found.positional[0]
    assert spread.mean == pytest.approx(float(every.mean()))
    assert spread.low <= float(every.median()) <= spread.high
    steep = random_weights(lambda seed: [layer(seed, size=2.0)], (1,), score_layer)
    scores = score_layer(layer(1, size=2.0))
    assert steep.positional[3].mean == pytest.approx(float(scores.positional.mean()))
    assert steep.symbolic[3].mean == pytest.approx(float(scores.symbolic.mean())) != steep.positional[3].mean
    # Small weights attend to everything alike, and both scores are high.
    assert spread.low > 0.99 and found.symbolic[0].low > 0.99


def not_finite(vectors: Tensor) -> Tensor:
    vectors[2, 1, -1, 0] = torch.nan
    return vectors


@pytest.mark.parametrize(
    ("heads", "settings", "words"),
    [
        (layer(n=2), {}, "no two earlier tokens.*n >= 3"),
        (layer(), {"query": 2}, "no two earlier tokens"),
        (layer(), {"query": 0}, "query=0 is no position"),
        (layer(), {"query": 7}, "query=7 is outside prompts of 6 tokens"),
        (layer(), {"query": -7}, "query=-7 is outside"),
        (layer(), {"tau": 0.0}, "tau=0.0"),
        (layer(), {"tau": float("nan")}, "tau=nan"),
        (layer(), {"temperature": -1.0}, "temperature=-1.0"),
        (layer(), {"block": 0}, "block=0"),
        (layer(), {"block": 3}, "block=3 is more than half of the 5"),
        (layer(), {"gamma": 0.5}, "gamma=0.5"),
        (replace(layer(), window=2), {}, "a window of 2 tokens"),
        (replace(layer(), keys=layer().keys[:, :, 1:]), {}, "layer 3: queries .* do not belong together"),
        (replace(layer(), keys=layer().keys[:, [0, 0, 0]]), {}, "key heads that divide"),
        (
            replace(layer(), queries=not_finite(layer().queries)),
            {},
            "query head 1, prompt 2: .* not finite",
        ),
        (replace(layer(), keys=not_finite(layer().keys)), {}, "layer 3, key head 1, prompt 2: the key is not finite"),
    ],
)
def test_bad_input_is_named(heads: LayerHeads, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        score_layer(heads, **settings)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("level", "resamples", "words"), [(1.0, 10, "level=1.0"), (0.9, 0, "resamples=0")])
def test_bad_resampling_is_named(level: float, resamples: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Resampling(level, resamples)


def test_no_seed_is_named() -> None:
    with pytest.raises(InputError, match=r"seeds=\(\)"):
        random_weights(lambda seed: [layer(seed)], (), score_layer)


def test_exclusion_without_the_first_token_is_that_of_the_others() -> None:
    whole, out_of_sight = score_layer(layer()), score_layer(replace(layer(), window=5))
    assert torch.allclose(whole.without_first.variance, out_of_sight.counted.variance, rtol=1e-12)
    assert torch.allclose(whole.without_first.bound, out_of_sight.counted.bound, rtol=1e-12)


def test_vectors_out_of_sight_may_be_anything() -> None:
    heads = layer()
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
