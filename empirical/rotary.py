"""One layer's rotation of queries and keys: frequencies, which coordinates make a plane, and the attention factor.

Covers adjacent and half-split layouts, partial width, layers without rotation and frequencies with a sign. Angles are
formed in float64, whatever the vectors come in: t theta in float32 is wrong long before t theta is large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from theory.errors import InputError

Floats = Tensor | Sequence[float]


@dataclass(frozen=True, eq=False)
class Rotary:
    """R^t at positions t: plane k turns the coordinates `pairs[k]` by t `frequencies[k]`, the others stay.

    Args:
        frequencies: (planes,), radians a position, sign included.
        pairs: (planes, 2), the two coordinates of each plane; (a, b) becomes (a cos - b sin, a sin + b cos).
        factor: multiplies rotated coordinates of queries and keys, as some context extensions want.

    Raises InputError unless the pairs are distinct coordinates, one pair a frequency, and all numbers are finite.
    """

    frequencies: Tensor
    pairs: Tensor
    factor: float = 1.0

    def __post_init__(self) -> None:
        frequencies = torch.as_tensor(self.frequencies, dtype=torch.float64)
        pairs = torch.as_tensor(self.pairs, dtype=torch.int64).reshape(-1, 2)
        if frequencies.ndim != 1 or len(frequencies) != len(pairs):
            raise InputError(
                f"frequencies of shape {tuple(frequencies.shape)} for {len(pairs)} planes; give one for each plane"
            )
        if not frequencies.isfinite().all() or not torch.tensor(self.factor).isfinite():
            raise InputError(f"a frequency or the factor {self.factor} is not finite; give finite numbers")
        if pairs.numel() and (int(pairs.min()) < 0 or len(pairs.unique()) < pairs.numel()):
            raise InputError(
                f"pairs {pairs.tolist()} share a coordinate or have a negative one; give each at most once"
            )
        object.__setattr__(self, "frequencies", frequencies)
        object.__setattr__(self, "pairs", pairs)

    @classmethod
    def adjacent(cls, frequencies: Floats, factor: float = 1.0) -> Self:
        """Plane k is the coordinates 2k and 2k + 1."""
        count = len(frequencies)
        pairs = torch.arange(2 * count).reshape(count, 2)
        return cls(torch.as_tensor(frequencies, dtype=torch.float64), pairs, factor)

    @classmethod
    def half_split(cls, frequencies: Floats, factor: float = 1.0) -> Self:
        """Plane k of m is the coordinates k and m + k."""
        count = len(frequencies)
        return cls(
            torch.as_tensor(frequencies, dtype=torch.float64), torch.arange(2 * count).reshape(2, count).T, factor
        )

    @classmethod
    def identity(cls) -> Self:
        """No planes: positions make no difference."""
        return cls(torch.zeros(0), torch.zeros(0, 2))

    @property
    def planes(self) -> int:
        """The number of planes."""
        return len(self.frequencies)

    def waves(self, positions: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """What `turn` needs at positions (..., n) for vectors of this width: two float64 tensors (..., n, width).

        Raises InputError if a plane has a coordinate beyond the width.
        """
        if self.planes and int(self.pairs.max()) >= width:
            raise InputError(
                f"a plane turns coordinate {int(self.pairs.max())} of vectors of width {width}; widen them"
            )
        device = positions.device
        angles = positions.to(torch.float64)[..., None] * self.frequencies.to(device)
        first, second = self.pairs.to(device).unbind(-1)
        cos = torch.ones(*positions.shape, width, dtype=torch.float64, device=device)
        sin = torch.zeros_like(cos)
        cos[..., first] = cos[..., second] = self.factor * angles.cos()
        sin[..., second] = self.factor * angles.sin()
        sin[..., first] = -sin[..., second]
        return cos, sin

    def turn(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Rotate x (..., n, d) by the waves of its positions, in the arithmetic of x."""
        partner = torch.arange(x.shape[-1], device=x.device)
        first, second = self.pairs.to(x.device).unbind(-1)
        partner[first], partner[second] = second, first
        return x * cos.to(x.dtype) + x[..., partner] * sin.to(x.dtype)

    def rotate(self, x: Tensor, positions: Tensor) -> Tensor:
        """Queries or keys x (..., n, d) at positions (..., n), rotated."""
        return self.turn(x, *self.waves(positions, x.shape[-1]))

    def relative(self) -> Rotary:
        """The rotation of queries alone, by the offset i - j from a key, that gives the logits of rotating both."""
        return Rotary(self.frequencies, self.pairs, self.factor**2)
