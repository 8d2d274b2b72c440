"""What a swap adds to the scores, in closed form: it sees two differences of logits and nothing else.

Source: derived from the definition in arXiv 2605.31558, App. D. For a swap of i and j let g = l_i - l_j and
h = M[j][i] - M[i][j], both times the inverse temperature; then e^g = D_i/D_j before the swap and e^h = D_i/D_j after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import sympy
from sympy import Expr, cosh, log, sqrt, symbols

from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity, rational
from theory.quantities import Enclosure, Number, quantity
from theory.rope.rotation import PAPER
from theory.rope.scores.definition import attention, squared_cosine

G, H = symbols("g h", real=True)
# e^g and e^h, for which the squares of the cosines are rational functions.
X, Y = symbols("x y", positive=True)
Cosines = tuple[Any, Any]


def cosines(g: Expr = G, h: Expr = H) -> tuple[Expr, Expr]:
    """cos(u, v) and cos(u, reversed v) of a swap with logit differences g before and h after it."""
    norm = sqrt(cosh(g) * cosh(h))
    return cosh((g + h) / 2) / norm, cosh((g - h) / 2) / norm


def cosines_at(g: Real, h: Real) -> tuple[Real, Real]:
    """The two cosines as real numbers."""
    positional, symbolic = (evaluate(cosine, {G: g, H: h}) for cosine in cosines())
    return positional, symbolic


def rational_square(expression: Expr) -> Expr:
    """The square of an expression in g and h, as a rational function of x = e^g and y = e^h."""
    return sympy.cancel(sympy.expand((expression**2).rewrite(sympy.exp).subs({G: log(X), H: log(Y)})))


@dataclass(frozen=True)
class ClosedForm:
    """The cosines of a swap as functions of g and h; `block` tokens are exchanged with as many others."""

    closed: Callable[[Expr, Expr], tuple[Expr, Expr]] = cosines
    block: int = 1

    def __str__(self) -> str:
        return "cos(u, v) = {}, cos(u, reversed v) = {}".format(*self.closed(G, H))


@claim(
    "score-logit-closed-form",
    source=Source(PAPER, "App. D", "derived"),
    quantifiers="for all logits, inverse temperatures, n >= 3 and swaps of single tokens; an identity",
    statement=str,
    variant=ClosedForm(),
    controls={
        "g + h and g - h exchanged": ClosedForm(lambda g, h: cosines(g, -h)),
        "norms of 2g and 2h": ClosedForm(
            lambda g, h: tuple(c * sqrt(cosh(g) * cosh(h)) / sqrt(cosh(2 * g) * cosh(2 * h)) for c in cosines(g, h))
        ),
        "logits before the swap only": ClosedForm(lambda g, h: cosines(g, g)),
    },
    hypotheses=(
        Hypothesis(
            "single tokens",
            "i and j are positions, not blocks of them",
            ClosedForm(block=2),
            "means over blocks do not factor; g and h are then differences of mean logits",
        ),
    ),
    does_not_show="the weight of a swap in the scores, which depends on the attention itself",
)
def score_logit_closed_form(form: ClosedForm, thorough: bool) -> Iterator[Evidence]:
    """Squares of positive cosines: rational attention weights from the definition, then symbolic weights."""
    entries = (Fraction(1, 2), Fraction(1), Fraction(3), Fraction(5))[: 4 if thorough and form.block == 1 else 3]
    yield Enumeration("attention weights with rational logarithms", _rational_weights(form, entries))
    yield Identity("symbolic weights", _symbolic(form), rational)


def _rational_weights(form: ClosedForm, entries: tuple[Fraction, ...]) -> Iterator[tuple[object, bool]]:
    """Weights e^(beta M) = w^block, so that the mean logit of a block is the logarithm of a product of w."""
    b = form.block
    squares = [rational_square(cosine) for cosine in form.closed(G, H)]
    for own, roots in product((Fraction(1), Fraction(7, 2)), product(entries, repeat=4 * b)):
        before, after = roots[: 2 * b], roots[2 * b :]
        v, u = (_block_attention([root**b for root in side], own, b) for side in (before, after))
        ratios = {variable: Real.of(prod(side[:b]) / prod(side[b:])) for variable, side in ((X, before), (Y, after))}
        claimed = tuple(evaluate(square, ratios).exact for square in squares)
        yield (
            {"roots": list(map(str, roots)), "own": str(own)},
            claimed
            == (
                squared_cosine(u, v),
                squared_cosine(u, v[::-1]),
            ),
        )


def _block_attention(weights: list[Fraction], own: Fraction, block: int) -> tuple[Fraction, Fraction]:
    shares = attention(weights, own)
    return sum(shares[:block], Fraction(0)) / block, sum(shares[block : 2 * block], Fraction(0)) / block


def _symbolic(form: ClosedForm) -> Iterator[Equation]:
    """Weights e^logit as positive symbols, of the two tokens before and after the swap and of all others."""
    own, *weights = symbols("w_own w_i w_j w_i' w_j'", positive=True)
    v, u = (tuple(attention(side, own)[:2]) for side in (weights[:2], weights[2:]))
    ratios = {X: weights[0] / weights[1], Y: weights[2] / weights[3]}
    for name, other, closed in zip(("u, v", "u, reversed v"), (v, v[::-1]), form.closed(G, H), strict=True):
        yield f"cos({name})", squared_cosine(u, other), rational_square(closed).subs(ratios, simultaneous=True)


@quantity("score-cosines", unit="1", claim="score-logit-closed-form")
def score_cosines(g: Number, h: Number) -> dict[str, Enclosure]:
    """cos(u, v), cos(u, reversed v) and their sum, for a swap with logit differences g before and h after it."""
    positional, symbolic = cosines_at(g, h)
    return {
        "positional": Enclosure(positional),
        "symbolic": Enclosure(symbolic),
        "sum": Enclosure(positional + symbolic),
    }
