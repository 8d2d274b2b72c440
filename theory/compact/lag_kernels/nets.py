"""Small networks with biases on their logits that do not rise with the lag, and constants in closed form.

They are those of `theory.compact.continuity.scalar_head`, and the biases count in none of the constants. The readout is
T(1) = (1 + x)/2 of the last state x.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theory.compact.continuity.constants import plain_coefficients, polynomial
from theory.compact.continuity.scalar_head import Floats, ScalarHead, ScalarLayer, run

READOUT = 0.5  # Lipschitz constant of the readout


@dataclass(frozen=True)
class BiasedHead(ScalarHead):
    """A head with a bias for each query and key, -inf where a key is not seen."""

    biases: Floats = field(default_factory=lambda: np.zeros((1, 1)))

    def logits(self, states: Any, causal: bool = True) -> Any:
        rows = super().logits(states, causal)
        return [row + bias[: len(row)] for row, bias in zip(rows, self.biases, strict=True)]

    @classmethod
    def biased(cls, random: np.random.Generator, biases: Floats) -> BiasedHead:
        """Weights of either sign."""
        plain = ScalarHead.draw(random)
        return cls(plain.product / 3, plain.linear / 3, plain.value, plain.outer, plain.turn, biases)


@dataclass(frozen=True)
class Pair:
    """Two words of one length run through one net.

    Args:
        changed: the positions at which they differ.
        coefficients: D_0 c_0, ..., D_0 c_L.
        difference: of the two outputs.
        allowance: rounding: each layer rounds two runs of n terms and more, and passes on errors as it does distances.
    """

    changed: tuple[int, ...]
    coefficients: list[Any]
    difference: float
    allowance: float

    @classmethod
    def drawn(cls, random: np.random.Generator, n: int, biases: Callable[[], Floats], flips: Any) -> Pair:
        """Up to three layers of one or two heads, with the biases that are drawn for each head."""
        layers = tuple(
            ScalarLayer(
                float(random.uniform(-1.5, 1.5)),
                tuple(BiasedHead.biased(random, biases()) for _ in range(int(random.integers(1, 3)))),
            )
            for _ in range(int(random.integers(1, 4)))
        )
        letters, embedding = random.integers(0, 2, n), random.uniform(-1, 1, 2)
        one, other = (float(run(layers, embedding[word])[-1]) for word in (letters, letters ^ flips))
        start = float(abs(embedding[0] - embedding[1]))
        constants = [layer.constants for layer in layers]
        growth = sum(polynomial([(layer.a, layer.b) for layer in constants]))
        return cls(
            tuple(int(i) + 1 for i in np.flatnonzero(flips)),
            plain_coefficients(constants, start),
            READOUT * abs(one - other),
            len(layers) * (2 * n + 24) * 2.0**-52 * max(1.0, growth),
        )
