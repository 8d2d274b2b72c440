"""What a straight line through u misses of a log-likelihood, and a network of hyperbolic tangents that bends.

R_k = ell_k - ell(u) - <g(u), e_k - u>. The network: f(z) = sum_j V_j tanh(w_j x + <U_j, z>) with Gaussian noise of
variance sigma^2 around the target y, so that ell(z) = -(y - f(z))^2/(2 sigma^2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from theory.compact.elementary import quotient
from theory.inference.linear_pool.calibration import tanh
from theory.inference.simplex import Vector, centred, dot, uniform


def remainders(likelihoods: Sequence[Any], at_uniform: Any, gradient: Sequence[Any]) -> Vector:
    """R_k from ell_k, ell(u) and g(u): <g, e_k - u> is the centred entry of g."""
    return tuple(ell - at_uniform - slope for ell, slope in zip(likelihoods, centred(gradient), strict=True))


@dataclass(frozen=True)
class TanhNetwork:
    """Outer weights V_j, inner rows U_j with one entry a task, weights w_j of the input x, target y and sigma^2."""

    outer: Vector
    inner: tuple[Vector, ...]
    weights: Vector
    x: Any
    target: Any
    variance: Any

    @property
    def tasks(self) -> int:
        return len(self.inner[0])

    def units(self, z: Sequence[Any] | None = None) -> Vector:
        """The hidden layer, at u where no z is given."""
        z = uniform(self.tasks) if z is None else z
        return tuple(tanh(w * self.x + dot(row, z)) for w, row in zip(self.weights, self.inner, strict=True))

    def residual(self, units: Vector) -> Any:
        """Target minus output, over sigma^2."""
        return quotient(self.target - dot(self.outer, units), self.variance)

    def log_likelihood(self, z: Sequence[Any] | None = None) -> Any:
        """ell(z)."""
        residual = self.residual(self.units(z))
        return -quotient(residual * residual * self.variance, 2)

    def log_likelihoods(self) -> Vector:
        """ell_k."""
        return tuple(self.log_likelihood(tuple(int(j == k) for j in range(self.tasks))) for k in range(self.tasks))

    def gradient(self, z: Sequence[Any] | None = None) -> Vector:
        """g(z), at u where no z is given."""
        units = self.units(z)
        slopes = [v * (1 - t * t) for v, t in zip(self.outer, units, strict=True)]
        residual = self.residual(units)
        return tuple(residual * dot(slopes, column) for column in zip(*self.inner, strict=True))

    def remainders(self) -> Vector:
        """R_k."""
        return remainders(self.log_likelihoods(), self.log_likelihood(), self.gradient())

    def bend(self, z: Sequence[Any], v: Sequence[Any]) -> Any:
        """v^T Hess ell(z) v = ((y - f) sum_j V_j tanh''(a_j) <U_j, v>^2 - (J v)^2)/sigma^2."""
        units = self.units(z)
        along = [dot(row, v) for row in self.inner]
        slope = sum(w * (1 - t * t) * d for w, t, d in zip(self.outer, units, along, strict=True))
        second = sum(-2 * w * t * (1 - t * t) * d * d for w, t, d in zip(self.outer, units, along, strict=True))
        return self.residual(units) * second - quotient(slope * slope, self.variance)
