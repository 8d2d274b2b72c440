"""Exact points of convex and affine hulls of a few rational points: weights, nearest points, squared distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from flint import fmpq, fmpq_mat

from theory.errors import InputError
from theory.inference.simplex import Vector, combined, dot

# Faces are searched one by one: beyond this their number is refused.
MOST_POINTS = 12


def squared_gap(a: Vector, b: Vector) -> Fraction:
    """|a - b|^2."""
    gap = tuple(x - y for x, y in zip(a, b, strict=True))
    return Fraction(dot(gap, gap))


def solved(rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
    """The solution of a square system of linear equations; None where it has none or several."""
    matrix = fmpq_mat([[_fmpq(entry) for entry in row] for row in rows])
    if matrix.det() == 0:
        return None
    solution = matrix.solve(fmpq_mat(len(right), 1, [_fmpq(entry) for entry in right]))
    return tuple(Fraction(int(solution[k, 0].p), int(solution[k, 0].q)) for k in range(len(right)))


def affine_weights(points: Sequence[Vector], target: Vector) -> tuple[Fraction, ...] | None:
    """The weights z, sum z = 1, that bring sum_k z_k p_k nearest to the target; None where they are not unique."""
    rows = [[*(dot(p, q) for q in points), Fraction(1)] for p in points]
    rows.append([*[Fraction(1)] * len(points), Fraction(0)])
    solution = solved(rows, [*(dot(p, target) for p in points), Fraction(1)])
    return None if solution is None else solution[:-1]


def _fmpq(value: Fraction | int) -> fmpq:
    return fmpq(int(value.numerator), int(value.denominator))


def _faces(points: Sequence[Vector], target: Vector) -> Iterator[tuple[Fraction, tuple[Fraction, ...]]]:
    """Squared distance and weights of the nearest point of each affinely independent face that holds it."""
    dimensions = len(target)
    for size in range(1, min(len(points), dimensions + 1) + 1):
        for chosen in combinations(range(len(points)), size):
            weights = affine_weights([points[k] for k in chosen], target)
            if weights is not None and min(weights) >= 0:
                full = [Fraction(0)] * len(points)
                for k, weight in zip(chosen, weights, strict=True):
                    full[k] = weight
                yield squared_gap(combined(full, points), target), tuple(full)


def nearest(points: Sequence[Vector], target: Vector) -> tuple[Fraction, tuple[Fraction, ...]]:
    """The squared distance from the convex hull, and weights of the nearest point of it.

    Raises InputError for too many points.
    """
    if len(points) > MOST_POINTS:
        raise InputError(f"{len(points)} points have too many faces to search; give at most {MOST_POINTS}")
    return min(_faces(points, target), key=lambda face: face[0])


def in_hull(points: Sequence[Vector], target: Vector) -> bool:
    """Whether the target is a convex combination of the points."""
    return nearest(points, target)[0] == 0


def affine_distance(points: Sequence[Vector], target: Vector) -> Fraction:
    """The squared distance from the affine hull, whose weights may be negative."""
    dimensions = len(target)
    found = [
        squared_gap(combined(weights, chosen), target)
        for size in range(1, min(len(points), dimensions + 1) + 1)
        for chosen in combinations(points, size)
        if (weights := affine_weights(chosen, target)) is not None
    ]
    return min(found)
