"""A layer as the model itself ran it, and what an adapter of a kind of model offers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from empirical.capture.heads import LayerHeads


@dataclass(frozen=True, eq=False)
class Observed:
    """One layer in one forward pass.

    Args:
        heads: queries and keys before rotation, with the attention weights of the model.
        queries: (prompts, heads, n, d), as the model rotated them.
        keys: (prompts, key heads, n, d), as the model rotated them.
        positions: (n,), the positions by which the model rotated.
        stretch: how many times slower than without scaling the planes turn at most.
    """

    heads: LayerHeads
    queries: Tensor
    keys: Tensor
    positions: Tensor
    stretch: float = 1.0


class Adapter(Protocol):
    """A model whose queries and keys can be read, and replaced for a probe."""

    @property
    def context(self) -> int:
        """The largest number of tokens."""
        ...

    @property
    def reach(self) -> int:
        """How many positions there are for a probe of two tokens to stand at; at most the context."""
        ...

    @property
    def vocabulary(self) -> int:
        """The number of tokens that the model knows."""
        ...

    @property
    def layers(self) -> int:
        """The number of layers."""
        ...

    def heads(self, tokens: Tensor) -> Iterator[LayerHeads]:
        """The layers, first to last, on tokens (prompts, n); positions count from 0."""
        ...

    def observe(self, tokens: Tensor, positions: Tensor, vectors: Tensor | None = None) -> Iterator[Observed]:
        """The layers on tokens (prompts, n) at positions (n,).

        With `vectors` (prompts, d), every query and key of a prompt is replaced by its vector right before rotation.
        """
        ...
