"""The largest discrepancy of an Index query at length n: that of a target in the middle, and its sharp bound.

Source: derived, from the proof of arXiv 2605.31558, Thm 3.2. A query with offset s sees all |t| <= max(s, n - 1 - s),
fewest of them, up to T*, if its target stands in the middle, or as near to it as the integers 1..m reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
import sympy
from sympy import Expr, Max, Symbol, ceiling, cos, floor, pi

from theory import symbols
from theory.arithmetic.ball import evaluate, versine
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Length2, quantity
from theory.rope.index.discrepancy import BEST, SEED, TURN, float_gap, float_gap_error
from theory.rope.index.window import farey_peaks, fold, query_distance, rational_turns
from theory.rope.rotation import PAPER
from theory.symbols import n

m = Symbol("m", integer=True, positive=True)
MIDDLE = ceiling((n - 1) / 2)


@dataclass(frozen=True)
class BestCase:
    """Delta_sup(n) is the discrepancy at T* = max(`middle`, n - 1 - m), at most 1 - cos(2 pi/(T* + 1)) and `decays`.

    Args:
        middle: the largest offset that a target in the middle leaves, an expression in n.
        decay: a simpler bound, an expression in n.
        few: a simpler bound for few integers, an expression in n and m.
        many: whether `few` is claimed at m >= n too.
    """

    middle: Expr = MIDDLE
    decay: Expr = 8 * pi**2 / (n + 1) ** 2
    few: Expr = 2 * pi**2 / (n - m) ** 2
    many: bool = False

    @property
    def seen(self) -> Expr:
        return Max(self.middle, n - 1 - m)

    def statement(self) -> Expr:
        supremum, sharp = Symbol("sup_theta(Delta_sup(n))"), 1 - cos(2 * pi / (self.seen + 1))
        few = sympy.Le(supremum, self.few)
        return sympy.And(
            sympy.Eq(supremum, sharp),
            sympy.Le(supremum, self.decay),
            few if self.many else sympy.Implies(sympy.Gt(n, m), few),
        )

    def reach(self, length: int, integers: int) -> int:
        """T* at a length, for integers up to `integers`; SymPy's Max would be slow here."""
        return max(int(self.middle.subs(n, length)), length - 1 - integers)


@claim(
    BEST,
    source=Source(PAPER, "App. F.2.1", "derived"),
    quantifiers="for all n >= 2, m >= 1 and theta; Delta_sup: the maximum over inputs of length n, offsets <= m; sharp",
    statement=BestCase.statement,
    variant=BestCase(),
    controls={
        "the middle rounded down": BestCase(middle=floor((n - 1) / 2)),
        "2 pi^2/n^2, as printed": BestCase(decay=2 * pi**2 / n**2),
        "8 pi^2/(n + 2)^2": BestCase(decay=8 * pi**2 / (n + 2) ** 2),
    },
    hypotheses=(
        Hypothesis("few integers", "n > m, for the bound 2 pi^2/(n - m)^2", dropped=BestCase(many=True)),
        Hypothesis("the target exists", "s <= n - 1", remark="else the input has no discrepancy"),
    ),
    does_not_show="anything about a given query: only a target in the middle has this discrepancy",
)
def index_discrepancy_best_case(bound: BestCase, thorough: bool) -> Iterator[Evidence]:
    """T* against the definition; all real angles, between Farey fractions; the simpler bounds; random angles."""
    longest = 16 if thorough else 8
    yield Enumeration("T* by definition, at rational turns", _definition(bound, longest))
    yield Enumeration("the simpler bounds", _simpler(bound, longest + 4))
    yield Enumeration("all angles, between Farey fractions", _supremum(range(1, 2 * longest)))
    yield Search("random angles", _random_inputs(bound, trials=2000 if thorough else 100), seed=SEED)


def _definition(bound: BestCase, longest: int) -> Iterator[tuple[object, bool]]:
    for length, integers in _sizes(longest):
        seen = bound.reach(length, integers)
        for turns in rational_turns(2, length + 1):
            offsets = range(min(integers, length - 1) + 1)
            best = max(query_distance(length, offset, turns) for offset in offsets)
            claimed = min((fold(t * turns) for t in range(1, seen + 1)), default=None)
            yield {"n": length, "m": integers, "turns": turns}, best == claimed


def _sizes(longest: int) -> Iterator[tuple[int, int]]:
    """Every m up to n - 1, from where on more integers change nothing, and one beyond."""
    return ((length, integers) for length in range(2, longest + 1) for integers in (*range(1, length), 2 * length))


def _simpler(bound: BestCase, longest: int) -> Iterator[tuple[object, Outcome]]:
    for length, integers in _sizes(longest):
        sharp, values = versine(TURN / (bound.reach(length, integers) + 1)), {n: length, m: integers}
        yield {"n": length, "m": integers}, sharp <= evaluate(bound.decay, values)
        if length > integers or bound.many:
            yield {"n": length, "m": integers, "bound": bound.few}, sharp <= evaluate(bound.few, values)


def _supremum(offsets: range) -> Iterator[tuple[object, bool]]:
    for seen in offsets:
        peaks = {peak for peak, height in farey_peaks(seen) if height >= Fraction(1, seen + 1)}
        yield {"T*": seen, "peaks": peaks}, peaks == set(rational_turns(seen + 1, seen + 1))


def _random_inputs(bound: BestCase, trials: int) -> Iterator[Trial]:
    random = Random(SEED)
    for _ in range(trials):
        length, angle = random.randint(2, 60), random.uniform(0, np.pi)
        integers = random.randint(1, length)
        offset = random.randint(0, min(integers, length - 1))
        most = float(versine(TURN / (bound.reach(length, integers) + 1)))
        case = f"n={length}, m={integers}, theta={angle!r}, s={offset}"
        yield Trial(case, float_gap(length, offset, angle), most, float_gap_error(length))


@quantity("index-best-case-bound", unit="logit", claim=BEST)
def index_best_case_bound(n: Length2, integers: Count | None = None) -> dict[str, Enclosure]:
    """Bounds on Delta_sup(n) over all angles, the sharp one and simpler ones, for integers up to `integers` (n - 1)."""
    case, most = BestCase(), n - 1 if integers is None else integers
    values = {symbols.n: n, m: most}
    bounds = {
        "sharp": Enclosure(versine(TURN / (case.reach(n, most) + 1))),
        "8 pi^2/(n+1)^2": Enclosure(evaluate(case.decay, values)),
    }
    return bounds | ({"2 pi^2/(n-m)^2": Enclosure(evaluate(case.few, values))} if n > most else {})
