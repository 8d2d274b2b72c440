"""Heads that attend to their own token: three codes for Reflexive, all over one-hot embeddings.

Source: derived here for arXiv 2605.31558, Section 3, which uses Reflexive layers without giving one. Values are the
tokens themselves (W_V = identity); the layer returns x + a with a residual, a without. Tokens are numbered from 0.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Matrix, S, pi

from theory.errors import InputError
from theory.rope.head import UP, Head, code
from theory.symbols import omega, theta


def _check(tokens: int) -> None:
    if tokens < 2:
        raise InputError(f"tokens={tokens} is below 2: one token has no competitor; give at least two")


def _aligned(angles: tuple[Expr, ...], columns: Matrix) -> Head:
    return Head(angles, columns, columns, sympy.eye(columns.cols))


def positional_reflexive_head(tokens: int, angle: Expr = theta) -> Head:
    """Every query and every key is (0, 1)^T: logits cos((i - j) angle), d = `tokens`, d_head = 2.

    Raises InputError for fewer than two tokens.
    """
    _check(tokens)
    return _aligned((angle,), UP * sympy.ones(1, tokens))


def token_column(token: Expr, step: Expr = omega) -> Matrix:
    """The query and the key rho(step)^-token (0, 1)^T of a token on the circle, 2 x 1."""
    return code(token * step)


def token_step(tokens: int) -> Expr:
    """The angle 2 pi/tokens between neighbouring tokens, radians. InputError for fewer than two."""
    _check(tokens)
    return 2 * pi / tokens


def circle_reflexive_head(tokens: int, angle: Expr = S.Zero) -> Head:
    """Tokens at equal angles on a circle: logits cos(2 pi (a - b)/tokens) at frequency 0, d = `tokens`, d_head = 2.

    Raises InputError for fewer than two tokens.
    """
    step = token_step(tokens)
    columns = Matrix.hstack(*(token_column(token, step) for token in range(tokens)))
    return _aligned((angle,), columns)


def orthonormal_reflexive_head(tokens: int) -> Head:
    """Tokens at orthonormal vectors: logits 1 for the same token and 0 for others, at frequency 0.

    d = `tokens`, d_head = `tokens` or one more, to be even. Raises InputError for fewer than two tokens.
    """
    _check(tokens)
    padding = sympy.zeros(tokens % 2, tokens)
    return _aligned((S.Zero,) * ((tokens + 1) // 2), Matrix.vstack(sympy.eye(tokens), padding))
