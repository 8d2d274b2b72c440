"""What maps make of normed states: the norm's gain and bias are part of the map, and normed states lie in a ball."""

from __future__ import annotations

import numpy as np
from flint import arb

from theory.compact.certificate.matrix import Matrix, length
from theory.compact.certificate.weights import Array, Norm
from theory.compact.elementary import to_ball


def ball(value: float) -> arb:
    """The float, exactly."""
    return arb(float(value))


def normed(matrix: Matrix, norm: Norm) -> Matrix:
    """W G C, for what W makes of normed states."""
    scaled = matrix.scaled(norm.gain)
    return scaled.centred() if norm.kind == "layer" else scaled


def constant_part(matrix: Matrix, norm: Norm, bias: Array | None) -> Matrix:
    """W b + bias as a column: the part of W N(x) + bias that does not depend on x."""
    rows = len(matrix.middle)
    found = Matrix(np.zeros((rows, 1)))
    if norm.bias is not None:
        found = matrix @ Matrix(norm.bias[:, None])
    return found if bias is None else _sum(found, bias)


def _sum(column: Matrix, bias: Array) -> Matrix:
    total = column.middle + bias[:, None]
    return Matrix(total, (column.radius + length(total) * 2.0**-52) * (1 + 2.0**-40))


def column_size(column: Matrix) -> arb:
    """A bound of the length of a column."""
    return ball(length(column.middle)) + ball(column.radius)


def branch_slope(norm: Norm) -> arb:
    """The Lipschitz constant of a norm of a branch, of whose length no lower bound is known."""
    return ball(float(np.abs(norm.gain).max())) / to_ball(norm.epsilon).sqrt()


def branch_size(norm: Norm, width: int) -> arb:
    """A bound of the length of what a norm of a branch gives."""
    bias = arb(0) if norm.bias is None else ball(length(norm.bias))
    return arb(width).sqrt() * ball(float(np.abs(norm.gain).max())) + bias
