"""Four tasks with means at the corners of the unit square, where minimisers of the loss are known in closed form.

Source: derived here. All z of mean (a, b) are (1 - a - b + t, a - t, b - t, t), one for each t. A tilt multiplies z_k
by e^<theta, m_k>, which leaves the odds ratio z_1 z_4/(z_2 z_3) as it was: of those z one has the odds ratio of the
start, and t is a root of a quadratic equation. From u the ratio is 1 and t = a b.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from theory.arithmetic.ball import sqrt
from theory.arithmetic.real import Real
from theory.inference.simplex import Vector

CORNERS: tuple[tuple[Fraction, Fraction], ...] = tuple((Fraction(i), Fraction(j)) for j in (0, 1) for i in (0, 1))


def minimiser(y: Sequence[Any], t: Any) -> Vector:
    """The z of mean y whose last entry is t."""
    a, b = y
    return 1 - a - b + t, a - t, b - t, t


def odds(z: Sequence[Any]) -> Any:
    """z_1 z_4/(z_2 z_3)."""
    return z[0] * z[3] / (z[1] * z[2])


def tilted(y: Sequence[Fraction], start: Sequence[Fraction]) -> Vector:
    """The z of mean y, inside the square, with the odds ratio of the start."""
    a, b = y
    ratio = odds(start)
    middle = 1 - (1 - ratio) * (a + b)
    root = sqrt(Real.of(middle**2 + 4 * (1 - ratio) * ratio * a * b))
    # Of the two roots it is the one between 0 and min(a, b); in this form also where the ratio is 1.
    return minimiser(y, 2 * ratio * a * b / (middle + root))


def least_norm(y: Sequence[Any]) -> Vector:
    """The z of mean y with the least |z|; entries may be negative."""
    return minimiser(y, Fraction(2 * (y[0] + y[1]) - 1) / 4)
