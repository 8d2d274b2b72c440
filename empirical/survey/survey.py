"""All heads of a model scored on prompts of one length, a few prompts at a time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import torch

from empirical.capture.heads import LayerHeads
from empirical.capture.observed import Adapter
from empirical.capture.self_test import SelfTest
from empirical.scores.bootstrap import Resampling
from empirical.scores.head_scores import HeadScores
from empirical.scores.random_weights import RandomWeights, Spread
from empirical.scores.records import Row, head_rows, plane_rows
from empirical.scores.score import score_layer
from empirical.scores.settings import Settings
from empirical.survey.parts import Layers, Parts, together

TOKENS_AT_ONCE = 512


@dataclass(frozen=True)
class Subject:
    """What is scored: a model, by the sha256 of its weights and, if they were replaced by random ones, their seed."""

    model: str
    sha256: str
    seed: int | None = None

    def __str__(self) -> str:
        return self.model if self.seed is None else f"{self.model}, random weights (seed {self.seed})"


@dataclass(frozen=True)
class Survey:
    """The scores of one model on `prompts`, token numbers all of one length."""

    subject: Subject
    prompts: Sequence[Sequence[int]]
    self_test: SelfTest
    layers: Layers

    @property
    def length(self) -> int:
        """Tokens of each prompt."""
        return len(self.prompts[0])

    @property
    def settings(self) -> Settings:
        """How the scores were taken."""
        return self.layers[0].settings

    def rows(self, resampling: Resampling, untrained: RandomWeights | None = None) -> list[Row]:
        """A row a head."""
        return [row for found in self.layers for row in head_rows(found, resampling, untrained)]

    def plane_rows(self) -> list[Row]:
        """A row a head and plane, if the planes were scored alone."""
        return [row for found in self.layers if found.planes is not None for row in plane_rows(found)]

    def as_null(self) -> RandomWeights:
        """The spread of these scores in each layer, to compare another model with."""
        assert self.subject.seed is not None
        return RandomWeights(
            (self.subject.seed,),
            {found.layer: Spread.of([found.positional.mean(0)]) for found in self.layers},
            {found.layer: Spread.of([found.symbolic.mean(0)]) for found in self.layers},
        )


def key(subject: Subject, prompts: Sequence[Sequence[int]], settings: Settings, planes: bool) -> str:
    """What the parts of a survey have in common, as a hash."""
    what: dict[str, Any] = {
        "subject": asdict(subject),
        "prompts": prompts,
        "settings": asdict(settings),
        "planes": planes,
    }
    what["at_once"] = TOKENS_AT_ONCE
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def score_prompts(
    model: Adapter,
    prompts: Sequence[Sequence[int]],
    settings: Settings,
    parts: Parts | None = None,
    advance: Callable[[int], None] | None = None,
    planes: bool = False,
) -> Layers:
    """The scores of every layer on prompts (prompts, n), in their order.

    With `parts`, what is there already is not computed again, and what is computed is kept there. `advance` is called
    with the number of prompts that have been scored.
    """
    at_once = max(1, TOKENS_AT_ONCE // len(prompts[0]))
    found: list[Layers] = []
    for number, start in enumerate(range(0, len(prompts), at_once)):
        some = prompts[start : start + at_once]
        layers = None if parts is None else parts.get(number)
        if layers is None:
            layers = [_score(heads, settings, planes) for heads in model.heads(torch.tensor(some))]
            if parts is not None:
                parts.put(number, layers)
        found.append(layers)
        if advance is not None:
            advance(start + len(some))
    return together(found)


def _score(heads: LayerHeads, settings: Settings, planes: bool) -> HeadScores:
    """Scored on the CPU: float64 is slow on most GPUs."""
    return score_layer(
        replace(heads, queries=heads.queries.cpu(), keys=heads.keys.cpu()), planes=planes, **asdict(settings)
    )
