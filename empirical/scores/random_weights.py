"""The scores that an architecture has before it learns anything: the same model with random weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.scores.head_scores import HeadScores
from theory.errors import InputError


@dataclass(frozen=True)
class Spread:
    """Mean of a score over heads and seeds, and the range that holds 95 % of them."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, scores: Sequence[Tensor]) -> Spread:
        """The spread of scores (heads,) of several models."""
        every = torch.cat(list(scores))
        low, high = every.quantile(torch.tensor([0.025, 0.975], dtype=every.dtype)).tolist()
        return cls(float(every.mean()), low, high)


@dataclass(frozen=True)
class RandomWeights:
    """Scores of heads with random weights, averaged over prompts, by layer.

    Args:
        seeds: of the models.
        positional, symbolic: for each layer.
    """

    seeds: tuple[int, ...]
    positional: Mapping[int, Spread]
    symbolic: Mapping[int, Spread]


def random_weights(
    capture: Callable[[int], Iterable[LayerHeads]], seeds: Sequence[int], score: Callable[[LayerHeads], HeadScores]
) -> RandomWeights:
    """Score freshly initialised models.

    Args:
        capture: the layers of the model initialised from a seed, on the prompts of the model that is compared.
        seeds: one model each.
        score: how layers are scored, with the same settings as the model that is compared.

    Raises InputError without a seed.
    """
    if not seeds:
        raise InputError("seeds=() initialises no model; give at least one seed")
    positional: dict[int, list[Tensor]] = {}
    symbolic: dict[int, list[Tensor]] = {}
    for seed in seeds:
        for heads in capture(seed):
            found = score(heads)
            positional.setdefault(found.layer, []).append(found.positional.mean(0))
            symbolic.setdefault(found.layer, []).append(found.symbolic.mean(0))
    return RandomWeights(
        tuple(seeds),
        {layer: Spread.of(scores) for layer, scores in positional.items()},
        {layer: Spread.of(scores) for layer, scores in symbolic.items()},
    )
