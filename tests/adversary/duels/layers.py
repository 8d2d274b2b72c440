"""Layers for any weights of their keys: Reflexive heads, and the block between the layers of a decoder."""

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import sympy

from tests.adversary.duel import Axis, Duel, Pair
from theory.rope.reflexive.head import circle_reflexive_head, orthonormal_reflexive_head, positional_reflexive_head
from theory.rope.reflexive.residual import half_steps, margins, values_of
from theory.rope.tasks.snap import clip_exact


def _found(x: Any) -> list[Any]:
    """Masses of sum at most 1."""
    total = sum(x)
    return [part / total if total > 1 else part for part in x]


def _one_ramp(snap: Any, kind: int, x: Any, ar: Any) -> Pair:
    """The second largest argument of a ramp is not positive; type 0 is held, with terminal mass if `kind` is 1."""
    token, found = np.array([x[0], 0, 0]), np.array(_found(x[1:]))
    arguments = sorted(z for zs in snap.inputs(token, found, np.array([kind, 0, 1])) for z in zs)
    # They lie above -32.
    return 32 + arguments[-2], 32


def _restored(snap: Any, kind: int, x: Any, ar: Any) -> Pair | None:
    """A whole token: a terminal one stays, a moving one becomes what is found with 3/4, or stays below 1/4."""
    found = _found(x)
    if kind == 0 and max(found[1:]) < Fraction(3, 4) and sum(found) > Fraction(1, 4):
        return None
    expected = 0 if kind == 1 or sum(found) <= Fraction(1, 4) else 1 + found[1:].index(max(found[1:]))
    out = snap(np.array([Fraction(1), 0, 0]), np.array(found), np.array([kind, 0, 1]), clip_exact)
    wrong = sum(abs(value - (at == expected)) for at, value in enumerate(out))
    return 1 + wrong, 1


@cache
def _reflexive_inputs(tokens: int, length: int) -> list[tuple[int, ...]]:
    """Those whose query is token 0, as good as any."""
    return [(*chosen, 0) for chosen in product(range(tokens), repeat=length - 1)]


def _least(tokens: int, weights: list[Any], residual: bool) -> Any:
    values = values_of(positional_reflexive_head(tokens).W_V)
    inputs = _reflexive_inputs(tokens, len(weights))
    return min(margin for chosen in inputs for margin in margins(values, chosen, weights, residual).values())


def _residual(variant: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """For any weights of the keys."""
    tokens, _ = setting
    own = x[-1] if variant.self_seen else Fraction(0)
    weights = [*x[:-1], own]
    return variant.least(own / sum(weights)), _least(tokens, weights, variant.residual)


def _by_position(variant: Any, setting: tuple[int, int], x: Any, ar: Any) -> Pair | None:
    """For any weights of offsets 1..n: all inputs decode iff F < bound, with least margin (1 - F)/(1 + F)."""
    tokens, length = setting
    least = _least(tokens, [*reversed(x[: length - 1]), Fraction(1)], residual=False)
    return _iff(least, sum(x[: variant.last(length)], Fraction(0)), variant.bound)


def _iff(least: Any, competing: Any, bound: int) -> Pair:
    """Margins lie between -1 and 1."""
    if competing < bound:
        return 2 + max((1 - competing) / (1 + competing), 0), 2 + least
    return 2 + least, 2


@cache
def _steps(variant: Any, keys: str, tokens: int, length: int) -> dict[tuple[int, int, int], int]:
    head = circle_reflexive_head(tokens, variant.angle) if keys == "circle" else orthonormal_reflexive_head(tokens)
    one_hot = sympy.eye(tokens)
    return {
        (query, key, position): half_steps(1 - head.logit(one_hot[:, query], length, one_hot[:, key], position))
        for query, key, position in product((0,), range(tokens), range(1, length + 1))
    }


@cache
def _symbolic_gap(variant: Any, keys: str, tokens: int) -> int:
    gap = variant.circle_gap(sympy.Integer(tokens)) if keys == "circle" else sympy.Integer(variant.orthonormal_gap)
    return half_steps(gap)


def _by_content(variant: Any, setting: tuple[str, int, int], x: Any, ar: Any) -> Pair:
    """The base is e^(-beta/2): at these alphabets all gaps are multiples of 1/2."""
    keys, tokens, length = setting
    steps, values = _steps(variant, keys, tokens, length), values_of(positional_reflexive_head(tokens).W_V)
    least = Fraction(3)
    for chosen in _reflexive_inputs(tokens, length):
        weights = [x[0] ** steps[chosen[-1], key, position] for position, key in enumerate(chosen, 1)]
        least = min(least, *margins(values, chosen, weights, residual=False).values())
    competing = variant.competitors(length) * x[0] ** _symbolic_gap(variant, keys, tokens)
    return _iff(least, competing, 1)


LAYERS = [
    Duel(
        "decoder-snap",
        "second ramp, (1 for a terminal token)",
        (0, 1),
        lambda _: [Axis("p", 0, 1), *(Axis(f"a_{j}", 0, 1) for j in range(3))],
        _one_ramp,
        ("a fixed threshold, no gate", "ramps from 1/4"),
        exact=True,
    ),
    Duel(
        "decoder-snap",
        "a whole token, (1 for a terminal token)",
        (0, 1),
        lambda _: [Axis(f"a_{j}", 0, 1) for j in range(3)],
        _restored,
        ("a fixed threshold, no gate", "ramps of half the slope", "ramps from 3/4"),
        exact=True,
    ),
    Duel(
        "reflexive-constructions",
        "least margin at any weights, (tokens, n)",
        ((2, 2), (3, 2), (2, 4)),
        lambda setting: [Axis(f"a_{j}", 0.01, 1) for j in range(setting[1])],
        _residual,
        ("w_n", "3 w_n", "as without a residual", "without residual"),
        exact=True,
        sharp=True,
    ),
    Duel(
        "reflexive-positional",
        "least margin at any weights, (tokens, n)",
        ((2, 3), (2, 2), (3, 3)),
        lambda setting: [Axis(f"f_{t}", 0.01, 1) for t in range(1, setting[1] + 1)],
        _by_position,
        ("bound 3, as for Index letters", "t runs to n", "t runs to n - 2"),
        exact=True,
    ),
    Duel(
        "reflexive-symbolic",
        "least margin at any temperature, (keys, tokens, n)",
        (("circle", 3, 3), ("orthonormal", 3, 3), ("circle", 4, 3), ("orthonormal", 2, 4)),
        lambda _: (Axis("e^(-beta/2)", 0.01, 0.99),),
        _by_content,
        ("circle divided by S - 1", "n in place of n - 1", "orthonormal gap 2"),
        exact=True,
    ),
]
