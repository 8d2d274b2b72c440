"""The zero of a falling function, enclosed between two points at which its sign is certain."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq

from theory.arithmetic.real import Real


def falling_root(function: Callable[[arb], arb], low: Fraction, high: Fraction) -> Real:
    """The zero in `low` < `high` of a continuous, strictly falling function, given as a map of balls.

    It must be positive at `low` and negative at `high`: where no precision shows that, comparisons stay undecided.
    """

    def enclose() -> arb:
        first, last = (arb(fmpq(end.numerator, end.denominator)).mid() for end in (low, high))
        below, above = first, last
        for _ in range(ctx.prec):
            middle = ((below + above) / 2).mid()
            below, above = (middle, above) if function(middle).mid() > 0 else (below, middle)
        # Bisection went by midpoints; what it found is certified here, with as wide a margin as that takes.
        width = (last - first) * arb(2) ** (4 - ctx.prec)
        while width < last - first:
            left, right = (below - width).mid().max(first), (above + width).mid().min(last)
            if function(left) > 0 and function(right) < 0:
                return left.union(right)
            width *= 16
        return arb.nan()

    return Real(enclose)
