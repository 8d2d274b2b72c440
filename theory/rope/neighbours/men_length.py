"""The longest input for which a base keeps B_m >= 0, and B_m as the other side of the worst gap.

Source: arXiv 2405.14591: B_m >= 0 for 0 <= m < L is asked of the base. The link is derived here: with amplitude 1 in
every plane G(n) = d/2 - max B_t over 1 <= t < n, so that positional heads need a small maximum and symbolic heads a
minimum >= 0 of one function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

import sympy
from sympy import cos, symbols

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, maximum, minimum, versine
from theory.claims import Source, claim
from theory.evidence import Case, Enumeration, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.rope.neighbours.base_sums import CLAIM, MEN, BaseSums
from theory.rope.universal_limits.worst_gap import worst_gap
from theory.symbols import t

SEED = 14591


@dataclass(frozen=True)
class Longest:
    """The longest length whose distances all keep B_m >= 0 is found as the first m with B_m below `floor`(d).

    `last` is the largest distance of an input, from its length.
    """

    floor: Callable[[int], Fraction] = lambda d: Fraction(0)
    last: Callable[[int], int] = lambda length: length - 1

    def __str__(self) -> str:
        return (
            f"the longest L with B_m >= 0 for all m <= {self.last(100)} (L = 100) is the first m with "
            f"B_m < {self.floor(128)} (d = 128)"
        )


@claim(
    CLAIM,
    source=Source(MEN, "condition on the base", "derived"),
    quantifiers="for all bases b > 1 and even d for which some B_m is negative",
    statement=str,
    variant=Longest(),
    controls={
        "B_m > d/4": Longest(floor=lambda d: Fraction(d, 4)),
        "distances up to L": Longest(last=lambda length: length),
        "B_m above -1/10": Longest(floor=lambda d: Fraction(-1, 10)),
    },
    does_not_show="that a model loses its way beyond that length: the condition is one on averages",
)
def men_longest_length(longest: Longest, thorough: bool) -> Iterator[Evidence]:
    """Every length by balls for small widths; random distances below the length that the scan finds for large ones."""
    yield Enumeration("d <= 16, bases up to 10^4", _small(longest, 24 if thorough else 12))
    yield Search("d = 64 and 128, random distances", _large(longest, 100 if thorough else 8), seed=SEED)


def _small(longest: Longest, count: int) -> Iterator[Case]:
    for d, power in product((2, 4, 6, 8, 16), range(count)):
        base = 2 + Fraction(5, 3) ** power
        sums = BaseSums(base, d)
        found = sums.first_below(longest.floor(d), 400)
        length, kept = 0, Outcome.HOLDS
        while length < 400 and kept is Outcome.HOLDS:
            length += 1
            kept = sums.at(longest.last(length)) >= 0
        if kept is not Outcome.HOLDS:
            yield {"d": d, "base": str(base)}, Outcome.of(found == length - 1)


def _large(longest: Longest, bases: int) -> Iterator[Trial]:
    random = Random(SEED)
    for _ in range(bases):
        d, base = random.choice((64, 128)), random.randint(10**3, 10**6)
        sums = BaseSums(base, d)
        if (length := sums.first_below(longest.floor(d), 10**5)) is None:
            continue
        yield Trial({"d": d, "base": base, "m": length}, float(sums.at(longest.last(length + 1))), 0.0)
        for _ in range(10):
            m = random.randrange(length)
            yield Trial({"d": d, "base": base, "m": m}, -float(sums.at(m)), 0.0)


@dataclass(frozen=True)
class Link:
    """The worst gap at amplitude 1 in every plane is `height`(d) - extreme B_t over `first` <= t < n."""

    extreme: Callable[[list[Real]], Real] = maximum
    height: Callable[[int], Fraction] = lambda d: Fraction(d, 2)
    first: int = 1

    def __str__(self) -> str:
        side = "min" if self.extreme is minimum else "max"
        return f"G(n) = {self.height(128)} - {side} B_t over {self.first} <= t < n, at d = 128"


@claim(
    "men-worst-gap-link",
    source=Source(MEN, "Thm 1", "derived"),
    quantifiers="for all n >= 2, bases b > 1 and even d; equality",
    statement=str,
    variant=Link(),
    controls={
        "the least B_t": Link(extreme=minimum),
        "d in place of d/2": Link(height=Fraction),
        "t from 0": Link(first=0),
    },
    does_not_show="anything about heads with unequal amplitudes",
)
def men_worst_gap_link(link: Link, thorough: bool) -> Iterator[Evidence]:
    """Term by term, exactly; the certified scan against balls for every offset, to 150 bits."""
    angles = symbols("theta_1:5", real=True)
    height = sympy.Rational(*link.height(8).as_integer_ratio())
    gap = sum(versine(t * angle) for angle in angles)
    yield Identity("each offset, d = 8", [("G = d/2 - B_t", gap, height - sum(cos(t * angle) for angle in angles))])
    yield Enumeration("the scan against every offset, to 150 bits", _lengths(link, 60 if thorough else 25))


def _lengths(link: Link, longest: int) -> Iterator[Case]:
    for d, base in product((4, 8, 16), (7, 500, 10**4)):
        sums, angles = BaseSums(base, d), [Angle.rope(base, d, k) for k in range(1, d // 2 + 1)]
        values = [sums.at(m) for m in range(longest)]
        for n in range(2, longest + 1, 3):
            said = link.height(d) - link.extreme(values[link.first : n])
            error = abs(worst_gap(n, angles, [1] * len(angles)).gap - said).at(256)
            yield {"d": d, "base": base, "n": n}, Outcome.settled(error < 2.0**-150, error > 0)
