"""The cases by which the steps of proofs.partial_induction are checked, from the task and the maps of the head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

from sympy import Expr, Integer, cos, expand, symbols

from theory.evidence import Case, Equation
from theory.rope.expressivity.partial_induction import (
    AMPLITUDE,
    PSI,
    induction_key_column,
    induction_logit,
    induction_query_column,
)
from theory.rope.expressivity.partial_induction_needs_both import collides, inputs, latest_match, margin
from theory.rope.expressivity.recency_gap import gap, recency_gap_aligned
from theory.rope.expressivity.recency_phase import recency_gap_phase
from theory.rope.expressivity.symbolic_cannot_index import by_token, seen
from theory.rope.rotation import logit
from theory.rope.sequences import show
from theory.symbols import j, n, omega, phi_c, phi_q, t, theta

# Two orders of three tokens: two pairs with the symbol of the query, and the query.
SMALLEST = ((("a", 1), ("a", 2), "a"), (("a", 2), ("a", 1), "a"))
TOLD_APART = (1, 2, 4)


def lengths(longest: int) -> Iterator[tuple[Any, ...]]:
    """All inputs over two symbols and two values up to this length."""
    for length in range(2, longest + 1):
        yield from (tuple(tokens) for tokens in inputs(length))


def smallest() -> Iterator[Case]:
    """The answers to both orders, which are all that a symbolic head could tell apart."""
    one, other = SMALLEST
    yield "answers", [latest_match(tokens) for tokens in SMALLEST] == [2, 1]
    for logits in by_token(one):
        yield "one output", seen(one, logits, placed=False) == seen(other, logits, placed=False)


def order_free(longest: int) -> Iterator[Case]:
    """What the output of a symbolic head can depend on is the same for all orders of the pairs."""
    for tokens in lengths(longest):
        for logits in by_token(tokens):
            found = seen(tokens, logits, placed=False)
            orders = ((*order, tokens[-1]) for order in permutations(tokens[:-1]))
            yield show(tokens), all(seen(order, logits, placed=False) == found for order in orders)


def exchanged(longest: int) -> Iterator[Case]:
    """The latest match in exchange for a match of another value."""
    for tokens in lengths(longest):
        *pairs, query = tokens
        matched = [at for at, (symbol, _) in enumerate(pairs) if symbol == query]
        for at in matched[:-1]:
            if pairs[at][1] != latest_match(tokens):
                order = list(pairs)
                order[at], order[matched[-1]] = order[matched[-1]], order[at]
                yield show(tokens), latest_match((*order, query)) != latest_match(tokens)


def two_margins(longest: int) -> Iterator[Equation]:
    """The one match at position 1 and at position 2, with the value 1, among other pairs with the value 2."""
    for length in range(3, longest + 1):
        weights = symbols(f"w_1:{length}", nonnegative=True)
        one, other = ([("a", 1) if at == place else ("b", 2) for at in range(length - 1)] for place in (0, 1))
        total = margin((*one, "a"), weights) + margin((*other, "a"), weights)
        yield f"n = {length}", expand(total), -2 * sum(weights[2:], Integer(0))


def one_pair() -> Iterator[Case]:
    """At n = 2 there is one pair, and any weight on it is enough."""
    for tokens in inputs(2):
        yield show(tokens), margin(tokens, [Fraction(1, 10)]) > 0


def told_apart() -> Iterator[Case]:
    """Weights in the ratio 1 : 2 : 4 give inputs with different answers different outputs."""
    weights = [Fraction(part, sum(TOLD_APART)) for part in TOLD_APART]
    yield "n = 4", not collides([(tokens, weights) for tokens in inputs(4)])


def through_maps() -> Iterator[Equation]:
    """The logit of a pair t places before the query, from the query and key maps."""
    found = logit(induction_query_column(phi_q), n, induction_key_column(phi_c), j, [Integer(0), theta])
    yield "logit", found.subs(j, n - t), induction_logit((phi_c - phi_q) * omega, t, AMPLITUDE, theta, PSI)


def lead(near: Expr, far: Expr) -> Expr:
    """The logit of a match `far` places before the query less that of its neighbour on the circle, `near` places."""
    match, other = (
        induction_logit(turned, at, AMPLITUDE, theta, PSI) for turned, at in ((Integer(0), far), (omega, near))
    )
    return match - other


def leads() -> Iterator[Equation]:
    """That lead, at the largest distance, is what the condition asks to be positive."""
    range_of_g = cos(theta + PSI) - cos((n - 1) * theta + PSI)
    yield "lead", lead(Integer(1), n - 1), AMPLITUDE * (1 - cos(omega)) - range_of_g


def telescope(longest: int) -> Iterator[Equation]:
    """The steps from 1 to n - 2 add up to g(1) - g(n - 1)."""
    for length in range(3, longest + 1):
        steps = sum((gap(Integer(at), PSI) for at in range(1, length - 1)), Integer(0))
        yield f"n = {length}", steps, cos(theta + PSI) - cos((length - 1) * theta + PSI)


def recency(sizes: Sequence[int]) -> Iterator[tuple[object, ...]]:
    """Length, largest least step without and with a phase, and the bound 2/(n - 2)."""
    for length in sizes:
        aligned, phased = (f"{float(gap(length)['gap'].value):.5f}" for gap in (recency_gap_aligned, recency_gap_phase))
        yield length, aligned, phased, f"{2 / (length - 2):.5f}"
