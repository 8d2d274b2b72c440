"""Bounds of one head of attention, for all states that are normed before it."""

from __future__ import annotations

from flint import arb

from theory.compact.certificate.matrix import Matrix
from theory.compact.certificate.norms import ball, branch_size, branch_slope, column_size, constant_part, normed
from theory.compact.certificate.rules import Rules
from theory.compact.certificate.weights import Array, Attention, Norm


def _side(matrix: Array, bias: Array | None, norm: Norm, own: Norm | None, width: int) -> tuple[arb, arb, arb]:
    """Of queries or keys: a bound of their length, of what of it depends on the state, and of their slope over nu."""
    whole = Matrix(matrix)
    spectral = ball(normed(whole, norm).spectral())
    if own is not None:
        size = branch_size(own, len(matrix))
        return size, size, spectral * branch_slope(own)
    varying = arb(width).sqrt() * spectral
    return varying + column_size(constant_part(whole, norm, bias)), varying, spectral


def bound_head(
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
    through = output @ normed(value, norm)
    moved = ball(through.spectral())
    spread = arb(width).sqrt() * moved
    bias = row(attention.value_bias, attention.key_head(head))
    amax = spread + column_size(output @ constant_part(value, norm, bias))
    inner = arb(width).sqrt() * ball(normed(value, norm).spectral())
    constants = (
        rules.oscillation(attention, query, apart),
        rules.value_diameter(spread, amax, attention.sinks is not None, inner),
        rules.logit_slope(attention, nu, query_slope, key),
        rules.logit_slope(attention, nu, key_slope, query),
        nu * moved,
    )
    return constants, amax, (query, key)
