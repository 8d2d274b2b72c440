"""Bounds of one MLP, for all states that are normed before it."""

from __future__ import annotations

import numpy as np
from flint import arb

from theory.compact.certificate.activations import SLOPES
from theory.compact.certificate.matrix import Matrix
from theory.compact.certificate.norms import ball, column_size, constant_part, normed
from theory.compact.certificate.weights import Array, Mlp, Norm
from theory.compact.elementary import to_ball


def bound_mlp(mlp: Mlp, norm: Norm, width: int) -> tuple[arb, arb]:
    """J, the Lipschitz constant of the MLP in the normed state of unit length, and a bound of its output."""
    up_most = _hidden(mlp.up, mlp.up_bias, norm, width)
    if mlp.gate is None:
        return mlp_slope(mlp, norm, None, None), _weighted(mlp.down, up_most)
    gate_most = _hidden(mlp.gate, mlp.gate_bias, norm, width)
    return mlp_slope(mlp, norm, up_most, gate_most), _weighted(mlp.down, gate_most * up_most * (1 + 2.0**-50))


def mlp_slope(mlp: Mlp, norm: Norm, up_most: Array | None, gate_most: Array | None) -> arb:
    """J for bounds of the hidden units before the activation, which matter where they are multiplied by a gate."""
    slope, down = to_ball(SLOPES[mlp.activation]), Matrix(mlp.down)
    up = ball(normed(Matrix(mlp.up), norm).spectral())
    if mlp.gate is None or up_most is None or gate_most is None:
        return slope * ball(down.spectral()) * up
    gate = ball(normed(Matrix(mlp.gate), norm).spectral())
    return slope * ball(down.scaled(up_most).spectral()) * gate + ball(down.scaled(gate_most).spectral()) * up


def _hidden(matrix: Array, bias: Array | None, norm: Norm, width: int) -> Array:
    """Upper bounds of |row of W N(x) + bias|."""
    constant = constant_part(Matrix(matrix), norm, bias)
    most = np.sqrt(width) * normed(Matrix(matrix), norm).rows() + np.abs(constant.middle[:, 0]) + constant.radius
    found: Array = most * (1 + 2.0**-40)
    return found


def _weighted(down: Array, most: Array) -> arb:
    """A bound of |W_d h| for |h_r| <= most_r: the length of |W_d| most."""
    product = Matrix(np.abs(down)) @ Matrix(most[:, None])
    return column_size(product)
