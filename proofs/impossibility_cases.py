"""The cases by which the steps of proofs.impossibility are checked, from what the output of a head can depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

from theory.evidence import Case
from theory.rope.expressivity.positional_cannot_retrieve import ALPHABET, one_hot
from theory.rope.expressivity.positional_heads import PositionalHead
from theory.rope.expressivity.positional_margin import SIGNED, MarginBound, by_content, largest_value
from theory.rope.expressivity.positional_retrieval import GATED, HINTED
from theory.rope.expressivity.symbolic_cannot_index import (
    Blind,
    by_token,
    index_at_end,
    index_inputs,
    retrieval_at_end,
    retrieval_inputs,
    seen,
)
from theory.rope.sequences import Pair, matches, proper_sequences, show

BOUND = MarginBound()
SMALLEST = (("a", "b", 1), ("b", "a", 1))
WORKED: tuple[Pair, ...] = (("b", 1), ("a", 1), ("a", "b"))


def orders(tokens: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """All orders of the earlier tokens."""
    return ((*order, tokens[-1]) for order in permutations(tokens[:-1]))


def order_free(longest: int) -> Iterator[Case]:
    """What the output of a symbolic head can depend on is the same for all orders."""
    for tokens in index_inputs(range(2, longest + 1)):
        for logits in by_token(tokens):
            found = seen(tokens, logits, placed=False)
            yield show(tokens), all(seen(order, logits, placed=False) == found for order in orders(tokens))


def smallest() -> Iterator[Case]:
    """Two orders of three tokens whose answers are b and a."""
    for tokens, answer in zip(SMALLEST, "ba", strict=True):
        yield show(tokens), index_at_end(tokens) == answer
    one, other = SMALLEST
    for logits in by_token(one):
        yield "one output", seen(one, logits, placed=False) == seen(other, logits, placed=False)


def retrieval_orders(longest: int) -> Iterator[Case]:
    """The answer of Retrieval is the same for all orders of the earlier tokens."""
    for tokens in retrieval_inputs(range(1, longest + 1)):
        yield show(tokens), {retrieval_at_end(order) for order in orders(tokens)} == {retrieval_at_end(tokens)}


def needed() -> Iterator[Case]:
    """Where one hypothesis is missing, outputs may differ, or all orders have one answer."""
    mixed = SMALLEST[0]
    yield "values may depend on positions", not Blind(placed=True).holds(mixed)
    yield "the query may move", not Blind(query_moves=True).holds(mixed)
    yield "a letter as the query", not Blind().holds(("a", "b", "a"))
    yield "one token many times", not Blind().holds(("a", "a", 1))
    yield "no letter", not Blind().holds((2, 1, 1))


def outputs(head: PositionalHead) -> Iterator[tuple[str, Fraction, Fraction, Fraction]]:
    """Token, its share in the residual, its share in the attention output and their sum, for the worked input."""
    weights = head.weights(len(WORKED))
    for coordinate in ALPHABET:
        residual = head.residual(WORKED[-1], coordinate)
        values = (head.values(token, coordinate) for token in WORKED)
        attended = sum((weight * value for weight, value in zip(weights, values, strict=True)), Fraction(0))
        yield show([coordinate]), residual, attended, residual + attended


def worked(head: PositionalHead, margin: Fraction) -> Iterator[Case]:
    """The answer leads by the margin."""
    found = {name: total for name, _, _, total in outputs(head)}
    (answer,) = matches(WORKED, len(WORKED))
    lead = found.pop(show([answer])) - max(found.values())
    yield show(WORKED), lead == margin == head.margin(WORKED, ALPHABET)


def two_tokens() -> Iterator[Case]:
    """At length 2 a head whose weights follow the query decodes all proper inputs."""
    for tokens in (tokens for tokens in proper_sequences(2, 1, 2) if len(tokens) == 2):
        left, right = tokens[-1]
        away = isinstance(right, str) and right != left
        weights = [Fraction(1 + away, 3), Fraction(2 - away, 3)]
        yield show(tokens), one_hot(weights).margin(tokens, ALPHABET) > 0


def margins(lengths: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Length, then least margin and bound of the two counterexamples and of the head with signed values."""
    for length in lengths:
        heads = (GATED, HINTED, SIGNED)
        least = (BOUND.least(head, length) for head in heads)
        bounds = (BOUND.bound(largest_value(head), length) for head in heads)
        yield length, *(value for pair in zip(least, bounds, strict=True) for value in pair)


def below(lengths: Sequence[int]) -> Iterator[Case]:
    """The margins of that table against their bounds, and those of the formulas."""
    for length, gated, _, hinted, _, signed, _ in margins(lengths):
        formulas = (Fraction(1, length), Fraction(1, 10 * (length - 1)), Fraction(2, length))
        yield length, (gated, hinted, signed) == formulas
    yield from BOUND.cases(max(lengths))


def kept(longest: int) -> Iterator[Case]:
    """A head that puts all weight on the match has the same margin at all lengths."""
    for length in range(3, longest + 1):
        yield length, MarginBound(margin=by_content).least(GATED, length) == 1
