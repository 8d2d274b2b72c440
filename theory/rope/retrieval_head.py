"""The Retrieval head as printed: letters on a circle, a key found by its left letter.

Source: arXiv 2605.31558, Theorem 3.1 and App. F.2.2. Tokens are pairs (left letter, right letter or integer).
Letters are numbered from 0; of A letters and I integers, a right letter R has number R, an integer i number A + i - 1.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Matrix, pi

from theory.errors import InputError
from theory.rope.head import Head, code
from theory.symbols import omega, theta


def letter_step(letters: int) -> Expr:
    """The angle omega = 2 pi/A between neighbouring letters, radians. InputError for fewer than two letters."""
    if letters < 2:
        raise InputError(f"letters={letters} is below 2: one letter has no competitor; give an alphabet of at least 2")
    return 2 * pi / letters


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
    return Head((sympy.sympify(angle),), W_Q, W_K, sympy.eye(len(tokens)))
