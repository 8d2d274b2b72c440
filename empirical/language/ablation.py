"""Planes removed from heads of a running model, and what becomes of the scores of a head and of the loss.

Removing a plane sets its two coordinates of the head's queries to zero right before rotation: its part of every logit
of this head is 0, and nothing else in the layer changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from typing import Any

from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.capture.hugging_face import HuggingFace
from empirical.language.arms import Cut
from empirical.language.planes import single
from empirical.language.repeated import loss
from empirical.scores.score import score_layer
from empirical.scores.settings import Settings


@contextmanager
def removed(model: HuggingFace, cuts: Sequence[Cut]) -> Iterator[None]:
    """While open, the model runs without the planes of the cuts."""
    with ExitStack() as stack:
        for cut in cuts:
            attention = model.attentions[cut.layer]
            source, _ = model.family.sources(attention)
            coordinates = _coordinates(model.rotary(cut.layer, 1).pairs, cut)

            def hook(
                module: Any, inputs: Any, output: Tensor, cut: Cut = cut, at: Tensor = coordinates, source: Any = source
            ) -> Tensor:
                output = output.clone()
                source.view(output, model.attentions[cut.layer])[:, cut.head, :, at.to(output.device)] = 0
                return output

            stack.callback(attention.get_submodule(source.module).register_forward_hook(hook).remove)
        yield


def without_planes(heads: LayerHeads, cut: Cut) -> LayerHeads:
    """The head of a cut by itself, without its planes."""
    alone = single(heads, cut.head)
    queries = alone.queries.clone()
    queries[..., _coordinates(heads.rotary.pairs, cut)] = 0
    return replace(alone, queries=queries)


def measure(
    model: HuggingFace, tokens: Tensor, layers: dict[int, LayerHeads], cuts: Sequence[Cut], settings: Settings
) -> dict[str, list[float]]:
    """Each measure of every sequence, without the planes of the cuts; the scores only of a single head.

    `layers` hold the queries and keys of the whole model on the same tokens. What enters a layer is not changed by
    what is removed in it, so the scores of a head need no other run of the model. Scores are over the swaps that leave
    the first token in its place: a weakened head falls back on it, and would be scored for that.
    """
    found: dict[str, list[float]] = {}
    if len(cuts) == 1:
        found |= scores(without_planes(layers[cuts[0].layer], cuts[0]), settings)
    with removed(model, cuts):
        return {**found, "loss": loss(model, tokens).tolist()}


def scores(head: LayerHeads, settings: Settings) -> dict[str, list[float]]:
    """Both scores of a single head on every prompt."""
    found = score_layer(head, **asdict(settings)).without_first
    return {"s_pos": found.positional[:, 0].tolist(), "s_sym": found.symbolic[:, 0].tolist()}


def _coordinates(pairs: Tensor, cut: Cut) -> Tensor:
    return pairs[[plane - 1 for plane in cut.planes]].flatten()
