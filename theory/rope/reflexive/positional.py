"""Reflexive by position, without a residual: the query's own key must outweigh all earlier ones together.

Source: derived here for arXiv 2605.31558, Section 3. Queries and keys are equal, W_V is the identity, the layer
returns a.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from flint import fmpq
from sympy import Expr, cos, pi, symbols

from theory.arithmetic import ball
from theory.arithmetic.angle import Angle
from theory.claims import Hypothesis, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.rope.head import Head
from theory.rope.index.temperature import least_beta
from theory.rope.reflexive.head import (
    positional_reflexive_head,
)
from theory.rope.reflexive.residual import SOURCE, as_claimed, half_steps, least_margins, margins, values_of
from theory.rope.rotation import rotation
from theory.symbols import i, j, theta

NIVEN = (pi / 3, pi / 2, 2 * pi / 3, pi)
LARGEST = 100  # inputs


@dataclass(frozen=True)
class Positional:
    """All inputs decode iff F over t = 1..last(n) is below `bound`; queries look `lag` positions back."""

    bound: int = 1
    last: Callable[[Any], Any] = lambda n: n - 1
    lag: int = 0

    def head(self, tokens: int, angle: Expr = theta) -> Head:
        aligned = positional_reflexive_head(tokens, angle)
        return replace(aligned, W_Q=rotation(-self.lag * angle) * aligned.W_Q)

    def __str__(self) -> str:
        terms = f"sum over t = 1..{self.last(sympy.Symbol('n'))} of e^(-beta (1 - cos t theta))"
        return f"all inputs decode iff F = {terms} < {self.bound}, and the least margin is (1 - F)/(1 + F)"


@claim(
    "reflexive-positional",
    source=SOURCE,
    quantifiers="for all theta, beta > 0 and n >= 1; minimum over all inputs of length n over two tokens or more",
    statement=str,
    variant=Positional(),
    controls={
        "bound 3, as for Index letters": Positional(bound=3),
        "t runs to n": Positional(last=lambda n: n),
        "t runs to n - 2": Positional(last=lambda n: n - 2),
    },
    hypotheses=(
        Hypothesis("aligned", "queries equal keys", Positional(lag=1)),
        Hypothesis("tokens", "there are two tokens or more", remark="one token has no competitor and always decodes"),
    ),
    does_not_show="that a temperature exists: where t theta is a multiple of 2 pi for some t < n, none does",
)
def reflexive_positional(variant: Positional, thorough: bool) -> Iterator[Evidence]:
    """All inputs at angles with rational cosines, exactly; both sides of beta* at others; the margins symbolically."""
    yield Enumeration("all inputs, angles pi/3 to pi", _inputs(variant, 6 if thorough else 4))
    yield Enumeration("all inputs a millionth off beta*, angles 1, sqrt 2, 5/2", _around_threshold(variant))
    yield Identity("logits through W_Q and W_K", _logits())
    yield Identity("least margin, and the others less it", _margins(variant, 4), sympy.cancel)


def _inputs(variant: Positional, longest: int) -> Iterator[Case]:
    for angle, n, tokens in product(NIVEN, range(1, longest + 1), (2, 3)):
        if tokens**n > LARGEST:
            continue
        steps = [half_steps(1 - cos(t * angle)) for t in range(1, variant.last(n) + 1)]
        for base, least in least_margins(variant.head(tokens, angle), tokens, n):
            competing = sum((base**step for step in steps), fmpq(0))
            case = {"theta": str(angle), "n": n, "tokens": tokens, "e^(-beta/2)": str(base)}
            yield case, as_claimed(least, competing, variant.bound)


def _around_threshold(variant: Positional) -> Iterator[Case]:
    values = values_of(positional_reflexive_head(2).W_V)
    for angle, n in product((sympy.Integer(1), sympy.sqrt(2), sympy.Rational(5, 2)), (3, 4, 5)):
        threshold = least_beta(n, Angle(angle), [0], variant.bound)
        for side, expected in ((-1, Outcome.REFUTED), (1, Outcome.HOLDS)):
            beta = threshold * (1 + side * Fraction(1, 10**6))
            weights = [ball.exp(-beta * ball.versine(ball.Real.of(t * angle))) for t in range(n - 1, -1, -1)]
            decodes = Outcome.every(
                margin > 0
                for chosen in product(range(2), repeat=n)
                for margin in margins(values, chosen, weights, residual=False).values()
            )
            yield {"theta": str(angle), "n": n, "beta/beta*": f"1 {side:+}e-6"}, decodes.iff(expected)


def _logits() -> Iterator[Equation]:
    head, one_hot = positional_reflexive_head(2), sympy.eye(2)
    for query, key in product(range(2), repeat=2):
        yield f"{query}, {key}", head.logit(one_hot[:, query], i, one_hot[:, key], j), cos((i - j) * theta)


def _margins(variant: Positional, longest: int) -> Iterator[Equation]:
    """Weights x_t of the offsets t, with x_0 = 1: the margin is that of the worst input plus weights."""
    values = values_of(positional_reflexive_head(3).W_V)
    for n in range(1, longest + 1):
        x = symbols(f"x_1:{n}", positive=True)
        competing = sum(x)
        for chosen in product(range(3), repeat=n - 1):
            tokens = (*chosen, 0)
            for wrong, margin in margins(values, tokens, (*reversed(x), sympy.S.One), residual=False).items():
                gained = [2 if token == 0 else int(token != wrong) for token in reversed(chosen)]
                rest = sum(count * weight for count, weight in zip(gained, x, strict=True))
                yield f"input {tokens}, coordinate {wrong}", margin, (1 - competing + rest) / (1 + competing)
