"""Reflexive, the identity, as an attention layer; with a residual any head will do.

Source: derived here for arXiv 2605.31558, Section 3. W_V is the identity, the layer returns x + a or a. The margin is
the coordinate of the query's own token minus the largest other one, w_n the weight of the query's own key.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy
from flint import fmpq
from sympy import Expr, Matrix, symbols

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.rope.head import Head
from theory.rope.reflexive.head import positional_reflexive_head
from theory.rope.rotation import PAPER

SOURCE = Source(PAPER, "Sec. 3", "derived")
Values = list[list[int]]
BASES = tuple(fmpq(p, q) for p, q in ((1, 4), (1, 2), (7, 10), (9, 10)))


def values_of(W_V: Matrix) -> Values:
    """The value map over one-hot embeddings as integers: entry [c][b] is what token b adds to coordinate c."""
    return [[int(entry) for entry in row] for row in W_V.tolist()]


def margins(values: Values, tokens: Sequence[int], weights: Sequence[Any], residual: bool) -> dict[int, Any]:
    """The margin of the query, the last token, against every wrong coordinate, for any weights of the keys.

    Generic over the arithmetic of the weights, which need not add up to 1.
    """
    total, own = sum(weights), tokens[-1]
    read = [
        sum(weight * row[token] for weight, token in zip(weights, tokens, strict=True)) / total
        + int(residual and c == own)
        for c, row in enumerate(values)
    ]
    return {c: read[own] - value for c, value in enumerate(read) if c != own}


def half_steps(gap: Expr) -> int:
    """A gap in steps of 1/2, in which all gaps at rational cosines come. TypeError for any other."""
    return operator.index(2 * sympy.expand(gap))


def least_margins(head: Head, tokens: int, n: int) -> Iterator[tuple[Any, Any]]:
    """e^(-beta/2) and the least margin over all inputs of length n, from W_Q, W_K, W_V and the rotation."""
    one_hot, values = sympy.eye(tokens), values_of(head.W_V)
    steps = {
        (query, key, position): half_steps(1 - head.logit(one_hot[:, query], n, one_hot[:, key], position))
        for query, key, position in product(range(tokens), range(tokens), range(1, n + 1))
    }
    for base in BASES:
        least: list[Any] = []
        for chosen in product(range(tokens), repeat=n):
            weights = [base ** steps[chosen[-1], key, position] for position, key in enumerate(chosen, 1)]
            least += margins(values, chosen, weights, residual=False).values()
        yield base, min(least)


def as_claimed(least: Any, competing: Any, bound: int) -> bool:
    """Whether the least margin is (1 - F)/(1 + F) for the weight F = `competing`, and positive iff F < `bound`."""
    return bool((least > 0) == (competing < bound) and least == (1 - competing) / (1 + competing))


@dataclass(frozen=True)
class Residual:
    """The least margin over all inputs, as a function of w_n; whether x is added; whether w_n > 0 is known."""

    least: Callable[[Any], Any]
    residual: bool = True
    self_seen: bool = True

    @property
    def statement(self) -> Expr:
        margin, own = sympy.Symbol("min margin"), sympy.Symbol("w_n")
        return sympy.And(sympy.Eq(margin, self.least(own)), sympy.Gt(margin, 0))


@claim(
    "reflexive-constructions",
    source=SOURCE,
    quantifiers="minimum over all inputs of length n >= 1 over two tokens or more, for all logits and beta; attained",
    statement=lambda variant: variant.statement,
    variant=Residual(lambda own: 2 * own),
    controls={
        "w_n": Residual(lambda own: own),
        "3 w_n": Residual(lambda own: 3 * own),
        "as without a residual": Residual(lambda own: 2 * own - 1),
    },
    hypotheses=(
        Hypothesis("residual", "the layer returns x + a", Residual(lambda own: 2 * own, residual=False)),
        Hypothesis("w_n", "the query attends to its own key: w_n > 0", Residual(lambda own: 2 * own, self_seen=False)),
    ),
    does_not_show="that the margin survives rounding: with 2/n it shrinks with the length",
)
def reflexive_constructions(variant: Residual, thorough: bool) -> Iterator[Evidence]:
    """All inputs under all small integer weights, exactly; then each margin for symbolic weights."""
    yield Enumeration(
        "weights 0 to 3 in proportion, all inputs over 2 and 3 tokens", _weights(variant, 4 if thorough else 3)
    )
    yield Identity("margin less its bound is a sum of weights", _terms(variant, 3), sympy.cancel)


def _weights(variant: Residual, longest: int) -> Iterator[Case]:
    for tokens, n in product((2, 3), range(1, longest + 1)):
        values = values_of(positional_reflexive_head(tokens).W_V)
        for weights in product(range(4), repeat=n):
            if not any(weights) or (variant.self_seen and not weights[-1]):
                continue
            exact = [fmpq(weight) for weight in weights]
            inputs = product(range(tokens), repeat=n)
            least = min(min(margins(values, chosen, exact, variant.residual).values()) for chosen in inputs)
            expected = variant.least(exact[-1] / sum(exact))
            yield {"tokens": tokens, "weights": weights}, bool(least == expected and least > 0)


def _terms(variant: Residual, longest: int) -> Iterator[Equation]:
    """Same tokens among the earlier ones count twice, third tokens once, the wrong token not at all."""
    values = values_of(positional_reflexive_head(3).W_V)
    for n in range(1, longest + 1):
        raw = symbols(f"a_1:{n + 1}", positive=True)
        weights = [each / sum(raw) for each in raw]
        for chosen in product(range(3), repeat=n):
            for wrong, margin in margins(values, chosen, raw, variant.residual).items():
                counts = [2 if token == chosen[-1] else int(token != wrong) for token in chosen[:-1]]
                rest = sum(count * weight for count, weight in zip(counts, weights, strict=False))
                yield f"input {chosen}, coordinate {wrong}", margin - variant.least(weights[-1]), rest
