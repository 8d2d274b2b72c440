"""The log-likelihood of a frozen model, its gradient in z, and its values at the K tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor, nn

from theory.errors import InputError

LogLikelihood = Callable[[Tensor], Tensor]
Module = TypeVar("Module", bound=nn.Module)


def frozen(module: Module) -> Module:
    """The module itself, in evaluation mode and with weights that take no gradient.

    In training mode BatchNorm and Dropout let the log-likelihood of an example depend on others, or on chance.
    """
    return module.eval().requires_grad_(False)


def max_entropy(batch: int, K: int, dtype: torch.dtype | None = None) -> Tensor:
    """The point u = (1/K, ..., 1/K) for every example, (batch, K).

    Raises InputError for K < 2, batch < 1, fractions of either, and a dtype of whole numbers.
    """
    for name, size in (("K", K), ("batch", batch)):
        if not hasattr(size, "__index__"):
            raise InputError(f"{name} = {size!r} is no whole number; give one")
    if K < 2:
        raise InputError(f"K = {K} tasks leave nothing to infer; give at least 2")
    if batch < 1:
        raise InputError(f"batch = {batch} holds no example; give at least 1")
    if dtype is not None and not dtype.is_floating_point:
        raise InputError(f"dtype = {dtype} holds no shares of tasks; give one of floating-point numbers")
    return torch.full((batch, K), 1 / K, dtype=dtype)


def latent(batch: int, K: int, at: Tensor | None, dtype: torch.dtype | None) -> Tensor:
    """A new z of shape (batch, K): u, or `at`, which is (K,) or (batch, K) and need not be on the simplex."""
    start = max_entropy(batch, K, dtype)
    if at is None:
        return start
    if at.shape not in ((K,), (batch, K)):
        raise InputError(f"z of shape {tuple(at.shape)} for K = {K} tasks; give ({K},) or ({batch}, {K})")
    if not at.is_floating_point() or not at.isfinite().all():
        raise InputError(f"z = {at.tolist()} is not finite, or whole numbers; give floating-point numbers")
    return at.detach().expand(batch, K).clone()


def applied(model: Callable[[Tensor], Tensor], z: Tensor) -> Tensor:
    """What a model makes of z. Raises InputError, with torch's reason, where it takes no z of this shape or type."""
    try:
        return model(z)
    except torch.OutOfMemoryError:
        raise
    except RuntimeError as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"the model takes no z of shape {tuple(z.shape)} in {z.dtype} ({reason}); "
            "give the batch of its data, its K, and dtype= of its weights"
        ) from error


def evaluated(log_likelihood: LogLikelihood, z: Tensor) -> Tensor:
    """ell(z), (batch,), -inf allowed. Raises InputError as `applied`, for another shape, NaN and +inf."""
    values = applied(log_likelihood, z)
    if not isinstance(values, Tensor) or not values.is_floating_point():
        kind = values.dtype if isinstance(values, Tensor) else type(values).__name__
        raise InputError(f"log-likelihoods of type {kind}; return a tensor of floating-point numbers")
    if values.shape != z.shape[:1]:
        raise InputError(
            f"log-likelihoods of shape {tuple(values.shape)} for {len(z)} examples; return one number for each"
        )
    bad = values.isnan() | values.isposinf()
    if bad.any():
        at = int(bad.nonzero()[0])
        raise InputError(f"the log-likelihood of example {at} is {values[at].item()}; look for NaN in data and weights")
    return values


def entering(z: Tensor, K: int, weights: Tensor) -> Tensor:
    """The z itself. Raises InputError unless its rows have K entries of the type of the weights that they meet."""
    if z.shape[-1:] != (K,):
        raise InputError(f"z of shape {tuple(z.shape)} enters a model of K = {K} tasks; give (batch, {K})")
    if z.dtype != weights.dtype:
        raise InputError(f"z in {z.dtype} enters a model in {weights.dtype}; give dtype={weights.dtype}")
    return z


def value_and_gradient(log_likelihood: LogLikelihood, z: Tensor) -> tuple[Tensor, Tensor]:
    """ell(z), (batch,), and its gradient in z, (batch, K), zero where ell does not depend on z."""
    leaf = z.detach().requires_grad_()
    with torch.enable_grad():
        values = evaluated(log_likelihood, leaf)
        if not values.requires_grad:
            return values, torch.zeros_like(z)
        (slopes,) = torch.autograd.grad(values.sum(), leaf, allow_unused=True, materialize_grads=True)
    if not slopes.isfinite().all():
        at = int((~slopes.isfinite()).any(-1).nonzero()[0])
        raise InputError(f"the gradient of example {at} is {slopes[at].tolist()}; every z must have finite ell(z)")
    return values.detach(), slopes


def gradient(
    log_likelihood: LogLikelihood, batch: int, K: int, *, at: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    """The gradient g of ell in z as a free vector, one row an example, in one forward and one backward pass.

    It is that of the sum over the batch: where ell of one example depends on the z of another, rows are wrong, and
    nothing here notices. `diagnose` does, from batches of two on.

    Args:
        log_likelihood: ell; z goes in as it is, outside any softmax.
        batch, K: shape of z.
        at: where, (K,) or (batch, K); u if not given.
        dtype: of u; the default of torch if not given.

    Returns (batch, K), nats per unit of z. Raises InputError for K < 2, z that the model does not take, and NaN.
    """
    return value_and_gradient(log_likelihood, latent(batch, K, at, dtype))[1]


@torch.no_grad()
def likelihood_of_every_task(
    log_likelihood: LogLikelihood, batch: int, K: int, *, dtype: torch.dtype | None = None
) -> Tensor:
    """ell_k = ell(e_k) for all k by K forward passes: (batch, K), nats. Raises InputError as `gradient` does."""
    vertices = torch.eye(K, dtype=max_entropy(batch, K, dtype).dtype)
    return torch.stack([evaluated(log_likelihood, vertex.repeat(batch, 1)) for vertex in vertices], dim=-1)
