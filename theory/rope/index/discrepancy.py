"""How far one plane keeps the target of an Index query apart, and the printed bound, which is false.

Source: arXiv 2605.31558, Thm 3.2 and App. F.2.1. The discrepancy of an input is the logit of its target minus the
largest other one; printed is min(1 - cos theta, 2 pi^2/n^2) as a bound on its maximum over the inputs of length n. With
x = theta/2 pi, a query with offset s has discrepancy 1 - cos(2 pi D), D = min ||t x|| over its competitors t.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
import sympy
from sympy import Expr, Matrix, Min, Symbol, cos, pi

from theory import symbols
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, evaluate, versine
from theory.arithmetic.continued_fraction import closest_return, gap
from theory.claims import Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Exact, Length2, NonzeroAngle, Offset, quantity
from theory.rope.head import Head
from theory.rope.index.head import key_column, query_column
from theory.rope.index.window import angle_of, check_query, fold, query_distance, rational_turns, reach
from theory.rope.rotation import PAPER
from theory.symbols import n, s, theta

SEED = 31558
TURN = Real.of_linear(0, 2)


@dataclass(frozen=True)
class PrintedBound:
    """The discrepancy is at most min(1 - cos theta, `decay`), or `decay` alone if not `first`.

    Args:
        decay: an expression in n.
        first: whether 1 - cos theta belongs to the bound.
        largest: whether the maximum over all inputs is bounded, or only the minimum.
    """

    decay: Expr = 2 * pi**2 / n**2
    first: bool = True
    largest: bool = True

    @property
    def expression(self) -> Expr:
        return Min(1 - cos(theta), self.decay) if self.first else self.decay

    def statement(self) -> Expr:
        return sympy.Le(Symbol("Delta_sup(n)" if self.largest else "Delta_inf(n)"), self.expression)

    def holds(self, distance: Fraction, length: int, turns: Fraction) -> Outcome:
        """Whether 1 - cos(2 pi distance) meets the bound; its first term is decided on the turns, exactly."""
        decays = versine(TURN * distance) <= evaluate(self.decay, {n: length})
        return Outcome.every((decays, Outcome.of(distance <= fold(turns)))) if self.first else decays


PRINTED = PrintedBound()


@claim(
    "index-discrepancy-printed",
    source=Source(PAPER, "Thm 3.2 and App. F.2.1"),
    quantifiers="for all n >= 2, 0 < theta < 2 pi and all inputs of length n with an offset s < n",
    statement=PrintedBound.statement,
    variant=PRINTED,
    controls={
        "without 1 - cos theta": PrintedBound(first=False),
        "pi^2/(2 n^2), for the minimum": PrintedBound(decay=pi**2 / (2 * n**2), largest=False),
    },
    expected=Outcome.REFUTED,
    near_miss=("the minimum over all inputs", PrintedBound(largest=False)),
    counterexample="n=4, theta=2*pi/3, s=1",
    repaired_by="index-discrepancy-worst-case",
    printed="for any input, by n + 1 points on a circle; but a query with offset s sees the offsets -s..n-1-s only",
    does_not_show="that robust decoding is possible: an upper bound on the minimum is what limits it",
)
def index_discrepancy_printed(bound: PrintedBound, thorough: bool) -> Iterator[Evidence]:
    """Every query at rational turns, from the shortest length and the smallest denominator on; then random ones."""
    yield Enumeration("rational turns", _queries(bound, longest=16 if thorough else 8))
    yield Search("random angles", _random_queries(bound, trials=4000 if thorough else 400), seed=SEED)


def _queries(bound: PrintedBound, longest: int) -> Iterator[tuple[object, Outcome]]:
    for length in range(2, longest + 1):
        for turns in rational_turns(2, 2 * length):
            distances = [query_distance(length, offset, turns) for offset in range(length)]
            if bound.largest:
                for offset, distance in enumerate(distances):
                    case = f"n={length}, theta={angle_of(turns)}, s={offset}"
                    yield case, bound.holds(distance, length, turns)
            else:
                yield f"n={length}, theta={angle_of(turns)}", bound.holds(min(distances), length, turns)


def _random_queries(bound: PrintedBound, trials: int) -> Iterator[Trial]:
    random = Random(SEED)
    for _ in range(trials):
        length, angle = random.randint(2, 40), random.uniform(0, np.pi)
        offset = random.randrange(length) if bound.largest else 0
        limit = float(evaluate(bound.decay, {n: length}))
        if bound.first:
            limit = min(limit, float_gap(2, 0, angle))
        case = f"n={length}, theta={angle!r}, s={offset}"
        yield Trial(case, float_gap(length, offset, angle), limit, float_gap_error(length))


def float_gap(length: int, offset: int, angle: float) -> float:
    """The discrepancy of a query in double precision, within `float_gap_error`."""
    steps = np.arange(1, reach(length, offset) + 1)
    return float(np.min(2 * np.sin(steps * (angle / 2)) ** 2))


def float_gap_error(length: int) -> float:
    """A bound on the error of `float_gap` at angles up to pi, and of a bound on it that is rounded a few times.

    The rounded product t theta/2 is off by at most 2^-53 t pi/2, where 2 sin^2 has slope at most 2 in its argument;
    sine, square, doubling and the bound add less than 32 roundings of numbers up to 5.
    """
    return 2.0**-53 * (np.pi * length + 160)


@claim(
    "index-discrepancy-neighbour",
    source=Source(PAPER, "Thm 3.2 and App. F.2.1"),
    quantifiers="for all n >= 2, all theta and all inputs of length n with an offset s < n",
    statement=lambda multiple: sympy.Le(Symbol("Delta(n, s)"), 1 - cos(multiple * theta)),
    variant=sympy.Integer(1),
    controls={"1 - cos(2 theta)": sympy.Integer(2), "1 - cos(theta/2)": sympy.Rational(1, 2)},
    does_not_show="how the discrepancy falls with n: index-discrepancy-worst-case does",
)
def index_discrepancy_neighbour(multiple: sympy.Rational, thorough: bool) -> Iterator[Evidence]:
    """A key beside the target has logit cos theta, on the maps of the head; no query at rational turns does better."""
    times = Fraction(int(multiple.p), int(multiple.q))
    yield Enumeration(
        "rational turns",
        (
            (f"n={length}, x={turns}, s={offset}", query_distance(length, offset, turns) <= fold(times * turns))
            for length in range(2, 20 if thorough else 9)
            for turns in rational_turns(2, 2 * length)
            for offset in range(length)
        ),
    )
    head, one = Head((theta,), query_column(s), key_column(), Matrix()), Matrix([1])
    beside = ((side, head.logit(one, n, one, n - s + side), cos(multiple * theta)) for side in (-1, 1))
    yield Identity("logits beside the target", ((f"at n - s + {side}", left, right) for side, left, right in beside))


def query_gap(length: int, angle: Angle, offset: int) -> Real:
    """The discrepancy of inputs of length n >= 2 whose query has this offset; that of a letter query is the least.

    Raises InputError for an offset outside 0..n-1.
    """
    check_query(length, offset)
    return gap(angle, reach(length, offset) + 1)


def best_offset(length: int, integers: int) -> int:
    """The offset, among 0 and 1..min(integers, n-1), whose query has the largest discrepancy."""
    if integers < 0:
        raise InputError(f"integers={integers} is negative; give the number of integer tokens, at least 0")
    return min(integers, (length - 1) // 2)


WORST, BEST = "index-discrepancy-worst-case", "index-discrepancy-best-case"


@quantity("index-gap", unit="logit", claim=WORST)
def index_gap(n: Length2, theta: NonzeroAngle, offset: Offset = 0) -> Enclosure:
    """The discrepancy of a query with this offset at length n; offset 0, a letter query, has the least of all."""
    return Enclosure(query_gap(n, theta, offset))


@quantity("index-discrepancy-inf", unit="logit; offset", claim=WORST)
def index_discrepancy_inf(n: Length2, theta: NonzeroAngle) -> dict[str, Enclosure | Exact]:
    """Delta_inf(n), the least discrepancy over all inputs of length n, and the offset t where it is attained."""
    return {"Delta_inf": Enclosure(query_gap(n, theta, 0)), "argmin": Exact(closest_return(theta, n - 1).t)}


@quantity("index-discrepancy-sup", unit="logit; offset", claim=BEST)
def index_discrepancy_sup(
    n: Length2, theta: NonzeroAngle, integers: Count | None = None
) -> dict[str, Enclosure | Exact]:
    """Delta_sup(n), the largest discrepancy over inputs with integers up to `integers` (n - 1), and a query offset."""
    offset = best_offset(n, n - 1 if integers is None else integers)
    return {"Delta_sup": Enclosure(query_gap(n, theta, offset)), "offset": Exact(offset)}


@quantity("index-printed-bound", unit="logit", claim="index-discrepancy-printed")
def index_printed_bound(n: Length2, theta: NonzeroAngle) -> Enclosure:
    """min(1 - cos theta, 2 pi^2/n^2), printed as a bound on Delta_sup(n); it bounds Delta_inf(n)."""
    return Enclosure(evaluate(PRINTED.expression, {symbols.n: n, symbols.theta: theta.real}))
