"""Scalars of a model's output whose gradient in z has been used to guess a task, for comparison.

`gradient(lambda z: negative_entropy(model(z)), batch, K)`, and the largest entry is the guess.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits


def negative_entropy(logits: Tensor) -> Tensor:
    """Minus the entropy of the categorical outputs, nats, summed over positions: (batch, ..., tokens) -> (batch,)."""
    logs = logits.log_softmax(-1)
    return (logs.exp() * logs).flatten(1).sum(-1)


def negative_pixel_entropy(outputs: Tensor) -> Tensor:
    """Minus the entropy of Bernoulli pixels of probability sigmoid(2 o), nats, summed: (batch, ...) -> (batch,)."""
    logits = 2 * outputs
    return -binary_cross_entropy_with_logits(logits, logits.sigmoid(), reduction="none").flatten(1).sum(-1)


def squared_norm(outputs: Tensor) -> Tensor:
    """|o|^2: (batch, ...) -> (batch,)."""
    return outputs.square().flatten(1).sum(-1)
