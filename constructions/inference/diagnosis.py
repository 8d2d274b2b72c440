"""Whether one gradient is the posterior: exact, biased by offsets, or blind, with the bounds on what is lost."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from constructions.inference.gradients import (
    LogLikelihood,
    evaluated,
    likelihood_of_every_task,
    max_entropy,
    value_and_gradient,
)
from constructions.inference.steps import one_step
from theory.errors import InputError

EXACT, BIASED, BLIND = "exact", "biased", "blind"


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What one gradient at u says of the tasks, beside their log-likelihoods.

    Attributes:
        gradient, likelihoods: g(u) and ell_k, (batch, K).
        offsets: B_k = ell(u) + (g_k - mean g) - ell_k, (batch, K); g - B has the differences of ell, always.
        allowance: up to which differences are rounding, (batch,).
    """

    gradient: Tensor
    likelihoods: Tensor
    offsets: Tensor
    allowance: Tensor

    def __str__(self) -> str:
        if self.verdict == BLIND:
            return f"{BLIND}: z makes no difference to any log-likelihood, nothing can be inferred"
        if self.verdict == EXACT:
            return f"{EXACT}: softmax(g) is the posterior"
        kind = "the same for all examples" if self.constant else "that depend on the example"
        if len(self.offsets) == 1:
            kind = "of this example (diagnose several to see whether they depend on it)"
        return (
            f"{BIASED}: subtract offsets {kind}; without them softmax(g) is off by at most "
            f"{float(self.variation_bound.max()):.3g} in total variation, and certainly chooses the likeliest task on "
            f"{int(self.decided.sum())} of {len(self.decided)} examples"
        )

    @property
    def oscillation(self) -> Tensor:
        """By how much a preference among tasks can be off: rho = max_k B_k - min_k B_k, (batch,)."""
        return _oscillation(self.offsets)

    @property
    def verdict(self) -> str:
        """Blind if z makes no difference on any example, exact if softmax(g) is the posterior on all, or biased."""
        if ((_oscillation(self.gradient) <= self.allowance) & (_oscillation(self.likelihoods) <= self.allowance)).all():
            return BLIND
        return EXACT if (self.oscillation <= self.allowance).all() else BIASED

    @property
    def constant(self) -> bool:
        """Whether the offsets are the same on all examples, so that K numbers repair every gradient."""
        centred = self.offsets - self.offsets.mean(-1, keepdim=True)
        return bool(((centred - centred.mean(0)).abs().amax(-1) <= self.allowance.amax()).all())

    @property
    def posterior(self) -> Tensor:
        """The uniform-prior posterior, (batch, K)."""
        return one_step(self.likelihoods)

    @property
    def divergence_bound(self) -> Tensor:
        """rho^2/8, (batch,): bounds the Kullback-Leibler divergences of posterior and softmax(g), both ways."""
        return self.oscillation.square() / 8

    @property
    def variation_bound(self) -> Tensor:
        """tanh(rho/4), (batch,): bounds the total variation of posterior and softmax(g)."""
        return (self.oscillation / 4).tanh()

    @property
    def decided(self) -> Tensor:
        """Where the best task leads by more than rho, so that the gradient chooses it for certain, (batch,)."""
        best, second = self.likelihoods.topk(2, dim=-1).values.unbind(-1)
        return best - second > self.oscillation + self.allowance


def diagnose(
    log_likelihood: LogLikelihood, batch: int, K: int, *, terms: int = 1024, dtype: torch.dtype | None = None
) -> Diagnosis:
    """Compare the gradient at u with the log-likelihoods of all tasks, by K + 2 forward passes and a backward one.

    The one guard against examples that depend on each other: `gradient`, `iterate` and all that uses them take for
    granted that none does. Before a model is trusted, give two of its examples or more once.

    Args:
        log_likelihood: ell.
        batch, K: shape of z.
        terms: how many numbers an ell(z) adds up; their rounding is not taken for an offset.
        dtype: of z; the default of torch if not given.

    Raises InputError as `gradient` does, for a log-likelihood that depends on z but is cut off from its gradient, for
    examples that are not independent of each other, and for a dtype in which so many terms leave no digits.
    """
    u = max_entropy(batch, K, dtype)
    value, slopes = value_and_gradient(log_likelihood, u)
    likelihoods = likelihood_of_every_task(log_likelihood, batch, K, dtype=dtype)
    if not likelihoods.isfinite().all():
        raise InputError(
            "a task excludes some example (log-likelihood -inf); offsets are finite on data all tasks allow"
        )
    values = torch.cat((value[:, None], likelihoods), dim=-1)
    scale = values.abs().amax(-1).maximum(slopes.abs().amax(-1)).clamp(min=1)
    rounding = terms * torch.finfo(slopes.dtype).eps
    if not 0 < rounding < 1 / 8:
        raise InputError(f"terms = {terms} numbers in {slopes.dtype} leave no digits to compare; give a wider dtype")
    allowance = rounding * scale
    _check_independent(log_likelihood, likelihoods, allowance)
    differ = (_oscillation(likelihoods) > allowance).any()
    if differ and not slopes.any() and not _gradient_at_vertices(log_likelihood, u):
        raise InputError(
            "the gradient is exactly 0 and log-likelihoods differ; z must reach them without detach, no_grad"
        )
    offsets = value[:, None] + slopes - slopes.mean(-1, keepdim=True) - likelihoods
    return Diagnosis(slopes, likelihoods, offsets, allowance)


@torch.no_grad()
def _check_independent(log_likelihood: LogLikelihood, likelihoods: Tensor, allowance: Tensor) -> None:
    """Raise InputError unless examples have the same log-likelihoods beside others of other tasks."""
    batch, K = likelihoods.shape
    tasks = torch.arange(batch) % K
    mixed = evaluated(log_likelihood, torch.eye(K, dtype=likelihoods.dtype)[tasks])
    alone = likelihoods.gather(-1, tasks[:, None])[:, 0]
    if not ((mixed - alone).abs() <= allowance).all():
        raise InputError(
            "log-likelihoods change with the z of other examples or by chance; use `frozen`, and add up no batch"
        )


def _gradient_at_vertices(log_likelihood: LogLikelihood, u: Tensor) -> bool:
    """Whether it differs from 0 at some e_k; at u it is 0 for a datum that the mean of all tasks fits exactly."""
    vertices = (vertex.expand_as(u) for vertex in torch.eye(u.shape[1], dtype=u.dtype))
    return any(bool(value_and_gradient(log_likelihood, z)[1].any()) for z in vertices)


def _oscillation(a: Tensor) -> Tensor:
    return a.amax(-1) - a.amin(-1)
