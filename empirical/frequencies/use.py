"""Frequency use by layer, with the scores of the head, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.frequencies.paper import reported
from empirical.scores.bootstrap import Resampling
from empirical.scores.frequency_use import contributions
from empirical.scores.head_scores import HeadScores
from empirical.scores.logit_matrix import views
from empirical.scores.records import head_rows
from empirical.scores.score import score_layer
from empirical.scores.settings import Settings
from empirical.subjects import Subject

FOREMOST = 3  # planes that are named


@dataclass(frozen=True)
class Request:
    """Sequences to measure on, and the seed of them and of the intervals."""

    sequences: int = 256
    seed: int = 0


def rows(subject: Subject, request: Request) -> list[dict[str, Any]]:
    """One row a head: its scores, its frequency numbers with intervals, shares of all planes, and the paper's number.

    `id_by_size` weights the number of a plane, from 1, by its share of sum_j |c_k(j)| (frequency_use.py), `id_by_norm`
    by |q_k| |k_k(j)|, which does not know how the two lie to each other, `id_by_variance` by the variance of c_k(j)
    over the keys. The paper does not say what it weights by.
    """
    tokens = subject.sequences(request.sequences, request.seed)
    paper, resampling = reported(subject), Resampling(seed=request.seed)
    found = []
    for heads in subject.model.heads(tokens):
        scores = score_layer(heads)
        numbers = {
            "id_by_size": scores.use.mean_id(),
            "id_by_norm": mean_id_by_norm(heads),
            "id_by_variance": mean_id_by_variance(heads),
        }
        intervals = {name: (values.mean(0), *resampling.interval(values)) for name, values in numbers.items()}
        for row in head_rows(scores, resampling):
            head = row["head"]
            found.append(
                {name: row[name] for name in _SCORES}
                | {
                    name + ending: _number(value[head])
                    for name, values in intervals.items()
                    for ending, value in zip(("", "_low", "_high"), values, strict=True)
                }
                | _planes(scores, head)
                | {"paper": None if paper is None else paper[heads.layer]}
            )
    return found


_SCORES = ("layer", "head", "pure", "s_pos", "s_pos_low", "s_pos_high", "s_sym", "s_sym_low", "s_sym_high", "entropy")


def mean_id_by_norm(heads: LayerHeads) -> Tensor:
    """The average number of a plane, from 1, weighted by |q_k| times the mean of |k_k(j)|, for the last query.

    (prompts, heads).
    """
    pairs = heads.rotary.pairs
    group = heads.queries.shape[1] // heads.keys.shape[1]
    q = heads.queries[:, :, -1].double()[..., pairs].square().sum(-1).sqrt()
    k = heads.keys.double()[..., pairs].square().sum(-1).sqrt().mean(2).repeat_interleave(group, dim=1)
    return _mean_id(q * k)


def mean_id_by_variance(heads: LayerHeads) -> Tensor:
    """The average number of a plane, weighted by the variance over the keys of what it adds, for the last query.

    (prompts, heads).
    """
    parts = [contributions(view, heads.rotary)[..., :-1].var(-2, correction=0) for view in views(heads, Settings())]
    return _mean_id(torch.cat(parts).unflatten(0, (len(heads.queries), -1)))


def _mean_id(weights: Tensor) -> Tensor:
    return (weights * torch.arange(1, weights.shape[-1] + 1)).sum(-1) / weights.sum(-1)


def foremost(shares: Iterable[float]) -> list[int]:
    """The planes with the largest shares, numbers from 1, largest first."""
    values = list(shares)
    return sorted(range(1, len(values) + 1), key=lambda plane: -values[plane - 1])[:FOREMOST]


def steepest(found: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The head one plane of which has the largest share of the variation: there a picture of one plane says most."""
    return max(found, key=lambda row: max(row["variation"]))


def _planes(scores: HeadScores, head: int) -> dict[str, Any]:
    size, variation = scores.use.size.mean(0)[head, :-1], scores.use.variation.nanmean(0)[head, :-1]
    return {
        "size": size.tolist(),
        "variation": variation.nan_to_num().tolist(),
        "foremost_by_size": foremost(size.tolist()),
        "foremost_by_variation": foremost(variation.nan_to_num().tolist()),
    }


def _number(value: Tensor) -> float | None:
    return None if bool(value.isnan()) else float(value)
