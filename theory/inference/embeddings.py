"""Three ways in which a task variable z enters a model, and the gradient g of its log-likelihood ell(z) in z.

(A) a linear pool p(x|z) = sum_k z_k p_k(x); (B) a log-linear family p(x|z) = h(x) e^(<eta(z), t(x)> - A(eta(z))), with
eta(z) = sum_k z_k eta_k; (C) a Gaussian N(sum_k z_k m_k, sigma^2 I), which is of kind (B). z is a free vector of R^K:
g is not projected. ell_k = ell(e_k) is the log-likelihood of task k; u = (1/K, ..., 1/K) is where z is left out.

Source: arXiv 2407.17356 has the idea; all formulas are derived here. Numbers are fractions, `Real`s, floats or SymPy
expressions. Where sums are independent of z (log h, constants) a family may leave them out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from theory.compact.elementary import log, quotient
from theory.errors import InputError
from theory.inference.simplex import Vector, combined, dot, multiplied, normalised, softmax, uniform


@dataclass(frozen=True)
class LinearPool:
    """Embedding (A) at one datum: the likelihood p_k of every task.

    Raises InputError for fewer than two tasks, and where all likelihoods are 0.
    """

    likelihoods: Vector

    def __post_init__(self) -> None:
        if len(self.likelihoods) < 2:
            raise InputError(f"K = {len(self.likelihoods)} tasks leave nothing to infer; give at least 2")
        if all(isinstance(p, int | float | Fraction) and p == 0 for p in self.likelihoods):
            raise InputError("all likelihoods are 0: no task explains the datum; give a positive one")

    @property
    def tasks(self) -> int:
        return len(self.likelihoods)

    def log_likelihood(self, z: Sequence[Any]) -> Any:
        """ell(z) = log sum_k z_k p_k."""
        return log(dot(z, self.likelihoods))

    def log_likelihoods(self) -> Vector:
        """ell_k = log p_k."""
        return tuple(log(p) for p in self.likelihoods)

    def gradient(self, z: Sequence[Any] | None = None) -> Vector:
        """g_k(z) = p_k / sum_j z_j p_j, at u where no z is given."""
        evidence = dot(uniform(self.tasks) if z is None else z, self.likelihoods)
        return tuple(quotient(p, evidence) for p in self.likelihoods)

    def responsibilities(self, z: Sequence[Any] | None = None) -> Vector:
        """r_k(z) = z_k p_k / sum_j z_j p_j: the posterior of prior z."""
        return normalised(multiplied(uniform(self.tasks) if z is None else z, self.likelihoods))

    def posterior(self, prior: Sequence[Any] | None = None) -> Vector:
        """The posterior of a prior, uniform where none is given."""
        return self.responsibilities(prior)


class ExponentialFamily(ABC):
    """Embedding (B): what a log partition function A, its gradient and one natural parameter a task determine."""

    natural: tuple[Vector, ...]

    @abstractmethod
    def log_partition(self, eta: Vector) -> Any:
        """A(eta), up to a constant."""

    @abstractmethod
    def mean(self, eta: Vector) -> Vector:
        """The gradient of A at eta, the mean of the statistic t."""

    def log_base(self, t: Vector) -> Any:
        """The logarithm of h, or 0 where it is left out."""
        return 0

    @property
    def tasks(self) -> int:
        return len(self.natural)

    def parameter(self, z: Sequence[Any] | None = None) -> Vector:
        """eta(z), etabar = eta(u) where no z is given."""
        return combined(uniform(self.tasks) if z is None else z, self.natural)

    def _log_likelihood(self, t: Vector, eta: Vector) -> Any:
        return self.log_base(t) + dot(eta, t) - self.log_partition(eta)

    def log_likelihood(self, t: Vector, z: Sequence[Any] | None = None) -> Any:
        """ell(z) = log h + <eta(z), t> - A(eta(z))."""
        return self._log_likelihood(t, self.parameter(z))

    def log_likelihoods(self, t: Vector) -> Vector:
        """ell_k = ell(e_k)."""
        return tuple(self._log_likelihood(t, eta) for eta in self.natural)

    def gradient(self, t: Vector, z: Sequence[Any] | None = None) -> Vector:
        """g_k(z) = <eta_k, t - grad A(eta(z))>, at u where no z is given."""
        residual = tuple(a - b for a, b in zip(t, self.mean(self.parameter(z)), strict=True))
        return tuple(dot(eta, residual) for eta in self.natural)

    def offsets(self, start: Sequence[Any] | None = None) -> Vector:
        """B_k = A(eta_k) - A(eta_0) - <grad A(eta_0), eta_k - eta_0> at eta_0 = eta(start), start u if not given."""
        origin = self.parameter(start)
        mean, level = self.mean(origin), self.log_partition(origin)
        steps = [tuple(a - b for a, b in zip(eta, origin, strict=True)) for eta in self.natural]
        return tuple(self.log_partition(eta) - level - dot(mean, d) for eta, d in zip(self.natural, steps, strict=True))

    def posterior(self, t: Vector, prior: Sequence[Any] | None = None) -> Vector:
        """The posterior of a prior, uniform where none is given."""
        return softmax(self.log_likelihoods(t), prior)


@dataclass(frozen=True)
class LogLinear(ExponentialFamily):
    """Embedding (B) from natural parameters eta_k, A and grad A as functions of a vector, without log h."""

    natural: tuple[Vector, ...]
    partition: Callable[[Vector], Any]
    statistic_mean: Callable[[Vector], Vector]

    def __post_init__(self) -> None:
        uniform(len(self.natural))

    def log_partition(self, eta: Vector) -> Any:
        return self.partition(eta)

    def mean(self, eta: Vector) -> Vector:
        return self.statistic_mean(eta)


@dataclass(frozen=True)
class Gaussian(ExponentialFamily):
    """Embedding (C), linear: means m_k of the tasks and the variance sigma^2 of every coordinate.

    It is (B) with eta_k = m_k/sigma^2, t(x) = x, A(eta) = sigma^2 |eta|^2/2; log h is -|x|^2/(2 sigma^2), so that
    ell_k = -|x - m_k|^2/(2 sigma^2).
    """

    means: tuple[Vector, ...]
    variance: Any = 1

    def __post_init__(self) -> None:
        uniform(len(self.means))
        if len({len(mean) for mean in self.means}) != 1:
            raise InputError("means of different dimensions have no sum; give vectors of one length")

    @cached_property
    def natural(self) -> tuple[Vector, ...]:  # type: ignore[override]
        return tuple(tuple(quotient(entry, self.variance) for entry in mean) for mean in self.means)

    def log_partition(self, eta: Vector) -> Any:
        return quotient(self.variance * dot(eta, eta), 2)

    def mean(self, eta: Vector) -> Vector:
        return tuple(self.variance * entry for entry in eta)

    def log_base(self, t: Vector) -> Any:
        return -quotient(quotient(dot(t, t), 2), self.variance)

    def output(self, z: Sequence[Any] | None = None) -> Vector:
        """f(z) = M z, the mean of all means where no z is given."""
        return combined(uniform(self.tasks) if z is None else z, self.means)

    def squared_distances(self, point: Vector | None = None) -> Vector:
        """|m_k - point|^2, R_k^2 at the mean of all means where no point is given."""
        centre = self.output() if point is None else point
        gaps = [tuple(a - b for a, b in zip(mean, centre, strict=True)) for mean in self.means]
        return tuple(dot(gap, gap) for gap in gaps)
