"""Scores of heads that are only nearly pure, and how symbolic the Retrieval head remains at small frequencies.

Source: derived from the definition in arXiv 2605.31558, App. D; g and h as in `score-logit-closed-form`, so that
g + h = 0 for symbolic heads and g - h = 0 for positional ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from sympy import Expr, cos, sech, sin, symbols

from theory.arithmetic.ball import Real, evaluate
from theory.arithmetic.ball import cos as cos_of
from theory.arithmetic.ball import cosh as cosh_of
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import AnyAngle, Bound, Length2, Positive, quantity
from theory.rope.index.window import angle_of
from theory.rope.retrieval.head import key_column, query_column, retrieval_phase
from theory.rope.rotation import PAPER, logit
from theory.rope.scores.closed_form import G, H, X, Y, cosines, cosines_at, rational_square
from theory.rope.scores.definition import squared_cosine, swaps
from theory.symbols import n, omega, phi_q, theta

SOURCE = Source(PAPER, "App. D", "derived")
R_I, R_J = symbols("r_i r_j", integer=True)


@dataclass(frozen=True)
class Floors:
    """Lower bounds of what a swap adds to s_POS and to s_SYM."""

    positional: Callable[[Expr, Expr], Expr] = lambda g, h: sech((g - h) / 2)
    symbolic: Callable[[Expr, Expr], Expr] = lambda g, h: sech((g + h) / 2)

    def __str__(self) -> str:
        return f"s_POS averages at least {self.positional(G, H)}, s_SYM at least {self.symbolic(G, H)} over the swaps"


@claim(
    "score-robustness",
    source=SOURCE,
    quantifiers="for all heads, inputs with n >= 3 and tau > 0; equality for swaps with g = h, resp. g = -h",
    statement=str,
    variant=Floors(),
    controls={
        "exchanged": Floors(lambda g, h: sech((g + h) / 2), lambda g, h: sech((g - h) / 2)),
        "(g + h)/4": Floors(symbolic=lambda g, h: sech((g + h) / 4)),
        "(g - h)/4": Floors(positional=lambda g, h: sech((g - h) / 4)),
        "g alone": Floors(symbolic=lambda g, h: sech(g)),
    },
    does_not_show="that high scores bound g + h: they bound the ratio of cosh terms only",
)
def score_robustness(floors: Floors, thorough: bool) -> Iterator[Evidence]:
    """Rational weights from the definition; with D = g + h and X = cosh(g - h), cos^2 = (1 + X)/(cosh D + X) grows."""
    yield Enumeration("rational attention weights", _rational_weights(floors, 5 if thorough else 4))
    yield Identity("excess over the squared floors", _excess(floors), reduce=sympy.cancel)


def _rational_weights(floors: Floors, most: int) -> Iterator[tuple[object, bool]]:
    # Squares of weights, so that the halved differences have rational exponentials too.
    roots = [Fraction(value) for value in (1, 2, 5, Fraction(1, 3), 11)[:most]]
    squares = [rational_square(floor(2 * G, 2 * H)) for floor in (floors.positional, floors.symbolic)]
    for flat in product(roots, repeat=4):
        weights = [root**2 for root in flat]
        ((u, v),) = swaps([weights[:2], weights[2:]], Fraction(1))
        ratios = {X: flat[0] / flat[3], Y: flat[2] / flat[1]}
        floor = [evaluate(square, ratios).exact for square in squares]
        found = [squared_cosine(u, v[::way]) for way in (1, -1)]
        yield (
            list(map(str, flat)),
            all(low is not None and low <= value for low, value in zip(floor, found, strict=True)),
        )


def _excess(floors: Floors) -> Iterator[Equation]:
    """cos^2 - floor^2 = (cosh D - 1)(X - 1)/((cosh D + 1)(cosh D + X)), which is not negative."""
    average, difference = ((ratio + 1 / ratio) / 2 for ratio in (X * Y, X / Y))  # cosh(g + h), cosh(g - h)
    for score, cosine, floor, D, kept in zip(
        ("s_POS", "s_SYM"),
        cosines(),
        (floors.positional(G, H), floors.symbolic(G, H)),
        (difference, average),
        (average, difference),
        strict=True,
    ):
        excess = (D - 1) * (kept - 1) / ((D + 1) * (D + kept))
        yield score, rational_square(cosine) - rational_square(floor), excess


@dataclass(frozen=True)
class RetrievalFloor:
    """That s_SYM of T_Retrieval is at least sech(beta times this phase) at length n and frequency theta.

    Args:
        own_key: the query's own token takes part in the swaps.
    """

    phase: Callable[[Any, Any], Any] = lambda length, angle: (length - 2) * angle
    own_key: bool = False

    def __str__(self) -> str:
        swaps_of = "all tokens" if self.own_key else "earlier tokens"
        return f"with swaps of {swaps_of}, s_SYM of T_Retrieval is at least sech(beta * {self.phase(n, theta)})"

    def cases(self, longest: int) -> Iterator[tuple[object, Outcome]]:
        """The swap of the most and the least attended token, which alone counts as tau falls to 0."""
        inputs = [(3, left) for size in (2, 3) for left in product(range(3), repeat=size)]
        inputs += [(4, (kappa,) * size) for size in range(2, longest) for kappa in range(4)]
        for (letters, left), beta in product(inputs, (1, 5)):
            length, angle = len(left) + 1, Real.of(Fraction(1, 20))
            symbolic = _steepest(letters, (*left, left[0]) if self.own_key else left, length, beta, angle)
            case = {"A": letters, "kappa": left, "theta": "1/20", "beta": beta}
            yield case, symbolic >= 1 / cosh_of(beta * self.phase(length, angle))


def _steepest(letters: int, left: tuple[int, ...], length: int, beta: int, angle: Real) -> Real:
    step, tokens = angle_of(Fraction(1, letters)).real, range(len(left))
    M = [[beta * cos_of(retrieval_phase(c, 0, length - 1 - p, step, angle)) for p in tokens] for c in left]
    j, *_, i = sorted(tokens, key=lambda at: float(M[at][at]))
    return cosines_at(M[i][i] - M[j][j], M[j][i] - M[i][j])[1]


@claim(
    "score-retrieval-floor",
    source=Source(PAPER, "Thm 3.1 and App. D", "derived"),
    quantifiers="for all A >= 2, inputs with n >= 3, theta >= 0, beta > 0 and tau > 0",
    statement=str,
    variant=RetrievalFloor(),
    controls={
        "(n - 2) theta/2": RetrievalFloor(lambda length, angle: (length - 2) * angle / 2),
        "1 at every frequency": RetrievalFloor(lambda length, angle: 0 * angle),
        "n theta/4": RetrievalFloor(lambda length, angle: length * angle / 4),
    },
    hypotheses=(
        Hypothesis(
            "earlier tokens",
            "swaps leave the query's own token in its place",
            RetrievalFloor(own_key=True),
            "with it the offsets reach over n - 1",
        ),
    ),
    does_not_show="a floor where beta (n - 2) theta is large: then s_SYM may be near 0",
)
def score_retrieval_floor(floor: RetrievalFloor, thorough: bool) -> Iterator[Evidence]:
    """Steepest swaps in balls; g + h as a product of sines, of size at most 4 |sin((r_i - r_j) theta/2)|."""
    yield Enumeration("three letters, n <= 4; one of four letters, n <= 12", floor.cases(16 if thorough else 12))
    yield Identity("g + h from W_Q and W_K", [_sum_of_differences()])


def _sum_of_differences() -> Equation:
    letters = symbols("phi_i phi_j", integer=True)

    def at(content: int, offset: Expr) -> Expr:
        return logit(query_column(phi_q), n, key_column(letters[content]), n - offset, [theta])

    g, h = at(0, R_I) - at(1, R_J), at(1, R_I) - at(0, R_J)
    a_i, a_j = ((letter - phi_q) * omega for letter in letters)
    product_form = sin((R_I - R_J) * theta / 2) * sin((a_i + a_j + (R_I + R_J) * theta) / 2) * cos((a_i - a_j) / 2)
    return "g + h", g + h, -4 * product_form


@quantity("retrieval-score-floor", unit="1", claim="score-retrieval-floor")
def retrieval_score_floor(n: Length2, theta: AnyAngle, beta: Positive) -> Bound:
    """A lower bound of s_SYM of T_Retrieval: sech(beta (n - 2) theta)."""
    return Bound("lower", 1 / cosh_of(beta * RetrievalFloor().phase(n, theta.real)))
