"""A decoder run from the description of its weights, and what its layers look like on the way: in float64, or in balls.

Balls are `arb`s in arrays of objects, whose elements NumPy's functions ask for the method of that name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from theory.compact.certificate.activations import activated
from theory.compact.certificate.weights import Array, Attention, Block, Mlp, Norm, Rotation, Weights


@dataclass(frozen=True, eq=False)
class Trace:
    """One layer on words (b, n).

    Args:
        before, after: the stream, (b, n, d).
        between: what the norm before the MLP reads.
        queries, keys: (b, heads, n, d_h), after their own norms and before rotation, key heads repeated.
        values: (b, heads, n, d_h).
        logits, attention: (b, heads, n, n), -inf and 0 for keys that are not seen.
        gates, ups: hidden units before the activation and before they are multiplied, (b, n, units).
    """

    before: Array
    after: Array
    between: Array
    queries: Array
    keys: Array
    values: Array
    logits: Array
    attention: Array
    gates: Array | None
    ups: Array | None


def size(x: Array, norm: Norm) -> Array:
    """sqrt(mean((C x)^2) + epsilon) of states (..., d)."""
    centred = x - x.mean(axis=-1, keepdims=True) if norm.kind == "layer" else x
    found: Array = np.sqrt(np.square(centred).mean(axis=-1) + norm.epsilon)
    return found


def normed(x: Array, norm: Norm) -> Array:
    """The norm of states (..., d)."""
    centred = x - x.mean(axis=-1, keepdims=True) if norm.kind == "layer" else x
    y: Array = centred / size(x, norm)[..., None] * norm.gain
    return y if norm.bias is None else y + norm.bias


to_balls = np.frompyfunc(lambda value: arb(float(value)), 1, 1)


def embed(weights: Weights, words: NDArray[np.int64], balls: bool = False) -> Any:
    """Letters (b, n) to the first states, (b, n, d)."""
    x = weights.embedding[words]
    if balls:
        x = to_balls(x)
    return x if weights.positions is None else x + weights.positions[: words.shape[1]]


def traces(weights: Weights, words: NDArray[np.int64], balls: bool = False) -> Iterator[Trace]:
    """The layers, first to last."""
    x = embed(weights, words, balls)
    for block in weights.blocks:
        trace = run(block, x)
        yield trace
        x = trace.after


def final_logits(weights: Weights, x: Array) -> Array:
    """Last states (..., d) to the logits of the next letter, divided by the temperature."""
    logits: Array = normed(x, weights.norm) @ weights.unembedding.T
    if weights.unembedding_bias is not None:
        logits = logits + weights.unembedding_bias
    if weights.softcap is not None:
        logits = weights.softcap * np.tanh(logits / weights.softcap)
    return logits / weights.temperature


def softmax(logits: Array) -> Array:
    """Along the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Array = powers / powers.sum(axis=-1, keepdims=True)
    return found


def next_letter(weights: Weights, words: NDArray[np.int64], balls: bool = False) -> Any:
    """Words (b, n) to the probabilities of the letter after them, (b, letters)."""
    x = embed(weights, words, balls)
    for trace in traces(weights, words, balls):
        x = trace.after
    return softmax(final_logits(weights, x[:, -1]))


def run(block: Block, x: Array) -> Trace:
    """One layer on the stream x (b, n, d)."""
    attention = block.attention
    y = normed(x, block.attention_norm)
    share = attention.heads // len(attention.key)
    queries = _projected(y, attention.query, attention.query_bias, attention.query_norm)
    keys = _projected(y, attention.key, attention.key_bias, attention.key_norm).repeat(share, axis=1)
    values = _projected(y, attention.value, attention.value_bias, None).repeat(share, axis=1)
    logits = _logits(attention, queries, keys)
    shown = logits
    if attention.sinks is not None:
        sinks = np.broadcast_to(attention.sinks[:, None, None], (*logits.shape[:-1], 1))
        shown = np.concatenate((logits, sinks), axis=-1)
    weights = softmax(shown)[..., : logits.shape[-1]]
    added = np.einsum("bhne,hde->bnd", weights @ values, attention.output, optimize=True)
    if attention.output_bias is not None:
        added = added + attention.output_bias
    if attention.branch_norm is not None:
        added = normed(added, attention.branch_norm)
    between = x if block.arrangement == "parallel" else x + added
    gates, ups, after = None, None, x + added
    if block.mlp is not None and block.mlp_norm is not None:
        gates, ups, out = _mlp(block.mlp, normed(between, block.mlp_norm))
        after = after + out
    return Trace(x, after, between, queries, keys, values, logits, weights, gates, ups)


def _projected(y: Array, matrices: Array, biases: Array | None, norm: Norm | None) -> Array:
    """Normed states (b, n, d) by (heads, d_h, d) to (b, heads, n, d_h)."""
    found = np.matmul(y[:, None], matrices.transpose(0, 2, 1))
    if biases is not None:
        found = found + biases[:, None, :]
    return found if norm is None else normed(found, norm)


def _logits(attention: Attention, queries: Array, keys: Array) -> Array:
    n = queries.shape[2]
    if attention.rotation is not None:
        queries, keys = (_turned(z, attention.rotation) for z in (queries, keys))
    logits = attention.scale * queries @ keys.transpose(0, 1, 3, 2)
    if attention.softcap is not None:
        logits = attention.softcap * np.tanh(logits / attention.softcap)
    logits = logits * attention.factor
    lag = np.arange(n)[:, None] - np.arange(n)
    if attention.slopes is not None:
        logits = logits - attention.slopes[:, None, None] * lag
    hidden = lag < 0 if attention.window is None else (lag < 0) | (lag >= attention.window)
    return np.where(hidden, -np.inf, logits)


def _like(values: Array, x: Any) -> Any:
    return to_balls(values) if x.dtype == object else values


def _turned(x: Array, rotation: Rotation) -> Array:
    angles: Any = np.arange(x.shape[2])[:, None] * _like(rotation.frequencies, x)
    a, b = x[..., rotation.pairs[:, 0]], x[..., rotation.pairs[:, 1]]
    turned = x.copy()
    turned[..., rotation.pairs[:, 0]] = a * np.cos(angles) - b * np.sin(angles)
    turned[..., rotation.pairs[:, 1]] = a * np.sin(angles) + b * np.cos(angles)
    return turned


def _mlp(mlp: Mlp, y: Array) -> tuple[Array | None, Array, Array]:
    def hidden(matrix: Array, bias: Array | None) -> Array:
        found: Array = y @ matrix.T
        return found if bias is None else found + bias

    ups = hidden(mlp.up, mlp.up_bias)
    gates = None if mlp.gate is None else hidden(mlp.gate, mlp.gate_bias)
    inner = activated(mlp.activation, ups) if gates is None else activated(mlp.activation, gates) * ups
    out: Array = inner @ mlp.down.T
    if mlp.down_bias is not None:
        out = out + mlp.down_bias
    if mlp.branch_norm is not None:
        out = normed(out, mlp.branch_norm)
    return gates, ups, out
