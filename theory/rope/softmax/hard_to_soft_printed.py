"""Two slips in the printed step from average hard attention to softmax.

Source: arXiv 2605.31558, proof of Lemma F.1. Logits L_1, ..., L_n have their maximum mu at k places. lambda(n) is the
least positive gap below the maximum over all inputs of length n, and 0 where the logits of all of them are constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import sympy
from flint import arb
from sympy import Expr, exp

from theory import symbols
from theory.arithmetic import ball
from theory.arithmetic.ball import Real, evaluate
from theory.claims import Source, claim
from theory.evidence import BoxCover, Case, Enumeration, Evidence
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Number, Positive, quantity
from theory.rope.rotation import PAPER

SOURCE = Source(PAPER, "proof of Lemma F.1")
BETA, LENGTH = symbols.beta, symbols.n
COUNT, MAXIMUM = sympy.Symbol("k", integer=True, positive=True), sympy.Symbol("mu", real=True)
QUARTER = Fraction(1, 4)


@dataclass(frozen=True)
class LowerBound:
    """What is asserted to lie below the sum of e^(beta L_j): a count times the exponential of an exponent."""

    count: Expr
    exponent: Expr

    @property
    def statement(self) -> Expr:
        total = sympy.Sum(exp(BETA * sympy.Indexed("L", symbols.j)), (symbols.j, 1, LENGTH))
        return sympy.Le(self.count * exp(self.exponent), total)

    def holds(self, maximum: Any, equal: int, gaps: Sequence[Any], scale: Any) -> Outcome:
        """Whether it holds at `equal` logits mu and logits mu - gap, both sides divided by e^(beta mu)."""
        values = {COUNT: equal, LENGTH: equal + len(gaps), MAXIMUM: maximum, BETA: scale}
        total = Real.total([equal, *(ball.exp(-scale * Real.of(gap)) for gap in gaps)])
        # Expanded first, so that the true exponent leaves exactly 0 and equality is decided.
        return evaluate(self.count * exp(sympy.expand(self.exponent - BETA * MAXIMUM)), values) <= total


PRINTED, REPAIRED = LowerBound(COUNT, MAXIMUM), LowerBound(COUNT, BETA * MAXIMUM)


@quantity("softmax-sum-lower-bound", unit="1", claim="hard-to-soft-printed-step")
def softmax_sum_lower_bound(mu: Number, beta: Positive, k: Count = 1) -> dict[str, Enclosure]:
    """The printed bound k e^mu and the true k e^(beta mu) below sum_j e^(beta L_j), for k logits at the maximum mu."""
    values = {MAXIMUM: mu, BETA: beta, COUNT: k}
    bounds = {"printed": PRINTED, "repaired": REPAIRED}
    return {name: Enclosure(evaluate(bound.count * exp(bound.exponent), values)) for name, bound in bounds.items()}


@claim(
    "hard-to-soft-printed-step",
    source=SOURCE,
    quantifiers="for all n, all logits with their maximum mu at k places, and all beta > 0",
    statement=lambda bound: bound.statement,
    variant=PRINTED,
    controls={
        "n in place of k": LowerBound(LENGTH, BETA * MAXIMUM),
        "k e^(mu/beta)": LowerBound(COUNT, MAXIMUM / BETA),
    },
    expected=Outcome.REFUTED,
    near_miss=("k e^(beta mu)", REPAIRED),
    counterexample={"L": ["-1"], "beta": "2"},
    repaired_by="hard-to-soft-quantitative",
    printed="k e^mu <= sum_j e^(beta L_j)",
    does_not_show="that the lemma is false: with k e^(beta mu) the proof goes through",
)
def printed_step(bound: LowerBound, thorough: bool) -> Iterator[Evidence]:
    """Logits in steps of 1/2 at small beta, the smallest first; then a box of maxima, gaps and temperatures."""
    yield Enumeration("small logits and temperatures", _small_logits(bound, longest=4 if thorough else 3))
    domain = ((Fraction(-2), Fraction(2)), (QUARTER, Fraction(2)), (2 * QUARTER, Fraction(3)))
    yield BoxCover("two logits mu, mu - g, with beta from 1/2 to 3", domain, lambda *box: _on_box(bound, *box))


def _small_logits(bound: LowerBound, longest: int) -> Iterator[Case]:
    logits = [Fraction(0), Fraction(-1), Fraction(1), Fraction(-2), Fraction(2), Fraction(-1, 2), Fraction(1, 2)]
    for length, scale in product(range(1, longest + 1), (Fraction(1), Fraction(2), Fraction(3), Fraction(1, 2))):
        for chosen in combinations_with_replacement(logits, length):
            gaps = [max(chosen) - logit for logit in chosen if logit != max(chosen)]
            verdict = bound.holds(max(chosen), length - len(gaps), gaps, scale)
            yield {"L": [str(logit) for logit in chosen], "beta": str(scale)}, verdict


def _on_box(bound: LowerBound, maximum: arb, gap: arb, scale: arb) -> Outcome:
    return bound.holds(_real(maximum), 1, [_real(gap)], _real(scale))


def _real(box: arb) -> Real:
    return Real(lambda: box)


# The positive gaps of each input of one length.
Gaps = list[list[Any]]


@dataclass(frozen=True)
class LeastGap:
    """How lambda_{<= n0} is put together from the positive gaps of the inputs of each length; None if there is none."""

    said: str
    least: Callable[[Sequence[Gaps]], Any]

    def __str__(self) -> str:
        return f"{self.said} is positive"


def _flat(lengths: Sequence[Gaps]) -> list[Any]:
    return [gap for inputs in lengths for gaps in inputs for gap in gaps]


def _by_length(lengths: Sequence[Gaps]) -> Any:
    return min((min(_flat([inputs]), default=0) for inputs in lengths), default=None)


@claim(
    "hard-to-soft-printed-gap",
    source=SOURCE,
    quantifiers="for every head and every n0 >= 1",
    statement=str,
    variant=LeastGap("min over n <= n0 of lambda(n)", _by_length),
    controls={
        "from length 2 on": LeastGap("min over 2 <= n <= n0 of lambda(n)", lambda lengths: _by_length(lengths[1:])),
        "constant inputs have gap 0": LeastGap(
            "min over all inputs of their least gap", lambda lengths: min([0, *_flat(lengths)])
        ),
    },
    expected=Outcome.REFUTED,
    near_miss=(
        "positive gaps only",
        LeastGap("the least positive gap", lambda lengths: min(_flat(lengths), default=None)),
    ),
    counterexample={"logits": ["0", "0"], "n0": 1},
    repaired_by="hard-to-soft-quantitative",
    printed="lambda_{<= n0} = min over n <= n0 of lambda(n) > 0; but lambda(n) = 0 where all logits are constant",
    does_not_show="that the gap stays away from 0 as n0 grows",
)
def printed_gap(rule: LeastGap, thorough: bool) -> Iterator[Evidence]:
    """Heads whose logits depend on which of two tokens the key is: a few exactly, then a box of such heads."""
    yield Enumeration("two tokens with small logits", _two_tokens(rule, longest=5 if thorough else 4))
    domain = ((Fraction(-1), Fraction(1)), (QUARTER, Fraction(2)))
    yield BoxCover("logits a and a + g, lengths up to 2", domain, lambda a, g: _positive(rule, _inputs(a, a + g, 2)))


def _inputs(a: Any, b: Any, n0: int) -> list[Gaps]:
    """Gaps by identity of the token, so that equal tokens have none even where logits are balls."""
    return [
        [[abs(b - a)] if a is not b and len(set(tokens)) == 2 else [] for tokens in product("ab", repeat=n)]
        for n in range(1, n0 + 1)
    ]


def _positive(rule: LeastGap, lengths: Sequence[Gaps]) -> Outcome:
    least = rule.least(lengths)
    if least is None or least > 0:
        return Outcome.HOLDS
    return Outcome.REFUTED if least <= 0 else Outcome.UNDECIDED


def _two_tokens(rule: LeastGap, longest: int) -> Iterator[Case]:
    logits = [Fraction(step, 2) for step in range(3)]
    for n0 in range(1, longest + 1):
        for a, b in combinations_with_replacement(logits, 2):
            yield {"logits": [str(a), str(b)], "n0": n0}, _positive(rule, _inputs(a, b, n0))
