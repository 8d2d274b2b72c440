"""A model on repeated random tokens: kinds of heads, scores, correlations, and planes removed as predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.capture.hugging_face import HuggingFace
from empirical.language.ablation import measure, scores
from empirical.language.arms import Arm, plan
from empirical.language.comparison import Correlation, compare
from empirical.language.planes import PlaneRoles, plane_roles, single
from empirical.language.records import OUTCOMES, PREDICTIONS, Outcomes, read_predictions, write_predictions
from empirical.language.repeated import attention_of_kinds, loss, repeated_tokens
from empirical.language.verdicts import Verdict, before_name, run_name, verdicts
from empirical.scores.bootstrap import Resampling
from empirical.scores.head_scores import HeadScores
from empirical.scores.score import score_layer
from empirical.scores.settings import Settings
from theory.progress import progress_bar


@dataclass(frozen=True)
class Request:
    """What is studied.

    Args:
        sequences: of random tokens, repeated; as many others for the ablation.
        half: tokens before they repeat.
        heads: of each kind, those with the most attention of the kind, whose planes are removed.
        draws: controls of each arm.
        seed: of tokens, controls and intervals.
    """

    sequences: int = 16
    half: int = 24
    heads: int = 3
    draws: int = 5
    seed: int = 0


@dataclass(frozen=True)
class Observed:
    """What is seen of a model that runs as it is: by layer, scores, planes and attention (heads,) of each kind."""

    layers: list[HeadScores]
    roles: list[PlaneRoles]
    kinds: list[dict[str, Tensor]]
    correlations: list[Correlation]

    def best(self, count: int) -> dict[str, list[tuple[int, int]]]:
        """The heads (layer, head) with the most attention of each kind."""
        found = {}
        for kind in self.kinds[0]:
            ranked = sorted(
                (-float(value), layer, head)
                for layer, kinds in enumerate(self.kinds)
                for head, value in enumerate(kinds[kind])
            )
            found[kind] = [(layer, head) for _, layer, head in ranked[:count]]
        return found


def observe(model: HuggingFace, request: Request, settings: Settings) -> Observed:
    """Run the model once on repeated tokens."""
    tokens = repeated_tokens(request.sequences, request.half, model.vocabulary, request.seed)
    layers, roles, kinds = [], [], []
    with progress_bar("scoring") as progress:
        for heads in model.heads(tokens):
            layers.append(score_layer(heads, **asdict(settings)))
            roles.append(plane_roles(heads, settings))
            kinds.append(attention_of_kinds(heads))
            if progress is not None:
                progress(heads.layer + 1, model.layers)
    return Observed(layers, roles, kinds, compare(layers, roles, Resampling(seed=request.seed)))


def ablate(
    model: HuggingFace, observed: Observed, request: Request, settings: Settings, out: Path, about: dict[str, Any]
) -> list[Verdict]:
    """Write predictions.json, then remove planes as it says, on other sequences, and compare.

    What outcomes.jsonl holds already is not measured again.
    """
    predictions = out / PREDICTIONS
    planned = plan(observed.best(request.heads), observed.roles, request.draws, request.seed)
    write_predictions(predictions, planned, about)
    arms = read_predictions(predictions)
    tokens = repeated_tokens(request.sequences, request.half, model.vocabulary, request.seed + 1)
    outcomes = Outcomes(out / OUTCOMES)
    wanted = {cut.layer for arm in arms for cut in arm.cuts}
    layers = {heads.layer: heads for heads in model.heads(tokens) if heads.layer in wanted}
    _before(model, tokens, layers, arms, outcomes, settings)
    runs = [(run_name(at), arm.cuts) for at, arm in enumerate(arms)]
    runs += [(run_name(at, draw), cuts) for at, arm in enumerate(arms) for draw, cuts in enumerate(arm.controls)]
    with progress_bar("removing planes") as progress:
        for done, (name, cuts) in enumerate(runs):
            if name not in outcomes.found:
                outcomes.put(name, measure(model, tokens, layers, cuts, settings))
            if progress is not None:
                progress(done + 1, len(runs))
    return verdicts(arms, outcomes.found, Resampling(seed=request.seed))


def _before(
    model: HuggingFace,
    tokens: Tensor,
    layers: dict[int, LayerHeads],
    arms: Sequence[Arm],
    outcomes: Outcomes,
    settings: Settings,
) -> None:
    """The loss of the model as it is, and the scores of the heads."""
    if "before" not in outcomes.found:
        outcomes.put("before", {"loss": loss(model, tokens).tolist()})
    for arm in arms:
        cut = arm.cuts[0]
        if len(arm.cuts) == 1 and (name := before_name(arm, "s_pos")) not in outcomes.found:
            outcomes.put(name, scores(single(layers[cut.layer], cut.head), settings))
