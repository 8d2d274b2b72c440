"""What the claims on several planes share: gaps of an aligned head in any arithmetic, and sets of frequencies to try.

Frequencies are in turns, amplitudes a_k = |q_k| |k_k| are positive. `theory.rope.universal_limits.worst_gap` finds and
certifies the worst gap of given frequencies; here a bound is tried on many frequencies, or on boxes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from theory.outcome import Outcome

Amplitudes = tuple[Fraction, ...]
Floats = NDArray[np.float64]
HALVES: Amplitudes = (Fraction(1, 2), Fraction(1, 2))
UNEVEN: Amplitudes = (Fraction(1, 3), Fraction(2, 3))
HALF_TURN = (Fraction(0), Fraction(1, 2))


def gap_at(t: Any, amplitudes: Iterable[Any], turns: Iterable[Any], sin_pi: Callable[[Any], Any]) -> Any:
    """sum_k a_k (1 - cos(2 pi t x_k)) for frequencies x_k in turns, generic over the arithmetic."""
    return sum(2 * a * sin_pi(t * x) ** 2 for a, x in zip(amplitudes, turns, strict=True))


def ball_gaps(amplitudes: Amplitudes, turns: Iterable[arb], reach: int) -> Iterator[arb]:
    """The gaps at t = 1..reach in balls, for frequencies in boxes."""
    weights, boxes = [ball(a) for a in amplitudes], list(turns)
    return (gap_at(t, weights, boxes, arb.sin_pi) for t in range(1, reach + 1))


def float_gaps(amplitudes: Floats, turns: Floats, reach: int) -> Floats:
    """The gaps at t = 1..reach in float64."""
    found: Floats = gap_at(np.arange(1, reach + 1), amplitudes, turns, lambda x: np.sin(np.pi * x))
    return found


def float_gap_error(amplitudes: Floats, turns: Floats, reach: int) -> float:
    """A bound on the errors of `float_gaps`: pi t x is off by 3/2 eps of itself, and 2 sin^2 has slope at most 2."""
    planes = 3 * np.pi * reach * float(abs(turns).max()) + len(amplitudes) + 8
    return float(planes * amplitudes.sum() * np.finfo(np.float64).eps)


def some_below(numbers: Iterable[arb], most: arb) -> Outcome:
    """Whether the least of some numbers is at most `most`."""
    outcome = Outcome.REFUTED
    for number in numbers:
        if number <= most:
            return Outcome.HOLDS
        if not number > most:
            outcome = Outcome.UNDECIDED
    return outcome


def at_most(number: arb, most: arb) -> Outcome:
    """Whether number <= most."""
    return Outcome.settled(number <= most, number > most)


def ball(value: Fraction) -> arb:
    """The number as a ball at the precision of the context."""
    return arb(fmpq(*value.as_integer_ratio()))


def frequency_sets(m: int, order: int) -> Iterator[tuple[Fraction, ...]]:
    """All sets of m frequencies p/q, 0 < p <= q/2, in turns, with a common denominator q <= order."""
    for q in range(2, order + 1):
        yield from combinations_with_replacement([Fraction(p, q) for p in range(1, q // 2 + 1)], m)


def least_form(amplitudes: Amplitudes, turns: tuple[Fraction, ...], reach: int) -> Fraction:
    """The least sum a_k ||t x_k||^2 over t = 1..reach."""
    parts, q = lcm(*(a.denominator for a in amplitudes)), lcm(*(x.denominator for x in turns))
    planes = [(int(a * parts), int(x * q)) for a, x in zip(amplitudes, turns, strict=True)]
    forms = (sum(a * min(t * p % q, -t * p % q) ** 2 for a, p in planes) for t in range(1, reach + 1))
    return Fraction(min(forms), parts * q * q)


def climb(random: np.random.Generator, amplitudes: Floats, reach: int) -> Floats:
    """Random frequencies, moved to larger worst gaps by random steps."""
    m = len(amplitudes)
    turns = random.uniform(0, 0.5, m)
    best = float_gaps(amplitudes, turns, reach).min()
    for step in range(32):
        # Draws anew at first, then ever smaller steps.
        moved = random.uniform(0, 0.5, m) if step < 8 else turns + random.normal(size=m) * 0.3 ** (step / 8) / reach
        if (found := float_gaps(amplitudes, moved, reach).min()) > best:
            turns, best = moved, found
    return turns


def climbed_gap(random: np.random.Generator, amplitudes: Floats, reach: int) -> tuple[float, float]:
    """The worst gap of the frequencies that `climb` ends at, and the rounding error of it."""
    turns = climb(random, amplitudes, reach)
    return float(float_gaps(amplitudes, turns, reach).min()), float_gap_error(amplitudes, turns, reach)
