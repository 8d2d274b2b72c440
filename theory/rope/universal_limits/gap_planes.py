"""Frequencies with amplitudes, and what can be said of their gap sum_k a_k (1 - cos(t theta_k)) without a scan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import fmpq, fmpq_poly, fmpz_poly

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, versine
from theory.arithmetic.real import RealLike
from theory.errors import InputError
from theory.outcome import Outcome
from theory.rope.index.window import fold

LARGEST_FIELD = 10_000  # the order of roots of unity up to which equal sums of them are recognised
_BITS = 128


@dataclass(frozen=True, eq=False)
class Planes:
    """Angles that are no multiples of 2 pi, each once up to its sign, with positive amplitudes.

    Args:
        angles: theta_k, radians per position.
        amplitudes: a_k > 0, in the unit of the gap.
    """

    angles: tuple[Angle, ...]
    amplitudes: tuple[Real, ...]

    @classmethod
    def of(cls, angles: Sequence[Angle], amplitudes: Sequence[RealLike] | None = None) -> Planes:
        """The planes with the gaps of these angles and amplitudes >= 0; by default all are equal and sum to 1.

        InputError without an angle, for an amplitude that is not exact or negative, and for lengths that differ.
        """
        if not angles:
            raise InputError("no frequency was given, and a gap needs one; give at least one angle")
        if amplitudes is None:
            amplitudes = [Fraction(1, len(angles))] * len(angles)
        if len(amplitudes) != len(angles):
            raise InputError(f"of amplitudes there are {len(amplitudes)}, of angles {len(angles)}; give one for each")
        found: dict[object, tuple[Angle, Real]] = {}
        for angle, amplitude in zip(angles, map(_amplitude, amplitudes), strict=True):
            turns = None if angle.turns is None else fold(angle.turns)
            if turns == 0 or amplitude.exact == 0:
                continue
            expr = angle.expr
            key = turns if turns is not None else -expr if expr.could_extract_minus_sign() else expr
            _, before = found.get(key, (angle, Real.of(0)))
            found[key] = angle, before + amplitude
        return cls(tuple(angle for angle, _ in found.values()), tuple(amplitude for _, amplitude in found.values()))

    def gap(self, t: int) -> Real:
        """sum_k a_k (1 - cos(t theta_k))."""
        pairs = zip(self.amplitudes, self.angles, strict=True)
        return Real.total(amplitude * versine(angle.real * t) for amplitude, angle in pairs)

    @property
    def period(self) -> int | None:
        """The first t that turns all planes back, or None where they are not known to have one."""
        turns = [angle.turns for angle in self.angles]
        return lcm(*(q.denominator for q in turns if q is not None)) if None not in turns else None

    @property
    def rising(self) -> int:
        """An offset up to which the gap rises strictly: t times the largest angle is at most half a turn."""
        half, farthest, rotates = 1 << _BITS - 1, 0, False
        for angle in self.angles:
            if (bounds := angle.alpha.fixed_point(_BITS)) is None:
                return 1
            nearest = bounds[0] + half >> _BITS << _BITS
            farthest = max(farthest, *(abs(bound - nearest) for bound in bounds))
            rotates |= bounds[0] > nearest or bounds[1] < nearest
        return max(1, half // farthest) if rotates else 1

    def same(self, t: int) -> object:
        """A key of the gap at t: equal keys are equal gaps; unequal keys may be, unless the period is short."""
        sums: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
        apart = []
        for index, (angle, amplitude) in enumerate(zip(self.angles, self.amplitudes, strict=True)):
            if angle.turns is None:
                return t
            distance = fold(t * angle.turns)
            if amplitude.exact is None:
                apart.append((index, distance))
            else:
                sums[distance] += amplitude.exact
        assert self.period is not None, "all angles are rational"
        return tuple(apart), _cosine_sum(sums, self.period)


def _amplitude(value: RealLike) -> Real:
    amplitude = Real.of(value)
    if amplitude.exact != 0 and (sign := amplitude > 0) is not Outcome.HOLDS:
        found = "negative" if sign is Outcome.REFUTED else "not known to be positive"
        raise InputError(f"the amplitude {value} is {found}, and a gap is a sum of terms >= 0; give one >= 0")
    return amplitude


def _cosine_sum(sums: Mapping[Fraction, Fraction], order: int) -> object:
    """A key of sum_x a_x cos(2 pi x), order x integer: twice the sum as a polynomial in a root of unity, reduced."""
    if order > LARGEST_FIELD:
        return frozenset(sums.items())
    coefficients = [fmpq(0)] * (order + 1)
    for turns, amplitude in sums.items():
        power = turns.numerator * (order // turns.denominator)
        for exponent in (power, order - power):
            coefficients[exponent] += fmpq(amplitude.numerator, amplitude.denominator)
    return str(fmpq_poly(coefficients) % fmpq_poly(fmpz_poly.cyclotomic(order)))
