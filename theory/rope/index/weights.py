"""The weight that the competitors of an Index query take, as sums of balls.

At inverse temperature beta the target of a query with offset s at length n has weight 1/(1 + F), F = F_{s,n-1-s}, where
F_{a,b} adds e^{-beta (1 - cos t theta)} over t = 1..a and over t = 1..b.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, count

from flint import arb, fmpq

from theory.arithmetic.angle import Angle
from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.quantities import Enclosure, Length2, NonzeroAngle, Number, Offset, quantity
from theory.rope.index.window import check_query


def decoding_bound(offset: int) -> int:
    """F below this decodes every input: 3 for a letter query, whose offset is 0, and 1 for an integer query."""
    return 1 if offset else 3


def versines(angle: Angle, last: int | None = None) -> Iterator[arb]:
    """1 - cos(t theta) for t = 1, 2, ... up to `last`, as 2 sin^2(t theta/2), at the precision of the context."""
    steps = count(1) if last is None else range(1, last + 1)
    if (turns := angle.turns) is None:
        half = angle.real.enclose() / 2
        return (2 * (half * t).sin() ** 2 for t in steps)
    p, q = turns.numerator, turns.denominator
    return (2 * arb.sin_pi_fmpq(fmpq(t * p % q, q)) ** 2 for t in steps)


def prefix_sums(gaps: Iterable[arb], beta: arb) -> list[arb]:
    """The sums of e^{-beta g} over the first 0, 1, ... gaps g."""
    return list(accumulate(((-beta * g).exp() for g in gaps), initial=arb(0)))


def weight_sum(a: int, b: int, beta: Real, angle: Angle) -> Real:
    """F_{a,b} at an inverse temperature and an angle in radians; the empty sum is 0. InputError for negative a or b."""
    if min(a, b) < 0:
        raise InputError(f"a={a}, b={b}: a side has no negative number of competitors; give a, b >= 0")

    def enclose() -> arb:
        sums = prefix_sums(versines(angle, max(a, b)), beta.enclose())
        return sums[a] + sums[b]

    return Real(enclose)


@quantity("index-weight-sum", unit="weight of the target", claim="index-softmax-threshold")
def index_weight_sum(n: Length2, theta: NonzeroAngle, beta: Number, offset: Offset = 0) -> Enclosure:
    """F_{s,n-1-s}: the weight of all competitors of a query with offset s at length n, over that of its target."""
    check_query(n, offset)
    return Enclosure(weight_sum(offset, n - 1 - offset, beta, theta))
