"""The Retrieval head as printed: letters on a circle, a key found by its left letter.

Source: arXiv 2605.31558, Theorem 3.1 and App. F.2.2. Tokens are pairs (left letter, right letter or integer).
Letters are numbered from 0; of A letters and I integers, a right letter R has number R, an integer i number A + i - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import sympy
from sympy import Expr, Matrix, cos, pi

from theory.arithmetic.real import Real, RealLike
from theory.claims import Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Identity
from theory.rope.head import Head, code
from theory.rope.rotation import PAPER, logit
from theory.symbols import j, n, omega, phi_c, phi_q, theta


def letter_step(letters: int) -> Expr:
    """The angle omega = 2 pi/A between neighbouring letters, radians. InputError for fewer than two letters."""
    if letters < 2:
        raise InputError(f"letters={letters} is below 2: one letter has no competitor; give an alphabet of at least 2")
    return 2 * pi / letters


def letter_number(value: RealLike, letters: int) -> int:
    """The value as the number of a letter. InputError unless it is an integer in 0..A-1."""
    number = Real.of(value).exact
    if number is None or number.denominator > 1 or not 0 <= number < letters:
        raise InputError(f"{value} is no letter of an alphabet of {letters}; number letters from 0 to {letters - 1}")
    return number.numerator


def pairs(letters: int, integers: int) -> list[tuple[int, int]]:
    """All tokens (left, right) in the order of the one-hot embedding: token (L, R) has number L (A + I) + R."""
    letter_step(letters)
    if integers < 1:
        raise InputError(f"integers={integers} is below 1: no token ends a walk; give at least one integer")
    return [(left, right) for left in range(letters) for right in range(letters + integers)]


def key_column(left: Expr, step: Expr = omega) -> Matrix:
    """W_K on a token with this left letter, 2 x 1; the right half is not seen."""
    return code(left * step)


def query_column(wanted: Expr, step: Expr = omega) -> Matrix:
    """W_Q on a token that wants this left letter, 2 x 1: its own left letter if its right half is an integer."""
    return code(wanted * step)


def wanted_letter(left: int, right: int, letters: int) -> int:
    """The left letter that a token looks for: its right letter, or for a right integer its own left letter."""
    return right if right < letters else left


def retrieval_head(letters: int, integers: int, angle: Expr = theta) -> Head:
    """T_Retrieval as printed: d = A(A + I), d_head = 2, values are the tokens themselves (W_V = identity, F(x, a) = a).

    Raises InputError for fewer than two letters or no integer.
    """
    step = letter_step(letters)
    tokens = pairs(letters, integers)
    W_Q = Matrix.hstack(*(query_column(wanted_letter(left, right, letters), step) for left, right in tokens))
    W_K = Matrix.hstack(*(key_column(left, step) for left, _ in tokens))
    return Head((sympy.sympify(angle, strict=True),), W_Q, W_K, sympy.eye(len(tokens)))


Phase = Callable[[Any, Any, Any, Any, Any], Any]


def retrieval_phase(left: Any, wanted: Any, offset: Any, step: Any, angle: Any) -> Any:
    """The phase of the logit of a key with a left letter, `offset` places before a query; in the unit of the angles."""
    return (left - wanted) * step + offset * angle


@claim(
    "retrieval-logit",
    source=Source(PAPER, "Thm 3.1 and App. F.2.2"),
    quantifiers="for all letters of key and query, positions n and j, and angles theta, omega; an identity",
    statement=lambda phase: sympy.Eq(sympy.Symbol("L(x_n, n, x_j, j)"), cos(phase(phi_c, phi_q, n - j, omega, theta))),
    variant=retrieval_phase,
    controls={
        "letters exchanged": lambda left, wanted, offset, step, angle: (wanted - left) * step + offset * angle,
        "offsets counted from 1": lambda left, wanted, offset, step, angle: (
            (left - wanted) * step + (offset + 1) * angle
        ),
        "key moves forward": lambda left, wanted, offset, step, angle: (left - wanted) * step - offset * angle,
    },
    does_not_show="that the largest logit belongs to the token that Retrieval returns",
)
def retrieval_logit(phase: Phase, thorough: bool) -> Iterator[Evidence]:
    """The columns with symbolic letters, then every pair of tokens through W_Q and W_K at angles with exact cosines."""
    columns = logit(query_column(phi_q), n, key_column(phi_c), j, [theta])
    yield Identity("columns", [("logit", columns, cos(phase(phi_c, phi_q, n - j, omega, theta)))])
    yield Enumeration("tokens through W_Q and W_K, theta = pi/6", _token_pairs(phase, 4 if thorough else 3))


def _token_pairs(phase: Phase, most: int) -> Iterator[tuple[object, bool]]:
    for letters in range(2, most + 1):
        angle = pi / 6
        head, tokens = retrieval_head(letters, 1, angle), pairs(letters, 1)
        for (query, key), last in product(product(range(len(tokens)), repeat=2), (1, 2)):
            q, k = head.W_Q[:, query], head.W_K[:, key]
            turned = phase(
                tokens[key][0], wanted_letter(*tokens[query], letters), last - 1, letter_step(letters), angle
            )
            same = sympy.expand(logit(q, last, k, 1, head.angles) - cos(turned)) == 0
            yield {"A": letters, "query": tokens[query], "key": tokens[key], "n": last, "j": 1}, same
