"""The Index head with softmax decodes all inputs of a length iff its competitors weigh less than 3, or 1 for integers.

Source: the end of arXiv 2605.31558, App. F.2.1, which is not quantitative; thresholds derived here, for alpha = 2.
Margins are compared by their integer coefficients (index_margins), whatever the angle and the temperature.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import sympy
from flint import arb
from sympy import Expr, symbols

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import cos, exp
from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Enumeration, Evidence, Identity
from theory.outcome import Outcome
from theory.rope.index.head import index_embedding, index_head, index_unembedding
from theory.rope.index.margins import Form, margin_forms
from theory.rope.index.temperature import least_beta, sufficient_beta
from theory.rope.index.weights import versines, weight_sum
from theory.rope.index.window import competitors
from theory.rope.rotation import PAPER


@dataclass(frozen=True)
class Threshold:
    """Inputs decode iff F < `letter` (letter queries) or F < `integer`, with worst margin (bound - F)/(1 + F).

    Args:
        letter: the bound for letter queries.
        integer: the bound for integer queries.
        before_start: how many keys F counts before position 1.
        own_key: whether F counts the key of an integer query itself.
        alpha: the weight with which the head copies letters.
    """

    letter: int = 3
    integer: int = 1
    before_start: int = 0
    own_key: bool = True
    alpha: int = 2

    def __str__(self) -> str:
        last = "n" if self.before_start else "n-1"
        own = "" if self.own_key else ", t != -s"
        return (
            f"with alpha = {self.alpha}, F = sum of e^(-beta (1 - cos t theta)) over -s <= t <= {last}-s, t != 0{own}: "
            f"all inputs decode iff F < {self.letter} for letter queries, F < {self.integer} for integer queries, and "
            f"then with worst margin (bound - F)/(1 + F)"
        )

    def bound(self, offset: int) -> int:
        return self.integer if offset else self.letter

    def counted(self, n: int, offset: int) -> list[int]:
        first = -offset if self.own_key or not offset else 1 - offset
        return [t for t in range(first, n - offset + self.before_start) if t]

    def form(self, n: int, offset: int) -> Form:
        """The coefficients of bound - F."""
        return {0: self.bound(offset)} | dict.fromkeys(self.counted(n, offset), -1)


@claim(
    "index-softmax-threshold",
    source=Source(PAPER, "App. F.2.1", "derived"),
    quantifiers="for all n >= 2, beta, theta and offsets s < n: all inputs of length n with that query; sharp",
    statement=str,
    variant=Threshold(),
    controls={
        "bound 1 for letters": Threshold(letter=1),
        "bound 3 for integers": Threshold(integer=3),
        "offsets up to n": Threshold(before_start=1),
        "the query's own key forgotten": Threshold(own_key=False),
    },
    hypotheses=(
        Hypothesis("two letters", "A >= 2", remark="one letter leaves no wrong letter to weigh"),
        Hypothesis("alpha = 2", "letters are copied with weight 2", dropped=Threshold(alpha=3)),
    ),
    does_not_show="that beta > ln((n - 1)/c)/Delta_inf(n) is necessary: it only suffices",
)
def index_softmax_threshold(threshold: Threshold, thorough: bool) -> Iterator[Evidence]:
    """All inputs at all weights; the worst margin; all inputs on both sides of beta*; the sufficient beta."""
    queries = [(n, offset) for n in range(2, 6 if thorough else 5) for offset in range(n)]
    yield Enumeration("all inputs, any weights", _dominance(threshold, queries))
    yield Identity("worst margins (bound - F)/(1 + F)", _worst_margins(threshold, queries), reduce=sympy.cancel)
    yield Enumeration("all inputs on both sides of beta*", _both_sides(threshold, queries))
    yield Enumeration("ln((n - 1)/c)/Delta_inf suffices", _sufficient(threshold, 40 if thorough else 10))
    for offset in (0, 2):
        yield from _covers(threshold, 6, Angle(sympy.Integer(1)), offset)


def _dominance(threshold: Threshold, queries: list[tuple[int, int]]) -> Iterator[tuple[object, bool]]:
    """Each margin is at least bound - F or twice that, coefficient by coefficient; for some input it is bound - F."""
    for n, offset in queries:
        worst, attained = threshold.form(n, offset), False
        keys = {*range(-offset, n - offset), *worst}
        for tokens, forms in margin_forms(n, offset, threshold.alpha):
            dominated = (
                any(all(form.get(t, 0) >= times * worst.get(t, 0) for t in keys) for times in (1, 2)) for form in forms
            )
            attained |= any(all(form.get(t, 0) == worst.get(t, 0) for t in keys) for form in forms)
            yield {"s": offset, "input": tokens}, all(dominated)
        yield {"s": offset, "n": n, "attained": attained}, attained


def _worst_margins(threshold: Threshold, queries: list[tuple[int, int]]) -> Iterator[tuple[str, Expr, Expr]]:
    """The target says a, all else b; second comes b for a letter query, and an integer query itself."""
    for n, offset in queries:
        weights = {
            t: symbols(f"f_{t}", positive=True) for t in {*competitors(n, offset), *threshold.counted(n, offset)}
        }
        query, total = offset + 1 if offset else 0, sum(weights[t] for t in competitors(n, offset))
        tokens = dict.fromkeys(competitors(n, offset), 1) | {-offset: query, 0: 0}
        head, embedding = index_head(2, n - 1, alpha=threshold.alpha), index_embedding(2, n - 1)
        terms = [(weights | {0: 1})[t] * embedding[:, token] for t, token in tokens.items()]
        attended = sum(terms, sympy.zeros(n + 2, 1)) / (1 + total)
        output = index_unembedding(2, n - 1) * (embedding[:, query] + head.W_V * attended)
        counted = sum(weights[t] for t in threshold.counted(n, offset))
        claimed = (threshold.bound(offset) - counted) / (1 + counted)
        yield f"n={n}, s={offset}", output[0] - output[query or 1], claimed


def _both_sides(threshold: Threshold, queries: list[tuple[int, int]]) -> Iterator[tuple[object, Outcome]]:
    """A millionth above beta* all inputs decode; a millionth below some do not."""
    for (n, offset), angle in (
        (query, Angle(sympy.Rational(angle))) for query in queries for angle in ("1", "13/10", "2")
    ):
        critical = least_beta(n, angle, [offset], threshold.bound(offset))
        if critical.exact == 0:
            continue
        for factor in (1 + Fraction(1, 10**6), 1 - Fraction(1, 10**6)):
            decodes = Outcome.every(margin > 0 for margin in _margins(threshold, n, offset, angle, critical * factor))
            yield {"n": n, "s": offset, "theta": angle, "times": factor}, decodes if factor > 1 else ~decodes


def _margins(threshold: Threshold, n: int, offset: int, angle: Angle, beta: Real) -> list[Real]:
    weights = {t: exp(beta * (cos(angle.real * t) - 1)) for t in range(-offset, n - offset)}
    forms = {tuple(sorted(form.items())) for _, forms in margin_forms(n, offset, threshold.alpha) for form in forms}
    return [Real.total(count * weights[t] for t, count in form if count) for form in forms]


def _sufficient(threshold: Threshold, longest: int) -> Iterator[tuple[object, Outcome]]:
    for n in range(2, longest + 1):
        for angle in map(Angle, (sympy.Integer(1), sympy.sqrt(2), 2 * sympy.pi / n)):
            for offset in range(n):
                # A thousandth more, since equal gaps meet the bound exactly.
                beta = sufficient_beta(n, angle, offset) + Fraction(1, 1000)
                total = weight_sum(offset, n - 1 - offset, beta, angle)
                yield {"n": n, "s": offset, "theta": angle}, total < threshold.bound(offset)


def _covers(threshold: Threshold, n: int, angle: Angle, offset: int) -> Iterator[Evidence]:
    """F is below its bound at every beta above beta*, up to 64, and at none below, a hundredth around beta* aside."""
    critical = Fraction(round(1000 * float(least_beta(n, angle, [offset], threshold.bound(offset)))), 1000)
    gaps = list(versines(angle, n - 1))
    counted = [gaps[abs(t) - 1] for t in threshold.counted(n, offset)]

    def decide(beta: arb, below: bool) -> Outcome:
        total = sum(((-beta * g).exp() for g in counted), arb(0))
        if total < threshold.bound(offset):
            return Outcome.of(below)
        return Outcome.of(not below) if total > threshold.bound(offset) else Outcome.UNDECIDED

    margin = Fraction(1, 100)
    for below, interval in ((False, (Fraction(0), critical - margin)), (True, (critical + margin, Fraction(64)))):
        side = "below" if below else "above"
        yield BoxCover(f"F {side} its bound, s={offset}", (interval,), partial(decide, below=below))
