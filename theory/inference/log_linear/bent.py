"""A Gaussian whose output is no linear function of z: what the log-linear identities need, by its absence.

Source: derived here. f(z) = (sum_k z_k a_k)^3, entry by entry, so that the means of the tasks are a_k^3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from theory.inference.embeddings import Gaussian
from theory.inference.simplex import Vector, combined, dot, uniform


@dataclass(frozen=True)
class Bent(Gaussian):
    """The means are the a_k; variance sigma^2."""

    @property
    def natural(self) -> tuple[Vector, ...]:  # type: ignore[override]
        return tuple(tuple(entry**3 / self.variance for entry in mean) for mean in self.means)

    def parameter(self, z: Sequence[Any] | None = None) -> Vector:
        inner = combined(uniform(self.tasks) if z is None else z, self.means)
        return tuple(entry**3 / self.variance for entry in inner)

    def gradient(self, t: Vector, z: Sequence[Any] | None = None) -> Vector:
        inner = combined(uniform(self.tasks) if z is None else z, self.means)
        slopes = tuple(3 * a**2 * (x - a**3) / self.variance for a, x in zip(inner, t, strict=True))
        return tuple(dot(mean, slopes) for mean in self.means)
