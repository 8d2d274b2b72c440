"""How far a recency plane sets neighbouring offsets apart at its best phase: by about 1.12/n, and never by 2/(n - 2).

Source: derived for arXiv 2511.11579, Thm 6; gaps as in `partial-induction-recency-aligned`. The best phase centres the
window 1..n-1 at a quarter turn, so that the first and the last gap are the least ones, and equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
import sympy
from flint import arb, fmpq
from sympy import Integer

from theory.arithmetic.ball import Real, cos, pi, sin
from theory.arithmetic.root import falling_root
from theory.claims import claim
from theory.evidence import Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length, quantity
from theory.rope.expressivity.partial_induction import PSI
from theory.rope.expressivity.recency_gap import SEED, SOURCE, Aligned, check_length, gap, named, plane_gap, sine_gap
from theory.rope.index.window import angle_of
from theory.symbols import n, theta


def best_phase(length: int) -> tuple[Real, Real]:
    """The frequency, in radians, and the gap of the plane at the best phase, which centres the window; n >= 3.

    The gap 2 sin(theta/2) cos((n - 3) theta/2) is concave while (n - 3) theta < pi, so its slope has one root.
    """
    if length <= 4:
        return Real.of_linear(0, fmpq(1, length - 2)), Real.of(Fraction(2, length - 2))

    def slope(half_turns: arb) -> arb:
        ahead, behind = length - 2, length - 4
        return ahead * (ahead * half_turns / 2).cos_pi() - behind * (behind * half_turns / 2).cos_pi()

    angle = pi * falling_root(slope, 0, Fraction(1, length - 3))
    return angle, 2 * sin(angle / 2) * cos((length - 3) * angle / 2)


@dataclass(frozen=True)
class Phased:
    """An upper bound of the gap of the plane at any phase, as a function of n."""

    said: str = "the largest of 2 sin(theta/2) cos((n - 3) theta/2), which is at most 2/(n - 2)"
    bound: Callable[[int], Real] = lambda length: best_phase(length)[1]

    def __str__(self) -> str:
        return f"no frequency and phase has cos(t theta + psi) fall on 1..n-1 in steps that all exceed {self.said}"

    def cases(self, lengths: Sequence[int]) -> Iterator[tuple[object, Outcome]]:
        for length in lengths:
            bound = self.bound(length)
            yield {"n": length}, bound < Fraction(2, length - 2)
            for turns in (Fraction(k, 40 * (length - 3)) for k in range(1, 21, 2)):
                for phase in (Fraction(1, 4) - length * turns / 2, *(Fraction(k, 4) for k in range(4))):
                    case = {"n": length, "theta": str(angle_of(turns)), "psi": str(angle_of(phase))}
                    yield case, plane_gap(turns, phase, length) < bound

    def climb(self, count: int) -> Iterator[Trial]:
        """Random planes, improved by random steps of falling size."""
        rng = Random(SEED)
        for case in range(count):
            length = rng.randint(5, 40)
            offsets = np.arange(1, length - 1)
            angle, phase, best = rng.uniform(0, np.pi / (length - 3)), rng.uniform(0, 6.3), -1.0
            for step in range(300):
                width = 0.5 ** (step // 30)
                tried = angle + width * rng.gauss(0, 1) / length, phase + width * rng.gauss(0, 1)
                found = float(sine_gap(offsets, *tried, np.sin).min())
                if found > best:
                    best, (angle, phase) = found, tried
            # The phase of a sine stays below 2^8 and is rounded three times: 2^-44 each side of the product, at most 2.
            yield Trial({"case": case, "n": length}, best, float(self.bound(length)), allowance=2.0**-42)


@claim(
    "partial-induction-recency-phase",
    source=SOURCE,
    quantifiers="for all n >= 5, theta and psi; at n = 3 and 4 the bound is 2/(n - 2) and attained",
    statement=str,
    variant=Phased(),
    controls={
        "the aligned optimum": Phased("the aligned optimum", lambda length: Real.of(Aligned().optimum(length))),
        "1/(n - 2)": Phased("1/(n - 2)", lambda length: Real.of(Fraction(1, length - 2))),
        "1.05/n": Phased("1.05/n", lambda length: Real.of(Fraction(105, 100 * length))),
    },
    does_not_show="anything about several recency planes",
)
def recency_phase(phased: Phased, thorough: bool) -> Iterator[Evidence]:
    """Frequencies and phases on a grid, a climber, and the identities behind the centred phase and 2/(n - 2)."""
    lengths = range(5, 13 if thorough else 7)
    yield Enumeration(f"rational turns, n <= {lengths[-1]}", phased.cases(lengths))
    yield Search("climbing planes", phased.climb(60 if thorough else 10), seed=SEED)
    yield Identity("centred windows, and steps that add up", _phased_proof())


def _phased_proof() -> Iterator[Equation]:
    middle = sympy.pi / 2 - n * theta / 2
    widest = 2 * sympy.sin(theta / 2) * sympy.cos((n - 3) * theta / 2)
    yield "first gap, centred", gap(Integer(1), middle), widest
    yield "last gap, centred", gap(n - 2, middle), widest
    a, b = (n - 2) * theta / 2, (n - 4) * theta / 2
    yield "as a difference", widest, sympy.sin(a) - sympy.sin(b)
    # Negative while a + b < pi, since then sin a > sin b.
    curvature = (n - 4) ** 2 * sympy.sin(b) / 4 - (n - 2) ** 2 * sympy.sin(a) / 4
    yield "curvature", sympy.diff(widest, theta, 2), curvature
    steps = sum((gap(Integer(at), PSI) for at in range(1, 6)), Integer(0))
    yield "telescope, n = 7", steps, sympy.cos(theta + PSI) - sympy.cos(6 * theta + PSI)


@quantity("recency-gap-phase", unit="logit; radians", claim="partial-induction-recency-phase")
def recency_gap_phase(n: Length) -> dict[str, Enclosure]:
    """Largest recency gap of a plane over the frequencies and phases, and the frequency that has it."""
    check_length(n)
    return named(*best_phase(n))


@quantity("recency-gap-constant", unit="logit times n", claim="partial-induction-recency-phase")
def recency_gap_constant() -> Enclosure:
    """Limit of n times the largest recency gap: 2 x cos x at the root of x tan x = 1."""
    root = falling_root(lambda x: x.cos() - x * x.sin(), 0, Fraction(3, 2))
    return Enclosure(2 * root * cos(root))
