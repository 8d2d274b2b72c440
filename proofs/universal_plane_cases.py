"""The cases by which the steps of proofs.universal_planes are checked: several planes, and families of log n planes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb, prod

import sympy
from sympy import Integer, Rational, Symbol, cos, factorial

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, versine
from theory.evidence import Case, Equation
from theory.rope.index.window import fold
from theory.rope.universal_limits.dyadic_frequencies import dyadic, dyadic_gap, gap_at
from theory.rope.universal_limits.log_frequencies import planes_needed
from theory.rope.universal_limits.log_frequencies_suffice import planes_sufficient
from theory.rope.universal_limits.m_frequency_box import Box
from theory.rope.universal_limits.m_frequency_dirichlet import Ellipsoid, P, ball_volume, rho_squared
from theory.rope.universal_limits.m_frequency_gaps import Amplitudes, frequency_sets
from theory.rope.universal_limits.one_frequency import TURN
from theory.rope.universal_limits.worst_gap import WorstGap, worst_gap
from theory.symbols import n

BOX, ELLIPSOID = Box(), Ellipsoid()
phi = Symbol("phi", real=True)


def volumes(most: int) -> Iterator[Equation]:
    """The box and the ellipsoid of both theorems have the volume 2^(m+1)."""
    for m in range(1, most + 1):
        yield f"box, m = {m}", 2 * n * (2 * BOX.distance(m)) ** m, Integer(2) ** (m + 1)
        radius = sympy.powdenest(rho_squared(m) ** Rational(m, 2), force=True)
        yield f"ellipsoid, m = {m}", 2 * n * ball_volume(m) * radius / sympy.sqrt(P), Integer(2) ** (m + 1)


def returns(m: int, order: int, longest: int) -> Iterator[Case]:
    """Some t < n brings all of m rational frequencies within n^(-1/m) of a turn."""
    for turns in frequency_sets(m, order):
        nearest = Fraction(1)
        for length in range(2, longest + 1):
            nearest = min(nearest, max(fold((length - 1) * x) for x in turns))
            yield (length, turns), length * nearest**m <= 1


def weak(amplitudes: Amplitudes, length: int) -> Iterator[Case]:
    """What the ellipsoid would give without its condition, against the first plane alone at 2 pi/n."""
    square = Ellipsoid(small=False).at(length, amplitudes)
    assert square is not None
    yield "formula", TURN**2 / 2 * square < Fraction(1, 10**4)
    yield "first plane", amplitudes[0] * versine(TURN / length) > Fraction(19, 100)


def fastest(length: int, planes: Sequence[int]) -> list[tuple[int, WorstGap, Real, Real]]:
    """For the m fastest planes at base 10^4 and 128 dimensions: m, worst gap, and the bounds by ellipsoid and box."""
    rows = []
    for m in planes:
        found = worst_gap(length, [Angle.rope(10**4, 128, k) for k in range(1, m + 1)])
        square = ELLIPSOID.at(length, (Fraction(1, m),) * m)
        assert square is not None
        rows.append((m, found, TURN**2 / 2 * square, BOX.at(m, length)))
    return rows


def odd_steps(most: int) -> Iterator[Case]:
    """At t = 2^j times an odd number plane j has made an odd number of half turns, the planes before it whole turns."""
    turns = dyadic(most)
    for steps in range(1, 2**most):
        j = (steps & -steps).bit_length() - 1
        yield steps, fold(steps * turns[j]) == Fraction(1, 2) and not any(fold(steps * x) for x in turns[:j])


def back(most: int) -> Iterator[Case]:
    """One position further all dyadic planes are back, and with one plane fewer they would be so before."""
    for m in range(1, most + 1):
        yield f"m = {m}", gap_at(dyadic(m), 2**m).exact == 0


def powers(most: int) -> Iterator[Equation]:
    """Even powers of a cosine as waves: the constant is the mean, (1/2) (3/4) ... ((2 k - 1)/2 k)."""
    for k in range(1, most + 1):
        mean = prod(Rational(2 * i - 1, 2 * i) for i in range(1, k + 1))
        waves = sum(comb(2 * k, k - i) * cos(2 * i * phi) for i in range(1, k + 1)) / Integer(2) ** (2 * k - 1)
        yield f"k = {k}", cos(phi) ** (2 * k), mean + waves
        yield f"factorials, k = {k}", mean, factorial(2 * k) / (Integer(4) ** k * factorial(k) ** 2)


def numbers(lengths: Sequence[int]) -> Iterator[tuple[int, Real, int, Fraction, Real, Real]]:
    """Length, planes needed for a gap of B/2, dyadic planes, their gap, planes needed for it, planes enough for B/2."""
    half = Real.of(Fraction(1, 2))
    for length in lengths:
        dyadic_ = dyadic_gap(length)
        m, kept = dyadic_["planes"].value, dyadic_["gap"].value
        enough = planes_sufficient(length, half)["sufficient"].value
        yield length, planes_needed(length, half).value, m, kept, planes_needed(length, Real.of(kept)).value, enough
