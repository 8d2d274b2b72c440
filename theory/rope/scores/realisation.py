"""A RoPE head with a prescribed logit matrix, once it has a coordinate for each earlier token.

Source: arXiv 2605.31558, App. C.1 and Def. D.1; the realisation is derived here. M[c, p] is the logit of content c at
position p = 1..N against one query, which stays at position N + 1: row c is a linear image of the key of content c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.quantities import Enclosure, Vector, quantity

Floats = NDArray[np.float64]
Plane = tuple[Any, Any]
Function = Callable[[Any], Any]


def orbit(turns: Sequence[Plane], query: Sequence[Plane], length: int) -> list[list[Any]]:
    """R^r q for the offsets r = length, ..., 1 of positions 1..length, generic over the arithmetic.

    `turns` holds (cos theta_k, sin theta_k) of each plane, `query` the two coordinates of q in it.
    """
    rows, planes = [], list(query)
    for _ in range(length):
        planes = [(c * x - s * y, s * x + c * y) for (c, s), (x, y) in zip(turns, planes, strict=True)]
        rows.append([coordinate for plane in planes for coordinate in plane])
    return rows[::-1]


def least_keys(M: Any, rows: Any) -> Any:
    """The shortest keys k_c with rows k_c = M[c, :], N x 2m, for python-flint matrices of rationals or of balls.

    ZeroDivisionError where the rows are, or cannot be told from, linearly dependent.
    """
    return (rows * rows.transpose()).solve(M.transpose()).transpose() * rows


def realise(M: ArrayLike, angles: ArrayLike) -> tuple[Floats, Floats]:
    """A query, shape (2m,), and keys, shape (N, 2m), in float64 whose head has the logit matrix M, shape (N, N).

    The query stands at position N + 1, key c is that of content c; plane k turns coordinates 2k - 1 and 2k by
    `angles[k]` radians a position; `residual_bound` says how far its logits may be off. Raises InputError unless M is
    square and finite, 2m >= N, and the frequencies are distinct and in (0, pi), by enough for float64 to carry M.
    """
    from scipy.linalg import qr, solve_triangular

    target, frequencies = np.asarray(M, dtype=np.float64), np.asarray(angles, dtype=np.float64)
    size, width = len(target) if target.ndim else 0, 2 * frequencies.size
    if target.shape != (size, size) or not size or not np.isfinite(target).all():
        raise InputError(f"M of shape {target.shape} is no square matrix of finite logits; give N x N numbers, N >= 1")
    if width < size:
        raise InputError(f"N = {size} positions take at least N/2 planes; angles has {frequencies.size}, give more")
    if not ((frequencies > 0) & (frequencies < np.pi)).all() or np.unique(frequencies).size < frequencies.size:
        raise InputError(f"angles={frequencies.tolist()} repeat or leave (0, pi); give distinct ones in between")
    phases = np.outer(np.arange(size, 0, -1), frequencies)
    rows = np.stack([np.cos(phases), np.sin(phases)], axis=-1).reshape(size, width)
    # The shortest solution by orthogonal factors: backward stable, however close the frequencies are.
    Q, R = qr(rows.T, mode="economic")
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # keys beyond float64 have no bound
            keys = (Q @ solve_triangular(R, target.T, trans="T")).T
            carried = residual_bound(keys, frequencies) <= abs(target).max()
    except np.linalg.LinAlgError:
        carried = False
    if not carried:
        raise InputError(
            f"angles={frequencies.tolist()} nearly coincide: float64 loses M; give frequencies further apart"
        )
    return np.tile([1.0, 0.0], frequencies.size), keys


def determinant(angles: Sequence[Any], norms: Sequence[Any], cos: Function, sin: Function) -> Any:
    """The determinant of key -> logits at offsets 1, ..., N = 2m, generic over the arithmetic; `norms` are |q_k|^2.

    A Vandermonde determinant of the nodes exp(+-i theta_k): it vanishes only where a plane of q does, two frequencies
    agree, or one is 0 or pi.
    """
    single = prod(norm * sin(angle) for norm, angle in zip(norms, angles, strict=True))
    return single * prod(4 * (cos(a) - cos(b)) ** 2 for a, b in combinations(angles, 2))


@quantity("realisation-determinant", unit="1", claim="rope-realises-any-logits")
def realisation_determinant(angles: Vector) -> Enclosure:
    """Determinant of the map from a key to its N = 2m logits, for a query with unit planes; 0 if some M has no head."""
    return Enclosure(Real.of(determinant(angles, [sympy.S.One] * len(angles), sympy.cos, sympy.sin)))


def residual_bound(keys: Floats, angles: Floats) -> float:
    """Bound on the float64 error of a logit of `realise`, for a query with unit planes.

    Householder factors solve a system whose rows are off by 12 N (2m) u |rows| (Higham, Accuracy and Stability, Thm
    21.4); a phase t theta is rounded to t theta u, and a dot product of 2m terms loses (2m + 4) u |q| |k|.
    """
    size, width = keys.shape
    unit = np.finfo(np.float64).eps / 2
    rows, longest = np.sqrt(size * width / 2), np.linalg.norm(keys, axis=1).max()
    phases = 2 * (2 * size + 1) * angles.max()
    return float(unit * longest * (12 * size * width * rows + np.sqrt(width / 2) * (phases + width + 4)))
