"""A one-head attention layer as SymPy matrices: the one source of the closed forms and of the torch weights."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix

from theory.rope.rotation import logit, rotation

UP = Matrix([0, 1])


def code(angle: Expr) -> Matrix:
    """rho(-angle) (0, 1)^T, the unit vector that codes a letter or an offset, 2 x 1."""
    return rotation(-angle) * UP


@dataclass(frozen=True)
class Head:
    """Query, key and value maps of a head over one-hot embeddings, with one frequency for each plane.

    Shapes: `W_Q` and `W_K` are d_head x d with d_head = 2 * len(angles); `W_V` is d x d. Frequencies are radians per
    position.
    """

    angles: tuple[Expr, ...]
    W_Q: Matrix
    W_K: Matrix
    W_V: Matrix

    def logit(self, query: Matrix, query_position: Expr, key: Matrix, key_position: Expr) -> Expr:
        """The logit of a query embedding at one position and a key embedding at another (d x 1 each)."""
        return logit(self.W_Q * query, query_position, self.W_K * key, key_position, self.angles)
