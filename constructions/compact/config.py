"""The shape of a decoder on finite words, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from theory.errors import InputError

ENCODINGS = ("none", "rope", "sinusoidal", "learned", "alibi", "window")
NORMS = ("rms", "layer")


@dataclass(frozen=True, kw_only=True)
class CompactConfig:
    """Sizes and position data of a CompactDecoder.

    Args:
        letters: V, the size of the alphabet.
        width: d, of the residual stream.
        layers: L.
        heads: query heads; each is width/heads wide.
        key_heads: heads of keys and values; None for as many as query heads.
        mlp_width: hidden units of the gated MLP.
        norm: "rms" or "layer", without bias.
        epsilon: of every norm, inside the square root.
        encoding: "none", "rope" (half-split), "sinusoidal" or "learned" (added to the embeddings), "alibi", "window".
        base: of "rope" and "sinusoidal".
        window: for "window", how many tokens a query sees, itself included.
        slopes: for "alibi", one a head; None for 2^(-8h/heads), h = 1, ..., heads.
        max_length: for "learned", the length of the table.
        log_scaling: the content logits of query i, counted from 1, are multiplied by log_scaling * ln i; None for 1.
        softcap: C, replaces content logits s by C tanh(s/C) before they are multiplied; None for no cap.
        output_temperature: divides the logits of the next letter.

    Raises InputError for sizes that do not divide, unknown names, numbers out of range, and position data that the
    encoding does not use or lacks.
    """

    letters: int
    width: int
    layers: int
    heads: int
    key_heads: int | None = None
    mlp_width: int
    norm: str = "rms"
    epsilon: float = 1e-5
    encoding: str = "rope"
    base: float = 10000.0
    window: int | None = None
    slopes: tuple[float, ...] | None = None
    max_length: int | None = None
    log_scaling: float | None = None
    softcap: float | None = None
    output_temperature: float = 1.0

    def __post_init__(self) -> None:
        for name, value, least in (
            ("letters", self.letters, 2),
            ("width", self.width, 1),
            ("layers", self.layers, 0),
            ("heads", self.heads, 1),
            ("key_heads", self.groups, 1),
            ("mlp_width", self.mlp_width, 1),
        ):
            if value < least:
                raise InputError(f"{name}={value} is too small; give at least {least}")
        if self.width % self.heads:
            raise InputError(f"width={self.width} is no multiple of heads={self.heads}; heads share it equally")
        if self.heads % self.groups:
            raise InputError(f"heads={self.heads} is no multiple of key_heads={self.groups}; each has as many")
        if self.norm not in NORMS:
            raise InputError(f"norm={self.norm!r} is unknown; give one of {', '.join(NORMS)}")
        for name, number in (
            ("epsilon", self.epsilon),
            ("base", self.base),
            ("softcap", self.softcap),
            ("output_temperature", self.output_temperature),
        ):
            if number is not None and not (isfinite(number) and number > 0):
                raise InputError(f"{name}={number} is not a positive number; give one")
        if self.log_scaling is not None and not (isfinite(self.log_scaling) and self.log_scaling >= 0):
            raise InputError(f"log_scaling={self.log_scaling} is not a number >= 0; give one, or None for no scaling")
        self._check_encoding()

    def _check_encoding(self) -> None:
        if self.encoding not in ENCODINGS:
            raise InputError(f"encoding={self.encoding!r} is unknown; give one of {', '.join(ENCODINGS)}")
        if self.encoding == "rope" and self.head_width % 2:
            raise InputError(f"rope turns pairs of coordinates and a head is {self.head_width} wide; make it even")
        if self.encoding == "sinusoidal" and self.width % 2:
            raise InputError(f"sinusoidal codes are pairs and width={self.width} is odd; make it even")
        for name, given, user in (
            ("window", self.window, "window"),
            ("max_length", self.max_length, "learned"),
        ):
            if self.encoding == user and (given is None or given < 1):
                raise InputError(f"{name}={given} with encoding={user}; give {name} >= 1")
        for name, present, user in (
            ("window", self.window is not None, "window"),
            ("max_length", self.max_length is not None, "learned"),
            ("slopes", self.slopes is not None, "alibi"),
        ):
            if present and self.encoding != user:
                raise InputError(
                    f"encoding={self.encoding} has no use for {name}; leave it out, or give encoding={user}"
                )
        if self.encoding == "alibi" and len(self.biases) != self.heads:
            raise InputError(f"{len(self.biases)} slopes for {self.heads} heads; give one a head")
        if not all(isfinite(slope) and slope >= 0 for slope in self.biases):
            raise InputError(f"slopes={self.slopes} are not all numbers >= 0; a negative one would favour the far past")

    @property
    def groups(self) -> int:
        """The number of key heads."""
        return self.heads if self.key_heads is None else self.key_heads

    @property
    def head_width(self) -> int:
        """The width of one head."""
        return self.width // self.heads

    @property
    def biases(self) -> tuple[float, ...]:
        """The slope of each head; none at all unless the encoding is "alibi"."""
        if self.encoding != "alibi":
            return ()
        if self.slopes is not None:
            return self.slopes
        return tuple(2 ** (-8 * h / self.heads) for h in range(1, self.heads + 1))
