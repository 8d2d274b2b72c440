"""What a decoder does, beside what its constants say: pairs (observed, bound), in float64 or in balls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from theory.compact.certificate.certificate import Certificate
from theory.compact.certificate.certify import Constants
from theory.compact.certificate.forward import Trace, final_logits, next_letter, run, softmax, to_balls, traces
from theory.compact.certificate.rules import Rules
from theory.compact.certificate.weights import Array, Weights
from theory.compact.words import disagreements

Pair = tuple[str, Any, Any]
STEP = 2.0**-20


def word_pairs(weights: Weights, rules: Rules, pairs: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> Iterator[Pair]:
    """The distances of two outputs, in balls, and bound(n, D)."""
    certificate = Certificate.of(weights, rules)
    for u, w in pairs:
        both, n = np.array([u, w]), len(u)
        places = [i for i in disagreements(u, w) if i < n or rules.last_letter]
        outputs = next_letter(weights, both, balls=True)
        name = f"{''.join(map(str, u))}, {''.join(map(str, w))}"
        yield f"outputs of {name}", _largest(abs(outputs[0] - outputs[1])), certificate.at_places(n, places)


def oscillations(weights: Weights, constants: Constants, word: tuple[int, ...]) -> Iterator[Pair]:
    """The oscillation of every row of logits, in balls, with the range of biases that are added last; and Delta."""
    for index, trace in enumerate(traces(weights, np.array([word]), balls=True)):
        heads, bias = constants.layers[index].constants.heads, weights.blocks[index].attention.outer_bias
        for head, bounds in enumerate(heads):
            for row in range(1, len(word)):
                seen = list(trace.logits[0, head, row, : row + 1])
                yield (
                    f"Delta, layer {index}, head {head}",
                    _largest(seen) + _largest([-x for x in seen]) + bias,
                    bounds.oscillation,
                )


def value_diameters(weights: Weights, constants: Constants, word: tuple[int, ...]) -> Iterator[Pair]:
    """The distances of values through the output projection, in balls, that of a sink included; and D_v."""
    for index, trace in enumerate(traces(weights, np.array([word]), balls=True)):
        attention = weights.blocks[index].attention
        for head, bounds in enumerate(constants.layers[index].constants.heads):
            values = list(trace.values[0, head] @ attention.output[head].T)
            if attention.sinks is not None:
                values.append(values[0] * 0)
            found = [euclidean(x - y) for i, x in enumerate(values) for y in values[:i]]
            yield f"D_v, layer {index}, head {head}", _largest(found), bounds.diameter


def query_slopes(
    weights: Weights, constants: Constants, key: Sequence[float], state: Sequence[float]
) -> Iterator[Pair]:
    """How fast the first layer's logits change with the query's state, in balls; and lambda_q."""
    x, step = _at(constants, state)
    found = [run(weights.blocks[0], np.stack((to_balls(np.array(key)), z))[None]) for z in (x, x + step)]
    change = abs(found[1].logits[0, :, 1, 0] - found[0].logits[0, :, 1, 0])
    for head, bounds in enumerate(constants.layers[0].constants.heads):
        yield f"lambda_q, head {head}", change[head] / euclidean(step), bounds.query


def readout_slope(weights: Weights, constants: Constants, state: Sequence[float]) -> Iterator[Pair]:
    """How fast the output changes with the last state, in balls; and Lambda."""
    x, step = _at(constants, state)
    outputs = [softmax(final_logits(weights, z[None]))[0] for z in (x, x + step)]
    yield "Lambda", _largest(abs(outputs[0] - outputs[1])) / euclidean(step), constants.readout


def _at(constants: Constants, state: Sequence[float]) -> tuple[Any, Any]:
    """A state of 2 coordinates, lengthened to rho, below which the bounds say nothing, and a step at a right angle."""
    rho = max(float(layer.rho.upper()) for layer in constants.layers)
    x = np.array(state) * max(1.0, rho / float(np.hypot(state[0], state[1])) * (1 + STEP))
    return to_balls(x), to_balls(STEP * np.array([-x[1], x[0]]))


def layer_steps(constants: Constants, first: list[Trace], second: list[Trace]) -> Iterator[tuple[Array, Array]]:
    """Of every layer and pair of words (b, n), e after it and a e + b A e before it."""
    for layer, one, other in zip(constants.layers, first, second, strict=True):
        before, after = (
            np.linalg.norm(x - y, axis=-1) for x, y in ((one.before, other.before), (one.after, other.after))
        )
        mean = before.cumsum(axis=-1) / np.arange(1, before.shape[-1] + 1)
        yield after, float(layer.constants.a) * before + float(layer.constants.b) * mean


def seen_oscillation(trace: Trace) -> NDArray[np.float64]:
    """Of every head, the largest oscillation of a row, in float64."""
    low = np.where(np.isfinite(trace.logits), trace.logits, np.inf).min(axis=-1)
    found: Array = (trace.logits.max(axis=-1) - low).max(axis=(0, 2))
    return found


def euclidean(x: Any) -> arb:
    """The length of a vector of balls."""
    return sum((value**2 for value in x), arb(0)).sqrt()


def _largest(values: Any) -> arb:
    found = arb(0) + values[0]
    for value in values[1:]:
        found = found.max(value)
    return found
