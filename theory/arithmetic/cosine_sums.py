"""When two sums of cosines of rational multiples of a turn are the same number, decided without algebra.

A norm argument: a nonzero algebraic integer whose conjugates are bounded cannot be arbitrarily small.
"""

from __future__ import annotations

from collections.abc import Iterable

from flint import arb

from theory.arithmetic.ball import Real
from theory.outcome import Outcome


def same_cosine_sum(x: Real, y: Real, order: int) -> Outcome:
    """Whether two integer combinations of at most four cosines of multiples of 2 pi/order each are the same number.

    Twice the difference is an algebraic integer of degree at most `order` whose conjugates are at most 16 in size; if
    it is not 0, the product of all of them is at least 1, so it is above 16^-order.
    """
    difference = abs((2 * (x - y)).at(4 * order + 64))
    return Outcome.settled(difference < arb(2) ** (-4 * order), difference > 0)


def smallest_is(values: Iterable[Real], said: Real, order: int) -> Outcome:
    """Whether `said` is the least of these combinations of cosines, as in `same_cosine_sum`; undecided for none."""
    attained, seen = False, False
    for value in values:
        seen = True
        difference = (value - said).at(64)
        if difference > 0:
            continue
        same = same_cosine_sum(value, said, order)
        if same is Outcome.UNDECIDED:
            return Outcome.UNDECIDED
        if same is Outcome.REFUTED and (value > said) is not Outcome.HOLDS:
            return Outcome.REFUTED
        attained |= same is Outcome.HOLDS
    return Outcome.of(attained) if seen else Outcome.UNDECIDED
