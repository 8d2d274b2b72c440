"""What the demo on inference found, and whether it is as proved."""

from __future__ import annotations

from dataclasses import dataclass

from constructions.demo.certified import Certified
from theory.outcome import Outcome


@dataclass(frozen=True, eq=False)
class Shares:
    """The posterior of the tasks of a model in three ways, given one observation.

    Attributes:
        name, reason: what the model is, and what follows.
        claim: what says so.
        verdict, expected: the diagnosis, and the one that is proved.
        step, corrected: the softmax of the gradient at u, without and with the offsets of the model.
        posterior: by the log-likelihood of every task.
    """

    name: str
    reason: str
    claim: str
    verdict: str
    expected: str
    step: tuple[Certified, ...]
    corrected: tuple[Certified, ...]
    posterior: tuple[Certified, ...]

    @property
    def right(self) -> bool:
        """Whether all numbers are as certified, and the diagnosis is right."""
        shares = (*self.step, *self.corrected, *self.posterior)
        return all(share.right for share in shares) and self.verdict == self.expected


@dataclass(frozen=True, eq=False)
class Hull:
    """The task between the others, over many observations.

    Attributes:
        chosen, likeliest: how often it is the choice of the gradient, and of the likelihoods.
        agree: whether torch chooses as exact fractions do, at every observation.
    """

    chosen: int
    likeliest: int
    agree: bool
    claim = "gbi-hull-failure"

    @property
    def right(self) -> bool:
        """Whether the gradient never chooses it, though the likelihoods do."""
        return self.agree and self.chosen == 0 < self.likeliest


@dataclass(frozen=True, eq=False)
class Bounded:
    """Total variation of softmax(g) and the posterior in a net that is not linear in z, and its bound."""

    variation: Certified
    bound: Certified
    claim = "gbi-curvature-kl-tv"

    @property
    def right(self) -> bool:
        """Whether both are as certified, and the bound holds."""
        holds = (self.variation.exact <= self.bound.exact) is Outcome.HOLDS
        return holds and self.variation.right and self.bound.right


@dataclass(frozen=True, eq=False)
class Filtered:
    """Filters by gradients and by likelihoods on a stream of two tasks: their largest difference, and the rounding."""

    difference: float
    allowance: float
    claim = "gbi-two-task-bayes-filter"

    @property
    def right(self) -> bool:
        """Whether they are the same."""
        return self.difference <= self.allowance


@dataclass(frozen=True, eq=False)
class Inferred:
    """What the demo found."""

    shares: tuple[Shares, ...]
    hull: Hull
    pooled: tuple[Certified, ...]
    curved: Bounded
    filtered: Filtered
    pool_claim = "gbi-linear-pool-gradient-is-likelihood"

    @property
    def right(self) -> bool:
        """Whether all is as proved."""
        single = self.hull.right and self.curved.right and self.filtered.right
        return single and all(each.right for each in self.shares) and all(each.right for each in self.pooled)
