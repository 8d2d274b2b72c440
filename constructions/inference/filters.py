"""Filters for tasks that switch: by likelihoods, and by gradients in their place."""

from __future__ import annotations

import torch
from torch import Tensor

from constructions.inference.gradients import max_entropy
from constructions.inference.steps import one_step
from theory.errors import InputError


class BayesFilter:
    """The posterior of a task that is redrawn uniformly with probability `hazard` before every observation.

    A redraw may return the same task: of two tasks, the chance of a switch is hazard/2.

    Attributes:
        posterior: after the last observation, (K,) or (batch, K); u at the start.

    Raises InputError for a hazard outside [0, 1], and for K < 2.
    """

    def __init__(self, hazard: float, K: int, *, dtype: torch.dtype = torch.float64) -> None:
        if not 0 <= hazard <= 1:
            raise InputError(f"hazard = {hazard} is no probability; give a number in [0, 1]")
        self.hazard, self.K = hazard, K
        self.posterior = max_entropy(1, K, dtype)[0]

    @property
    def prior(self) -> Tensor:
        """Of the next observation: (1 - hazard) posterior + hazard/K."""
        return (1 - self.hazard) * self.posterior + self.hazard / self.K

    def step(self, evidence: Tensor) -> Tensor:
        """The posterior after one more observation, from its log-likelihoods, (K,) or (batch, K), in nats."""
        if evidence.shape[-1:] != (self.K,):
            raise InputError(f"evidence of shape {tuple(evidence.shape)} for K = {self.K} tasks; give (..., {self.K})")
        self.posterior = one_step(evidence, prior=self.prior)
        return self.posterior


class GradientFilter(BayesFilter):
    """The same recursion on gradients at u, less the offsets of the model where they are given, (K,) or (batch, K)."""

    def __init__(
        self, hazard: float, K: int, *, offsets: Tensor | None = None, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__(hazard, K, dtype=dtype)
        self.offsets = offsets

    def step(self, evidence: Tensor) -> Tensor:
        """The posterior after one more observation, from its gradient at u, (K,) or (batch, K)."""
        if self.offsets is None:
            return super().step(evidence)
        if self.offsets.shape[-1:] != (self.K,):
            raise InputError(
                f"offsets of shape {tuple(self.offsets.shape)} for K = {self.K} tasks; give (..., {self.K})"
            )
        return super().step(evidence - self.offsets)
