"""Rotary position embedding: rotations, logits and layouts; the logit depends on the offset only.

Source: arXiv 2605.31558, App. C.1. Coordinates are paired (adjacent layout): plane k holds coordinates 2k - 1 and 2k.
Positions are integers, frequencies radians per position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import sympy
from sympy import Expr, ImmutableMatrix, IndexedBase, Matrix, cos, sin, symbols

from theory.arithmetic.real import Real
from theory.claims import Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Identity
from theory.quantities import Count, Enclosure, Vector, quantity
from theory.symbols import i, j, theta

PAPER = "2605.31558"


def rotation(angle: Expr) -> Matrix:
    """The plane rotation rho(angle), 2 x 2."""
    return Matrix([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])


def rope(angles: Sequence[Expr], position: Expr) -> Matrix:
    """R^position for planes of the given frequencies, 2m x 2m, adjacent layout."""
    return sympy.diag(*(rotation(position * angle) for angle in angles))


def half_split_rope(angles: Sequence[Expr], position: Expr) -> Matrix:
    """R^position in the half-split layout, in which plane k holds coordinates k and k + m."""
    c = sympy.diag(*(cos(position * angle) for angle in angles))
    s = sympy.diag(*(sin(position * angle) for angle in angles))
    return Matrix.vstack(Matrix.hstack(c, -s), Matrix.hstack(s, c))


def half_split(width: int) -> Matrix:
    """The permutation P that takes adjacent coordinates to half-split ones, width x width, width even."""
    order = [*range(0, width, 2), *range(1, width, 2)]
    return Matrix(width, width, lambda row, column: int(order[row] == column))


def logit(query: Matrix, query_position: Expr, key: Matrix, key_position: Expr, angles: Sequence[Expr]) -> Expr:
    """The logit (R^j k)^T (R^i q) of a query at i and a key at j, straight from the definition."""
    turned_key, turned_query = _turn(tuple(angles), key_position) * key, _turn(tuple(angles), query_position) * query
    return turned_key.dot(turned_query)


@cache  # many tokens stand at the same few positions
def _turn(angles: tuple[Expr, ...], position: Expr) -> ImmutableMatrix:
    return rope(angles, position).as_immutable()


# A rule asserts the logit of one plane, given a function that turns a vector by a number of positions.
Turn = Callable[[Any, Any], Any]
Dot = Callable[[Any, Any], Any]
Rule = Callable[[Any, Any, Any, Any, Turn, Dot], Any]


def relative(q: Any, query_position: Any, k: Any, key_position: Any, turn: Turn, dot: Dot) -> Any:
    """k^T rho(theta)^{i - j} q: the logit of one plane as a function of the offset."""
    return dot(k, turn(q, query_position - key_position))


def _symbolic(rule: Rule, query: Matrix, key: Matrix, frequency: Expr) -> Expr:
    return rule(query, i, key, j, lambda v, t: rotation(t * frequency) * v, lambda a, b: a.dot(b))


_QUERY, _KEY = Matrix(symbols("q_1 q_2", real=True)), Matrix(symbols("k_1 k_2", real=True))


@claim(
    "rope-relative-logit",
    source=Source(PAPER, "App. C.1"),
    quantifiers="for all q, k, positions i, j and frequencies, any number of planes; an identity",
    statement=lambda rule: sympy.Eq(sympy.Symbol("(R^j k)^T (R^i q)"), _symbolic(rule, _QUERY, _KEY, theta)),
    variant=relative,
    controls={
        "query and key exchanged": lambda q, a, k, b, turn, dot: dot(q, turn(k, a - b)),
        "exponent i + j": lambda q, a, k, b, turn, dot: dot(k, turn(q, a + b)),
    },
    does_not_show="that computed logits are exactly relative: rounded angles break the shift invariance",
)
def rope_relative_logit(rule: Rule, thorough: bool) -> Iterator[Evidence]:
    """A plane of symbolic index is reduced to 0, planes add up, the polar form follows; rational rotations agree."""
    frequency = IndexedBase("theta", real=True)[symbols("k", integer=True)]
    yield Identity(
        "one plane",
        [("plane k", logit(_QUERY, i, _KEY, j, [frequency]), _symbolic(rule, _QUERY, _KEY, frequency))],
    )
    yield Identity("m planes are the sum of their planes", ((f"m = {m}", *_blocks(m)) for m in range(1, 5)))
    yield Identity("polar form", [("norms times the cosine of the phase", *_polar(rule))])
    yield Enumeration("rotations by the angle with cosine 3/5", _rational_cases(rule, reach=6 if thorough else 3))


def _blocks(m: int) -> tuple[Expr, Expr]:
    angles = symbols(f"theta_1:{m + 1}", real=True)
    query, key = (Matrix(symbols(f"{name}_1:{2 * m + 1}", real=True)) for name in "qk")
    planes = (logit(query[2 * p : 2 * p + 2, :], i, key[2 * p : 2 * p + 2, :], j, [angles[p]]) for p in range(m))
    return logit(query, i, key, j, angles), sum(planes)


def _polar(rule: Rule) -> tuple[Expr, Expr]:
    norm_q, norm_k, arg_q, arg_k = symbols("|q| |k| arg_q arg_k", real=True)
    query, key = (norm * Matrix([cos(arg), sin(arg)]) for norm, arg in ((norm_q, arg_q), (norm_k, arg_k)))
    return _symbolic(rule, query, key, theta), norm_q * norm_k * cos((i - j) * theta + arg_q - arg_k)


def _rational_cases(rule: Rule, reach: int) -> Iterator[tuple[object, bool]]:
    def turn(vector: tuple[Fraction, Fraction], times: int) -> tuple[Fraction, Fraction]:
        x, y = vector
        s = Fraction(4 if times >= 0 else -4, 5)
        for _ in range(abs(times)):
            x, y = Fraction(3, 5) * x - s * y, s * x + Fraction(3, 5) * y
        return x, y

    def dot(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction]) -> Fraction:
        return a[0] * b[0] + a[1] * b[1]

    vectors = [(Fraction(x), Fraction(y)) for x, y in product((0, 1, -2), repeat=2)]
    for q, k, a, b in product(vectors, vectors, range(reach), range(reach)):
        defined = dot(turn(k, b), turn(q, a))
        yield {"q": q, "k": k, "i": a, "j": b}, defined == rule(q, a, k, b, turn, dot)


@quantity("rope-logit", unit="logit", claim="rope-relative-logit")
def rope_logit(q: Vector, k: Vector, frequencies: Vector, i: Count, j: Count) -> Enclosure:
    """(R^j k)^T (R^i q), the logit of a query q at position i and a key k at j, adjacent coordinates paired."""
    if not len(q) == len(k) == 2 * len(frequencies):
        raise InputError(
            f"q has {len(q)} entries and k {len(k)} for {len(frequencies)} frequencies; give two of each a frequency"
        )
    return Enclosure(Real.of(logit(Matrix(q), sympy.Integer(i), Matrix(k), sympy.Integer(j), frequencies)))


Layout = Callable[[Matrix, Matrix, Matrix], tuple[Matrix, Matrix]]


@claim(
    "rope-layouts",
    source=Source(PAPER, "App. C.1", "derived"),
    quantifiers="for all q, k, positions and frequencies, m = 1..4 planes; an identity",
    statement=lambda layout: (
        f"the half-split logit of {layout(*symbols('P q k', commutative=False))} is the adjacent logit of (q, k)"
    ),
    variant=lambda P, q, k: (P * q, P * k),
    controls={
        "only the query is permuted": lambda P, q, k: (P * q, k),
        "only the key is permuted": lambda P, q, k: (q, P * k),
    },
    does_not_show="which layout a given model uses: that needs a probe of the model",
)
def rope_layouts(layout: Layout, thorough: bool) -> Iterator[Evidence]:
    """The definitions in the two layouts agree under one permutation of both sides, symbolically and on a basis."""
    yield Identity("m planes", ((f"m = {m}", *_both_layouts(layout, m)) for m in range(2, 5)))
    yield Enumeration("quarter turns, exact", _quarter_turns(layout, 3 if thorough else 2))


def _half_split_logit(layout: Layout, query: Matrix, a: Expr, key: Matrix, b: Expr, angles: Sequence[Expr]) -> Expr:
    moved_query, moved_key = layout(half_split(len(query)), query, key)
    return (half_split_rope(angles, b) * moved_key).dot(half_split_rope(angles, a) * moved_query)


def _both_layouts(layout: Layout, m: int) -> tuple[Expr, Expr]:
    angles = symbols(f"theta_1:{m + 1}", real=True)
    query, key = (Matrix(symbols(f"{name}_1:{2 * m + 1}", real=True)) for name in "qk")
    return logit(query, i, key, j, angles), _half_split_logit(layout, query, i, key, j, angles)


def _quarter_turns(layout: Layout, reach: int) -> Iterator[tuple[object, bool]]:
    angles = (sympy.pi / 2, sympy.pi)
    basis = [Matrix(sympy.eye(4)[:, column]) for column in range(4)]
    for query, key, a, b in product(basis, basis, range(reach), range(reach)):
        same = logit(query, a, key, b, angles) == _half_split_logit(layout, query, a, key, b, angles)
        yield {"q": tuple(query), "k": tuple(key), "i": a, "j": b}, same
