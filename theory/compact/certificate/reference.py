"""Decoders in closed form: the one that worked numbers belong to, and tiny ones that catch a wrong formula each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from theory.compact.certificate.weights import Array, Attention, Block, Mlp, Norm, Rotation, Weights
from theory.errors import InputError

# Gains of queries and keys, of values and outputs, of the MLP.
GAINS: Mapping[str, tuple[float, float, float]] = {"small": (0.1, 0.2, 0.1), "default": (0.5, 0.5, 0.3)}


def waves(rows: int, columns: int, tag: int, gain: float) -> Array:
    """The matrix gain sin(1 + 0.37 tag + 1.7 r + 2.3 c + 0.11 r c)/sqrt(columns), rows r and columns c from 0."""
    r, c = np.arange(rows, dtype=np.float64)[:, None], np.arange(columns, dtype=np.float64)
    return gain * np.sin(1 + 0.37 * tag + 1.7 * r + 2.3 * c + 0.11 * r * c) / np.sqrt(columns)


def half_split(width: int, base: float = 10_000.0) -> Rotation:
    """RoPE on the pairs (k, k + width/2) of a head."""
    planes = np.arange(width // 2)
    return Rotation(base ** (-2 * planes / width), np.stack((planes, planes + width // 2), axis=1))


def reference(gains: str = "small", norm: str = "rms", encoding: str = "rope") -> Weights:
    """3 letters, width 8, 2 layers, 2 query heads on 1 key head, a gated MLP of 16 units; weights in closed form."""
    if gains not in GAINS:
        raise InputError(f"gains={gains!r} are unknown; give one of {', '.join(GAINS)}")
    attention_gain, value_gain, mlp_gain = GAINS[gains]
    blocks = []
    for layer in range(2):
        tag = 10 * (layer + 1)
        attention = Attention(
            query=waves(8, 8, tag + 1, attention_gain).reshape(2, 4, 8),
            key=waves(4, 8, tag + 2, attention_gain).reshape(1, 4, 8),
            value=waves(4, 8, tag + 3, value_gain).reshape(1, 4, 8),
            output=waves(8, 8, tag + 4, value_gain).reshape(8, 2, 4).transpose(1, 0, 2),
            scale=4**-0.5,
            rotation=half_split(4) if encoding == "rope" else None,
        )
        mlp = Mlp(
            "silu",
            up=waves(16, 8, tag + 6, mlp_gain),
            down=waves(8, 16, tag + 7, mlp_gain),
            gate=waves(16, 8, tag + 5, mlp_gain),
        )
        first, second = (Norm(norm, 1 + 0.1 * np.sin(np.arange(8) + tag + k), 1e-5) for k in (0, 1))
        blocks.append(Block(first, attention, second, mlp))
    return Weights(
        embedding=np.sqrt(8) * waves(3, 8, 0, 1),
        blocks=tuple(blocks),
        norm=Norm(norm, np.ones(8), 1e-5),
        unembedding=waves(3, 8, 99, 1),
        encoding=encoding,
    )


def tiny(unembedding: Array, mlp: Mlp | None = None, **attention: Any) -> Weights:
    """Two letters, embeddings 3 e_s, one layer of one head on 2 coordinates, which does nothing unless told to."""
    nothing = np.zeros((1, 2, 2))
    head: dict[str, Any] = dict(query=nothing, key=nothing, value=nothing, output=nothing, scale=2**-0.5)
    norm = Norm("rms", np.ones(2), 1e-5)
    block = Block(norm, Attention(**head | attention), norm if mlp else None, mlp)
    return Weights(3 * np.eye(2), (block,), norm, unembedding)


IDENTITY = np.eye(2)[None]


def cancelled_by_attention() -> Weights:
    """The bias of the output projection takes letter 0 to a state near 0, which the last norm stretches."""
    return tiny(0.01 * np.eye(2), value=1e-3 * IDENTITY, output=IDENTITY, output_bias=np.array([-3.0, 0.0]))


def cancelled_by_mlp() -> Weights:
    """The same by the last bias of an MLP that does nothing else."""
    mlp = Mlp(
        "silu", up=np.zeros((1, 2)), down=np.zeros((2, 1)), gate=np.zeros((1, 2)), down_bias=np.array([-3.0, 0.0])
    )
    return tiny(0.01 * np.eye(2), mlp, value=1e-3 * IDENTITY, output=IDENTITY)


def sink_and_value_bias() -> Weights:
    """A sink of value 0, and values that are all (1, 0)."""
    return tiny(
        np.eye(2), query=IDENTITY, key=IDENTITY, output=IDENTITY, value_bias=np.array([[1.0, 0.0]]), sinks=np.zeros(1)
    )


def with_temperature(factor: float) -> Weights:
    """Identities for queries and keys, and a factor on the logits."""
    return tiny(np.eye(2), query=IDENTITY, key=IDENTITY, scale=factor * 2**-0.5)


def capped_after_temperature() -> Weights:
    """Logits +-200 before a temperature of 1/2 and a soft cap of 50."""
    query = np.array([[[200 / 2**0.5, 0.0], [-200 / 2**0.5, 0.0]]])
    return tiny(np.eye(2), query=query, key=IDENTITY, scale=0.5 * 2**-0.5, softcap=50.0)


def bias_after_cap() -> Weights:
    """Large logits, a cap of 1, and a position bias within [0, 3] that is added after it."""
    query = np.array([[[20 / 2**0.5, 0.0], [-20 / 2**0.5, 0.0]]])
    return tiny(np.eye(2), query=query, key=IDENTITY, softcap=1.0, outer_bias=3.0)


def small_letter() -> Weights:
    """A letter whose embedding is short, so that the last norm stretches what attention adds to it."""
    weights = tiny(np.eye(2), value=1e-3 * IDENTITY, output=IDENTITY)
    return replace(weights, embedding=np.array([[3.0, 0.0], [0.0, 0.01]]))


def opposite_keys() -> Weights:
    """Keys k and -k, and a query along k."""
    weights = tiny(np.eye(2), query=IDENTITY, key=IDENTITY)
    return replace(weights, embedding=np.array([[3.0, 0.0], [-3.0, 0.0]]))


def large_output() -> Weights:
    """A head that multiplies its values by 10."""
    return tiny(0.01 * np.eye(2), value=IDENTITY, output=10 * IDENTITY)


def cold_readout() -> Weights:
    """Small final logits, divided by 1/1000."""
    return replace(tiny(1e-3 * np.eye(2), value=1e-3 * IDENTITY, output=IDENTITY), temperature=1e-3)


def two_key_heads() -> Weights:
    """Two heads with a key head each, of which only the second has keys."""
    both = np.concatenate((IDENTITY, IDENTITY))
    return tiny(np.eye(2), query=both, key=both * np.array([0.0, 1.0])[:, None, None], value=0 * both, output=0 * both)


def capped_readout() -> Weights:
    """A final soft cap that bends two large logits by different slopes."""
    return replace(tiny(np.array([[10.0, 0.0], [10.0, 0.1]])), softcap=1.0)
