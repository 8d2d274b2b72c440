"""How well trained models find the source of a window, by length of the window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from constructions.inference import TIED, classes, negative_entropy, offsets, one_step, squared_norm
from empirical.correlation import centred, correlation
from empirical.sources.evidence import (
    context_offsets,
    drawn,
    gradients,
    likelihoods,
    losses,
    scalar_gradients,
    several_steps,
)
from empirical.sources.networks import SourceModel
from empirical.sources.plan import Plan, Sizes
from empirical.sources.texts import Text

TRAIN, TEST = 1, 2  # numbers of the seeds of windows
LEARNED = 100  # windows of each source, at most, from which constant offsets are taken
ITERATED, RATE = 25, 0.5  # windows of each source whose z is iterated, which is dear, and the rate of Adam
Found = dict[str, Any]


def inferred(model: SourceModel, plan: Plan, texts: Sequence[Text], sizes: Sizes) -> Found:
    """Loss on test windows with the true z and with u, and which sources the windows are given to.

    Args:
        model: frozen, with z.
        plan: of its training; windows depend on the seed alone, so they are the same for all models of one seed.
        texts: the sources, in the order of z.

    Where the labels of the training were true, repairs and baselines are measured too.
    """
    found: Found = {"sources": [text.name for text in texts], "lengths": {}}
    labels = torch.arange(model.K).repeat_interleave(sizes.windows)
    for length in sizes.lengths:
        first = length == sizes.lengths[0]
        windows = _windows([text.test for text in texts], sizes.windows, length, (plan.seed, TEST))
        value, g = gradients(model, windows)
        ell = likelihoods(model, windows)
        scores = {"one-step": g, "likelihoods": ell}
        here: Found = {"correlation": correlation(centred(g), centred(ell))}
        if model.mode == "head":
            exact = context_offsets(model, windows)
            scores["offsets of the context"] = g - exact
            here["residual"] = float(centred(g - exact - ell).abs().max())
            here["offsets"] = (exact.mean(0) / length).tolist()
        if plan.labels == "true":
            if first:
                scores["entropy"] = scalar_gradients(model, windows, negative_entropy)
                scores["norm"] = scalar_gradients(model, windows, squared_norm)
            scores["constant offsets"] = g - _constant(model, plan, texts, min(sizes.windows, LEARNED), length)
        if first:
            true = ell.gather(-1, labels[:, None])
            found["test_loss"] = {"true": float(-true.mean()) / length, "u": float(-value.mean()) / length}
            here["iterative"] = _iterative(model, windows, ell, labels, sizes)
        found["lengths"][str(length)] = here | _given(scores, labels, model.K)
    return found


def _constant(model: SourceModel, plan: Plan, texts: Sequence[Text], count: int, length: int) -> Tensor:
    """Mean offsets on windows of the training parts, (K,)."""
    learned = _windows([text.train for text in texts], count, length, (plan.seed, TRAIN))
    return offsets(gradients(model, learned)[1], likelihoods(model, learned))


def without_z(model: SourceModel, plan: Plan, texts: Sequence[Text], sizes: Sizes) -> Found:
    """The loss of a model that takes no z, on the windows that the others have."""
    windows = _windows([text.test for text in texts], sizes.windows, sizes.lengths[0], (plan.seed, TEST))
    return {"test_loss": {"none": float(losses(model, windows, None).mean())}}


def _windows(texts: Sequence[Tensor], count: int, length: int, key: tuple[int, int]) -> Tensor:
    """So many of each text, one text after the other."""
    return torch.cat([drawn(text, count, length, (*key, length, number)) for number, text in enumerate(texts)])


def _iterative(model: SourceModel, windows: Tensor, ell: Tensor, labels: Tensor, sizes: Sizes) -> Found:
    """Shares of the first windows of each source that are found by iterating, and by likelihoods."""
    chosen = torch.arange(len(windows)) % sizes.windows < ITERATED
    z = several_steps(model, windows[chosen], sizes.iterations, RATE)
    scores = {"iterative": z, "likelihoods": ell[chosen]}
    return {rule: share(classes(score) == labels[chosen]) for rule, score in scores.items()}


def _given(scores: dict[str, Tensor], labels: Tensor, K: int) -> Found:
    """Which sources the scores choose: how often the right one, or none for a tie, and how the two main ones agree."""
    given = {rule: classes(score) for rule, score in scores.items()}
    main = ("one-step", "likelihoods")
    first, second = (given[rule] for rule in main)
    return {
        "right": {rule: share(each == labels) for rule, each in given.items()},
        "tied": {rule: share(each == TIED) for rule, each in given.items()},
        "given": {rule: confusion(given[rule], K) for rule in main},
        "agreement": share((first == second) & (first != TIED)),
        "confidence": {rule: float(one_step(scores[rule]).amax(-1).double().mean()) for rule in main},
    }


def confusion(given: Tensor, K: int) -> list[list[float]]:
    """Of K sources with equally many windows, one source after the other: the shares given to each, true x given."""
    found: list[list[float]] = (given.view(K, -1, 1) == torch.arange(K)).double().mean(1).tolist()
    return found


def share(hits: Tensor) -> float:
    """How many are true, of all."""
    return float(hits.double().mean())
