"""Several observations that share one task variable z, each a linear pool of its own.

ell(z) = sum_i log sum_k z_k p_k(x_i). Source: arXiv 2407.17356 shares z over the steps of a sequence; derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import sympy

from theory.compact.elementary import log, quotient
from theory.errors import InputError
from theory.inference.arguments import positive, rows
from theory.inference.embeddings import LinearPool
from theory.inference.simplex import Vector


def shared_pool(matrix: sympy.Matrix) -> SharedPool:
    """The pool of a matrix as it is typed, one row an observation.

    Raises InputError for a negative entry and for a row of zeros.
    """
    likelihoods = rows(matrix)
    for row in likelihoods:
        # A row of zeros is refused with its zeros.
        positive("p", [entry for entry in row if not (isinstance(entry, Fraction) and entry == 0)] or row)
    return SharedPool(likelihoods)


@dataclass(frozen=True)
class SharedPool:
    """Likelihoods p_ik, one row an observation. Raises InputError where there is none."""

    rows: tuple[Vector, ...]

    def __post_init__(self) -> None:
        if not self.rows:
            raise InputError("no observations: nothing to infer from; give at least one row of likelihoods")

    @cached_property
    def pools(self) -> tuple[LinearPool, ...]:
        return tuple(map(LinearPool, self.rows))

    @property
    def observations(self) -> int:
        return len(self.rows)

    @property
    def tasks(self) -> int:
        return len(self.rows[0])

    @property
    def whole(self) -> LinearPool:
        """One pool over whole sequences instead: the likelihood of a task is the product of its column."""
        return LinearPool(tuple(prod(column) for column in zip(*self.rows, strict=True)))

    def log_likelihood(self, z: Sequence[Any]) -> Any:
        """ell(z)."""
        return sum(pool.log_likelihood(z) for pool in self.pools)

    def log_likelihoods(self) -> Vector:
        """ell_k = sum_i log p_ik, as one logarithm."""
        return tuple(log(p) for p in self.whole.likelihoods)

    def gradient(self, z: Sequence[Any] | None = None) -> Vector:
        """g_k(z) = sum_i p_ik / sum_j z_j p_ij."""
        return tuple(map(sum, zip(*(pool.gradient(z) for pool in self.pools), strict=True)))

    def responsibilities(self, z: Sequence[Any] | None = None) -> tuple[Vector, ...]:
        """r_ik(z), one row an observation."""
        return tuple(pool.responsibilities(z) for pool in self.pools)

    def em_step(self, z: Sequence[Any] | None = None) -> Vector:
        """The mean of the responsibilities, which is z g(z)/n."""
        columns = zip(*self.responsibilities(z), strict=True)
        return tuple(quotient(sum(column), self.observations) for column in columns)
