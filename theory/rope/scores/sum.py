"""The two scores of a head add up to more than 1 and at most 2, and are both high only where attention is flat.

Source: derived from the definition in arXiv 2605.31558, App. D, with g and h as in `score-logit-closed-form`. Since
<u, v> + <u, reversed v> = (u_1 + u_2)(v_1 + v_2), a swap adds sqrt((1 + sech g)(1 + sech h)) to the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import sympy
from sympy import Expr, Integer, sech, sqrt

from theory.arithmetic.ball import Real, evaluate, log, minimum
from theory.arithmetic.ball import sqrt as root
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Number, quantity
from theory.rope.rotation import PAPER
from theory.rope.scores.acting import LogitMatrix
from theory.rope.scores.closed_form import G, H, X, Y, cosines, rational_square
from theory.rope.scores.definition import scores, squared_cosine, swaps

SEED = 2605
SOURCE = Source(PAPER, "App. D", "derived")


@dataclass(frozen=True)
class Sum:
    """What cos(u, v) + cos(u, reversed v) is said to be, and its strict lower and its upper bound."""

    closed: Callable[[Expr, Expr], Expr] = lambda g, h: sqrt((1 + sech(g)) * (1 + sech(h)))
    lower: Fraction = Fraction(1)
    upper: Callable[[Expr], Expr] = lambda g: sqrt(2 * (1 + sech(g)))

    def __str__(self) -> str:
        return (
            f"a swap adds {self.closed(G, H)} to s_POS + s_SYM, so {self.lower} < s_POS + s_SYM, which is at most the "
            f"average of {self.upper(G)} over the swaps, and at most 2"
        )


@claim(
    "score-sum-bounds",
    source=SOURCE,
    quantifiers="for all heads, inputs with n >= 3 and tau > 0; lower bound strict",
    statement=str,
    variant=Sum(),
    controls={
        "at most 1": Sum(upper=lambda g: Integer(1)),
        "1 + sech g": Sum(closed=lambda g, h: 1 + sech(g)),
        "above 1.01": Sum(lower=Fraction(101, 100)),
        "at most 1 + sech g": Sum(upper=lambda g: 1 + sech(g)),
    },
    does_not_show="that heads of sum 1 + sech g are pure: the scores have a blind spot, score-blind-spot",
)
def score_sum_bounds(total: Sum, thorough: bool) -> Iterator[Evidence]:
    """Rational weights from the definition, then g and h symbolically, and scores of random matrices.

    s_SYM <= gamma implies s_POS > 1 - gamma, so the purity test asks for one thing twice.
    """
    yield Enumeration("rational attention weights", _rational_weights(total, 5 if thorough else 4))
    both = sum(cosines(), Integer(0))
    squares = [sympy.expand((e**2).rewrite(sympy.exp)) for e in (both, total.closed(G, H))]
    yield Identity("squares of the sum", [("g, h", *squares)], reduce=_rational)
    yield Search("random matrices, against both bounds", _random(total, 60 if thorough else 12), seed=SEED)


def _rational(expression: Expr) -> Expr:
    return sympy.cancel(sympy.expand(expression.rewrite(sympy.exp).subs({G: sympy.log(X), H: sympy.log(Y)})))


def _rational_weights(total: Sum, most: int) -> Iterator[tuple[object, bool]]:
    closed, upper = rational_square(total.closed(G, H)), rational_square(total.upper(G))
    entries = [Fraction(value) for value in (1, 2, 10**3, Fraction(1, 3), 7)[:most]]
    for flat in product(entries, repeat=4):
        ((u, v),) = swaps([flat[:2], flat[2:]], Fraction(1))
        # (a + b)^2 from a^2, b^2 and a rational ab.
        product_of_both = (u[0] * v[0] + u[1] * v[1]) * (u[0] * v[1] + u[1] * v[0])
        norms = (u[0] ** 2 + u[1] ** 2) * (v[0] ** 2 + v[1] ** 2)
        square = squared_cosine(u, v) + squared_cosine(u, v[::-1]) + 2 * product_of_both / norms
        ratios = {X: v[0] / v[1], Y: u[0] / u[1]}
        claimed, above = (evaluate(e, ratios).exact for e in (closed, upper))
        assert above is not None
        yield [list(map(str, flat))], square == claimed and total.lower**2 < square <= min(above, 4)


def _random(total: Sum, count: int) -> Iterator[Trial]:
    rng = Random(SEED)
    for case in range(count):
        size, reach = rng.randint(2, 5), rng.choice((1, 4, 20))
        M = [[Fraction(rng.randint(-100 * reach, 100 * reach), 100) for _ in range(size)] for _ in range(size)]
        positional, symbolic = scores(M, Fraction(1, 2), 1, Fraction(1, rng.choice((1, 10, 10**4))))
        found = float(positional + symbolic)
        yield Trial((case, "upper"), found, 2.0)
        yield Trial((case, "lower"), float(total.lower) / found, 1.0)


@dataclass(frozen=True)
class Flat:
    """If both scores are at least 1 - eps, then the logits of earlier tokens lie within a range whose cosh is bounded.

    Args:
        bound: the bound, as a function of (1 - eps)^2.
        steepest: the scores weight the swap of the most and the least attended token only; otherwise all alike.
    """

    bound: Callable[[Any], Any] = lambda square: 1 / (2 * square - 1)
    steepest: bool = True

    def __str__(self) -> str:
        swap = "as tau -> 0" if self.steepest else "with equal weights on the swaps"
        square = (1 - sympy.Symbol("eps", positive=True)) ** 2
        return f"{swap}: s_POS, s_SYM >= 1 - eps imply that the logits lie within acosh({self.bound(square)})"

    def cases(self, matrices: Iterable[LogitMatrix]) -> Iterator[tuple[object, Outcome]]:
        """Each matrix of weights e^logit whose scores are both above 1/sqrt 2."""
        for weights in matrices:
            pairs = swaps(weights, Fraction(1))
            if self.steepest:
                pairs = [max(pairs, key=lambda pair: abs(pair[1][0] - pair[1][1]))]
            lowest = minimum(_square_of_mean([squared_cosine(u, v[::way]) for u, v in pairs]) for way in (1, -1))
            logits = [row[c] for c, row in enumerate(weights)]
            spread = max(logits) / min(logits)
            if (lowest > Fraction(1, 2)) is Outcome.HOLDS:
                yield [list(map(str, row)) for row in weights], (spread + 1 / spread) / 2 <= Real.of(self.bound(lowest))


def _square_of_mean(squares: Sequence[Fraction]) -> Real:
    return Real.of(squares[0]) if len(squares) == 1 else (Real.total(map(root, squares)) / len(squares)) ** 2


@claim(
    "score-uniform-attention",
    source=SOURCE,
    quantifiers="for all heads and inputs, n >= 3, 0 <= eps < 1 - 1/sqrt 2; limit tau -> 0",
    statement=str,
    variant=Flat(),
    controls={
        "acosh(1/(1 - eps)^2)": Flat(bound=lambda square: 1 / square),
        "half the excess over 1": Flat(bound=lambda square: square / (2 * square - 1)),
    },
    hypotheses=(
        Hypothesis(
            "tau -> 0",
            "the swap of the most and the least attended token decides",
            Flat(steepest=False),
            "among many equal logits a single peak takes part in few swaps",
        ),
    ),
    does_not_show="that equal logits give high scores: the contents may still react to a swap",
)
def score_uniform_attention(flat: Flat, thorough: bool) -> Iterator[Evidence]:
    """Rational weights, and symbolic heads with one peak among ten tokens; equality where h = 0, symbolically."""
    entries = [Fraction(value) for value in (1, 2, 5, Fraction(1, 3), Fraction(11, 10))[: 5 if thorough else 3]]
    yield Enumeration("rational weights, n = 3", flat.cases([row[:2], row[2:]] for row in product(entries, repeat=4)))
    peaks = ([[Fraction(peak if c == 0 else 1)] * 10 for c in range(10)] for peak in (Fraction(3, 2), 10, 1000))
    yield Enumeration("one peak among ten tokens", flat.cases(peaks))
    low = cosines(G, Integer(0))
    attained = [("both scores agree", *low), ("range", 1 / (2 * low[0] ** 2 - 1), sympy.cosh(G))]
    yield Identity("sharp where the two weights become equal", attained, reduce=_rational)


@quantity("score-range-bound", unit="logit", claim="score-uniform-attention")
def score_range_bound(eps: Number) -> Bound:
    """Largest range of the logits of earlier tokens when both scores are at least 1 - eps, in the limit tau -> 0."""
    if (
        (eps >= 0) is not Outcome.HOLDS
        or (2 * (1 - eps) ** 2 > 1) is not Outcome.HOLDS
        or (eps < 1) is not Outcome.HOLDS
    ):
        raise InputError(f"eps={float(eps):.6g} bounds no range; give 0 <= eps < 1 - 1/sqrt(2) = 0.2928...")
    bound = Flat().bound((1 - eps) ** 2)
    return Bound("upper", log(bound + root(bound**2 - 1)))
