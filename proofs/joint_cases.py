"""The cases by which the steps of proofs.joint_learnability are checked, in exact rationals."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import ceil, floor, lcm

from sympy import symbols

from theory.compact.learnability.separation import Separation, density
from theory.compact.words import (
    count,
    disagreements,
    hamming,
    periodic,
)
from theory.evidence import Case, Equation

SEPARATION = Separation()
PERIODIC = symbols("p q l", positive=True)
SHARE = density(*PERIODIC)
PERIODS = ((2, 3), (3, 4), (4, 6), (6, 9), (10, 15), (99, 100))


def added() -> Iterator[Equation]:
    """The two margins as the sum of two differences of probabilities."""
    a, b, a_, b_ = symbols("T_a T_b T'_a T'_b", real=True)
    yield "margins", (a - b) + (b_ - a_), (a - a_) + (b_ - b)


def outputs(parts: int) -> Iterator[Case]:
    """All pairs of distributions on three letters that prefer letters 0 and 1: as far apart as the lesser margin."""
    grid = [(a, b, parts - a - b) for a in range(parts + 1) for b in range(parts + 1 - a)]
    for p, q in product(grid, repeat=2):
        least = min(p[0] - max(p[1:]), q[1] - max(q[0], q[2]))
        if least > 0:
            apart = max(abs(x - y) for x, y in zip(p, q, strict=True))
            yield {"T": p, "T'": q}, apart >= SEPARATION.apart * least


def halves(longest: int) -> Iterator[Case]:
    """Half of the changes, rounded down, then the rest; the last letter is kept."""
    for length in range(1, longest + 1):
        zeros = (0,) * length
        for start in product((0, 1), repeat=length - 1):
            word = (*start, 0)
            changed = disagreements(zeros, word)
            between = list(zeros)
            for place in changed[: len(changed) // 2]:
                between[place - 1] = 1
            first, second = hamming(zeros, between), hamming(between, word)
            most = Fraction(ceil(Fraction(len(changed), 2)), length)
            yield {"w": word}, max(first, second) <= most and between[-1] == 0


def distances(most: int) -> Iterator[Case]:
    """Disagreements over a common period, counted."""
    for a, b in combinations(range(2, most + 1), 2):
        period = lcm(a, b)
        found = Fraction(count(periodic(a - 1), periodic(b - 1), period), period)
        yield {"p": a, "q": b}, found == density(Fraction(a), Fraction(b), Fraction(period))


def coprime() -> Iterator[Equation]:
    """Multiples of one of p, q and not of both, up to their least common multiple g a b, for p = g a and q = g b."""
    g, a, b = symbols("g a b", positive=True)
    shared = dict(zip(PERIODIC, (g * a, g * b, g * a * b), strict=True))
    yield "share", SHARE.subs(shared, simultaneous=True), ((b - 1) + (a - 1)) / (g * a * b)


def distance_rows() -> Iterator[tuple[object, ...]]:
    """P, q and the distance of the words."""
    for a, b in PERIODS:
        yield a, b, density(Fraction(a), Fraction(b), Fraction(lcm(a, b)))


def few(most: int) -> Iterator[Case]:
    """Two periods of at least 1/delta are closer than 2 delta, and the others are few."""
    for inverse in range(2, 21):
        for delta in (Fraction(1, inverse), Fraction(2, 2 * inverse + 1)):
            long = range(ceil(1 / delta), most + 1)
            close = all(
                density(Fraction(a), Fraction(b), Fraction(lcm(a, b))) < 2 * delta for a, b in combinations(long, 2)
            )
            bound = max(1, ceil(1 / delta) - 1)
            yield {"delta*": str(delta)}, close and bound <= SEPARATION.words(delta) == floor(1 / delta)
