"""Random decoders with gains so small that their bounds say something, and random words for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.compact.certificate.reference import half_split
from theory.compact.certificate.weights import Array, Attention, Block, Mlp, Norm, Weights

ENCODINGS = ("none", "rope", "bias", "learned", "alibi", "window")


@dataclass(frozen=True)
class Draw:
    """How a decoder is drawn: depth, and the size of its weights relative to 1/sqrt(inputs)."""

    depth: int
    gain: float


def random_decoder(random: np.random.Generator, draw: Draw) -> Weights:
    """A decoder of `depth` layers: sequential or parallel, either norm, with or without each of the optional parts."""
    heads, head_width = int(random.integers(1, 4)), 2 * int(random.integers(1, 3))
    width = int(random.integers(2, 9))
    letters = int(random.integers(2, 5))
    kind = str(random.choice(["rms", "layer"]))
    encoding = str(random.choice(ENCODINGS))
    longest = 128
    blocks = tuple(_block(random, draw, (heads, head_width, width), kind, encoding) for _ in range(draw.depth))
    size = random.uniform(1, 4)
    positions = 0.1 * random.standard_normal((longest, width)) if encoding == "learned" else None
    return Weights(
        embedding=size * random.standard_normal((letters, width)),
        blocks=blocks,
        norm=_norm(random, kind, width),
        unembedding=draw.gain * random.standard_normal((letters, width)),
        encoding=encoding,
        positions=positions,
        unembedding_bias=_maybe(random, (letters,), 1.0),
        softcap=float(random.uniform(1, 5)) if random.random() < 0.2 else None,
        temperature=float(random.uniform(0.5, 2)),
    )


def random_words(
    random: np.random.Generator, letters: int, n: int, k: int, pairs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of words (pairs, n) that differ in k places, the first, the last but one, or any; never in the last."""
    first = random.integers(0, letters, (pairs, n))
    if random.random() < 0.3:
        first[:] = random.integers(0, letters, (pairs, 1))
    second = first.copy()
    for row in range(pairs):
        where = random.integers(0, 3)
        places = np.arange(k) if where == 0 else n - 2 - np.arange(k) if where == 1 else random.permutation(n - 1)[:k]
        second[row, places] = (first[row, places] + random.integers(1, letters, k)) % letters
    return first, second


def _norm(random: np.random.Generator, kind: str, width: int) -> Norm:
    return Norm(kind, random.uniform(0.8, 1.2, width), 1e-2, _maybe(random, (width,), 0.2) if kind == "layer" else None)


def _maybe(random: np.random.Generator, shape: tuple[int, ...], size: float) -> Array | None:
    return size * random.standard_normal(shape) if random.random() < 0.3 else None


def _block(random: np.random.Generator, draw: Draw, sizes: tuple[int, int, int], kind: str, encoding: str) -> Block:
    heads, head_width, width = sizes

    def matrix(*shape: int) -> Array:
        return draw.gain * random.standard_normal(shape) / np.sqrt(shape[-1])

    shared = heads if random.random() < 0.5 else 1
    options: dict[str, Any] = {}
    if random.random() < 0.2:
        options["query_norm"] = Norm("rms", 0.3 * random.uniform(0.5, 1, head_width), 1e-1)
        options["key_norm"] = Norm("rms", 0.3 * random.uniform(0.5, 1, head_width), 1e-1)
    if encoding == "alibi":
        options["slopes"] = random.uniform(0, 0.5, heads)
    if encoding == "window":
        options["window"] = int(random.integers(2, 20)) if random.random() < 0.5 else None
    if random.random() < 0.2:
        options["softcap"] = float(random.uniform(0.1, 3))
    if random.random() < 0.2:
        options["sinks"] = random.standard_normal(heads)
    attention = Attention(
        query=matrix(heads, head_width, width),
        key=matrix(shared, head_width, width),
        value=matrix(shared, head_width, width),
        output=matrix(heads, width, head_width),
        query_bias=_maybe(random, (heads, head_width), draw.gain),
        key_bias=_maybe(random, (shared, head_width), draw.gain),
        value_bias=_maybe(random, (shared, head_width), draw.gain),
        output_bias=_maybe(random, (width,), draw.gain),
        scale=head_width**-0.5 * random.uniform(0.5, 1.5),
        factor=float(random.uniform(0.5, 1.5)),
        rotation=half_split(head_width, 100.0) if encoding == "rope" else None,
        branch_norm=Norm("rms", 0.1 * random.uniform(0, 1, width), 1.0) if random.random() < 0.1 else None,
        **options,
    )
    units = int(random.integers(1, 7))
    mlp = Mlp(
        str(random.choice(["silu", "gelu", "gelu-tanh", "relu"])),
        up=matrix(units, width),
        down=matrix(width, units),
        gate=matrix(units, width) if random.random() < 0.5 else None,
        up_bias=_maybe(random, (units,), draw.gain),
        gate_bias=_maybe(random, (units,), draw.gain),
        down_bias=_maybe(random, (width,), draw.gain),
    )
    return Block(
        _norm(random, kind, width),
        attention,
        _norm(random, kind, width),
        mlp if random.random() < 0.8 else None,
        str(random.choice(["sequential", "parallel"])),
    )
