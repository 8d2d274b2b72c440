"""Positional heads: weights, values and residual are free, the inputs are those of the claims."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from tests.adversary.duel import Axis, Duel, Pair
from theory.rope.expressivity import partial_induction_needs_both as both
from theory.rope.expressivity.positional_cannot_retrieve import ALPHABET, QUERY, inputs, single_match
from theory.rope.expressivity.positional_heads import PositionalHead, identity
from theory.rope.expressivity.positional_margin import MATCHES, largest_value


def _shares(parts: Sequence[Fraction]) -> list[Fraction]:
    return [part / sum(parts) for part in parts]


def _whole(length: int, least: int = 0) -> list[Axis]:
    """Weights in proportion, whole so that ties can be met; one of them is positive."""
    return [Axis(f"w_{at}", least if at else 1, 12, whole=True) for at in range(length)]


def _answers(needs: Any, length: int, x: Any, ar: Any) -> Pair | None:
    """Weights of the earlier tokens by position: some input is not decoded."""
    if length < needs.least:
        return None
    weights = _shares(x)
    return 1 + min(both.margin(tokens, weights) for tokens in _induction_inputs(length)), 1


@cache
def _induction_inputs(length: int) -> list[Any]:
    return list(both.inputs(length))


def _copies(fails: Any, length: int, x: Any, ar: Any) -> Pair | None:
    """Some input is decoded wrongly (or, for `every`, all are), and a tie is wrong (or not)."""
    if length < fails.least:
        return None
    weights = _shares(x)
    head = PositionalHead("copies", lambda _: weights)
    return 1 + _margin(fails, head, length) + (0 if fails.ties else Fraction(1, 10**9)), 1


def _margin(fails: Any, head: PositionalHead, length: int) -> Any:
    margins = [head.margin(tokens, ALPHABET) for tokens in _retrieval_inputs(length)]
    return max(margins) if fails.every else min(margins)


@cache
def _retrieval_inputs(length: int) -> list[Any]:
    found = inputs(length) if length < 4 else [single_match(length, place) for place in range(1, length)]
    return list(found)


def _gated(fails: Any, length: int, x: Any, ar: Any) -> Pair:
    """Equal weights, W_V = 1: the residual of the query is free."""
    residual = dict(zip(ALPHABET, x, strict=True))
    return 1 + _margin(fails, PositionalHead("gated", residual=lambda _, c: residual[c]), length), 1


def _hinted(fails: Any, length: int, x: Any, ar: Any) -> Pair:
    """No residual: the values of the query and its weight are free, other tokens are copied."""
    hints, own = dict(zip(ALPHABET, x, strict=False)), x[-1]
    weights = [(1 - own) / (length - 1)] * (length - 1) + [own]
    head = PositionalHead(
        "hinted", lambda _: weights, lambda token, c: identity(token, c) + (hints[c] if token == QUERY else 0)
    )
    return 1 + _margin(fails, head, length), 1


OCCURRING = (*MATCHES, ("a", 1), QUERY)


def _decoded(bound: Any, length: int, x: Any, ar: Any) -> Pair:
    """Weights, values of the four tokens in the inputs, and the residual of the query are free."""
    weights, rest = _shares(x[:length]), iter(x[length:])
    table = {(token, c): next(rest) for token, c in product(OCCURRING, repeat=2)}
    residual = {c: next(rest) for c in OCCURRING}
    # Other coordinates are held down, and other tokens do not occur.
    head = PositionalHead(
        "free",
        lambda _: weights,
        lambda token, c: table.get((token, c), Fraction(0)),
        lambda _, c: residual.get(c, Fraction(-99)),
    )
    return bound.least(head, length) / largest_value(head), bound.bound(Fraction(1), length)


def _decoded_axes(length: int) -> list[Axis]:
    weights = [Axis(f"w_{at}", 0.001, 1) for at in range(length)]
    values = [Axis(f"M_{token}{c}", -1, 1) for token in range(4) for c in range(4)]
    return [*weights, *values, *(Axis(f"r_{c}", -4, 4) for c in range(4))]


POSITIONAL = [
    Duel(
        "partial-induction-needs-both",
        "least margin of positional heads, (n)",
        (3, 2, 4),
        lambda length: _whole(length - 1),
        _answers,
        ("without n >= 3",),
        exact=True,
    ),
    Duel(
        "positional-cannot-retrieve-printed",
        "least margin, the residual free, (n)",
        (3, 5),
        lambda _: [Axis(f"r_{c}", -3, 3) for c in range(len(ALPHABET))],
        _gated,
        ("W_V = 1", "up to ties"),
        exact=True,
        near_miss=False,
    ),
    Duel(
        "positional-cannot-retrieve-printed",
        "least margin, values and weight of the query free, (n)",
        (3, 5),
        lambda _: [*(Axis(f"v_{c}", -5, 5) for c in range(len(ALPHABET))), Axis("w_n", 0.01, 0.99)],
        _hinted,
        ("F(x, a) = a",),
        exact=True,
        near_miss=False,
    ),
    Duel(
        "positional-cannot-retrieve-identity",
        "least margin at any weights, (n)",
        (3, 2, 6),
        _whole,
        _copies,
        ("all inputs fail", "ties are correct", "without n >= 3"),
        exact=True,
    ),
    Duel(
        "positional-retrieve-margin",
        "least margin over C, (n)",
        (2, 3, 4),
        _decoded_axes,
        _decoded,
        ("C/(n - 1)", "2 C/n^2", "0"),
        exact=True,
    ),
]
