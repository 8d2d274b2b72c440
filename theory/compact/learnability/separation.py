"""Words learned with one margin are apart: at 2 delta* at least, so that few periodic words are learned with it.

Source: derived here, from the continuity and isolation of arXiv 2505.10606. delta*(eps) is the distance below which
outputs differ by less than eps/2; the words per_m and per_m' with p = m + 1, q = m' + 1 disagree with density
1/p + 1/q - 2/lcm(p, q).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import ceil, floor, lcm
from random import Random
from typing import Any

import sympy
from sympy import symbols

from theory.claims import Hypothesis, Source, claim
from theory.compact.learnability.models import JointDetector, leads
from theory.compact.words import count, periodic
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.quantities import Count, Exact, Rational, quantity

CLAIM = "margin-separation"
PAPER = "2505.10606"
SEED = 25052
p, q, common = symbols("p q l", integer=True, positive=True)


def density(a: Any, b: Any, period: Any) -> Any:
    """1/p + 1/q - 2/lcm(p, q), of fractions or SymPy symbols."""
    return 1 / a + 1 / b - 2 / period


@dataclass(frozen=True)
class Separation:
    """What learning with a common margin eps forces.

    Args:
        distance: of per_(p - 1) and per_(q - 1), in p, q and l = lcm(p, q).
        words: how many words per_m at most are learned with margin eps, of delta*.
        apart: how many margins apart outputs are that prefer different letters, in sup norm.
        share: the margin of the second word in the first's.
        text: the number of words, for people.
    """

    distance: Callable[[Any, Any, Any], Any] = density
    words: Callable[[Fraction], int] = lambda delta: floor(1 / delta)
    apart: Fraction = Fraction(1)
    share: Fraction = Fraction(1)
    text: str = "floor(1/delta*)"

    def __str__(self) -> str:
        other, apart = ("eps" if part == 1 else f"{part} eps" for part in (self.share, self.apart))
        return (
            f"outputs that prefer two letters by eps and {other} are {apart} apart, so that words learned "
            f"with them have liminf d_H >= min(1, 2 delta*); d_H(per_(p-1), per_(q-1)) = {self.distance(p, q, common)} "
            f"and at most {self.text} words per_m are learned with margin eps"
        )

    def at(self, a: int, b: int) -> Fraction:
        """The claimed distance of two words of periods a and b."""
        return Fraction(self.distance(Fraction(a), Fraction(b), Fraction(lcm(a, b))))


@claim(
    CLAIM,
    source=Source(PAPER, "consequence of isolation", "derived"),
    quantifiers="for all continuous T, margins eps > 0 and words modulo eventual equality; m >= 1, l = lcm(p, q)",
    statement=str,
    variant=Separation(),
    controls={
        "1/lcm for 2/lcm": Separation(lambda a, b, period: 1 / a + 1 / b - 1 / period),
        "one word per_m for each margin": Separation(words=lambda delta: 1, text="1"),
        "floor(1/(2 delta*))": Separation(words=lambda delta: floor(1 / delta / 2), text="floor(1/(2 delta*))"),
        "twice the margin apart": Separation(apart=Fraction(2)),
    },
    hypotheses=(
        Hypothesis("common margin", "both words are learned with margin eps", Separation(share=Fraction(1, 4))),
        Hypothesis(
            "continuous", "T is continuous", remark="else delta* is 0, which says nothing; see non-compact-evasions"
        ),
    ),
    does_not_show="that floor(1/delta*) words are learned by any model: it is an upper bound only",
)
def margin_separation(claimed: Separation, thorough: bool) -> Iterator[Evidence]:
    """Outputs on grids; distances counted over a period; largest families of words that are apart; joint detectors."""
    yield Enumeration("outputs that prefer different letters", _outputs(claimed, 10 if thorough else 6))
    yield Enumeration("distances, counted over a period", _distances(claimed, 30 if thorough else 12))
    yield Enumeration("families per_m that are pairwise apart", _families(claimed, 13 if thorough else 11))
    yield Enumeration("long periods are close", _long(claimed, 400 if thorough else 60))
    yield Enumeration("two words learned with one margin", _learned(claimed))
    yield Identity("p = g a, q = g b with coprime a, b", [_coprime(claimed)], sympy.cancel)
    yield Search("disagreements of long prefixes", _prefixes(claimed, 200 if thorough else 60), seed=SEED)


def _outputs(claimed: Separation, steps: int) -> Iterator[Case]:
    grid = [(Fraction(a, steps), Fraction(b, steps)) for a in range(steps + 1) for b in range(steps + 1 - a)]
    for (a, b), (c, d) in product(grid, repeat=2):
        first, second = (a, b, 1 - a - b), (c, d, 1 - c - d)
        margin = min(a - b, a - first[2])
        if margin > 0 and min(d - c, d - second[2]) >= claimed.share * margin:
            gap = max(abs(x - y) for x, y in zip(first, second, strict=True))
            yield {"T": [*map(str, first)], "T'": [*map(str, second)]}, gap >= claimed.apart * margin


def _distances(claimed: Separation, most: int) -> Iterator[Case]:
    for a, b in combinations(range(2, most + 1), 2):
        period = lcm(a, b)
        yield {"p": a, "q": b}, Fraction(count(periodic(a - 1), periodic(b - 1), period), period) == claimed.at(a, b)


def _families(claimed: Separation, most: int) -> Iterator[Case]:
    """All sets of periods up to `most` that are pairwise 2 delta* apart, at least one of which is counted."""
    periods = range(2, most + 1)
    for delta in (Fraction(1, 3), Fraction(1, 4), Fraction(1, 5), Fraction(2, 11), Fraction(1, 7)):
        near = {pair for pair in combinations(periods, 2) if claimed.at(*pair) < min(Fraction(1), 2 * delta)}
        largest = max(_cliques((), list(periods), near), key=len)
        yield {"delta*": str(delta), "periods": largest}, len(largest) <= claimed.words(delta)


def _cliques(chosen: tuple[int, ...], left: list[int], near: set[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
    yield chosen
    for place, period in enumerate(left):
        if not any((other, period) in near for other in chosen):
            yield from _cliques((*chosen, period), left[place + 1 :], near)


def _long(claimed: Separation, most: int) -> Iterator[Case]:
    """Two periods of at least 1/delta* are closer than 2 delta*; the shorter ones are few."""
    for delta in (Fraction(1, 5), Fraction(1, 20)):
        long = range(ceil(1 / delta), most + 1)
        yield {"delta*": str(delta)}, all(claimed.at(*pair) < 2 * delta for pair in combinations(long, 2))
        yield {"delta*": str(delta), "short": ceil(1 / delta) - 2}, 1 + ceil(1 / delta) - 2 <= claimed.words(delta)


def _learned(claimed: Separation) -> Iterator[Case]:
    """Two words that are 1/2 apart: their delta* is at most 1/4."""
    words = periodic(1), periodic(2)
    detector = JointDetector(words, Fraction(1, 4))
    for n in range(6, 60):
        yield (
            {"words": "per_1, per_2", "n": n},
            (
                all(leads(detector.logits(word.prefix(n)), word.letter(n + 1)) for word in words)
                and claimed.words(Fraction(1, 4)) >= len(words)
            ),
        )


def _coprime(claimed: Separation) -> Equation:
    g, a, b = symbols("g a b", positive=True)
    found = claimed.distance(g * a, g * b, g * a * b)
    return "density", found, (a + b - 2) / (g * a * b)


def _prefixes(claimed: Separation, trials: int) -> Iterator[Trial]:
    """K(n) = floor(n/p) + floor(n/q) - 2 floor(n/l), within 2 of n times the density."""
    random = Random(SEED)
    for _ in range(trials):
        a, b = random.sample(range(2, 60), 2)
        n = random.randint(1, 3000)
        found = count(periodic(a - 1), periodic(b - 1), n)
        yield Trial((a, b, n), float(abs(found - n * claimed.at(a, b))), 2.0)


@quantity("periodic-distance", unit="relative Hamming distance", claim=CLAIM)
def periodic_distance(m: Count, other: Count) -> Exact:
    """The density at which per_m and per_other disagree."""
    return Exact(Separation().at(m + 1, other + 1))


@quantity("periodic-words-learned", unit="words", claim=CLAIM)
def periodic_words_learned(radius: Rational) -> Exact:
    """How many words per_m a continuous model learns at most with a margin of separation radius delta*."""
    if not 0 < radius <= 1:
        raise InputError(f"radius = {radius} is not in (0, 1]; give the distance within which outputs agree")
    return Exact(Separation().words(radius))
