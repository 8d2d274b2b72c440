"""The RoPE settings of one kind of attention layer, and what they make of a sequence length."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.rope.models.frequencies import Scaling

WIDEST = 4096  # coordinates; the heads of published models have at most 512


@dataclass(frozen=True)
class RopeSettings:
    """The rotation of the first `rotary_dim` of `head_dim` coordinates, in sequences of `length` tokens.

    InputError for an odd or impossible width, a base that is not above 1, a length below 1, or settings that the
    formula of the scaling does not cover.
    """

    base: Fraction
    rotary_dim: int
    head_dim: int
    scaling: Scaling
    length: int

    def __post_init__(self) -> None:
        if self.base <= 1:
            raise InputError(f"base rope_theta = {self.base} is not above 1, so no plane is slower; give e.g. 10000")
        if self.rotary_dim % 2:
            raise InputError(
                f"rotary width {self.rotary_dim} is odd, but a plane is a pair of coordinates; give an even number"
            )
        if not 2 <= self.rotary_dim <= min(self.head_dim, WIDEST):
            raise InputError(
                f"rotary width {self.rotary_dim} is not between 2 and the head width {self.head_dim} and {WIDEST}; "
                "correct the widths"
            )
        if self.length < 1:
            raise InputError(f"length {self.length} is below 1; give a number of tokens")
        self.scaling.check(self.base, self.rotary_dim)

    @property
    def kind(self) -> str:
        """The name of the scaling: default, linear, dynamic, yarn, longrope or llama3."""
        return self.scaling.kind

    def at(self, length: int) -> RopeSettings:
        """The settings for sequences of `length` tokens; the angles differ for the kinds dynamic and longrope only."""
        return replace(self, length=length)

    @cached_property
    def planes(self) -> tuple[Angle, ...]:
        """The exact angle of each of the rotary_dim / 2 planes, radians per position, fastest first.

        Only the divisors of longrope can be such that a later plane is faster; the order is always that of the planes.
        """
        return tuple(map(Angle, self.scaling.angles(self.base, self.rotary_dim, self.length)))

    def float64(self) -> NDArray[np.float64]:
        """The plane angles rounded to float64, shape (rotary_dim / 2,), radians per position."""
        return np.array([float(plane.real) for plane in self.planes])

    @cached_property
    def attention_factor(self) -> Real:
        """The number that multiplies every cosine and sine; logits get its square."""
        return Real.of(self.scaling.attention_factor)
