"""Sharper constants, from what a decoder is seen to do: lower bounds of the true ones, and so never a certificate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from theory.compact.certificate.certificate import Bounds
from theory.compact.certificate.certify import BITS, SOUND, Constants, Layer
from theory.compact.certificate.forward import Trace, embed, size, traces
from theory.compact.certificate.mlps import mlp_slope
from theory.compact.certificate.norms import branch_slope
from theory.compact.certificate.weights import Array, Block, Weights
from theory.compact.continuity.constants import LayerConstants, refined_coefficients
from theory.compact.elementary import to_ball

_POINTS = 256  # values of which all distances are taken


@dataclass
class Seen:
    """What was seen of one layer: the most over all words, and of norms the least.

    Args:
        shortest, shortest_between: sqrt(mean(x^2) + epsilon) before attention and before the MLP.
        queries, keys, oscillations, diameters, weights: (heads,); `weights` is the largest weight at the last query.
        gates, ups: (units,), sizes before the activation.
    """

    shortest: float
    shortest_between: float
    queries: Array
    keys: Array
    oscillations: Array
    diameters: Array
    weights: Array
    gates: Array | None
    ups: Array | None

    @classmethod
    def of(cls, block: Block, trace: Trace, random: np.random.Generator) -> Seen:
        attention = block.attention
        low = np.where(np.isfinite(trace.logits), trace.logits, np.inf).min(axis=-1)
        between = np.inf if block.mlp_norm is None else float(size(trace.between, block.mlp_norm).min())
        units = [None if x is None else np.abs(x).max(axis=(0, 1)) for x in (trace.gates, trace.ups)]
        return cls(
            shortest=float(size(trace.before, block.attention_norm).min()),
            shortest_between=between,
            queries=np.linalg.norm(trace.queries, axis=-1).max(axis=(0, 2)),
            keys=np.linalg.norm(trace.keys, axis=-1).max(axis=(0, 2)),
            oscillations=(trace.logits.max(axis=-1) - low).max(axis=(0, 2)),
            diameters=np.array(
                [_spread(trace.values[:, h], attention.output[h], random) for h in range(attention.heads)]
            ),
            weights=trace.attention[:, :, -1].max(axis=(0, 2)),
            gates=units[0],
            ups=units[1],
        )

    def join(self, other: Seen) -> None:
        """Take in what was seen on other words."""
        self.shortest = min(self.shortest, other.shortest)
        self.shortest_between = min(self.shortest_between, other.shortest_between)
        for name in ("queries", "keys", "oscillations", "diameters", "weights", "gates", "ups"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not None:
                setattr(self, name, np.maximum(mine, theirs))


def _spread(values: Array, output: Array, random: np.random.Generator) -> float:
    """The largest distance of some of the values, (b, n, d_h), after the output projection."""
    points = values.reshape(-1, values.shape[-1])
    points = points[random.permutation(len(points))[:_POINTS]]
    within = output.T @ output
    squares = np.einsum("id,de,ie->i", points, within, points)
    apart = squares[:, None] + squares - 2 * points @ within @ points.T
    return float(np.sqrt(max(apart.max(), 0.0)))


@dataclass(frozen=True)
class Sight:
    """What was seen of all layers, and the shortest state before the final norm."""

    layers: tuple[Seen, ...]
    final: float

    @property
    def oscillations(self) -> list[list[float]]:
        """The largest oscillation seen, layer by layer and head by head."""
        return [[float(x) for x in layer.oscillations] for layer in self.layers]


def see(weights: Weights, samples: Iterable[NDArray[np.int64]], seed: int) -> Sight:
    """Run words (b, n), of any lengths, through a decoder and keep the extremes."""
    random = np.random.default_rng(seed)
    found: list[Seen] = []
    final = np.inf
    for words in samples:
        last = None
        for index, (block, trace) in enumerate(zip(weights.blocks, traces(weights, words), strict=True)):
            seen, last = Seen.of(block, trace, random), trace.after
            if index == len(found):
                found.append(seen)
            else:
                found[index].join(seen)
        final = min(final, float(size(embed(weights, words) if last is None else last, weights.norm).min()))
    return Sight(tuple(found), final)


def estimate(weights: Weights, certified: Constants, sight: Sight) -> Bounds:
    """The bounds with what was seen in place of what is proved: an estimate, never a certificate."""
    with ctx.workprec(BITS):
        layers = [
            _layer(block, layer, seen)
            for block, layer, seen in zip(weights.blocks, certified.layers, sight.layers, strict=True)
        ]
        slope = SOUND.norm_slope(certified.rho, weights.width, weights.norm.epsilon)
        coefficients = refined_coefficients([layer.constants for layer in layers], certified.start)
        readout = certified.readout * _ratio(1 / to_ball(sight.final), slope)
        found = tuple(to_ball(c).upper() for c in coefficients)
        return Bounds(replace(certified, layers=tuple(layers), readout=readout, coefficients=found))


def _ratio(seen: arb, certified: arb) -> arb:
    """At most 1: what is seen is no more than what is certified, but for rounding."""
    return (seen / certified).min(arb(1)) if certified > 0 else arb(1)


def _layer(block: Block, layer: Layer, seen: Seen) -> Layer:
    shrunk = _ratio(1 / to_ball(seen.shortest), layer.attention_slope)
    slope, inner = arb(0), layer.mlp_inner
    if block.mlp is not None and block.mlp_norm is not None:
        slope = layer.mlp_slope * _ratio(1 / to_ball(seen.shortest_between), layer.mlp_slope)
        inner = mlp_slope(block.mlp, block.mlp_norm, seen.ups, seen.gates)
        if block.mlp.branch_norm is not None:
            inner = inner * branch_slope(block.mlp.branch_norm)
    skip = 1 + slope * inner
    heads = []
    for index, head in enumerate(layer.constants.heads):
        query, key = layer.sizes[index]
        own = _ratio(to_ball(float(seen.queries[index])), query)
        other = _ratio(to_ball(float(seen.keys[index])), key)
        heads.append(
            replace(
                head,
                oscillation=_least(head.oscillation, seen.oscillations[index]),
                diameter=_least(head.diameter, seen.diameters[index]),
                query=head.query * shrunk * other,
                key=head.key * shrunk * own,
                value=head.value * shrunk,
                outer=head.outer if block.arrangement == "parallel" else head.outer / layer.constants.skip * skip,
            )
        )
    constants = LayerConstants(skip, tuple(heads))
    return replace(
        layer, attention_slope=layer.attention_slope * shrunk, mlp_slope=slope, mlp_inner=inner, constants=constants
    )


def _least(certified: arb, seen: float) -> arb:
    return certified.min(to_ball(float(seen)))


def largest_weights(sight: Sight, n: int) -> Sequence[float]:
    """Of every layer, n times the largest weight at the last query: at most e^Delta, by the theory."""
    return [n * float(layer.weights.max()) for layer in sight.layers]
