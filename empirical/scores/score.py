"""Positional and symbolic scores of all heads of a layer, over all swaps, from one matrix of logits a head.

Source: arXiv 2511.11579, Sec. 3, and arXiv 2605.31558, App. D.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.scores.frequency_use import FrequencyUse, frequency_use, unrotated
from empirical.scores.head_scores import HeadScores, PlaneScores, Scores, folded, joined
from empirical.scores.logit_matrix import View, views
from empirical.scores.nulls import nulls
from empirical.scores.settings import Settings
from empirical.scores.swaps import Swaps, all_swaps
from theory.rope.scores.exclusion import POSITIONAL, SIZE, SYMBOLIC, Exclusion

DEFAULTS = Settings()
SHARP = sympy.lambdify(
    (POSITIONAL, SYMBOLIC, SIZE), Exclusion().bounds()["sharp-bound"], modules=[{"sqrt": torch.sqrt}]
)


@dataclass(frozen=True, eq=False)
class _Part:
    """What is found for some (prompt, head) pairs; the fields are those of HeadScores."""

    counted: Scores
    without_first: Scores
    entropy: Tensor
    first_weight: Tensor
    use: FrequencyUse
    planes: PlaneScores | None


def score_layer(
    heads: LayerHeads,
    *,
    query: int = DEFAULTS.query,
    tau: float = DEFAULTS.tau,
    temperature: float = DEFAULTS.temperature,
    block: int = DEFAULTS.block,
    gamma: float = DEFAULTS.gamma,
    planes: bool = False,
) -> HeadScores:
    """Score every head of a layer on every prompt, in float64 and with O(n^2) memory a head.

    Args:
        heads: queries and keys of the layer.
        query, tau, temperature, block, gamma: as in Settings.
        planes: score each plane alone as well, which takes as many times as long.

    Raises InputError for settings out of range, fewer than two earlier keys, and vectors that are not finite.
    """
    settings = Settings(query, tau, temperature, block, gamma)
    prompts, _, length, width = heads.queries.shape
    at = settings.position(length)
    first = settings.first_key(at, heads.window)
    kept = [*heads.rotary.pairs, unrotated(heads.rotary, width)] if planes else None
    parts = [_part(view, heads, settings, first, kept) for view in views(heads, settings)]
    found: _Part = folded(joined(parts), prompts)
    return HeadScores(heads.layer, settings, heads.rotary.frequencies, at, at - first + 1, **vars(found))


def _part(view: View, heads: LayerHeads, settings: Settings, first: int, kept: list[Tensor] | None) -> _Part:
    M, own = view.logits()
    swaps = all_swaps(M, own, settings)
    counted = _scores(M, swaps)
    log_weights = torch.log_softmax(torch.cat((M.diagonal(dim1=-2, dim2=-1), own[:, None]), dim=-1), dim=-1)
    weights = log_weights.exp()
    return _Part(
        counted=counted,
        without_first=_scores(M[:, 1:, 1:], swaps.without_first(settings.block)) if first == 1 else counted,
        # Not -(w * log w): weights may be 0, and then their logarithm is of no weight.
        entropy=torch.special.entr(weights).sum(-1),
        first_weight=weights[:, 0],
        use=frequency_use(view, heads.rotary),
        planes=None if kept is None else _alone(view, settings, kept),
    )


def _scores(M: Tensor, swaps: Swaps) -> Scores:
    return Scores(*swaps.scores(), *_exclusion(M), nulls(swaps))


def _exclusion(M: Tensor) -> tuple[Tensor, Tensor]:
    """Variance of the logits of earlier tokens and its bound, (units,); `acting.deviations` for many matrices."""
    logits = M.diagonal(dim1=-2, dim2=-1)
    P, S = ((M - logits[:, None, :]).square().sum((-2, -1)), (M - logits[:, :, None]).square().sum((-2, -1)))
    return logits.var(-1, correction=0), SHARP(P, S, M.shape[-1])


def _alone(view: View, settings: Settings, kept: list[Tensor]) -> PlaneScores:
    pairs = [all_swaps(*view.logits(coordinates), settings).scores() for coordinates in kept]
    positional, symbolic = zip(*pairs, strict=True)
    return PlaneScores(torch.stack(positional, dim=-1), torch.stack(symbolic, dim=-1))
