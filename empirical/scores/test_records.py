"""Scores as rows, with intervals over prompts and the nulls of an architecture."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from empirical.capture.heads import LayerHeads
from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from empirical.scores.bootstrap import Resampling
from empirical.scores.random_weights import RandomWeights, random_weights
from empirical.scores.records import head_rows, plane_rows
from empirical.scores.score import score_layer
from tests.score_rerun import drawn_heads
from theory.errors import InputError


def test_rows_hold_each_number_with_its_interval_and_nulls() -> None:
    found, resampling = score_layer(drawn_heads(), planes=True), Resampling(resamples=50)
    untrained = random_weights(lambda seed: [drawn_heads(seed)], (5, 6), score_layer)
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
    heads = drawn_heads()
    queries = heads.queries.clone()
    queries[1] = 0
    found = score_layer(replace(heads, queries=queries))
    ratios = found.counted.exclusion()
    assert ratios[1].isnan().all() and not ratios[[0, 2]].isnan().any()
    rows = head_rows(found, Resampling(resamples=5))
    assert [row["exclusion"] for row in rows] == ratios[[0, 2]].amax(0).tolist()
    assert head_rows(score_layer(replace(heads, scale=0.0)), Resampling(resamples=5))[0]["exclusion"] is None


def test_rows_of_planes_add_up() -> None:
    found = score_layer(drawn_heads(), planes=True)
    rows = list(plane_rows(found))
    assert [row["plane"] for row in rows[:3]] == [1, 2, "none"] and len(rows) == 12
    assert [row["frequency"] for row in rows[:3]] == [1.0, 0.1, 0.0]
    for head in range(4):
        mine = [row for row in rows if row["head"] == head]
        assert sum(row["share_of_size"] for row in mine) == pytest.approx(1)
        assert sum(row["share_of_variation"] for row in mine) == pytest.approx(1)
        assert mine[-1]["s_sym_alone"] == pytest.approx(1)
    assert "s_pos_alone" not in next(plane_rows(score_layer(drawn_heads())))


def test_scores_without_the_first_token_need_two_others() -> None:
    found = score_layer(drawn_heads(n=3))
    assert not found.positional.isnan().any() and found.without_first.positional.isnan().all()
    row = head_rows(found, Resampling(resamples=5))[0]
    assert row["s_pos_without_first"] is None and row["s_pos_low"] is not None
    json.dumps(head_rows(score_layer(drawn_heads(prompts=1)), Resampling()), allow_nan=False)
    json.dumps(list(plane_rows(score_layer(replace(drawn_heads(), scale=0.0)))), allow_nan=False)


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
    config = DecoderConfig(vocabulary=12, layers=1, heads=2, width=16)
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
    steep = random_weights(lambda seed: [drawn_heads(seed, size=2.0)], (1,), score_layer)
    scores = score_layer(drawn_heads(1, size=2.0))
    assert steep.positional[3].mean == pytest.approx(float(scores.positional.mean()))
    assert steep.symbolic[3].mean == pytest.approx(float(scores.symbolic.mean())) != steep.positional[3].mean
    # Small weights attend to everything alike, and both scores are high.
    assert spread.low > 0.99 and found.symbolic[0].low > 0.99


@pytest.mark.parametrize(("level", "resamples", "words"), [(1.0, 10, "level=1.0"), (0.9, 0, "resamples=0")])
def test_bad_resampling_is_named(level: float, resamples: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Resampling(level, resamples)


def test_no_seed_is_named() -> None:
    with pytest.raises(InputError, match=r"seeds=\(\)"):
        random_weights(lambda seed: [drawn_heads(seed)], (), score_layer)
