"""One step from the point of maximal entropy, in four forms, and the projection onto the simplex."""

from __future__ import annotations

from numbers import Real

import torch
from torch import Tensor

from theory.errors import InputError

TIED = -1


def one_step(
    gradient: Tensor, *, temperature: float = 1.0, offsets: Tensor | None = None, prior: Tensor | None = None
) -> Tensor:
    """softmax((g - B + log prior)/temperature): the posterior of the tasks where B are the offsets of the model.

    Args:
        gradient: g at u, or log-likelihoods of every task, (batch, K).
        temperature: alpha > 0, the weight of the entropy.
        offsets: B, (K,) or (batch, K); 0 if not given.
        prior: of the tasks, (K,) or (batch, K), up to a factor; uniform if not given.

    Returns (batch, K), rows that add up to 1. Raises InputError for values out of range and rows without any mass.
    """
    positive("temperature", temperature)
    for name, given in (("offsets", offsets), ("prior", prior)):
        if given is not None and not _fits(given, gradient):
            raise InputError(
                f"{name} of shape {tuple(given.shape)} for evidence of {tuple(gradient.shape)}; "
                f"give {tuple(gradient.shape[-1:])} or {tuple(gradient.shape)}"
            )
    logits = gradient if offsets is None else gradient - offsets
    if prior is not None:
        if not (prior.isfinite().all() and (prior >= 0).all() and (prior.sum(-1) > 0).all()):
            raise InputError(f"prior = {prior.tolist()} is no distribution; give weights >= 0, not all 0")
        logits = logits + prior.log()
    bad = (logits.isnan() | logits.isposinf()).any(-1) | logits.isneginf().all(-1)
    if bad.any():
        raise InputError(
            f"evidence that is NaN, inf, or -inf for all tasks, on {int(bad.sum())} of {bad.numel()} examples, "
            "leaves no posterior; look at the data"
        )
    return (logits / temperature).softmax(-1)


def pool_step(gradient: Tensor) -> Tensor:
    """The Euclidean step u + (g - 1)/K: the posterior of a linear pool, uniform prior; of no other model in general."""
    K = gradient.shape[-1]
    return 1 / K + (gradient - 1) / K


def projection_step(gradient: Tensor, weight: float) -> Tensor:
    """The projection of u + g/(2 weight), which maximises <g, z> - weight |z|^2 over the simplex."""
    positive("weight", weight)
    return project(1 / gradient.shape[-1] + gradient / (2 * weight))


def project(points: Tensor) -> Tensor:
    """The nearest points of the simplex, row by row; adding a constant to a row changes nothing."""
    if not points.isfinite().all():
        raise InputError("a point to project holds NaN or inf; take smaller steps, or look at the data")
    centred = points - points.amax(-1, keepdim=True)
    falling = centred.sort(dim=-1, descending=True).values
    rank = torch.arange(1, points.shape[-1] + 1, dtype=points.dtype)
    thresholds = (falling.cumsum(-1) - 1) / rank
    last = (falling > thresholds).sum(-1, keepdim=True) - 1
    return (centred - thresholds.gather(-1, last)).clamp(min=0)


def classes(scores: Tensor, *, allowance: float = 0.0) -> Tensor:
    """The task of the largest score, (batch,), or TIED where another is within the allowance of it."""
    if scores.shape[-1] < 2 or scores.isnan().any():
        raise InputError(f"scores of shape {tuple(scores.shape)} hold NaN or fewer than 2 tasks; give numbers")
    best, second = scores.topk(2, dim=-1).values.unbind(-1)
    return torch.where((best == second) | (best - second <= allowance), TIED, scores.argmax(-1))


def _fits(given: Tensor, evidence: Tensor) -> bool:
    """Whether it is (K,) or (batch, K), and either may be the same for all examples."""
    batches = given.shape[:-1], evidence.shape[:-1]
    return given.shape[-1:] == evidence.shape[-1:] and (batches[0] == batches[1] or () in batches)


def positive(name: str, value: float) -> None:
    """Raise InputError unless the value is one number, positive and finite."""
    if isinstance(value, Tensor) and value.numel() != 1:
        raise InputError(f"{name} of shape {tuple(value.shape)} is not one number; give one")
    if not isinstance(value, Real | Tensor) or not 0 < value < float("inf"):
        raise InputError(f"{name} = {value} is not a positive number; give one")
