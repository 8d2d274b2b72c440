"""Three repairs of the Retrieval head that also serve tokens with a right integer, all at frequency 0.

R1 adds a gated residual to the printed head (R1': a plain residual in doubled width), R2 codes the integer in a
second plane, R3 divides the sector of each letter into M = I + 1 sub-sectors of width omega' = omega/M.

Source: derived here for arXiv 2605.31558, Theorem 3.1.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Matrix, S, pi

from theory.errors import InputError
from theory.rope.head import Head, code
from theory.rope.retrieval.head import letter_step, pairs, retrieval_head, wanted_letter
from theory.symbols import omega

NOTHING = sympy.zeros(2, 1)


def r1_head(letters: int, integers: int) -> Head:
    """R1: the printed head at frequency 0; its output is F(x, a) = W_R x + a with `r1_residual`."""
    return retrieval_head(letters, integers, sympy.Integer(0))


def r1_residual(letters: int, integers: int, gain: Expr = S.One) -> Matrix:
    """W_R, d x d: `gain` on tokens with a right integer, 0 on all others."""
    return sympy.diag(*(gain if right >= letters else 0 for _, right in pairs(letters, integers)))


def r1_doubled_head(letters: int, integers: int) -> Head:
    """R1': width 2d, token e as (e, 0), attention writes the second half, plain residual F(x, a) = x + a."""
    head = r1_head(letters, integers)
    width = head.W_V.rows
    unseen, none = sympy.zeros(2, width), sympy.zeros(width)
    W_V = Matrix.vstack(Matrix.hstack(none, none), Matrix.hstack(head.W_V, none))
    return Head(head.angles, Matrix.hstack(head.W_Q, unseen), Matrix.hstack(head.W_K, unseen), W_V)


def r1_doubled_unembedding(letters: int, integers: int, gain: Expr = S.One) -> Matrix:
    """The read-out of R1', d x 2d: `gain` times a token with a right integer, plus what was attended."""
    residual = r1_residual(letters, integers, gain)
    return Matrix.hstack(residual, sympy.eye(residual.rows))


def integer_step(integers: int) -> Expr:
    """omega_I = 2 pi/I, the angle between neighbouring integers in the second plane of R2, radians."""
    if integers < 1:
        raise InputError(f"integers={integers} is below 1: no token ends a walk; give at least one integer")
    return 2 * pi / integers


def r2_key_column(left: Expr, integer: Expr | None, step: Expr = omega, second: Expr = omega) -> Matrix:
    """W_K of R2 on (left, integer), or with None on a token with a right letter, 4 x 1: letter plane, integer plane."""
    return Matrix.vstack(code(left * step), NOTHING if integer is None else code(integer * second))


def r2_query_column(wanted: Expr, integer: Expr | None, step: Expr = omega, second: Expr = omega) -> Matrix:
    """W_Q of R2, 4 x 1: the wanted left letter and, for a right integer, the integer too."""
    return r2_key_column(wanted, integer, step, second)


def r2_head(letters: int, integers: int) -> Head:
    """R2: d_head = 4, frequency 0 in both planes, W_V = identity, F(x, a) = a."""
    steps = letter_step(letters), integer_step(integers)
    W_Q, W_K = [], []
    for left, right in pairs(letters, integers):
        integer = None if right < letters else right - letters + 1
        W_Q.append(r2_query_column(wanted_letter(left, right, letters), integer, *steps))
        W_K.append(r2_key_column(left, integer, *steps))
    return Head((S.Zero, S.Zero), Matrix.hstack(*W_Q), Matrix.hstack(*W_K), sympy.eye(len(W_Q)))


def r3_key_column(left: Expr, slot: Expr, integers: Expr, step: Expr = omega) -> Matrix:
    """W_K of R3, 2 x 1: sub-sector `slot` of the letter's sector, 0 for a right letter and i for an integer i."""
    return code(left * step + (slot - S.Half * integers) * step / (integers + 1))


def r3_query_column(wanted: Expr, slot: Expr | None, integers: Expr, step: Expr = omega) -> Matrix:
    """W_Q of R3, 2 x 1: the key of the token itself, or with None the middle of the wanted letter's sector."""
    return code(wanted * step) if slot is None else r3_key_column(wanted, slot, integers, step)


def r3_head(letters: int, integers: int, angle: Expr = S.Zero) -> Head:
    """R3: d_head = 2, W_V = identity, F(x, a) = a; the repair is the head with `angle` 0."""
    step = letter_step(letters)
    W_Q, W_K = [], []
    for left, right in pairs(letters, integers):
        slot = None if right < letters else right - letters + 1
        W_Q.append(r3_query_column(wanted_letter(left, right, letters), slot, integers, step))
        W_K.append(r3_key_column(left, slot or 0, integers, step))
    return Head((sympy.sympify(angle, strict=True),), Matrix.hstack(*W_Q), Matrix.hstack(*W_K), sympy.eye(len(W_Q)))
