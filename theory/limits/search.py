"""The last integer at which a condition still holds."""

from __future__ import annotations

from collections.abc import Callable


def largest(holds: Callable[[int], bool], guess: int, last: int) -> int:
    """The largest n in 1..`last` at which a condition holds that holds at 1 and, once lost, stays lost.

    Steps that double lead away from `guess`, so a good one costs two evaluations.
    """
    low, high, step = max(1, min(guess, last)), last + 1, 1
    while low > 1 and not holds(low):
        low, high, step = max(1, low - step), low, 2 * step
    step = 1
    while low + step < high and holds(low + step):
        low, step = low + step, 2 * step
    high = min(high, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
