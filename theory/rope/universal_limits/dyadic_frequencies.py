"""Half a turn in 1, 2, 4, ... steps: log2 n planes keep a gap of 2 B/m at every length up to n, exactly.

Source: derived here; it shows that the n^-2 of arXiv 2605.31558, Thm 3.2, is a property of one plane. At t = 2^j times
an odd number, plane j has made an odd number of half turns, those before it whole turns; the others add what is >= 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import sympy
from sympy import Expr, cos, pi

from theory.arithmetic.ball import Real, versine
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Exact, Length2, quantity
from theory.rope.index.window import fold
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.one_frequency import TURN
from theory.symbols import n, theta

CLAIM = "dyadic-frequencies"


def dyadic(m: int) -> tuple[Fraction, ...]:
    """The frequencies pi/2^k, k = 0..m-1, in turns."""
    return tuple(Fraction(1, 2 ** (k + 1)) for k in range(m))


@dataclass(frozen=True)
class Dyadic:
    """At equal amplitudes of sum 1 the worst gap over 1 <= t < n is `value`, 2^(m-1) < n <= 2^m.

    Args:
        value: a function of m.
        turns: the frequencies, from m.
        longest: the largest n that is admitted.
        shortest: the smallest.
        rivals: sets of m equal planes that are to do no better.
    """

    value: Callable[[int], Fraction] = lambda m: Fraction(2, m)
    turns: Callable[[int], tuple[Fraction, ...]] = dyadic
    longest: Callable[[int], int] = lambda m: 2**m
    shortest: Callable[[int], int] = lambda m: 2 ** (m - 1) + 1
    rivals: tuple[Callable[[int], tuple[Fraction, ...]], ...] = ()

    @property
    def statement(self) -> Expr:
        value = sympy.Symbol("B") * sympy.Rational(self.value(5))
        gaps = [_shown(turns(5)) for turns in (self.turns, *self.rivals)]
        return sympy.And(sympy.Eq(gaps[0], value), *(sympy.Le(gap, value) for gap in gaps[1:]))


def _shown(turns: tuple[Fraction, ...]) -> Expr:
    """G(n) for these frequencies, as a symbol."""
    return sympy.Function("G")(n, *(2 * pi * sympy.Rational(x) for x in turns))


def roots(m: int) -> tuple[Fraction, ...]:
    """The frequencies 2 pi k/(2 m + 1), k = 1..m, in turns: all cosines at t < 2 m + 1 add up to -1/2."""
    return tuple(Fraction(k, 2 * m + 1) for k in range(1, m + 1))


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all m >= 1, 2^(m-1) < n <= 2^m, theta_k = pi/2^k, k = 0..m-1, amplitudes B/m; shown for m = 5",
    statement=lambda dyadic: dyadic.statement,
    variant=Dyadic(),
    controls={
        "2 B/(m - 1)": Dyadic(lambda m: Fraction(2, max(m - 1, 1))),
        "theta_k = 2 pi/2^k": Dyadic(turns=lambda m: tuple(2 * x for x in dyadic(m))),
        "no m planes do better": Dyadic(rivals=(roots,)),
    },
    hypotheses=(
        Hypothesis("n <= 2^m", "no t < n turns all planes back", Dyadic(longest=lambda m: 2**m + 1)),
        Hypothesis("n > 2^(m-1)", "the last plane is needed", Dyadic(shortest=lambda m: 2 ** (m - 1))),
    ),
    does_not_show="that 2 B/m is the best: random frequencies keep a gap of B/2 with as many planes, up to a factor",
)
def dyadic_frequencies(claimed: Dyadic, thorough: bool) -> Iterator[Evidence]:
    """All offsets of all lengths up to 2^m, from the definition; the three cases of a plane for every odd number."""
    most = 12 if thorough else 8
    yield Enumeration(f"all t < 2^m, m <= {most}", (case for m in range(1, most + 1) for case in _lengths(claimed, m)))
    if claimed.rivals:
        yield Enumeration("other frequencies", _rivals(claimed))
    yield Identity("plane j, those before it and after it, at t = 2^j (2 u + 1)", _cases(8))


@cache
def height(distance: Fraction) -> Real:
    """1 - cos(2 pi distance), exact where the cosine is rational."""
    return versine(TURN * distance)


def gap_at(turns: tuple[Fraction, ...], t: int) -> Real:
    """The mean of 1 - cos(2 pi t x_k)."""
    return Real.total(height(fold(t * x)) for x in turns) / len(turns)


def _lengths(claimed: Dyadic, m: int) -> Iterator[Case]:
    """The minimum runs along: G(n) is at most its last value and no t < n lies below it."""
    turns, value = claimed.turns(m), claimed.value(m)
    attained = False
    for t in range(1, claimed.longest(m)):
        found = gap_at(turns, t)
        above = found >= value
        attained |= found.exact == value
        yield {"m": m, "t": t, "n": t + 1}, Outcome.every((above, Outcome.of(attained or t + 1 < claimed.shortest(m))))


def _rivals(claimed: Dyadic) -> Iterator[Case]:
    for rival in claimed.rivals:
        for m in (2, 3):
            n = min(2**m, 2 * m + 1)
            above = (gap_at(rival(m), t) > claimed.value(m) for t in range(1, n))
            yield {"m": m, "n": n, "turns": [*map(str, rival(m))]}, ~Outcome.every(above)


def _cases(m: int) -> Iterator[Equation]:
    u = sympy.Symbol("u", integer=True)
    for j in range(m):
        for k in range(j + 1):
            angle = (theta * 2**j * (2 * u + 1)).subs(theta, pi / 2**k)
            yield f"t = 2^{j} odd, plane {k}", 1 - cos(angle), sympy.Integer(2 if k == j else 0)
    yield "other planes add a square", 1 - cos(theta), versine(theta)


@quantity("dyadic-gap", unit="planes; logit", claim=CLAIM)
def dyadic_gap(n: Length2) -> dict[str, Exact]:
    """The number m of dyadic planes for length n, and their worst gap 2/m at equal amplitudes of sum 1."""
    m = (n - 1).bit_length()
    return {"planes": Exact(m), "gap": Exact(Fraction(2, m))}
