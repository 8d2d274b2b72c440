"""At which length an aligned letter query first prefers another key, if angles, cosines and sines are rounded.

Source: derived here, by running the head in exact arithmetic on rounded tables. Positions count from 0, the query is
the last token and its own target, and products and sums are exact, so that only the tables are to blame.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, cos, sin
from theory.errors import InputError
from theory.quantities import Exact, Length2, NonzeroAngle, quantity
from theory.rope.precision.formats import Storage, rounded
from theory.rope.precision.logit_rounding import nearest
from theory.rope.precision.position_collapse import CLAIM

LONGEST = 20_000  # the time grows like the square
# Two products of float64 numbers of size 1 and their sum: below this, exact arithmetic decides.
CLOSE = 2.0**-50


def angles(theta: Angle, precision: int | None) -> Iterator[Real]:
    """The angles t theta, t = 0, 1, ..., exact or formed in the format: fl(fl(t) fl(theta))."""
    if precision is None:
        t = 0
        while True:
            yield theta.real * t
            t += 1
    stored, t = rounded(theta.real, precision), 0
    while True:
        yield Real.of(nearest(nearest(Fraction(t), precision) * stored, precision))
        t += 1


def first_failure(theta: Angle, angle: int | None, storage: int, up_to: int) -> int | None:
    """The least n <= `up_to` at which an earlier key has a logit of at least the query's own; None if there is none.

    Args:
        theta: radians per position.
        angle: precision in which angles are formed, or None for exact ones.
        storage: precision of cosines and sines.
        up_to: the largest length that is tried.
    """
    table: list[tuple[Fraction, Fraction]] = []
    rough = np.empty((up_to, 2))
    for position, phase in zip(range(up_to), angles(theta, angle), strict=False):
        c, s = rounded(cos(phase), storage), rounded(sin(phase), storage)
        table.append((c, s))
        rough[position] = float(c), float(s)
        logits = rough[: position + 1] @ rough[position]
        own = c * c + s * s
        for key in np.flatnonzero(logits[:-1] >= logits[-1] - CLOSE):
            if table[key][0] * c + table[key][1] * s >= own:
                return position + 1
    return None


@quantity("first-order-failure", unit="tokens", claim=CLAIM)
def first_order_failure(theta: NonzeroAngle, angle: Storage, storage: Storage, up_to: Length2 = 2000) -> Exact:
    """The first length at which an aligned letter query prefers another key; formats of angles and of cos, sin."""
    if up_to > LONGEST:
        raise InputError(
            f"up_to={up_to} takes too long, as every pair of positions is compared; give at most {LONGEST}"
        )
    # Exact storage has no table of numbers; 256 bits stand for it below any length that is tried.
    found = first_failure(theta, angle, 256 if storage is None else storage, up_to)
    return Exact(f"none up to {up_to}" if found is None else found)
