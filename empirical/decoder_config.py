"""The sizes of a decoder, and which of its layers and planes rotate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.rope.models.frequencies import unscaled

GPTJ_BASE = 10_000


@cache
def rope_frequencies(base: int, width: int) -> tuple[float, ...]:
    """base^(-2k / width) for k = 0 .. width/2 - 1, in radians a position, each rounded once."""
    return tuple(float(Real.of(angle)) for angle in unscaled(Fraction(base), width, 1))


@dataclass(frozen=True)
class DecoderConfig:
    """A GPT-J decoder; by default the one of arXiv 2605.31558, Section 5, without dropout.

    `inner` is the width of the MLP (None: 4 width). `frequencies`, radians a position, belong to the first planes of
    every head, and the planes after them stay put (None: all planes rotate, with the frequencies of base 10000).
    `without_rope` lists the layers, from 0, in which nothing rotates.
    Raises InputError for sizes that do not fit each other.
    """

    vocabulary: int
    layers: int = 12
    heads: int = 1
    width: int = 128
    inner: int | None = None
    frequencies: tuple[float, ...] | None = None
    without_rope: tuple[int, ...] = ()
    dropout: float = 0.0

    def __post_init__(self) -> None:
        for name in ("vocabulary", "layers", "heads", "width", "inner"):
            size = getattr(self, name)
            if (name, size) != ("inner", None) and (type(size) is not int or size < 1):
                raise InputError(f"{name}={size!r} is not a size; give a whole number from 1")
        if self.width % self.heads:
            raise InputError(f"heads={self.heads} do not divide width={self.width}; choose a divisor of the width")
        if self.head_width % 2:
            raise InputError(
                f"width={self.width} over heads={self.heads} makes heads of odd width {self.head_width}, "
                "which do not split into planes; choose an even head width"
            )
        if not isinstance(self.frequencies, tuple | None):
            raise InputError(f"frequencies={self.frequencies!r} are no tuple; give radians a position, one a plane")
        if self.frequencies is not None and len(self.frequencies) > self.head_width // 2:
            raise InputError(
                f"{len(self.frequencies)} frequencies are more than the {self.head_width // 2} planes "
                f"of a head of width {self.head_width}; give fewer, or widen the heads"
            )
        if not all(map(math.isfinite, self.frequencies or ())):
            raise InputError(f"frequencies={self.frequencies} are not all finite; give radians a position")
        for layer in self.without_rope:
            if layer not in range(self.layers):
                raise InputError(f"without_rope names layer {layer!r}; choose among 0..{self.layers - 1}")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout={self.dropout} is not in [0, 1); give the share of entries to drop")

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    @property
    def inner_width(self) -> int:
        return self.inner or 4 * self.width

    def planes(self, layer: int) -> tuple[float, ...]:
        """The frequencies of the planes that a layer rotates, radians a position."""
        if layer in self.without_rope:
            return ()
        return rope_frequencies(GPTJ_BASE, self.head_width) if self.frequencies is None else self.frequencies
