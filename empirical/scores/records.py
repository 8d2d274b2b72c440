"""Scores as flat rows, for CSV and JSON: each number with its interval, its nulls and how it was taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from empirical.scores.bootstrap import Resampling
from empirical.scores.head_scores import HeadScores, Scores
from empirical.scores.nulls import CONSTANT
from empirical.scores.random_weights import RandomWeights

Row = dict[str, Any]


def head_rows(found: HeadScores, resampling: Resampling, untrained: RandomWeights | None = None) -> list[Row]:
    """One row a head: averages over prompts, with the ends of their intervals (`..._low`, `..._high`).

    `s_pos`, `s_sym` and what belongs to them count all swaps; names that end in `_without_first` leave the first token
    in its place. `exclusion` is the largest ratio of variance to bound over the prompts. A number is None where it is
    not defined: without a swap, an interval of one prompt, a ratio where all logits agree.
    """
    prompts, heads = found.positional.shape
    columns: dict[str, Tensor] = {}
    for ending, scores in (("", found.counted), ("_without_first", found.without_first)):
        columns |= {name + ending: values for name, values in _columns(scores, resampling).items()}
    columns |= {
        "entropy": found.entropy.mean(0),
        "relative_entropy": found.relative_entropy().mean(0),
        "first_weight": found.first_weight.mean(0),
        "frequency_id": found.use.mean_id().nanmean(0),
    }
    shared: Row = {"prompts": prompts, "query_position": found.query, "keys": found.keys, "null_constant": CONSTANT}
    if untrained is not None:
        for name, spread in (("pos", untrained.positional), ("sym", untrained.symbolic)):
            shared |= {f"null_untrained_s_{name}_{key}": value for key, value in asdict(spread[found.layer]).items()}
    pure, pure_without_first = (scores.purity(found.settings.gamma) for scores in (found.counted, found.without_first))
    return [
        {"layer": found.layer, "head": head, "pure": pure[head], "pure_without_first": pure_without_first[head]}
        | {name: _number(values[head]) for name, values in columns.items()}
        | shared
        | asdict(found.settings)
        for head in range(heads)
    ]


def _number(value: Tensor) -> float | None:
    """None in place of NaN, which JSON does not have."""
    return None if bool(value.isnan()) else float(value)


def _columns(scores: Scores, resampling: Resampling) -> dict[str, Tensor]:
    columns: dict[str, Tensor] = {}
    for name, values in (("s_pos", scores.positional), ("s_sym", scores.symbolic)):
        low, high = resampling.interval(values)
        columns |= {name: values.mean(0), f"{name}_low": low, f"{name}_high": high}
    ratios = scores.exclusion()
    return columns | {
        "null_pure": scores.nulls.pure.mean(0),
        "null_random": scores.nulls.random.mean(0),
        "null_everything": scores.nulls.everything.mean(0),
        "exclusion": ratios.nan_to_num(nan=-torch.inf).amax(0).where(~ratios.isnan().all(0), torch.nan),
    }


def plane_rows(found: HeadScores) -> Iterator[Row]:
    """One row a head and plane, from 1, and one for the coordinates that are not rotated: plane "none", frequency 0."""
    size, variation = found.use.size.mean(0), found.use.variation.nanmean(0)
    frequencies = [*found.frequencies.tolist(), 0.0]
    alone = found.planes and (found.planes.positional.mean(0), found.planes.symbolic.mean(0))
    for head in range(len(size)):
        for plane, frequency in enumerate(frequencies):
            row: Row = {"layer": found.layer, "head": head}
            row |= {"plane": plane + 1 if plane < len(frequencies) - 1 else "none", "frequency": frequency}
            row |= {"share_of_size": _number(size[head, plane]), "share_of_variation": _number(variation[head, plane])}
            if alone:
                row |= {"s_pos_alone": _number(alone[0][head, plane]), "s_sym_alone": _number(alone[1][head, plane])}
            yield row
