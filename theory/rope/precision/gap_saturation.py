"""Cosines that round to 1: the gap of one plane disappears from a format at lengths of about 2 pi 2^(p/2).

Source: derived here. Numbers just below 1 are 2^-p apart, so that 1 - 2^(-p-1) is a tie, and goes to 1, which is even.
n points on a circle leave an arc of at most 2 pi/n, so that some gap is at most 1 - cos(2 pi/n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

import sympy

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, acos, cos, versine
from theory.arithmetic.continued_fraction import closest_return
from theory.claims import Hypothesis, Source, claim
from theory.errors import Undecided
from theory.evidence import Case, Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Exact, quantity
from theory.rope.index.discrepancy import TURN
from theory.rope.index.window import angle_of, farey_peaks, fold, rational_turns
from theory.rope.precision.formats import Precision, rounded
from theory.rope.precision.logit_rounding import nearest
from theory.rope.rotation import PAPER

CLAIM = "float-gap-saturation"
SEED = 16


def half_spacing(precision: int) -> Fraction:
    """Half the distance from 1 to the number below it."""
    return Fraction(1, 2 ** (precision + 1))


def turns_of(gap: Fraction) -> Real:
    """2 pi/arccos(1 - gap): into how many such arcs a circle can be cut."""
    return TURN / acos(1 - gap)


def whole(value: Real) -> int:
    """The integer part of a number that is not known to be an integer; Undecided if balls do not tell."""
    bounds = value.fixed_point(512)
    if bounds is None or bounds[0] >> 512 != bounds[1] >> 512:
        raise Undecided(f"the integer part of {value!r} is undecided at 512 bits")
    return bounds[0] >> 512


@dataclass(frozen=True)
class Saturation:
    """fl(cos x) = 1 iff 1 - cos x <= threshold; from floor(2 pi/arccos(1 - threshold)) + `more` on some t < n has it.

    Args:
        threshold: a function of p.
        more: added to the whole number of arcs.
        fl: how values are rounded to p bits.
        planes: frequencies, from a length, that are to have such a t in common.
    """

    threshold: Callable[[int], Fraction] = half_spacing
    more: int = 1
    fl: Callable[[Fraction, int], Fraction] = nearest
    planes: Callable[[int], tuple[Fraction, ...]] | None = field(default=None)

    def __str__(self) -> str:
        least = self.length(8)
        return (
            f"fl(cos x) = 1 iff 1 - cos x <= {self.threshold(8)} at p = 8; for n >= {least}, at every "
            f"{'theta' if self.planes is None else 'set of thetas'}, some 1 <= t < n has fl(cos t theta) = 1, and for "
            f"no smaller n"
        )

    def length(self, precision: int) -> int:
        return whole(turns_of(self.threshold(precision))) + self.more


def _ties_to_odd(x: Fraction, precision: int) -> Fraction:
    """`nearest`, but the tie below 1 goes to the number below."""
    below = half_spacing(precision)
    return 1 - 2 * below if 1 - x == below else nearest(x, precision)


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all theta and p >= 2, one plane, cosines rounded correctly, ties to even; n is sharp",
    statement=str,
    variant=Saturation(),
    controls={
        "the spacing, not half of it": Saturation(threshold=lambda p: Fraction(1, 2**p)),
        "a quarter of the spacing": Saturation(threshold=lambda p: Fraction(1, 2 ** (p + 2))),
        "one length less": Saturation(more=0),
        "one length more": Saturation(more=2),
    },
    hypotheses=(
        Hypothesis("ties to even", "1 - 2^(-p-1) goes to 1", Saturation(fl=_ties_to_odd)),
        Hypothesis(
            "one plane", "there is one frequency", Saturation(planes=lambda n: (Fraction(1, n), Fraction(n // 2, n)))
        ),
    ),
    does_not_show="that gaps are lost where they are computed as 2 sin^2(x/2), which has no such limit",
)
def float_gap_saturation(saturation: Saturation, thorough: bool) -> Iterator[Evidence]:
    """Values about the tie; all angles between Farey fractions and the n-th root of unity; random angles at 24 bits."""
    yield Enumeration("values in eighths of the spacing below 1", _values(saturation))
    yield Enumeration("cosines of rational turns, p <= 8", _cosines(saturation, 60 if thorough else 24))
    yield Enumeration("all angles, p <= 8", _lengths(saturation, 10 if thorough else 8))
    yield Search("random angles, float32", _random(saturation, 500 if thorough else 40), seed=SEED)


def _values(saturation: Saturation) -> Iterator[Case]:
    for precision in range(2, 54):
        for eighths in range(17):
            below = Fraction(eighths, 2 ** (precision + 3))
            saturated = saturation.fl(1 - below, precision) == 1
            yield {"p": precision, "1 - x": str(below)}, saturated is (below <= saturation.threshold(precision))


def _cosines(saturation: Saturation, order: int) -> Iterator[Case]:
    """An irrational cosine is no tie, so that all ways of rounding to nearest agree."""
    for turns in rational_turns(1, order):
        for precision in range(2, 9):
            saturated = rounded(cos(TURN * turns), precision) == 1
            below = versine(TURN * turns) <= saturation.threshold(precision)
            yield {"p": precision, "turns": str(turns)}, below if saturated else ~below


def _lengths(saturation: Saturation, most: int) -> Iterator[Case]:
    """At the largest possible distance, and one length before, at the root of unity of that length."""
    for precision in range(2, most + 1):
        n, least = saturation.length(precision), half_spacing(precision)
        if saturation.planes is not None:
            turns = saturation.planes(n)
            common = any(all(_saturates(fold(t * x), least) for x in turns) for t in range(1, n))
            yield {"p": precision, "n": n, "turns": [*map(str, turns)]}, common
            continue
        peak, height = max(farey_peaks(n - 1), key=lambda found: found[1])
        yield {"p": precision, "n": n, "turns": str(peak)}, _saturates(height, least)
        before = n - 1
        closest = min((fold(Fraction(t, before)) for t in range(1, before)), default=Fraction(1, 2))
        yield {"p": precision, "n": before, "turns": f"1/{before}"}, not _saturates(closest, least)


def _saturates(distance: Fraction, least: Fraction) -> bool:
    """Whether a cosine at this distance in turns rounds to 1."""
    below = versine(TURN * distance) <= least
    if below is Outcome.UNDECIDED:
        raise Undecided(f"whether 1 - cos(2 pi {distance}) <= {least} is undecided")
    return below is Outcome.HOLDS


def _random(saturation: Saturation, count: int) -> Iterator[Trial]:
    random, n = Random(SEED), saturation.length(24)
    for _ in range(count):
        theta = Angle(sympy.Rational(random.randrange(1, 10**9), random.randrange(10**8, 10**9)))
        gap = versine(TURN * closest_return(theta, n - 1).distance)
        # The gap is enclosed; it is rounded once to be compared.
        yield Trial(str(theta), float(gap), float(half_spacing(24)), 2.0**-77)
    gap = versine(TURN * closest_return(angle_of(Fraction(1, n - 1)), n - 2).distance)
    yield Trial({"n": n - 1, "sharp": True}, float(half_spacing(24)), float(gap), 2.0**-77)


@quantity("gap-saturation-length", unit="tokens", claim=CLAIM)
def gap_saturation_length(precision: Precision) -> dict[str, Exact | Enclosure]:
    """The length from which at every theta the cosine of some offset rounds to 1; 2 pi/arccos(1 - 2^(-p-1))."""
    arcs = turns_of(half_spacing(precision))
    return {"n": Exact(whole(arcs) + 1), "arcs": Enclosure(arcs)}
