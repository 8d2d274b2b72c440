"""How much ell bends between u and the tasks, which is what one gradient misses."""

from __future__ import annotations

import torch
from torch import Tensor

from constructions.inference.gradients import LogLikelihood, evaluated, max_entropy
from theory.errors import InputError


def curvature(
    log_likelihood: LogLikelihood, batch: int, K: int, *, points: int = 17, dtype: torch.dtype | None = None
) -> Tensor:
    """Half the largest |d^2/dt^2 ell(u + t (e_k - u))| over so many equidistant t in [0, 1], ends included: (batch, K).

    Over all t it bounds |ell_k - ell(u) - <g(u), e_k - u>|; between the points nothing is certified. The weights may be
    frozen; ell must be twice differentiable. Raises InputError as `gradient` does, and for fewer than 2 points.
    """
    if points < 2:
        raise InputError(f"points = {points} leave out an end of the segments; give at least 2")
    u = max_entropy(batch, K, dtype)
    bends = [
        torch.stack([_second(log_likelihood, u, vertex - u, t) for t in torch.linspace(0, 1, points).tolist()]).amax(0)
        for vertex in torch.eye(K, dtype=u.dtype)
    ]
    return torch.stack(bends, dim=-1) / 2


def _second(log_likelihood: LogLikelihood, u: Tensor, direction: Tensor, t: float) -> Tensor:
    """|d^2/dt^2 ell(u + t direction)|, (batch,)."""
    time = torch.full((len(u), 1), t, dtype=u.dtype, requires_grad=True)
    with torch.enable_grad():
        values = evaluated(log_likelihood, u + time * direction)
        if not values.requires_grad:
            return torch.zeros_like(values)
        (first,) = torch.autograd.grad(values.sum(), time, create_graph=True, allow_unused=True, materialize_grads=True)
        if not first.requires_grad:
            return torch.zeros_like(values)
        (second,) = torch.autograd.grad(first.sum(), time, allow_unused=True, materialize_grads=True)
    return second[:, 0].abs()
