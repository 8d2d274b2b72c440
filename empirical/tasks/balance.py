"""Shares and deals whose counts differ by at most one."""

from __future__ import annotations

from math import lcm

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def shares(total: int, parts: int, rng: np.random.Generator) -> list[int]:
    """`total` as a sum of `parts` numbers that differ by at most one; which are larger is random."""
    return [int(share) for share in rng.permutation((total + np.arange(parts)) // parts)]


class Deck:
    """Deals pairs of a first and a second value, in an order that is random but for the balance.

    In every deal the counts of the first values, of the second values and of the pairs differ by at most one each. Over
    all deals together so do the counts of the first values, if all deals offer the same ones, and of the second values.

    Proof: P first and L second values take turns. A round is lcm(P, L) steps: it meets each value equally often, and
    of the pairs those, once each, whose places in the two orders differ by one number modulo gcd(P, L). A deal is the
    beginning of a round, then whole rounds, each shifted by one against the one before, so that all pairs come in turn.
    The next deal goes on where that beginning ended, since whole rounds change no differences of counts.
    """

    def __init__(self, rng: np.random.Generator, first: int, second: int) -> None:
        self._first, self._second = rng.permutation(first), rng.permutation(second)
        self._start = 0

    def deal(self, count: int, first: Numbers, second: Numbers) -> tuple[Numbers, Numbers]:
        """`count` pairs out of the values offered, which are numbers below those of the deck."""
        left = self._first[np.isin(self._first, first)]
        right = self._second[np.isin(self._second, second)]
        steps, round_ = np.arange(count), lcm(len(left), len(right))
        begun = count % round_
        lefts = self._start + steps
        rights = lefts + (steps - begun) // round_ + 1
        self._start += begun
        return left[lefts % len(left)], right[rights % len(right)]
