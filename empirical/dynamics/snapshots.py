"""The heads of one model at one moment of its training, as flat rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.scores.bootstrap import Resampling
from empirical.scores.head_scores import HeadScores, pure
from empirical.scores.records import Row, head_rows
from empirical.scores.score import score_layer
from empirical.scores.settings import Settings

KINDS = ("positional", "symbolic", "mixed", "indifferent")
_COLUMNS = (
    "layer",
    "head",
    *(name + end for name in ("s_pos", "s_sym") for end in ("", "_low", "_high")),
    "entropy",
    "relative_entropy",
    "frequency_id",
    "exclusion",
    "null_pure",
    "null_random",
    "null_everything",
)


def kind(positional: float, symbolic: float, gamma: float) -> str:
    """What a head is by its two scores: pure, indifferent (both at least 1 - gamma), or mixed, which is all else.

    A head that attends to all tokens alike is indifferent.
    """
    both = min(positional, symbolic) >= 1 - gamma
    return pure(positional, symbolic, gamma) or ("indifferent" if both else "mixed")


def rows_of(layers: Iterable[LayerHeads], settings: Settings, hops: Tensor) -> list[Row]:
    """A row a head: averages over prompts with their intervals, both scores by the hops of the prompts, (prompts,).

    `prompts_KIND` is the share of the prompts on which the head is of that kind.
    """
    return [row for heads in layers for row in _rows(score_layer(heads, **asdict(settings)), settings.gamma, hops)]


def _rows(found: HeadScores, gamma: float, hops: Tensor) -> Iterable[Row]:
    for row in head_rows(found, Resampling()):
        positional, symbolic = found.positional[:, row["head"]], found.symbolic[:, row["head"]]
        kinds = [kind(*pair, gamma) for pair in zip(positional.tolist(), symbolic.tolist(), strict=True)]
        shares: dict[str, Any] = {f"prompts_{name}": kinds.count(name) / len(kinds) for name in KINDS}
        by_hops = {
            str(each): {"s_pos": float(positional[hops == each].mean()), "s_sym": float(symbolic[hops == each].mean())}
            for each in hops.unique().tolist()
        }
        yield {name: row[name] for name in _COLUMNS} | shares | {"by_hops": by_hops}
