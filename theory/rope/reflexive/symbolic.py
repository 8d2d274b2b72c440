"""Reflexive by content, without a residual: the query's own key must outweigh n - 1 copies of the nearest other token.

Source: derived here for arXiv 2605.31558, Section 3. The frequency is 0, W_V is the identity, the layer returns a.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy
from sympy import Expr, Matrix, cos, pi, symbols

from theory.claims import Hypothesis, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.rope.head import Head
from theory.rope.reflexive.head import (
    circle_reflexive_head,
    orthonormal_reflexive_head,
    token_column,
)
from theory.rope.reflexive.residual import SOURCE, as_claimed, half_steps, least_margins, margins, values_of
from theory.symbols import i, j, omega, phi_c, phi_q

LARGEST = 100  # inputs


@dataclass(frozen=True)
class Symbolic:
    """All inputs decode iff competitors(n) e^(-beta gap) < 1, for tokens on a circle and for orthonormal ones."""

    circle_gap: Callable[[Any], Any] = lambda tokens: 1 - cos(2 * pi / tokens)
    orthonormal_gap: int = 1
    competitors: Callable[[Any], Any] = lambda n: n - 1
    angle: Expr = sympy.S.Zero

    def __str__(self) -> str:
        count, gap = self.competitors(sympy.Symbol("n")), self.circle_gap(sympy.Symbol("S"))
        keys = f"{gap} for S tokens on a circle and {self.orthonormal_gap} for orthonormal ones"
        return f"all inputs decode iff ({count}) e^(-beta gap) < 1, with gap {keys}"


@claim(
    "reflexive-symbolic",
    source=SOURCE,
    quantifiers="for all beta > 0, n >= 1 and two tokens or more; minimum over all inputs of length n",
    statement=str,
    variant=Symbolic(),
    controls={
        "circle divided by S - 1": Symbolic(circle_gap=lambda tokens: 1 - cos(2 * pi / (tokens - 1))),
        "n in place of n - 1": Symbolic(competitors=lambda n: n),
        "orthonormal gap 2": Symbolic(orthonormal_gap=2),
    },
    hypotheses=(Hypothesis("theta", "the frequency is 0", Symbolic(angle=pi / 2)),),
    does_not_show="that trained heads keep tokens at equal angles, or orthonormal",
)
def reflexive_symbolic(variant: Symbolic, thorough: bool) -> Iterator[Evidence]:
    """All inputs over 2, 3, 4 and 6 tokens, exactly; then the logits and the worst margin symbolically."""
    yield Enumeration("all inputs over 2 to 6 tokens", _inputs(variant, 4 if thorough else 3))
    yield Identity("logits through W_Q and W_K", _logits())
    yield Identity("n - 1 copies of one nearest token", _copies(variant, 6), sympy.cancel)
    yield Identity("no other input is worse", _any_input(3), sympy.cancel)


def _inputs(variant: Symbolic, longest: int) -> Iterator[Case]:
    for tokens, n in product((2, 3, 4, 6), range(1, longest + 1)):
        if tokens**n > LARGEST:
            continue
        heads = {
            "circle": (circle_reflexive_head(tokens, variant.angle), variant.circle_gap(sympy.Integer(tokens))),
            "orthonormal": (orthonormal_reflexive_head(tokens), variant.orthonormal_gap),
        }
        for keys, (head, gap) in heads.items():
            for base, least in least_margins(head, tokens, n):
                competing = variant.competitors(n) * base ** half_steps(gap)
                case = {"keys": keys, "tokens": tokens, "n": n, "e^(-beta/2)": str(base)}
                yield case, as_claimed(least, competing, 1)


def _logits() -> Iterator[Equation]:
    one = Matrix([1])
    circle = Head((sympy.S.Zero,), token_column(phi_q), token_column(phi_c), Matrix())
    yield "circle, any two tokens", circle.logit(one, i, one, j), cos((phi_c - phi_q) * omega)
    orthonormal, one_hot = orthonormal_reflexive_head(3), sympy.eye(3)
    for query, key in product(range(3), repeat=2):
        logit = orthonormal.logit(one_hot[:, query], i, one_hot[:, key], j)
        yield f"orthonormal {query}, {key}", logit, sympy.Integer(query == key)


def _copies(variant: Symbolic, longest: int) -> Iterator[Equation]:
    values, x = values_of(circle_reflexive_head(2).W_V), symbols("x", positive=True)
    for n in range(1, longest + 1):
        margin = margins(values, [1] * (n - 1) + [0], [x] * (n - 1) + [sympy.S.One], residual=False)[1]
        yield f"n = {n}", margin, (1 - variant.competitors(n) * x) / (1 + variant.competitors(n) * x)


def _any_input(longest: int) -> Iterator[Equation]:
    """With m own tokens and weights C wrong, O other: no margin is below (1 - s)/(1 + s), s = (n - 1) x.

    Other tokens weigh at most x each, so that C + O <= (n - m) x <= m s.
    """
    values, s = values_of(circle_reflexive_head(3).W_V), symbols("s", positive=True)
    for n in range(1, longest + 1):
        x = symbols(f"x_1:{n}", positive=True)
        for chosen in product(range(3), repeat=n - 1):
            weights = [sympy.S.One if token == 0 else each for token, each in zip(chosen, x, strict=True)]
            own = 1 + chosen.count(0)
            for wrong, margin in margins(values, (*chosen, 0), (*weights, sympy.S.One), residual=False).items():
                C = sum(weight for token, weight in zip(chosen, weights, strict=True) if token == wrong)
                other = sum(weight for token, weight in zip(chosen, weights, strict=True) if token not in (0, wrong))
                above = (2 * (own * s - C - other) + other * (1 + s)) / ((1 + s) * (own + C + other))
                yield f"input {chosen}, coordinate {wrong}", margin - (1 - s) / (1 + s), above
