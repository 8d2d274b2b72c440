"""The witness that exponents compound over two layers: how far 0^n and 1 0^(n-1) end apart.

Layer 1 has logits c ln(h) 1[w_j = 1], layer 2 has c ln(h) on its first h^(1-c) keys, by position. The factor h is the
position of the query, or the total length n of the run. Source: derived here.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from theory.arithmetic import ball
from theory.arithmetic.ball import PRECISION_LIMIT, Real
from theory.arithmetic.real import precisions
from theory.errors import InputError, Undecided

# Blocks of this part of their first index: the two sums that enclose a block differ by 2^-24 of it.
PART = 2048


def boosted(n: int, c: Fraction) -> int:
    """How many keys layer 2 boosts: floor(n^(1 - c) + 10^-9)."""
    edge = ball.exp((1 - c) * ball.log(n)) + Fraction(1, 10**9)
    for bits in precisions(64, PRECISION_LIMIT):
        if (ends := edge.fixed_point(bits)) is not None and ends[0] >> bits == ends[1] >> bits:
            return ends[0] >> bits
    raise Undecided(f"floor({n}^(1 - {c}) + 10^-9) is undecided at {PRECISION_LIMIT} bits")


def total_length_gap(n: int, c: Fraction) -> Real:
    """The difference of outputs where all queries have the factor c ln n.

    Layer 1 leaves n^c/(n^c + j - 1) at position j, and such sums are differences of digamma functions.
    """
    _check(n, c)
    first = boosted(n, c)

    def enclose() -> arb:
        grown = (arb(c.numerator) / c.denominator * arb(n).log()).exp()
        low, middle, high = (arb.digamma(grown + shift) for shift in (0, first, n))
        return grown * (grown * (middle - low) + high - middle) / (grown * first + (n - first))

    return Real(enclose)


def query_gap(n: int, c: Fraction) -> Real:
    """The same where query i has the factor c ln i: layer 1 leaves 1/(1 + (j - 1)/j^c), convex and falling in j."""
    _check(n, c)
    first = boosted(n, c)

    with ctx.workprec(96):  # more would not make the ball of the sum narrower
        exponent = arb(c.numerator) / c.denominator
        boost = (exponent * arb(n).log()).exp()
        sums = _falling_sum(1, first, exponent), _falling_sum(first + 1, n, exponent)
        found = (boost * sums[0] + sums[1]) / (boost * first + (n - first))
    return Real(lambda: found)


def _falling_sum(first: int, last: int, exponent: arb) -> arb:
    """The sum of 1/(1 + (j - 1)/j^c) over first <= j <= last: each block lies between its middle and its chord."""

    def term(j: int) -> arb:
        return 1 / (1 + (j - 1) * (-exponent * arb(j).log()).exp())

    total, j = arb(0), first
    while j <= last:
        half = min(j // (2 * PART), (last - j) // 2)
        size = 2 * half + 1
        if half == 0:
            total += term(j)
        else:
            # Jensen below, the chord above.
            total += (size * term(j + half)).union(size * (term(j) + term(j + 2 * half)) / 2)
        j += size
    return total


def _check(n: int, c: Fraction) -> None:
    if n < 2 or not 0 < c < 1:
        raise InputError(f"n = {n}, c = {c}: n >= 2 and 0 < c < 1 are needed; give such numbers")
