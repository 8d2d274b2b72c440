"""Matrices of float64 with an error radius, and upper bounds of their norms that are proved.

A product of float64 matrices of inner size k, summed in any order, is off by at most gamma_k |A||B| entry by entry,
gamma_k = k u/(1 - k u), u = 2^-53; so its Frobenius error is at most gamma_k |A|_F |B|_F. A spectral norm is bounded by
a verified factorisation: where the floating-point Cholesky factorisation of s I - M^T M runs to its end, the smallest
eigenvalue of that matrix is at least -gamma/(1 - gamma) times its trace (Higham, Accuracy and Stability of Numerical
Algorithms, Thm 10.3; here with gamma_(3n+8), which also covers blocked algorithms that divide by multiplication).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.compact.certificate.weights import Array

UNIT = 2.0**-53
_UNDERFLOW = 1e-290  # more than all products that underflow can add up to
_CLOSE = 1 + 2.0**-40  # more than a formula of a few float64 operations is off


def gamma(count: int) -> float:
    """The relative error of `count` roundings, rounded up."""
    return count * UNIT / (1 - count * UNIT) * _CLOSE


def length(x: Array) -> float:
    """The Euclidean norm of all entries, rounded up. Scaled, so that squares do not overflow."""
    largest = float(np.abs(x).max(initial=0.0))
    if largest == 0 or not np.isfinite(largest):
        return largest
    return largest * float(np.sqrt(np.square(x / largest).sum())) * (1 + gamma(x.size + 8)) * _CLOSE + _UNDERFLOW


def _row_lengths(x: Array) -> Array:
    """The Euclidean norms of rows, not rounded to a side. Scaled as in `length`, so that squares do not underflow."""
    largest = np.abs(x).max(axis=1, keepdims=True, initial=0.0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    found: Array = scale[:, 0] * np.sqrt(np.square(x / scale).sum(axis=1))
    return found


@dataclass(frozen=True, eq=False)
class Matrix:
    """All real matrices within Frobenius distance `radius` of `middle`."""

    middle: Array
    radius: float = 0.0

    def __matmul__(self, other: Matrix) -> Matrix:
        ours, theirs = length(self.middle), length(other.middle)
        rounding = gamma(self.middle.shape[1]) * ours * theirs
        radius = ours * other.radius + self.radius * (theirs + other.radius) + rounding
        return Matrix(self.middle @ other.middle, radius * _CLOSE + _UNDERFLOW)

    def scaled(self, gain: Array) -> Matrix:
        """Columns multiplied by `gain`."""
        middle = self.middle * gain
        radius = self.radius * float(np.abs(gain).max(initial=0.0)) + UNIT * length(middle)
        return Matrix(middle, radius * _CLOSE + _UNDERFLOW)

    def centred(self) -> Matrix:
        """Rows minus their means: times I - 1 1^T/d from the right."""
        middle = self.middle - self.middle.mean(axis=1, keepdims=True)
        radius = self.radius + 3 * gamma(self.middle.shape[1] + 4) * length(self.middle)
        return Matrix(middle, radius * _CLOSE + _UNDERFLOW)

    def spectral(self) -> float:
        """An upper bound of the largest singular value."""
        size = length(self.middle)
        if size == 0:
            return self.radius
        if not np.isfinite(size):
            return np.inf
        rows, columns = self.middle.shape
        power = 2.0 ** np.ceil(np.log2(size))
        unit = (self.middle if rows >= columns else self.middle.T) / power  # exact but for underflow
        return (_of_unit(unit) * power + self.radius) * _CLOSE

    def rows(self) -> Array:
        """Upper bounds of the Euclidean norms of the rows."""
        found = _row_lengths(self.middle) * (1 + gamma(self.middle.shape[1] + 8))
        return (found + self.radius) * _CLOSE + _UNDERFLOW

    def least_row(self) -> float:
        """A lower bound of the shortest row."""
        found = _row_lengths(self.middle) * (1 - gamma(self.middle.shape[1] + 8))
        return max(0.0, float(found.min()) / _CLOSE - self.radius - _UNDERFLOW)


def _of_unit(unit: Array) -> float:
    """The spectral norm of a matrix with at least as many rows as columns and Frobenius norm about 1, rounded up."""
    rows, n = unit.shape
    gram = unit.T @ unit
    frobenius = length(unit)
    rounding = gamma(rows) * frobenius**2
    highest = float(np.linalg.eigvalsh(gram)[-1])
    slack = 8 * n * UNIT
    while slack < 0.1:
        shifted = -gram
        shifted[np.diag_indices(n)] += highest * (1 + slack)
        try:
            np.linalg.cholesky(shifted)
        except np.linalg.LinAlgError:
            slack *= 8
            continue
        diagonal = np.abs(np.diag(shifted))
        missing = gamma(3 * n + 8) / (1 - gamma(3 * n + 8)) * float(diagonal.sum()) + 2 * UNIT * float(diagonal.max())
        bound = highest * (1 + slack) + missing + rounding + _UNDERFLOW
        return min(float(np.sqrt(bound * _CLOSE)) * _CLOSE, frobenius)
    return frobenius


def diameter(points: Matrix, most: int = 4096) -> float:
    """An upper bound of the largest distance of two rows.

    Rows that lie far from the centre are compared one by one, unless there are more than `most` of them: then it is the
    sum of the two largest distances from the centre.
    """
    x = points.middle
    reach = Matrix(x - x.mean(axis=0)).rows()  # any centre serves, and a difference is rounded once
    order = np.argsort(-reach)
    two = float(reach[order[0]] + reach[order[1]]) * _CLOSE
    start = x[order[0]]
    second = x[int(np.argmax(_row_lengths(x - start)))]
    sure = float(_row_lengths(x - second).max()) * (1 - gamma(x.shape[1] + 8))
    near = order[reach[order] + reach[order[0]] >= sure]
    if len(near) > most:
        return two + 2 * points.radius
    unit = 2.0 ** np.floor(np.log2(sure)) if 0 < sure < np.inf else 1.0  # so that squares do not underflow
    longest = 0.0
    for i in near:
        longest = max(longest, float(np.square((x[near] - x[i]) / unit).sum(axis=1).max()))
    pairs = unit * float(np.sqrt(longest)) * (1 + gamma(x.shape[1] + 8)) * _CLOSE + _UNDERFLOW
    return (min(two, max(pairs, sure)) + 2 * points.radius) * _CLOSE
