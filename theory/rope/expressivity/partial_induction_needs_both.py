"""Partial induction needs a head that is positional and symbolic at once: neither kind alone computes it.

Source: arXiv 2511.11579, Cor. 1. The earlier tokens are pairs (symbol, value), the query is a symbol that occurs among
them; the answer is the value of the latest pair with that symbol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import sympy
from sympy import symbols

from theory.arithmetic.ball import cos, pi
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity
from theory.rope.expressivity.partial_induction import induction_logit
from theory.rope.expressivity.positional_heads import simplex
from theory.rope.expressivity.symbolic_cannot_index import Blind, Logits, by_position, by_token
from theory.rope.sequences import show

Tokens = Sequence[Any]
PAIRS = [(symbol, value) for symbol in "ab" for value in (1, 2)]
# The weights of the earlier tokens.
Weights = Callable[[Tokens], Sequence[Fraction]]


def latest_match(tokens: Tokens) -> Any:
    """The value of the latest pair with the symbol of the query, which comes last."""
    *pairs, query = tokens
    return [value for symbol, value in pairs if symbol == query][-1]


def inputs(length: int) -> Iterator[Tokens]:
    """All inputs over two symbols and two values whose query is `a` and occurs."""
    for pairs in product(PAIRS, repeat=length - 1):
        if any(symbol == "a" for symbol, _ in pairs):
            yield (*pairs, "a")


def margin(tokens: Tokens, weights: Sequence[Fraction]) -> Fraction:
    """The weight of the answer minus that of the other value: VAL is the one-hot value, F(x, a) = a."""
    answer = latest_match(tokens)
    return sum((w if value == answer else -w for w, (_, value) in zip(weights, tokens[:-1], strict=True)), Fraction(0))


def positional(length: int) -> Iterator[Weights]:
    """Weights of the earlier tokens that no content changes, in multiples of 1/7; the query has none."""
    return (partial(_fixed, weights) for weights in simplex(length - 1, 7))


def _fixed(weights: Sequence[Fraction], tokens: Tokens) -> Sequence[Fraction]:
    return weights


def two_angles(length: int) -> Iterator[Weights]:
    """Hard attention of the head of `partial-induction-two-angles`, whose two symbols are half a turn apart."""
    yield _on_the_maximiser


def _on_the_maximiser(tokens: Tokens) -> Sequence[Fraction]:
    *pairs, query = tokens
    step = pi / (len(tokens))
    logits = [
        float(induction_logit(pi * int(symbol != query), offset, Fraction(6, 5), step, 0, cos))
        for offset, (symbol, _) in zip(range(len(pairs), 0, -1), pairs, strict=True)
    ]
    return [Fraction(value == max(logits)) for value in logits]


@dataclass(frozen=True)
class NeedsBoth:
    """That symbolic heads cannot, whatever VAL and F are, and that these heads cannot with one-hot values and F = a.

    Args:
        said: the statement.
        logits: the heads of the first half, which see only how often each logit meets each pair.
        values_differ: the two matches of its inputs have different values.
        heads: the heads of the second half, at a length.
        least: the shortest length of the second half.
        any_readout: the second half allows any function of the attention output over whole pairs.
    """

    said: str = "no symbolic head computes partial induction, and no positional one that copies one-hot values"
    logits: Callable[[Tokens], Iterator[Logits]] = by_token
    values_differ: bool = True
    heads: Callable[[int], Iterator[Weights]] = positional
    least: int = 3
    any_readout: bool = False

    def __str__(self) -> str:
        return self.said

    def blind(self, longest: int) -> Iterator[tuple[object, bool]]:
        """Inputs with two matches (of different values): one output for all orders, but not one answer."""
        blind = Blind(heads=self.logits, answer=latest_match)
        for tokens in (tokens for length in range(2, longest + 1) for tokens in inputs(length)):
            matched = [value for symbol, value in tokens[:-1] if symbol == tokens[-1]]
            if len(set(matched) if self.values_differ else matched) > 1:
                yield show(tokens), blind.holds(tokens)

    def wrong(self, longest: int) -> Iterator[tuple[object, bool]]:
        for length in range(self.least, longest + 1):
            for weights in self.heads(length):
                rows = [(tokens, weights(tokens)) for tokens in inputs(length)]
                case = f"n={length}, weights {', '.join(map(str, rows[0][1]))}"
                fails = collides(rows) if self.any_readout else any(margin(*row) <= 0 for row in rows)
                yield case, fails


def collides(rows: Sequence[tuple[Tokens, Sequence[Fraction]]]) -> bool:
    """Whether two inputs with different answers give the same sum of weighted one-hot pairs."""
    answers: dict[tuple[Fraction, ...], set[Any]] = {}
    for tokens, weights in rows:
        placed = list(zip(weights, tokens[:-1], strict=True))
        output = tuple(sum((w for w, pair in placed if pair == kind), Fraction(0)) for kind in PAIRS)
        answers.setdefault(output, set()).add(latest_match(tokens))
    return any(len(values) > 1 for values in answers.values())


@claim(
    "partial-induction-needs-both",
    source=Source("2511.11579", "Cor. 1", "reconstructed"),
    quantifiers="symbolic: on one input with two matches of different values; positional: for all n >= 3 and weights",
    statement=str,
    variant=NeedsBoth(),
    controls={
        "needs two layers": NeedsBoth("no head of one layer computes partial induction", heads=two_angles),
        "two matches are enough": NeedsBoth("symbolic heads are blind on two matches", values_differ=False),
        "positional heads are blind": NeedsBoth("positional heads are blind on two matches", logits=by_position),
    },
    hypotheses=(
        Hypothesis("n >= 3", "there are two earlier tokens", NeedsBoth("positional heads at n >= 2", least=2)),
        Hypothesis(
            "one-hot values",
            "VAL is the one-hot value and F(x, a) = a, in the positional half",
            NeedsBoth("positional heads with any F", any_readout=True),
            "weights 1/7, 2/7, 4/7 tell all inputs of length 4 apart",
        ),
    ),
    does_not_show="that two heads or two layers are needed: partial-induction-two-angles has one head",
)
def partial_induction_needs_both(needs: NeedsBoth, thorough: bool) -> Iterator[Evidence]:
    """All inputs over two symbols and two values, weights in multiples of 1/7; margins that exclude each other."""
    longest = 5 if thorough else 4
    yield Enumeration(f"symbolic heads, n <= {longest}", needs.blind(longest))
    yield Enumeration(f"positional heads, n <= {longest}", needs.wrong(longest))
    yield Identity("sum of two margins", _two_margins(7 if thorough else 5), reduce=sympy.expand)


def _two_margins(longest: int) -> Iterator[Equation]:
    """With the one match at place 1 or 2, of another value than all else, the margins do not add up to more than 0."""
    for length in range(3, longest + 1):
        weights = symbols(f"w_1:{length}", nonnegative=True)
        rows = [[("a", 1) if at == place else ("b", 2) for at in range(length - 1)] for place in (0, 1)]
        yield f"n = {length}", sum(margin((*row, "a"), weights) for row in rows), -2 * sum(weights[2:])
