"""The plane angles of RoPE in closed form, under the usual ways of stretching them to longer sequences.

The rotary width d is the number of rotated coordinates, an even number; the planes are k = 1 .. d/2. Unscaled, plane k
turns by base^(-2 (k - 1) / d) radians per position, so that plane 1 is the fastest. A scaling replaces these angles by
others. All formulas are exact; balls decide on which side of a threshold a plane lies. YaRN has a module of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import sympy
from sympy import Expr, Integer, Rational, log, pi

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.errors import InputError, Undecided
from theory.outcome import Outcome


@dataclass(frozen=True)
class Scaling:
    """How the plane angles change for sequences longer than those of the first training."""

    kind: ClassVar[str]

    def check(self, base: Fraction, width: int) -> None:
        """Raise InputError where the formula does not apply to this base and rotary width."""

    def angles(self, base: Fraction, width: int, length: int) -> list[Expr]:
        """The plane angles for a sequence of `length` tokens, radians per position, in the order of the planes."""
        raise NotImplementedError

    @property
    def attention_factor(self) -> Expr:
        """The number that multiplies every cosine and sine; logits get its square."""
        return Integer(1)


@dataclass(frozen=True)
class Default(Scaling):
    """No scaling (arXiv 2104.09864, eq. 15)."""

    kind: ClassVar[str] = "default"

    def angles(self, base: Fraction, width: int, length: int) -> list[Expr]:
        """base^(-2 (k - 1) / width) for k = 1 .. width/2."""
        return [Angle.rope(base, width, k).expr for k in range(1, width // 2 + 1)]


unscaled = Default().angles


@dataclass(frozen=True)
class Stretch(Scaling):
    """A scaling with the ratio `factor` >= 1 of the new length to that of the first training."""

    factor: Fraction

    def __post_init__(self) -> None:
        if self.factor < 1:
            raise InputError(
                f"factor = {self.factor} is below 1: a scaling serves longer sequences; give new length / old length"
            )


@dataclass(frozen=True)
class Linear(Stretch):
    """Position interpolation: every angle divided by `factor` (arXiv 2306.15595)."""

    kind: ClassVar[str] = "linear"

    def angles(self, base: Fraction, width: int, length: int) -> list[Expr]:
        """base^(-2 (k - 1) / width) / factor."""
        return [theta / exact(self.factor) for theta in unscaled(base, width, length)]


@dataclass(frozen=True)
class Dynamic(Stretch):
    """Dynamic NTK: beyond the trained length the base grows with the sequence (arXiv 2309.00071, sec. 3.3)."""

    kind: ClassVar[str] = "dynamic"
    trained_length: int

    def check(self, base: Fraction, width: int) -> None:
        """The exponent d/(d - 2) exists."""
        if width == 2:
            raise InputError(
                "rotary width 2 under the kind dynamic, whose exponent is d/(d - 2); use a width of 4 or more"
            )

    def angles(self, base: Fraction, width: int, length: int) -> list[Expr]:
        """The angles of the base times growth^(d/(d - 2)): those of the base times growth^(-2 (k - 1) / (d - 2))."""
        growth = max(Fraction(1), self.factor * length / self.trained_length - (self.factor - 1))
        planes = enumerate(unscaled(base, width, length))
        return [theta * exact(growth) ** Rational(-2 * k, width - 2) for k, theta in planes]


@dataclass(frozen=True)
class Llama3(Stretch):
    """Slow planes slowed down by `factor`, fast ones kept, and a smooth passage between them (Llama 3.1).

    Slow planes make fewer than `low_freq_factor` turns in the trained length, fast ones more than `high_freq_factor`.
    """

    kind: ClassVar[str] = "llama3"
    low_freq_factor: Fraction
    high_freq_factor: Fraction
    trained_length: int

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = self.low_freq_factor, self.high_freq_factor
        if not 0 < low < high:
            raise InputError(f"low_freq_factor = {low} is not between 0 and high_freq_factor = {high}; make it less")

    def angles(self, base: Fraction, width: int, length: int) -> list[Expr]:
        """theta, theta / factor, or theta ((1 - s) / factor + s) with s = (turns - low) / (high - low)."""
        return [self._scaled(theta) for theta in unscaled(base, width, length)]

    def _scaled(self, theta: Expr) -> Expr:
        factor, low, high = map(exact, (self.factor, self.low_freq_factor, self.high_freq_factor))
        turns = self.trained_length * theta / (2 * pi)
        if decided(Real.of(turns) > high):
            return theta
        if decided(Real.of(turns) < low):
            return theta / factor
        smooth = (turns - low) / (high - low)
        return theta * ((1 - smooth) / factor + smooth)


@dataclass(frozen=True)
class Longrope(Stretch):
    """A divisor per plane: one list up to the trained length, another beyond it (arXiv 2402.13753).

    `attention` overrides the attention factor that follows from `factor` and the trained length.
    """

    kind: ClassVar[str] = "longrope"
    trained_length: int
    short_factor: tuple[Fraction, ...]
    long_factor: tuple[Fraction, ...]
    attention: Fraction | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.trained_length < 2:
            raise InputError(
                f"original_max_position_embeddings = {self.trained_length} is below 2 under the kind longrope, which "
                "divides by its logarithm; give the length of the first training"
            )

    def check(self, base: Fraction, width: int) -> None:
        """Both lists have an entry a plane."""
        for name, factors in (("short_factor", self.short_factor), ("long_factor", self.long_factor)):
            if len(factors) != width // 2:
                raise InputError(
                    f"{name} has {len(factors)} entries for the {width // 2} planes of rotary width {width}; "
                    "give one a plane"
                )

    def angles(self, base: Fraction, width: int, length: int) -> list[Expr]:
        """base^(-2 (k - 1) / width) / factor_k."""
        factors = self.long_factor if length > self.trained_length else self.short_factor
        planes = unscaled(base, width, length)
        return [theta / exact(factor) for theta, factor in zip(planes, factors, strict=True)]

    @property
    def attention_factor(self) -> Expr:
        """sqrt(1 + log factor / log trained_length)."""
        if self.attention is not None:
            return exact(self.attention)
        return sympy.sqrt(1 + log(exact(self.factor)) / log(Integer(self.trained_length)))


def exact(value: Fraction) -> Rational:
    """The same number for SymPy."""
    return Rational(value.numerator, value.denominator)


def decided(outcome: Outcome) -> bool:
    """Whether a threshold condition holds; Undecided where the precision limit leaves it open."""
    if outcome is Outcome.UNDECIDED:
        raise Undecided("a plane cannot be told from a threshold of the RoPE scaling")
    return outcome is Outcome.HOLDS
