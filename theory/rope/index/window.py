"""What an Index query sees: the offsets between its target and the other keys, and the exact order of their logits.

A query with offset s at the last position n of an input has its target at n - s; the other keys stand t = -s..n-1-s
positions before the target, t != 0, and have logit cos(t theta) against 1 for the target (claim index-logit).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd

from theory.arithmetic.angle import Angle
from theory.errors import InputError


def check_query(n: int, offset: int) -> None:
    """Raise InputError unless an input of length `n` >= 2 has a competitor and, at `offset`, a target."""
    if n < 2:
        raise InputError(f"n={n} leaves the query without a competitor; give n >= 2")
    if not 0 <= offset < n:
        raise InputError(
            f"offset={offset} points outside the input: its target would stand at position {n - offset} of 1..{n}; "
            f"give an offset from 0 to n - 1 = {n - 1}"
        )


def competitors(n: int, offset: int) -> list[int]:
    """The offsets t of all keys but the target, counted from the target."""
    return [t for t in range(-offset, n - offset) if t != 0]


def reach(n: int, offset: int) -> int:
    """The largest |t| among the competitors; with |t| all smaller ones are there too."""
    return max(offset, n - 1 - offset)


def fold(turns: Fraction) -> Fraction:
    """The distance of a number of turns to the nearest integer; cosines fall as it grows from 0 to 1/2."""
    part = turns % 1
    return min(part, 1 - part)


def query_distance(n: int, offset: int, turns: Fraction) -> Fraction:
    """The least distance D in turns, over the competitors: the gap of the query is 1 - cos(2 pi D)."""
    p, q = turns.as_integer_ratio()
    return Fraction(min(min(t * p % q, -t * p % q) for t in competitors(n, offset)), q)


def rational_turns(least: int, most: int) -> Iterator[Fraction]:
    """All p/q in [0, 1/2] in lowest terms with least <= q <= most, by q and then p: every angle up to its sign."""
    for q in range(least, most + 1):
        yield from (Fraction(p, q) for p in range(q // 2 + 1) if gcd(p, q) == 1)


def angle_of(turns: Fraction) -> Angle:
    """The angle of a rational number of turns."""
    return Angle.turn(turns.numerator, turns.denominator)


def farey_peaks(order: int) -> Iterator[tuple[Fraction, Fraction]]:
    """Where, and how high, min ||t x|| over t = 1..`order` peaks, for turns x in [0, 1/2] and a little beyond.

    Between Farey neighbours p/q < p'/q' of that order it lies under the lines q x - p and p' - q' x, which meet at the
    mediant: so the peaks, one for each pair of neighbours, bound it at every real x.
    """
    p, q, next_p, next_q = 0, 1, 1, order
    while 2 * p < q:
        peak = Fraction(p + next_p, q + next_q)
        yield peak, q * peak - p
        skip = (order + q) // next_q
        p, q, next_p, next_q = next_p, next_q, skip * next_p - p, skip * next_q - q
