"""The inverse temperature that a positional head needs at a length, whatever its frequencies.

Source: derived here for arXiv 2605.31558, App. F.2.1. By claim competitor-weight-floor, the competitors of an Index
query weigh too much to decode (claim index-softmax-threshold) once (n + 1) M >= 4 for any integer offset, n M >= 3 for
the offset n - 1, n M >= 7 for letters; M = prod Bes(beta a_k), with one plane Bes(beta) >= 1/sqrt(1 + 2 pi beta).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import sympy
from flint import arb
from sympy import Expr

from theory.arithmetic.ball import Real, evaluate
from theory.arithmetic.root import falling_root
from theory.quantities import Bound, Length2, Positive, quantity
from theory.rope.universal_limits.bessel_bound import mean_weight
from theory.rope.universal_limits.m_frequency_gaps import ball
from theory.rope.universal_limits.weight_floor import ONE
from theory.symbols import n

CLAIM = "temperature-separation"


@dataclass(frozen=True)
class Query:
    """A kind of Index query at length n: it fails at all frequencies once (n + more) M >= level."""

    level: int
    more: int = 0

    def condition(self, mass: Expr) -> Expr:
        return sympy.Lt((n + self.more) * mass, self.level)

    def needed(self, length: int, amplitudes: Iterable[Fraction] = ONE) -> Real:
        """The inverse temperature at which (n + more) M = level, below which the query fails; 0 if there is none."""
        return self.needed_alike(length, tuple(Counter(amplitudes).items()))

    def needed_alike(self, length: int, planes: tuple[tuple[Fraction, int], ...]) -> Real:
        """The same for pairs of an amplitude and the number of planes that have it."""
        return mass_root(length + self.more, self.level, planes)

    @property
    def plain_bound(self) -> Expr:
        """What M >= 1/sqrt(1 + 2 pi beta) makes of it for one plane, in n; negative where it says nothing."""
        return (((n + self.more) / sympy.Integer(self.level)) ** 2 - 1) / (2 * sympy.pi)

    def plain(self, length: int) -> Real:
        """The plain bound at a length."""
        return evaluate(self.plain_bound, {n: length})


LETTER, INTEGER, LAST = Query(7), Query(4, 1), Query(3)


def query_kind(length: int, offset: int) -> Query:
    """The kind of a query: offset 0 is a letter."""
    return LETTER if offset == 0 else LAST if offset == length - 1 else INTEGER


QUERIES = {"letter": LETTER, "integer": INTEGER, "last": LAST}


@cache
def mass_root(count: int, level: int, planes: tuple[tuple[Fraction, int], ...]) -> Real:
    """The beta at which count prod Bes(beta a_k) falls to `level`; 0 if it starts there or below."""
    if count <= level:
        return Real.of(0)

    def excess(scale: arb) -> arb:
        logs = (number * (scale * ball(a)).bessel_i(0, scaled=True).log() for a, number in planes)
        return sum(logs, (arb(count) / level).log())

    high = 1
    while not excess(arb(high)) < 0:
        high *= 2
    return falling_root(excess, Fraction(0), Fraction(high))


@quantity("positional-length-ceiling", unit="tokens", claim=CLAIM)
def positional_length_ceiling(beta: Positive) -> dict[str, Bound]:
    """Lengths that the Index head does not reach at any angle: all inputs decode only at smaller n.

    `letter` 7/Bes(beta), `integer` 4/Bes(beta) - 1 for any integer offset, `last` 3/Bes(beta) for the offset n - 1.
    """
    mass = mean_weight(beta)
    return {name: Bound("upper", query.level / mass - query.more) for name, query in QUERIES.items()}


@quantity("positional-needed-beta", unit="inverse temperature", claim=CLAIM)
def positional_needed_beta(n: Length2) -> dict[str, Bound]:
    """What the Index head needs at length n at least, at any angle, for letters, any integer offset, and offset n - 1.

    The root of n M = 7, (n + 1) M = 4 or n M = 3, M = Bes(beta), and the `plain` bound below it.
    """
    roots = {name: Bound("lower", query.needed(n)) for name, query in QUERIES.items()}
    return roots | {f"{name} plain": Bound("lower", query.plain(n)) for name, query in QUERIES.items()}
