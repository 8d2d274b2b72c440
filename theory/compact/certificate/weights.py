"""A pre-norm decoder as the arrays of its weights, whichever library they came from.

Every matrix maps columns to rows: `query[h] @ y` is the query of head h. A block is x + attention(norm x), then x +
MLP(norm x) ("sequential"), or x + attention(norm x) + MLP(norm x) ("parallel"). What lies outside of the theorem can be
said here too, so that it is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Norm:
    """bias + gain * C x / sqrt(mean((C x)^2) + epsilon); C subtracts the mean for "layer", and nothing for "rms".

    `gain` is the effective one: 1 + weight, where a model computes it so.
    """

    kind: str
    gain: Array
    epsilon: float
    bias: Array | None = None


@dataclass(frozen=True, eq=False)
class Rotation:
    """Coordinates pairs[k] of queries and keys turn by frequencies[k] radians a position, counted from 0."""

    frequencies: Array
    pairs: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Attention:
    """The heads of a layer; query head h uses the key head h // (heads // key heads).

    The logit is scale * <key, query>, plus a position bias within [0, inner_bias], capped to softcap * tanh(. /
    softcap), times `factor`, plus a position bias within [0, outer_bias], minus slopes[h] times the lag.

    Args:
        query: (heads, d_h, d).
        key, value: (key heads, d_h, d).
        output: (heads, d, d_h).
        query_bias, key_bias, value_bias: (heads or key heads, d_h).
        output_bias: (d,).
        scale: with every constant factor on the logits before the cap (a temperature, both factors of YaRN).
        query_norm, key_norm: of each query and key, before rotation.
        sinks: logits (heads,) of a virtual key of value 0.
        window: how many tokens a query sees, itself included.
        slopes: (heads,), >= 0.
        branch_norm: on what the layer adds to the stream (sandwich norm).
    """

    query: Array
    key: Array
    value: Array
    output: Array
    scale: float
    query_bias: Array | None = None
    key_bias: Array | None = None
    value_bias: Array | None = None
    output_bias: Array | None = None
    softcap: float | None = None
    factor: float = 1.0
    inner_bias: float = 0.0
    outer_bias: float = 0.0
    rotation: Rotation | None = None
    query_norm: Norm | None = None
    key_norm: Norm | None = None
    sinks: Array | None = None
    window: int | None = None
    slopes: Array | None = None
    branch_norm: Norm | None = None

    @property
    def heads(self) -> int:
        return len(self.query)

    def key_head(self, head: int) -> int:
        """The key head of a query head."""
        return head // (len(self.query) // len(self.key))

    @property
    def by_lag(self) -> bool:
        """Whether keys are weighed by their lag, so that the bound is one in the one-sided density."""
        return self.window is not None or (self.slopes is not None and bool(np.any(self.slopes)))


@dataclass(frozen=True, eq=False)
class Mlp:
    """down (activation(gate y) * up y) + down_bias, or with `gate` None down activation(up y) + down_bias."""

    activation: str
    up: Array
    down: Array
    gate: Array | None = None
    gate_bias: Array | None = None
    up_bias: Array | None = None
    down_bias: Array | None = None
    branch_norm: Norm | None = None
    experts: int = 1


@dataclass(frozen=True, eq=False)
class Block:
    """One layer; `arrangement` is "sequential", "parallel" or, only to be refused, "post-norm"."""

    attention_norm: Norm
    attention: Attention
    mlp_norm: Norm | None = None
    mlp: Mlp | None = None
    arrangement: str = "sequential"


@dataclass(frozen=True, eq=False)
class Weights:
    """A decoder: embedding, blocks, final norm, unembedding.

    Args:
        embedding: (letters, d), what enters the first block, with any factor on it.
        blocks: first layer first.
        norm: the final one.
        unembedding: (letters, d).
        encoding: its position data, by name.
        positions: a table (length, d) that is added to the embeddings, or None.
        position_norm: a bound of the length of what is added at any position, if that goes beyond the table.
        unembedding_bias: (letters,).
        softcap: of the final logits.
        temperature: divides the final logits.
        scaling: what multiplies the logits of a query and grows with its position, if there is such a thing.
    """

    embedding: Array
    blocks: tuple[Block, ...]
    norm: Norm
    unembedding: Array
    encoding: str = "none"
    positions: Array | None = None
    position_norm: float | None = None
    unembedding_bias: Array | None = None
    softcap: float | None = None
    temperature: float = 1.0
    scaling: str = ""

    @property
    def width(self) -> int:
        return self.embedding.shape[1]

    @property
    def letters(self) -> int:
        return len(self.unembedding)

    @property
    def by_lag(self) -> bool:
        """Whether some layer weighs keys by their lag."""
        return any(block.attention.by_lag for block in self.blocks)


def numbers(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and array of a description with its path: blocks.0.attention.query, ..."""
    if is_dataclass(part):
        for field in fields(part):
            yield from numbers(getattr(part, field.name), f"{path}.{field.name}" if path else field.name)
    elif isinstance(part, tuple):
        for index, item in enumerate(part):
            yield from numbers(item, f"{path}.{index}")
    elif isinstance(part, float | int | np.ndarray):
        yield path, part
