"""Nets with one scalar state a position and any biases on their logits, whose constants are known in closed form.

A state x lies in [-1, 1]; logits are S = alpha x_i x_j + beta x_j plus a bias, values v x_j, and a layer makes
tanh(f_0 x + f_1 a) of a state x and its attention output a. The readout is T(1) = (1 + x)/2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.compact.continuity.constants import HeadConstants, LayerConstants

READOUT = 0.5  # Lipschitz constant of the readout


@dataclass(frozen=True)
class ScalarLayer:
    """One layer with its biases (query, key)."""

    product: float  # alpha
    own: float  # beta
    value: float
    skip: float
    gain: float
    biases: np.ndarray

    @classmethod
    def drawn(cls, random: np.random.Generator, biases: np.ndarray) -> ScalarLayer:
        """Coefficients of any sign, small logits as often as not."""
        product, own = random.normal(size=2) * random.choice([0.05, 0.7])
        value, skip, gain = random.normal(size=3) * random.choice([0.3, 1.0], 3)
        return cls(product, own, value, skip, gain, biases)

    @property
    def constants(self) -> LayerConstants:
        """From |x| <= 1; the oscillation is that of S alone."""
        key = abs(self.product) + abs(self.own)
        size = abs(self.value)
        head = HeadConstants(2 * key, 2 * size, abs(self.product), key, size, abs(self.gain))
        return LayerConstants(abs(self.skip), (head,))

    def __call__(self, states: np.ndarray) -> np.ndarray:
        logits = self.product * np.outer(states, states) + self.own * states + self.biases
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        attended = weights @ (self.value * states) / weights.sum(axis=1)
        result: np.ndarray = np.tanh(self.skip * states + self.gain * attended)
        return result


def last_output(layers: list[ScalarLayer], states: np.ndarray) -> float:
    """T(1) after the last letter."""
    for layer in layers:
        states = layer(states)
    return float(READOUT * (1 + states[-1]))
