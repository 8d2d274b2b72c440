"""The least discrepancy of an Index query at length n is at most 1 - cos(2 pi/n), whatever the angle: sharp.

Source: derived; it repairs arXiv 2605.31558, Thm 3.2. Of the n points t x, 0 <= t < n, on a circle of length 1 two are
at most 1/n apart, so min ||t x|| <= 1/n over 1 <= t < n, with equality only where the points are equally spaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from random import Random

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Symbol, ceiling, cos, pi

from theory.arithmetic.ball import evaluate, versine
from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length2, quantity
from theory.rope.index.discrepancy import SEED, TURN, WORST, float_gap, float_gap_error
from theory.rope.index.window import angle_of, farey_peaks, query_distance, rational_turns
from theory.rope.rotation import PAPER
from theory.symbols import n


@dataclass(frozen=True)
class WorstCase:
    """sup over theta of Delta_inf(n) is 1 - cos(2 pi/`parts`), attained at multiples of that turn only.

    Args:
        parts: an expression in n.
        seen: the largest offset among the competitors, an expression in n.
    """

    parts: Expr = n
    seen: Expr = n - 1

    def statement(self) -> Expr:
        infimum = Symbol(f"sup_theta(1 - max(cos(t*theta), 1 <= t <= {self.seen}))")
        return sympy.Eq(infimum, 1 - cos(2 * pi / self.parts))

    def at(self, length: int) -> tuple[Fraction, int]:
        """The bound on D, and the largest offset."""
        return Fraction(1, int(self.parts.subs(n, length))), int(self.seen.subs(n, length))


@claim(
    WORST,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all n >= 2 and all theta; Delta_inf is the minimum over all inputs of length n; sharp",
    statement=WorstCase.statement,
    variant=WorstCase(),
    controls={
        "n + 1 parts": WorstCase(parts=n + 1),
        "n - 1 parts": WorstCase(parts=n - 1),
        "offsets up to n": WorstCase(seen=n),
    },
    hypotheses=(
        Hypothesis("one plane", "m = 1", remark="several planes with different angles do better"),
        Hypothesis(
            "letter queries",
            "a query that sees the offset n - 1 is among the inputs",
            dropped=WorstCase(seen=ceiling((n - 1) / 2)),
            remark="else index-discrepancy-best-case",
        ),
    ),
    does_not_show="that one angle is good at all lengths: the angle 2 pi/n has discrepancy 0 at length n + 1",
)
def index_discrepancy_worst_case(bound: WorstCase, thorough: bool) -> Iterator[Evidence]:
    """All real angles, between Farey fractions, and equality at roots; boxes of angles; a climbing adversary."""
    lengths = range(2, 61 if thorough else 25)
    yield Enumeration("all angles, between Farey fractions", _peaks(bound, lengths))
    yield Enumeration("the equality case, at rational turns", _equality(bound, lengths))
    yield Enumeration("1 - cos(2 pi/n) <= 2 pi^2/n^2", _parabola(lengths))
    for length in (2, 3, 5, 8, 13) if thorough else (2, 3, 5):
        name = f"n = {length}, all angles, within 1/64 of the bound"
        yield BoxCover(name, ((Fraction(0), Fraction(1, 2)),), partial(_no_angle_beats, bound, length))
    yield Search(
        "climbing from random angles and from roots", _climbs(bound, trials=400 if thorough else 60), seed=SEED
    )


def _peaks(bound: WorstCase, lengths: range) -> Iterator[tuple[object, bool]]:
    for length in lengths:
        limit, seen = bound.at(length)
        highest = Fraction(0)
        for peak, height in farey_peaks(seen):
            highest = max(highest, height)
            yield {"n": length, "turns": peak, "D": height}, height <= limit
        yield {"n": length, "supremum": highest}, highest == limit


def _equality(bound: WorstCase, lengths: range) -> Iterator[tuple[object, bool]]:
    """D from its definition, over all queries of length n, meets the bound exactly at reduced denominator n."""
    for length in lengths:
        limit, _ = bound.at(length)
        for turns in rational_turns(max(2, length - 2), length + 2):
            distance = min(query_distance(length, offset, turns) for offset in range(length))
            equal_at = turns.denominator == limit.denominator
            yield f"n={length}, theta={angle_of(turns)}", distance <= limit and (distance == limit) == equal_at


def _parabola(lengths: range) -> Iterator[tuple[object, Outcome]]:
    for length in lengths:
        yield {"n": length}, versine(TURN / length) <= evaluate(2 * pi**2 / n**2, {n: length})


def _no_angle_beats(bound: WorstCase, length: int, turns: arb) -> Outcome:
    limit, seen = bound.at(length)
    allowed = 2 * (arb.pi() * limit.numerator / limit.denominator).sin() ** 2 * (1 + arb(1) / 64)
    gaps = [2 * arb.sin_pi(t * turns) ** 2 for t in range(1, seen + 1)]
    if any(gap <= allowed for gap in gaps):
        return Outcome.HOLDS
    return Outcome.REFUTED if all(gap > allowed for gap in gaps) else Outcome.UNDECIDED


def _climbs(bound: WorstCase, trials: int) -> Iterator[Trial]:
    from scipy.optimize import minimize_scalar

    random = Random(SEED)
    for _ in range(trials):
        length = random.randint(2, 60)
        limit, _ = bound.at(length)
        # Half of them start at a multiple of 2 pi/n, where the bound is attained.
        start = random.choice((random.uniform(0, np.pi), 2 * np.pi * random.randrange(1, length) / length))
        near = (start - np.pi / length**2, start + np.pi / length**2)
        best = minimize_scalar(lambda angle, at=length: -float_gap(at, 0, angle), bounds=near, method="bounded").x
        most = float(versine(TURN * limit))
        yield Trial(f"n={length}, theta={best!r}", float_gap(length, 0, best), most, float_gap_error(length))


@quantity("index-worst-case-bound", unit="logit", claim=WORST)
def index_worst_case_bound(n: Length2) -> Enclosure:
    """1 - cos(2 pi/n), the largest that the least discrepancy at length n is for any angle; attained at 2 pi/n."""
    return Enclosure(versine(TURN / n))
