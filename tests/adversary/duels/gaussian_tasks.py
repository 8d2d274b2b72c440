"""Gaussian tasks: means, data and weights are free."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tests.adversary.duel import Axis, Duel, Pair
from theory.inference.gaussian.log_ratio import DELTA
from theory.inference.simplex import centred, combined, dot, normalised


def _points(x: Any, count: int, dimensions: int) -> list[tuple[Any, ...]]:
    return [tuple(x[k * dimensions : (k + 1) * dimensions]) for k in range(count)]


def _coordinates(names: Sequence[str], dimensions: int, low: float = -2, high: float = 2) -> list[Axis]:
    return [Axis(f"{name}, coordinate {i + 1}", low, high) for name in names for i in range(dimensions)]


def _remainder(claimed: Any, dimensions: int, x: Any, ar: Any) -> Pair | None:
    """The share of task 1 minus its first-order reading; nearer to Delta = 0 the ratio is 1 to rounding."""
    first, second, datum = _points(x, 3, dimensions)
    delta = sum((a - b) * (t - (a + b) / 2) for a, b, t in zip(first, second, datum, strict=True))
    if not abs(delta) > 0.1:
        return None
    error = abs(1 / (1 + np.exp(-delta)) - 0.5 - delta / 4)
    return error, ar.formula(claimed.bound, {DELTA: abs(delta)})


def _remainder_axes(dimensions: int) -> list[Axis]:
    return _coordinates(("m_1", "m_2", "x"), dimensions)


def _hidden(claimed: Any, setting: Any, x: Any, ar: Any) -> Pair:
    """A parameter among the others, in the hull that is claimed, against the largest of their gradients."""
    others, dimensions = setting
    points = _points(x[others:], others, dimensions)
    direction = x[-dimensions:]
    if claimed.hull == "convex":
        weights = normalised(x[:others])
    else:
        free = [4 * w - 2 for w in x[1:others]]
        weights = (1 - sum(free), *free)
    own = dot(combined(weights, points), direction)
    return 1 + own - max(dot(p, direction) for p in points), 1 + 0 * own


def _hidden_axes(setting: Any) -> list[Axis]:
    others, dimensions = setting
    weights = [Axis(f"weight {k + 1}", 1e-3, 1) for k in range(others)]
    names = [*(f"eta_{k + 1}" for k in range(others)), "t - mubar"]
    return [*weights, *_coordinates(names, dimensions)]


def _steered(claimed: Any, dimensions: int, x: Any, ar: Any) -> Pair | None:
    """|P g|^2 of two tasks against the squared singular value of J P, which is |m_1 - m_2|^2/2."""
    first, second, datum = _points(x[1:], 3, dimensions)
    deviation = x[0]
    residual = [t - (a + b) / 2 for a, b, t in zip(first, second, datum, strict=True)]
    gap = [a - b for a, b in zip(first, second, strict=True)]
    moved = centred([dot(first, residual) / deviation**2, dot(second, residual) / deviation**2])
    bound = dot(gap, gap) * dot(residual, residual) / (2 * deviation ** (2 * claimed.exponent))
    return (dot(moved, moved), bound) if bound > 0 else None


def _steered_axes(dimensions: int) -> list[Axis]:
    return [Axis("sigma", 0.2, 2), *_coordinates(("m_1", "m_2", "x"), dimensions)]


# A segment and a triangle.
LEARNED = (
    ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))),
    ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)), (Fraction(0), Fraction(2))),
)


def _mixed(claimed: Any, means: Any, x: Any, ar: Any) -> Pair | None:
    """What is claimed for the best z, against the error of any z."""
    weights, y = normalised([Fraction(w) for w in x[:-2]]), tuple(map(Fraction, x[-2:]))
    gap = [a - b for a, b in zip(combined(weights, means), y, strict=True)]
    error = dot(gap, gap)
    return (claimed.excess(means, y), error) if error > 0 else None


def _mixed_axes(means: Any) -> list[Axis]:
    return [*(Axis(f"weight {k + 1}", 1e-3, 1) for k in range(len(means))), *_coordinates(("y",), 2)]


GAUSSIAN_TASKS = [
    Duel(
        "gbi-log-ratio-not-likelihood",
        "share of task 1, (dimensions)",
        (1, 3),
        _remainder_axes,
        _remainder,
        ("Delta^3/96", "Delta^2/48"),
    ),
    Duel(
        "gbi-hull-failure",
        "gradient among others, (others, dimensions)",
        ((3, 2), (2, 1), (4, 3)),
        _hidden_axes,
        _hidden,
        ("the affine hull",),
        exact=True,
    ),
    Duel(
        "gbi-variance-only-blindness",
        "centred gradient of two tasks, (dimensions)",
        (2, 4),
        _steered_axes,
        _steered,
        ("1/sigma",),
        exact=True,
        sharp=True,
    ),
    Duel(
        "gbi-recomposition-distance-to-hull",
        "error of any z",
        LEARNED,
        _mixed_axes,
        _mixed,
        ("the nearest mean", "linear growth"),
        exact=True,
        rounds=True,
    ),
]
