"""Small networks with states in [-1, 1] and constants in closed form, on which the explicit bounds are tried.

A head has the logit k(i, j) (al x_i x_j + be x_j) and the value v x_j, with position data k(i, j) in [-1, 1]; a layer
is x <- tanh(f_0 x + f_1 a).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.compact.continuity.constants import HeadConstants, LayerConstants

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScalarHead:
    """A head, in whatever numbers: al and be in the logit, v in the value, f_1 behind it.

    `turn` is the angle of the position data cos(turn (i - j)); 0 for none.
    """

    product: Any
    linear: Any
    value: Any
    outer: Any = 1
    turn: float = 0.0

    @classmethod
    def draw(cls, random: np.random.Generator) -> ScalarHead:
        """Weights of either sign, small or large."""
        size = float(random.choice([0.05, 0.2, 2]))
        product, linear = (float(w) * size for w in random.uniform(-1, 1, size=2))
        value, outer = (float(w) for w in random.uniform(-1, 1, size=2))
        return cls(product, linear, value, outer, float(random.choice([0, random.uniform(0, 3)])))

    def constants(self, oscillation: Any = None) -> HeadConstants:
        """On states in [-1, 1]; `oscillation` where the range of the logits is known to be less than allowed for."""
        key = abs(self.product) + abs(self.linear)
        spread = 2 * key if oscillation is None else oscillation
        return HeadConstants(spread, 2 * abs(self.value), abs(self.product), key, abs(self.value), abs(self.outer))

    def logits(self, states: Any, causal: bool = True) -> Any:
        """One row a query, up to the query where the head is causal."""
        places = np.arange(len(states))
        rows = []
        for i, own in enumerate(states):
            seen = slice(None, i + 1 if causal else None)
            data = np.cos(self.turn * (i - places[seen])) if self.turn else 1
            rows.append((self.product * own + self.linear) * states[seen] * data)
        return rows

    def output(self, states: Any, causal: bool = True) -> Any:
        """The weighted means of the values, one a query."""
        means = []
        for i, row in enumerate(self.logits(states, causal)):
            weights = np.exp(row)
            means.append((weights * states[: i + 1 if causal else None]).sum() / weights.sum() * self.value)
        return np.array(means)


@dataclass(frozen=True)
class ScalarLayer:
    """x <- tanh(skip x + sum of the heads' outer a)."""

    skip: Any
    heads: tuple[ScalarHead, ...]

    @classmethod
    def draw(cls, random: np.random.Generator) -> ScalarLayer:
        heads = tuple(ScalarHead.draw(random) for _ in range(int(random.integers(1, 3))))
        return cls(float(random.uniform(-1.5, 1.5)), heads)

    @property
    def constants(self) -> LayerConstants:
        return LayerConstants(abs(self.skip), tuple(head.constants() for head in self.heads))

    def apply(self, states: Any, causal: bool = True) -> Any:
        total = self.skip * states
        for head in self.heads:
            total = total + head.outer * head.output(states, causal)
        return tanh(total)


def tanh(values: Any) -> Any:
    """In float64, or of objects that have an exponential."""
    return np.tanh(values) if values.dtype != object else 1 - 2 / (np.exp(2 * values) + 1)


def run(layers: tuple[ScalarLayer, ...], states: Any, causal: bool = True) -> Any:
    """The states behind the last layer."""
    for layer in layers:
        states = layer.apply(states, causal)
    return states
