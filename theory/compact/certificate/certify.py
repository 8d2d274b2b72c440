"""From weights to constants: upper bounds, rounded outward, of all that the continuity theorem asks for.

The inputs of attention, MLP and readout are normed, so that they lie in a fixed ball whatever the state is; the stream
itself is at least rho long, which each branch shortens by no more than its largest output. Source: derived here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, ctx

from theory.compact.certificate.activations import SLOPES
from theory.compact.certificate.matrix import Matrix, diameter, length
from theory.compact.certificate.refusal import check, require
from theory.compact.certificate.rules import Rules
from theory.compact.certificate.weights import Array, Attention, Block, Mlp, Norm, Weights
from theory.compact.continuity.constants import HeadConstants, LayerConstants
from theory.compact.elementary import largest, smallest, to_ball
from theory.progress import Progress

BITS = 128
SOUND = Rules()


@dataclass(frozen=True)
class Layer:
    """What was found of one layer: bounds nu of its norms, J of the MLP, rho before it, and the theorem's constants.

    `sizes` are bounds of the length of a query and of a key, head by head.
    """

    attention_slope: arb
    mlp_slope: arb
    mlp_inner: arb
    rho: arb
    sizes: tuple[tuple[arb, arb], ...]
    constants: LayerConstants


@dataclass(frozen=True)
class Constants:
    """All constants of a decoder, as balls; upper ends are proved.

    Args:
        start: D_0, the diameter of the embeddings.
        layers: one by one.
        rho: of the last state.
        readout: Lambda.
        coefficients: P_0, ..., P_L.
        spread: the largest difference of two final logits.
        least_probability: p_min, of any letter.
        by_lag: whether the bound is one in the one-sided density in place of the share.
    """

    start: arb
    layers: tuple[Layer, ...]
    rho: arb
    readout: arb
    coefficients: tuple[arb, ...]
    spread: arb
    least_probability: arb
    by_lag: bool

    @property
    def oscillations(self) -> list[list[arb]]:
        """Delta, layer by layer and head by head."""
        return [[head.oscillation for head in layer.constants.heads] for layer in self.layers]


def certify(weights: Weights, rules: Rules = SOUND, progress: Progress | None = None) -> Constants:
    """The constants of a decoder. Raises InputError, "no certificate: ...", where it has none.

    `rules` are other than the sound ones for controls only.
    """
    check(weights)
    with ctx.workprec(BITS), np.errstate(over="ignore", invalid="ignore"):
        return _certify(weights, rules, progress)


def _certify(weights: Weights, rules: Rules, progress: Progress | None) -> Constants:
    rho, start = _start(weights, rules)
    layers = []
    for index, block in enumerate(weights.blocks):
        layer, rho = _layer(block, rho, weights.width, rules)
        layers.append(layer)
        if progress is not None:
            progress(index + 1, len(weights.blocks) + 1)
    coefficients = rules.polynomial([layer.constants for layer in layers], start)
    readout, spread = _readout(weights, rho, rules)
    temperature = to_ball(weights.temperature)
    least = 1 / (1 + (weights.letters - 1) * (spread / temperature).exp())
    found = [readout, spread, start, *coefficients]
    require(
        all(value.is_finite() for value in found),
        "a bound is NaN or infinite",
        "weights of this size are beyond what is computed",
    )
    return Constants(start, tuple(layers), rho, readout, tuple(map(_up, coefficients)), spread, least, weights.by_lag)


def _up(value: Any) -> arb:
    """The upper end, exactly."""
    return to_ball(value).upper()


def _ball(value: float) -> arb:
    return arb(float(value))


def _start(weights: Weights, rules: Rules) -> tuple[arb, arb]:
    """The bounds rho and D_0 of the embeddings; what is added by position cancels in D_0."""
    embedding = Matrix(weights.embedding)
    centred = embedding.centred() if _layer_norm(weights) else embedding
    if weights.position_norm is not None:
        added = to_ball(weights.position_norm)
    else:
        added = arb(0) if weights.positions is None else _ball(float(Matrix(weights.positions).rows().max()))
    certified = largest(_ball(centred.least_row()) - added, arb(0))
    seen = _ball(float(centred.rows().max()))
    return rules.least_start(certified, seen), _ball(diameter(embedding))


def _layer_norm(weights: Weights) -> bool:
    """Whether some norm subtracts the mean; then rho is of the centred state, which is never longer."""
    norms = [weights.norm, *(block.attention_norm for block in weights.blocks)]
    norms += [block.mlp_norm for block in weights.blocks if block.mlp_norm is not None]
    return any(norm.kind == "layer" for norm in norms)


def _normed(matrix: Matrix, norm: Norm) -> Matrix:
    """W G C, for what W makes of normed states."""
    scaled = matrix.scaled(norm.gain)
    return scaled.centred() if norm.kind == "layer" else scaled


def _constant(matrix: Matrix, norm: Norm, bias: Array | None) -> Matrix:
    """W b + bias as a column: the part of W N(x) + bias that does not depend on x."""
    rows = len(matrix.middle)
    found = Matrix(np.zeros((rows, 1)))
    if norm.bias is not None:
        found = matrix @ Matrix(norm.bias[:, None])
    return found if bias is None else _sum(found, bias)


def _sum(column: Matrix, bias: Array) -> Matrix:
    total = column.middle + bias[:, None]
    return Matrix(total, (column.radius + length(total) * 2.0**-52) * (1 + 2.0**-40))


def _size(column: Matrix) -> arb:
    return _ball(length(column.middle)) + _ball(column.radius)


def _layer(block: Block, rho: arb, width: int, rules: Rules) -> tuple[Layer, arb]:
    attention, norm = block.attention, block.attention_norm
    nu = rules.norm_slope(rho, width, norm.epsilon)
    found = [_head(attention, norm, head, nu, width, rules) for head in range(attention.heads)]
    heads, amax = [head for head, _, _ in found], [most for _, most, _ in found]
    bias = arb(0) if attention.output_bias is None else _ball(length(attention.output_bias))
    if (branch := attention.branch_norm) is not None:
        between = rules.after_attention(rho, [_branch_size(branch, width)], arb(0))
        outer = branch_slope(branch)
    else:
        between, outer = rules.after_attention(rho, amax, bias), arb(1)
    parallel = block.arrangement == "parallel"
    before_mlp = rho if parallel else between
    inner, nu_mlp, after = arb(0), arb(0), between
    if block.mlp is not None and block.mlp_norm is not None:
        nu_mlp = rules.norm_slope(before_mlp, width, block.mlp_norm.epsilon)
        inner, hidden = _mlp(block.mlp, block.mlp_norm, width)
        down = arb(0) if block.mlp.down_bias is None else _ball(length(block.mlp.down_bias))
        if (branch := block.mlp.branch_norm) is not None:
            inner = inner * branch_slope(branch)
            after = rules.after_mlp(between, _branch_size(branch, width), arb(0))
        else:
            after = rules.after_mlp(between, hidden, down)
    kappa = 1 + nu_mlp * inner
    phi = outer if parallel else kappa * outer
    constants = LayerConstants(kappa, tuple(HeadConstants(*head, outer=phi) for head in heads))
    return Layer(nu, nu_mlp, inner, rho, tuple(sizes for _, _, sizes in found), constants), after


def branch_slope(norm: Norm) -> arb:
    """The Lipschitz constant of a norm of a branch, of whose length no lower bound is known."""
    return _ball(float(np.abs(norm.gain).max())) / to_ball(norm.epsilon).sqrt()


def _branch_size(norm: Norm, width: int) -> arb:
    bias = arb(0) if norm.bias is None else _ball(length(norm.bias))
    return arb(width).sqrt() * _ball(float(np.abs(norm.gain).max())) + bias


def _side(matrix: Array, bias: Array | None, norm: Norm, own: Norm | None, width: int) -> tuple[arb, arb, arb]:
    """Of queries or keys: a bound of their length, of what of it depends on the state, and of their slope over nu."""
    whole = Matrix(matrix)
    spectral = _ball(_normed(whole, norm).spectral())
    if own is not None:
        size = _branch_size(own, len(matrix))
        return size, size, spectral * branch_slope(own)
    varying = arb(width).sqrt() * spectral
    return varying + _size(_constant(whole, norm, bias)), varying, spectral


def _head(
    attention: Attention, norm: Norm, head: int, nu: arb, width: int, rules: Rules
) -> tuple[tuple[arb, arb, arb, arb, arb], arb, tuple[arb, arb]]:
    """Delta, D_v, lambda_q, lambda_k, lambda_v of a head; how long what it adds, a query and a key can be."""
    shared = rules.key_head(attention, head)

    def row(biases: Array | None, index: int) -> Array | None:
        return None if biases is None else biases[index]

    query, _, query_slope = _side(
        attention.query[head], row(attention.query_bias, head), norm, attention.query_norm, width
    )
    key, varying, key_slope = _side(
        attention.key[shared], row(attention.key_bias, shared), norm, attention.key_norm, width
    )
    # Without a rotation the constant part of a key adds the same to all logits of a query.
    apart = varying if attention.rotation is None else key
    value, output = Matrix(attention.value[attention.key_head(head)]), Matrix(attention.output[head])
    through = output @ _normed(value, norm)
    moved = _ball(through.spectral())
    spread = arb(width).sqrt() * moved
    bias = row(attention.value_bias, attention.key_head(head))
    amax = spread + _size(output @ _constant(value, norm, bias))
    inner = arb(width).sqrt() * _ball(_normed(value, norm).spectral())
    constants = (
        rules.oscillation(attention, query, apart),
        rules.value_diameter(spread, amax, attention.sinks is not None, inner),
        rules.logit_slope(attention, nu, query_slope, key),
        rules.logit_slope(attention, nu, key_slope, query),
        nu * moved,
    )
    return constants, amax, (query, key)


def _mlp(mlp: Mlp, norm: Norm, width: int) -> tuple[arb, arb]:
    """J, the Lipschitz constant of the MLP in the normed state of unit length, and a bound of its output."""
    up_most = _hidden(mlp.up, mlp.up_bias, norm, width)
    if mlp.gate is None:
        return mlp_slope(mlp, norm, None, None), _weighted(mlp.down, up_most)
    gate_most = _hidden(mlp.gate, mlp.gate_bias, norm, width)
    return mlp_slope(mlp, norm, up_most, gate_most), _weighted(mlp.down, gate_most * up_most * (1 + 2.0**-50))


def mlp_slope(mlp: Mlp, norm: Norm, up_most: Array | None, gate_most: Array | None) -> arb:
    """J for bounds of the hidden units before the activation, which matter where they are multiplied by a gate."""
    slope, down = to_ball(SLOPES[mlp.activation]), Matrix(mlp.down)
    up = _ball(_normed(Matrix(mlp.up), norm).spectral())
    if mlp.gate is None or up_most is None or gate_most is None:
        return slope * _ball(down.spectral()) * up
    gate = _ball(_normed(Matrix(mlp.gate), norm).spectral())
    return slope * _ball(down.scaled(up_most).spectral()) * gate + _ball(down.scaled(gate_most).spectral()) * up


def _hidden(matrix: Array, bias: Array | None, norm: Norm, width: int) -> Array:
    """Upper bounds of |row of W N(x) + bias|."""
    constant = _constant(Matrix(matrix), norm, bias)
    most = np.sqrt(width) * _normed(Matrix(matrix), norm).rows() + np.abs(constant.middle[:, 0]) + constant.radius
    found: Array = most * (1 + 2.0**-40)
    return found


def _weighted(down: Array, most: Array) -> arb:
    """A bound of |W_d h| for |h_r| <= most_r: the length of |W_d| most."""
    product = Matrix(np.abs(down)) @ Matrix(most[:, None])
    return _size(product)


def _readout(weights: Weights, rho: arb, rules: Rules) -> tuple[arb, arb]:
    """Lambda, and the largest difference of two final logits before the temperature."""
    nu = rules.norm_slope(rho, weights.width, weights.norm.epsilon)
    rows = _normed(Matrix(weights.unembedding), weights.norm)
    apart = _ball(diameter(rows))
    lengths = np.sort(rows.rows())
    capped = _ball(float(lengths[-1])) + _ball(float(lengths[-2]))
    constant = _constant(Matrix(weights.unembedding), weights.norm, weights.unembedding_bias)
    between = float(constant.middle.max() - constant.middle.min()) * (1 + 2.0**-50) + 2 * constant.radius
    spread = arb(weights.width).sqrt() * apart + _ball(between)
    if weights.softcap is not None:
        spread = smallest(spread, 2 * to_ball(weights.softcap))
    return rules.readout(nu, apart, capped, weights.softcap, weights.temperature), spread
