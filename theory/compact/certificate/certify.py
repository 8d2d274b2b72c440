"""From weights to constants: upper bounds, rounded outward, of all that the continuity theorem asks for.

The inputs of attention, MLP and readout are normed, so that they lie in a fixed ball whatever the state is; the stream
itself is at least rho long, which each branch shortens by no more than its largest output. Source: derived here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, ctx

from theory.compact.certificate.heads import bound_head
from theory.compact.certificate.matrix import Matrix, diameter, length
from theory.compact.certificate.mlps import bound_mlp
from theory.compact.certificate.norms import ball, branch_size, branch_slope, constant_part, normed
from theory.compact.certificate.refusal import check, require
from theory.compact.certificate.rules import Rules
from theory.compact.certificate.weights import Block, Weights
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


def _start(weights: Weights, rules: Rules) -> tuple[arb, arb]:
    """The bounds rho and D_0 of the embeddings; what is added by position cancels in D_0."""
    embedding = Matrix(weights.embedding)
    centred = embedding.centred() if _layer_norm(weights) else embedding
    if weights.position_norm is not None:
        added = to_ball(weights.position_norm)
    else:
        added = arb(0) if weights.positions is None else ball(float(Matrix(weights.positions).rows().max()))
    certified = largest(ball(centred.least_row()) - added, arb(0))
    seen = ball(float(centred.rows().max()))
    return rules.least_start(certified, seen), ball(diameter(embedding))


def _layer_norm(weights: Weights) -> bool:
    """Whether some norm subtracts the mean; then rho is of the centred state, which is never longer."""
    norms = [weights.norm, *(block.attention_norm for block in weights.blocks)]
    norms += [block.mlp_norm for block in weights.blocks if block.mlp_norm is not None]
    return any(norm.kind == "layer" for norm in norms)


def _layer(block: Block, rho: arb, width: int, rules: Rules) -> tuple[Layer, arb]:
    attention, norm = block.attention, block.attention_norm
    nu = rules.norm_slope(rho, width, norm.epsilon)
    found = [bound_head(attention, norm, head, nu, width, rules) for head in range(attention.heads)]
    heads, amax = [head for head, _, _ in found], [most for _, most, _ in found]
    bias = arb(0) if attention.output_bias is None else ball(length(attention.output_bias))
    if (branch := attention.branch_norm) is not None:
        between = rules.after_attention(rho, [branch_size(branch, width)], arb(0))
        outer = branch_slope(branch)
    else:
        between, outer = rules.after_attention(rho, amax, bias), arb(1)
    parallel = block.arrangement == "parallel"
    before_mlp = rho if parallel else between
    inner, nu_mlp, after = arb(0), arb(0), between
    if block.mlp is not None and block.mlp_norm is not None:
        nu_mlp = rules.norm_slope(before_mlp, width, block.mlp_norm.epsilon)
        inner, hidden = bound_mlp(block.mlp, block.mlp_norm, width)
        down = arb(0) if block.mlp.down_bias is None else ball(length(block.mlp.down_bias))
        if (branch := block.mlp.branch_norm) is not None:
            inner = inner * branch_slope(branch)
            after = rules.after_mlp(between, branch_size(branch, width), arb(0))
        else:
            after = rules.after_mlp(between, hidden, down)
    kappa = 1 + nu_mlp * inner
    phi = outer if parallel else kappa * outer
    constants = LayerConstants(kappa, tuple(HeadConstants(*head, outer=phi) for head in heads))
    return Layer(nu, nu_mlp, inner, rho, tuple(sizes for _, _, sizes in found), constants), after


def _readout(weights: Weights, rho: arb, rules: Rules) -> tuple[arb, arb]:
    """Lambda, and the largest difference of two final logits before the temperature."""
    nu = rules.norm_slope(rho, weights.width, weights.norm.epsilon)
    rows = normed(Matrix(weights.unembedding), weights.norm)
    apart = ball(diameter(rows))
    lengths = np.sort(rows.rows())
    capped = ball(float(lengths[-1])) + ball(float(lengths[-2]))
    constant = constant_part(Matrix(weights.unembedding), weights.norm, weights.unembedding_bias)
    between = float(constant.middle.max() - constant.middle.min()) * (1 + 2.0**-50) + 2 * constant.radius
    spread = arb(weights.width).sqrt() * apart + ball(between)
    if weights.softcap is not None:
        spread = smallest(spread, 2 * to_ball(weights.softcap))
    return rules.readout(nu, apart, capped, weights.softcap, weights.temperature), spread
