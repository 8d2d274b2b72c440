"""The closest return of a rotation to its start, by continued fractions: exact, in O(log T) steps.

The distance of t alpha to the nearest integer is least, over 1 <= t <= T, at the largest convergent denominator
q_k <= T of alpha (Lagrange), where it is D_k = |q_k alpha - p_k|. On the other side of 0 the nearest of the points
t alpha mod 1 is the intermediate convergent t = q_{k-1} + j q_k, j = floor((T - q_{k-1}) / q_k), at distance
D_{k-1} - j D_k (three-distance theorem).

An irrational alpha is enclosed between two rationals. Partial quotients that both of them share are those of alpha,
and the first that they do not share lies between theirs: enough, if the smaller one carries q beyond T.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from fractions import Fraction

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import versine
from theory.arithmetic.real import PRECISION_LIMIT, Real, precisions
from theory.errors import InputError, Undecided


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A point t alpha mod 1 of the circle, and its distance to 0 in turns along the side on which it lies."""

    t: int
    distance: Real

    @property
    def turns(self) -> Fraction | None:
        """The distance, where alpha is rational."""
        return self.distance.exact


@dataclass(frozen=True, eq=False)
class Return(Neighbour):
    """The first point closest to 0 among t alpha mod 1, 1 <= t <= T, and the neighbours of 0 on both sides.

    `above` has the least fractional part of all t alpha, `below` that of all -t alpha; if some t alpha is an
    integer, both are that point, at distance 0.
    """

    above: Neighbour
    below: Neighbour


@dataclass(frozen=True)
class _Convergents:
    """The convergents p/q, k maximal with q_k <= T, and the one before."""

    k: int
    p: int
    q: int
    p_before: int
    q_before: int


def closest_return(theta: Angle, up_to: int) -> Return:
    """The t in 1..`up_to` for which t theta comes closest to a multiple of 2 pi.

    Exact for rational and irrational theta/2pi alike. InputError if up_to < 1. Undecided if theta is not known to be a
    rational multiple of pi but the precision limit does not tell it from one whose denominator is at most `up_to`.
    """
    limit = operator.index(up_to)
    if limit < 1:
        raise InputError(f"up_to={up_to} leaves no step to take; give at least 1")
    c = _convergents(theta, limit)

    def neighbour(p: int, q: int, sign: int) -> Neighbour:
        return Neighbour(q, sign * (theta.alpha * q - p))

    sign = -1 if c.k % 2 else 1  # q_k alpha - p_k alternates, beginning with frac(alpha) >= 0
    closest = neighbour(c.p, c.q, sign)
    if closest.turns == 0:
        return Return(closest.t, closest.distance, closest, closest)
    j = (limit - c.q_before) // c.q
    other = neighbour(c.p_before + j * c.p, c.q_before + j * c.q, -sign)
    above, below = (closest, other) if sign > 0 else (other, closest)
    return Return(closest.t, closest.distance, above, below)


def gap(theta: Angle, n: int) -> Real:
    """1 - max cos(t theta) over the offsets t = 1..n-1 of a length n >= 2: 2 sin^2(pi D) at the closest return D."""
    if n < 2:
        raise InputError(f"n={n} leaves no offset to compare; give a length of at least 2")
    return versine(Real.of_linear(0, 2) * closest_return(theta, n - 1).distance)


def _convergents(theta: Angle, limit: int) -> _Convergents:
    if theta.turns is not None:
        found = _expand(theta.turns, theta.turns, limit)
        assert found is not None, "equal ends share all quotients"
        return found
    bits = 2 * limit.bit_length() + 64
    last = max(PRECISION_LIMIT, 4 * bits)
    for precision in precisions(bits, last):
        if (bounds := theta.alpha.fixed_point(precision)) is None:
            continue
        low, high = (Fraction(bound, 1 << precision) for bound in bounds)
        if found := _expand(low, high, limit):
            return found
    raise Undecided(
        f"whether {theta} is a rational multiple of pi with denominator up to {limit} is undecided at {last} bits"
    )


def _expand(low: Fraction, high: Fraction, limit: int) -> _Convergents | None:
    """The convergents of every alpha in [low, high], or None where they differ before q exceeds `limit`."""
    point = low == high
    (a, b), (c, d) = low.as_integer_ratio(), high.as_integer_ratio()
    k, p_before, q_before, p, q = -1, 0, 1, 1, 0
    while True:
        # A vanished remainder has an infinite quotient, which for a point ends the expansion.
        if b == 0 and d == 0:
            return _Convergents(k, p, q, p_before, q_before) if point else None
        quotients = [x // y for x, y in ((a, b), (c, d)) if y]
        least = min(quotients)
        if least * q + q_before > limit:
            return _Convergents(k, p, q, p_before, q_before)
        if len(quotients) < 2 or quotients[0] != quotients[1]:
            return None
        a, b, c, d = b, a - least * b, d, c - least * d
        k, p_before, q_before, p, q = k + 1, p, q, least * p + p_before, least * q + q_before
