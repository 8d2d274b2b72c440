"""That the worst gap of several frequencies can be found, located and certified by a scan in float64.

Source: derived here; the scan and its error bound are those of theory.rope.universal_limits.worst_gap and
theory.rope.universal_limits.cosine_blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm
from random import Random
from typing import Any

import numpy as np
import sympy
from sympy import Expr, cos, pi, sin, symbols

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.arithmetic.continued_fraction import closest_return, gap
from theory.arithmetic.cosine_sums import same_cosine_sum
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.rope.index.window import angle_of, rational_turns
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.cosine_blocks import UNIT, CosineBlocks, error_bound
from theory.rope.universal_limits.gap_planes import Planes
from theory.rope.universal_limits.worst_gap import CLAIM, WorstGap, least_of, worst_gap

SEED = 2605
Find = Callable[[int, Sequence[Angle], Sequence[Fraction]], WorstGap]


@dataclass(frozen=True)
class Scan:
    """How the worst gap is found, the sum of a pair of offsets, and the error that its float64 value is said to have.

    Args:
        find: the worst gap for a length, angles and amplitudes.
        pair: cos((c - x) theta) as a function of cosine and sine of c theta, then of x theta.
        error: a function of the bits of both tables and of the number of frequencies, relative to the amplitudes' sum.
    """

    find: Find = worst_gap
    pair: Callable[[Any, Any, Any, Any], Any] = lambda cc, sc, cx, sx: cc * cx + sc * sx
    error: Callable[[int, int], Fraction] = error_bound
    text: str = (
        "the worst gap and all offsets that attain it are those of the balls for the offsets whose float64 sum "
        "of cosines, by angle addition, lies within two error bounds of the largest; no sum is off by more than "
        "((1 + 5u)^(J + I + 3) / (1 - (m + 1) u) - 1 + u) sum_k a_k, u = 2^-53, for tables of 2^J and 2^I powers"
    )

    def __str__(self) -> str:
        return self.text


def _sieve(dtype: type[np.floating[Any]], slack: float) -> Find:
    """Phases t theta formed in a format; balls only for offsets whose gap seems within `slack` of the least."""

    def find(n: int, angles: Sequence[Angle], amplitudes: Sequence[Fraction]) -> WorstGap:
        phases = np.outer(np.arange(1, n, dtype=dtype), np.array([float(angle.real) for angle in angles], dtype=dtype))
        gaps = (1 - np.cos(phases)) @ np.array([float(amplitude) for amplitude in amplitudes], dtype=dtype)
        return least_of(Planes.of(angles, amplitudes), [int(t) + 1 for t in np.flatnonzero(gaps <= gaps.min() + slack)])

    return find


def _rounded(n: int, angles: Sequence[Angle], amplitudes: Sequence[Fraction]) -> WorstGap:
    return worst_gap(n, [angle_of(Fraction(float(angle.alpha))) for angle in angles], amplitudes)


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all n >= 2, angles and amplitudes a_k >= 0 for which the balls decide; certified",
    statement=str,
    variant=Scan(),
    controls={
        "t = 0 is scanned": Scan(lambda n, angles, amplitudes: WorstGap(Real.of(0), [0]), text="t runs from 0"),
        "t = n is scanned": Scan(
            lambda n, angles, amplitudes: worst_gap(n + 1, angles, amplitudes), text="t runs to n"
        ),
        "no slack": Scan(_sieve(np.float64, 0.0), text="balls only for the least gaps in float64"),
        "phases in float32": Scan(_sieve(np.float32, 1e-13), text="t theta formed in float32, the slack of float64"),
        "the sign of angle addition": Scan(pair=lambda cc, sc, cx, sx: cc * cx - sc * sx, text="E - O before c"),
        "one rounding": Scan(error=lambda bits, frequencies: UNIT, text="no sum is off by more than u"),
    },
    hypotheses=(
        Hypothesis(
            "exact angles",
            "theta_k is the real number, not its rounding to float64",
            Scan(_rounded, text="float64 angles"),
        ),
        Hypothesis(
            "standard model",
            "float64 sums and products are rounded once each, dot products in any order",
            remark="an algorithm for matrix products with fewer multiplications has other error bounds",
        ),
    ),
    does_not_show="the least gap over real t, or over lengths beyond n",
)
def rope_gap_certified_scan(scan: Scan, thorough: bool) -> Iterator[Evidence]:
    """All pairs of rational turns, exactly; one frequency in disguise; gaps below float64; errors; random offsets."""
    yield Identity("angle addition", _addition(scan))
    yield Enumeration("pairs of rational turns, all lengths", _pairs(scan, 9 if thorough else 5))
    yield Enumeration("one frequency as two, by continued fractions", _disguised(scan, 10**7 if thorough else 10**5))
    yield Enumeration("gaps that differ by less than 2^-53", _near_ties(scan, 200 if thorough else 40))
    yield Search("float64 sums against balls", _errors(scan, 100 if thorough else 8), seed=SEED)
    yield Search("random offsets, and the limit of m frequencies", _offsets(scan, 40 if thorough else 6), seed=SEED)


def _addition(scan: Scan) -> Iterator[Equation]:
    c, x = symbols("c x", real=True)
    for m in (1, 2, 3):
        planes = list(zip(symbols(f"a_1:{m + 1}"), symbols(f"theta_1:{m + 1}", real=True), strict=True))
        for sign in (1, -1):  # before and behind the centre

            def summed(a: Expr, angle: Expr, sign: int = sign) -> Expr:
                return a * scan.pair(cos(c * angle), sin(c * angle), cos(x * angle), sign * sin(x * angle))

            direct = sum(a * cos((c - sign * x) * angle) for a, angle in planes)
            yield f"m = {m}", direct, sum(summed(a, angle) for a, angle in planes)


def _pairs(scan: Scan, largest: int) -> Iterator[Case]:
    """By definition: sums of two cosines at roots of unity, told apart by a norm argument."""
    for turns in combinations_with_replacement(list(rational_turns(2, largest)), 2):
        angles, order = [angle_of(x) for x in turns], lcm(*(x.denominator for x in turns))
        gaps = [Planes.of(angles, [1, 1]).gap(t) for t in range(1, order + 1)]
        for n in range(2, order + 2):
            found = scan.find(n, angles, [Fraction(1)] * 2)
            attained = [same_cosine_sum(each, found.gap, order) for each in gaps[: n - 1]]
            above = [
                each > found.gap if same is Outcome.REFUTED else same
                for each, same in zip(gaps, attained, strict=False)
            ]
            there = [t for t, same in enumerate(attained, start=1) if same is Outcome.HOLDS]
            located = Outcome.of(there == list(found.offsets))
            yield {"turns": [str(x) for x in turns], "n": n}, Outcome.every((*above, located, found.located))


def _disguised(scan: Scan, longest: int) -> Iterator[Case]:
    """The angles theta and theta + 2 pi, which are one frequency, but look like two that are irrational."""
    for theta in (Angle.rope(10**4, 128, 2), Angle(sympy.sqrt(2) / 100), Angle(pi * (sympy.sqrt(5) - 1))):
        for n in (n for n in (2, 17, 850, 5000, 10**5, 10**6, 10**7) if n <= longest):
            found = scan.find(n, [theta, Angle(theta.expr + 2 * pi)], [Fraction(1, 2)] * 2)
            same = list(found.offsets) == [closest_return(theta, n - 1).t]
            yield f"theta={theta}, n={n}", same and found.gap.ball().overlaps(gap(theta, n).ball())


def _near_ties(scan: Scan, longest: int) -> Iterator[Case]:
    """A third of a turn, and a plane of amplitude 2^-60 that alone decides between the multiples of 3."""
    angles, amplitudes = [Angle.turn(1, 3), Angle(sympy.Integer(1))], [Fraction(1), Fraction(1, 2**60)]
    for n in range(5, longest):
        found = scan.find(n, angles, amplitudes)
        t = 3 * closest_return(Angle(sympy.Integer(3)), (n - 1) // 3).t
        yield {"n": n, "t": t}, list(found.offsets) == [t]


def _random_set(random: Random, most: int) -> tuple[list[Angle], list[Fraction]]:
    base, d = random.choice([100, 10**4, 5 * 10**5]), random.choice([16, 64, 128])
    chosen = random.sample(range(1, d // 2 + 1), random.randint(2, min(most, d // 2)))
    return [Angle.rope(base, d, k) for k in chosen], [Fraction(random.randint(1, 9)) for _ in chosen]


def _errors(scan: Scan, sets: int) -> Iterator[Trial]:
    random = Random(SEED)
    for _ in range(sets):
        angles, amplitudes = _random_set(random, 16)
        total, start = sum(amplitudes), random.randint(1, 10**12)
        planes = Planes.of(angles, [a / total for a in amplitudes])
        blocks = CosineBlocks([angle.real for angle in planes.angles], planes.amplitudes, start, start + 10**5)
        bound = float(scan.error(blocks.bits, len(angles)))
        offsets, sums = next(iter(blocks)).at_least(-1)
        for index in random.sample(range(len(offsets)), 20):
            t, value = int(offsets[index]), Fraction(float(sums[index]))
            observed = float(abs(value - (1 - planes.gap(t))))
            yield Trial({"planes": len(angles), "t": t}, observed, bound, 2.0**-50 * bound)


def _offsets(scan: Scan, sets: int) -> Iterator[Trial]:
    """No offset has a smaller gap, and G <= B (1 - cos(2 pi n^(-1/m))) if n >= 2^m (simultaneous approximation)."""
    random = Random(SEED)
    for _ in range(sets):
        angles, amplitudes = _random_set(random, 6)
        n, planes = random.randint(2**6, 10**5), Planes.of(angles, amplitudes)
        found = scan.find(n, angles, amplitudes)
        others = [float(planes.gap(random.randrange(1, n))) for _ in range(20)]
        box = float(sum(amplitudes)) * 2 * np.sin(np.pi * n ** (-1 / len(angles))) ** 2
        for bound in (*others, box):
            yield Trial({"planes": len(angles), "n": n}, float(found.gap), bound, 2.0**-48 * bound)
