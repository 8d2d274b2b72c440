"""The zero of a falling function, enclosed between two points at which its sign is certain."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx

from theory.arithmetic.real import Real, RealLike


def falling_root(function: Callable[[arb], arb], low: RealLike, high: RealLike) -> Real:
    """The zero in `low` < `high` of a continuous, strictly falling function, given as a map of balls.

    It must be positive at `low` and negative at `high`: where no precision shows that, comparisons stay undecided.
    """

    def enclose() -> arb:
        first, last = (Real.of(end).enclose().mid() for end in (low, high))
        root = _estimate(lambda x: function(x).mid(), first, last)
        # The search went by midpoints; what it found is certified here, with as wide a margin as that takes.
        width = (last - first) * arb(2) ** (4 - ctx.prec)
        while width < last - first:
            left, right = (root - width).mid().max(first), (root + width).mid().min(last)
            if function(left) > 0 and function(right) < 0:
                return left.union(right)
            width *= 16
        return arb.nan()

    return Real(enclose)


def _estimate(function: Callable[[arb], arb], below: arb, above: arb) -> arb:
    """Secants that keep the zero between their ends; an end that stays gives way (the Illinois rule).

    Where three steps together have not halved the interval, as on a flat function, the next one does.
    """
    at_below, at_above = function(below), function(above)
    tolerance = (above - below) * arb(2) ** (2 - ctx.prec)
    stayed, before = 0, above - below
    for step in range(4 * ctx.prec):
        if above - below < tolerance:
            break
        middle = (above - (above - below) * at_above / (at_above - at_below)).mid()
        slow = step % 4 == 3 and above - below > before / 2
        if slow or not below < middle < above:
            middle = ((below + above) / 2).mid()
        if step % 4 == 3:
            before = above - below
        value = function(middle)
        if value > 0:
            below, at_below = middle, value
            at_above = at_above / 2 if stayed > 0 else at_above
            stayed = 1
        elif value < 0:
            above, at_above = middle, value
            at_below = at_below / 2 if stayed < 0 else at_below
            stayed = -1
        else:
            return middle
    return ((below + above) / 2).mid()
