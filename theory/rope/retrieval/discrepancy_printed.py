"""The printed upper bound on the gap of the Retrieval head is false, whichever gap is meant.

Source: arXiv 2605.31558, Thm 3.2 and App. F.2.2: Delta_Retrieval(n) <= 1 - cos(omega - n theta). Offsets run from 0 to
n - 1, so n is one too many; and no upper bound on a gap shows that it is robust.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import sympy
from sympy import Expr

from theory.arithmetic.ball import Real, cos, pi, versine
from theory.claims import Source, claim
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.rope.retrieval.head import retrieval_phase
from theory.rope.rotation import PAPER
from theory.symbols import n, omega, theta

SEED = 322
# Offset of the match, offset of the rival, and letter steps between them.
Places = list[tuple[int, int, int]]


def smallest(letters: int, length: int) -> Places:
    """All places of a match and a rival; the least of their gaps is the minimum over inputs."""
    places = product(range(length), range(length), range(1, letters))
    return [(match, rival, kappa) for match, rival, kappa in places if match != rival]


def displayed(letters: int, length: int) -> Places:
    """The displayed formula: a match at the query against all letters in all places, present or not; its least gap."""
    return [(0, rival, kappa) for rival, kappa in product(range(length), range(1, letters))]


def largest(letters: int, length: int) -> Places:
    """One rival among copies of the target; the largest of these gaps is the maximum over inputs."""
    return [(0 if rival else 1, rival, kappa) for rival, kappa in product(range(length), range(1, letters))]


@dataclass(frozen=True)
class UpperBound:
    """A reading of Delta(n), and the phase of a bound share (1 - cos phase) on it.

    `places` are those whose least gap, or largest if `maximum`, is Delta(n).
    """

    places: Callable[[int, int], Places]
    maximum: bool = False
    phase: Callable[[Any, Any, Any, Any], Any] = lambda n, angle, step, letters: step - n * angle
    share: Fraction = Fraction(1)

    @property
    def statement(self) -> Expr:
        reading = sympy.Symbol("Delta_sup(n)" if self.maximum else f"Delta_{self.places.__name__}(n)")
        share = sympy.Rational(self.share.numerator, self.share.denominator)
        return sympy.Le(reading, share * (1 - sympy.cos(self.phase(n, theta, omega, sympy.Symbol("A")))))

    def holds(self, letters: int, length: int, angle: Real) -> Outcome:
        """Whether the least or the largest gap is at most the bound."""
        step = 2 * pi / letters
        bound = self.phase(length, angle, step, letters)
        outcomes = set()
        for place in self.places(letters, length):
            outcomes.add(outcome := self._below(place, step, angle, bound))
            if outcome is Outcome.HOLDS and not self.maximum:
                return Outcome.HOLDS
        return Outcome.every(outcomes) if self.maximum else ~Outcome.every(~outcome for outcome in outcomes)

    def _below(self, place: tuple[int, int, int], step: Real, angle: Real, bound: Real) -> Outcome:
        match, rival, kappa = place
        phase = retrieval_phase(kappa, 0, rival, step, angle)
        if match == 0 and self.share == 1 and any(_whole_turns(phase - sign * bound) for sign in (1, -1)):
            return Outcome.HOLDS
        return cos(match * angle) - cos(phase) <= self.share * versine(bound)

    def floats(self, letters: int, length: int, angle: float) -> tuple[float, float]:
        """Delta(n) and the bound in double precision."""
        match, rival, kappa = np.array(self.places(letters, length)).T
        step = 2 * np.pi / letters
        gaps = np.cos(match * angle) - np.cos(retrieval_phase(kappa, 0, rival, step, angle))
        delta = gaps.max() if self.maximum else gaps.min()
        return float(delta), float(self.share * (1 - np.cos(self.phase(length, angle, step, letters))))


def _whole_turns(angle: Real) -> bool:
    return angle.over_pi is not None and angle.over_pi % 2 == 0


def check(bound: UpperBound, thorough: bool) -> Iterator[Evidence]:
    """Short inputs of small alphabets first, theta = 1/10, in balls; then random ones in floats."""
    yield Enumeration("theta = 1/10 and 1/50", _short(bound, longest=8 if thorough else 5))
    yield Search("random alphabets, lengths and angles", _random(bound, 3000 if thorough else 300), seed=SEED)


def _short(bound: UpperBound, longest: int) -> Iterator[tuple[object, Outcome]]:
    for length, letters, angle in product(range(2, longest + 1), (2, 3, 8), (Fraction(1, 10), Fraction(1, 50))):
        case = f"A = {letters}, n = {length}, theta = {angle}"
        yield case, bound.holds(letters, length, Real.of(angle))


def _random(bound: UpperBound, count: int) -> Iterator[Trial]:
    rng = Random(SEED)
    for _ in range(count):
        letters, length = rng.randint(2, 9), rng.randint(2, 24)
        angle = rng.random() ** 2 * 2 * np.pi / letters / (length - 1)
        delta, limit = bound.floats(letters, length, angle)
        # Two cosines on each side, of phases below 3 pi that are rounded to a few ulp.
        yield Trial((letters, length, angle), delta, limit, 64 * float(np.finfo(float).eps))


def _later(by: int) -> Callable[[Any, Any, Any, Any], Any]:
    return lambda n, angle, step, letters: step - (n + by) * angle


def _printed(bound: UpperBound, near_miss: tuple[str, UpperBound], reading: str, **fields: Any) -> dict[str, Any]:
    return {
        "source": Source(PAPER, "Thm 3.2 and App. F.2.2"),
        "quantifiers": f"{reading}; for all A, n >= 2 and theta >= 0 with (n - 1) theta <= omega; LL queries",
        "statement": lambda variant: variant.statement,
        "variant": bound,
        "controls": {
            "n + 1 for n": replace(bound, phase=_later(1)),
            "half of it, with n - 1": replace(bound, phase=_later(-1), share=Fraction(1, 2)),
        },
        "expected": Outcome.REFUTED,
        "counterexample": "A = 2, n = 2, theta = 1/10",
        "near_miss": near_miss,
        "repaired_by": "retrieval-discrepancy-worst-case",
        "printed": "Delta_Retrieval(n) <= 1 - cos(omega - n theta), whichever inputs Delta_Retrieval ranges over",
        "does_not_show": "anything about robustness, were it true: that needs a lower bound",
        **fields,
    }


FORMULA, MINIMUM, MAXIMUM = UpperBound(displayed), UpperBound(smallest), UpperBound(largest, maximum=True)

retrieval_discrepancy_printed = claim(
    "retrieval-discrepancy-printed",
    **_printed(
        FORMULA,
        ("n - 1 for n", replace(FORMULA, phase=_later(-1))),
        "the displayed formula, a maximum over all letters and places",
    ),
)(check)

retrieval_discrepancy_smallest_printed = claim(
    "retrieval-discrepancy-smallest-printed",
    **_printed(MINIMUM, ("n - 1 for n", replace(MINIMUM, phase=_later(-1))), "minimum over proper inputs"),
)(check)

retrieval_discrepancy_largest_printed = claim(
    "retrieval-discrepancy-largest-printed",
    **_printed(
        MAXIMUM,
        ("the trivial bound 2", replace(MAXIMUM, phase=lambda n, angle, step, letters: step * letters / 2)),
        "maximum over proper inputs",
    ),
)(check)
