"""Scores that tell data of the tasks from other data, and how well they do."""

from __future__ import annotations

import torch
from torch import Tensor

from theory.errors import InputError


def ood_scores(gradient: Tensor, likelihoods: Tensor, residual: Tensor) -> dict[str, Tensor]:
    """Scores by name, each (batch,) and high for data of the tasks.

    Args:
        gradient: g at u, (batch, K).
        likelihoods: ell_k, (batch, K), nats.
        residual: |x - f(u)|, (batch,).

    With Pg = g minus its mean: "centred max" max_k (Pg)_k; "centred norm" |Pg|; "soft" the largest entry of softmax(g);
    "alignment" max_k (Pg)_k / residual, 0 where the residual is; "likelihood" max_k ell_k.

    Raises InputError for shapes that do not agree.
    """
    if likelihoods.shape != gradient.shape or residual.shape != gradient.shape[:-1]:
        shapes = [tuple(each.shape) for each in (gradient, likelihoods, residual)]
        raise InputError(
            f"gradients, log-likelihoods and residuals of shapes {shapes}; give one batch, residuals (batch,)"
        )
    centred = gradient - gradient.mean(-1, keepdim=True)
    largest = centred.amax(-1)
    return {
        "centred max": largest,
        "centred norm": centred.norm(dim=-1),
        "soft": gradient.softmax(-1).amax(-1),
        "alignment": torch.where(residual > 0, largest / residual, 0.0),
        "likelihood": likelihoods.amax(-1),
    }


def auroc(inside: Tensor, outside: Tensor) -> float:
    """P(inside > outside) + P(tie)/2 over all pairs of two samples of scores. Raises InputError on none and on NaN."""
    for name, sample in (("inside", inside), ("outside", outside)):
        if not sample.numel():
            raise InputError(f"{name} holds no score; give at least one")
        if sample.isnan().any():
            raise InputError(
                f"{name} holds NaN: {int(sample.isnan().sum())} of {sample.numel()} scores; leave them out"
            )
    ordered = outside.flatten().sort().values
    below, at_most = (torch.searchsorted(ordered, inside.flatten(), right=right) for right in (False, True))
    return float((below + at_most).double().mean()) / (2 * len(ordered))
