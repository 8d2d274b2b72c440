"""YaRN, the scaling of RoPE by parts of the spectrum (arXiv 2309.00071)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sympy import Expr, Integer, Rational, log, pi

from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.rope.models.frequencies import Stretch, decided, exact, unscaled


@dataclass(frozen=True)
class Yarn(Stretch):
    """A linear ramp over the planes, from angles kept to angles divided by `factor`.

    The ramp runs between the planes that make `beta_fast` and `beta_slow` turns in the trained length, rounded
    outwards to whole planes if `truncate`. `attention` overrides the attention factor, `mscale` with
    `mscale_all_dim` changes it.
    """

    kind: ClassVar[str] = "yarn"
    trained_length: int
    beta_fast: Fraction = Fraction(32)
    beta_slow: Fraction = Fraction(1)
    truncate: bool = True
    attention: Fraction | None = None
    mscale: Fraction | None = None
    mscale_all_dim: Fraction | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.beta_slow <= self.beta_fast:
            raise InputError(f"beta_slow = {self.beta_slow} is not in (0, beta_fast = {self.beta_fast}]; lower it")

    def check(self, base: Fraction, width: int) -> None:
        """The ramp has room between the planes."""
        self.ramp_range(base, width)

    def ramp_range(self, base: Fraction, width: int) -> tuple[Expr, Expr]:
        """The plane indices, counted from 0 and not always whole, between which the ramp runs.

        They are d log(L / (2 pi beta)) / (2 log base) for the trained length L, kept within 0 .. d - 1. InputError
        where the upper one falls below the first or the lower one above the last of these.
        """
        low, high = (
            width * log(self.trained_length / (2 * pi * exact(beta))) / (2 * log(exact(base)))
            for beta in (self.beta_fast, self.beta_slow)
        )
        last = Integer(width - 1)
        if decided(Real.of(high) <= (-1 if self.truncate else 0)) or decided(Real.of(low) > last):
            raise InputError(
                f"original_max_position_embeddings = {self.trained_length} with rope_theta = {base} puts the ramp of "
                f"yarn outside the planes of rotary width {width}; give the length and base of the first training"
            )
        low = Integer(0) if decided(Real.of(low) <= 0) else low
        high = last if decided(Real.of(high) >= last) else high
        if self.truncate:
            low, high = _floor(low), -_floor(-high)
        # The reference implementations step aside by this much where the ramp would have no width.
        return low, high + Rational(1, 1000) if low == high else high

    def angles(self, base: Fraction, width: int, length: int) -> list[Expr]:
        """Plane by plane theta (1 - ramp + ramp / factor), ramp clipped to [0, 1]."""
        low, high = self.ramp_range(base, width)
        ramps = [(k - low) / (high - low) for k in range(width // 2)]
        return [self._scaled(theta, ramp) for theta, ramp in zip(unscaled(base, width, length), ramps, strict=True)]

    def _scaled(self, theta: Expr, ramp: Expr) -> Expr:
        factor = exact(self.factor)
        if decided(Real.of(ramp) <= 0):
            return theta
        if decided(Real.of(ramp) >= 1):
            return theta / factor
        return theta * (1 - ramp + ramp / factor)

    @property
    def attention_factor(self) -> Expr:
        """1 + (log factor) / 10, or the ratio of two such terms weighted by `mscale` and `mscale_all_dim`."""
        if self.attention is not None:
            return exact(self.attention)
        if self.mscale is not None and self.mscale_all_dim is not None:
            return self._temper(self.mscale) / self._temper(self.mscale_all_dim)
        return self._temper(Fraction(1))

    def _temper(self, weight: Fraction) -> Expr:
        return 1 + exact(weight) * log(exact(self.factor)) / 10


def _floor(value: Expr) -> Integer:
    """The floor of an expression known to be small, and to be an integer only if it is an Integer."""
    nearest = Integer(round(float(Real.of(value))))
    return nearest if decided(Real.of(value) >= nearest) else nearest - 1
