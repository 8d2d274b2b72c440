"""Frozen weights predict a new task as well as its mean is near to the hull of the means that were learned.

Source: arXiv 2407.17356, abstract, for the idea of recombining tasks; the statement is derived here. With the best z
of the simplex the expected squared error of a fresh observation is sigma^2 D + dist(y, conv m)^2. On a line, with z
fitted to the mean of n observations, the prediction is that mean clipped to [l, u]; its error follows by the second
moment of a clipped normal variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import sqrt as root
from typing import Any, Literal

import numpy as np
import sympy
from flint import acb, arb

from theory.arithmetic.ball import Real, sqrt
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import to_ball
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import result, results, rows, same_length, vector
from theory.inference.gaussian.hulls import affine_distance, nearest, squared_gap
from theory.inference.gaussian.pair_error import ERRORS
from theory.inference.normal import cdf, density, integral
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import combined, dot
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Matrix, Number, Positive, Result, Vector, quantity

CLAIM = "gbi-recomposition-distance-to-hull"
SEED = 2420
Distance = Literal["hull", "nearest mean", "square root"]


def clipped_error(low: Any, high: Any, mu: Any, deviation: Any, n: int) -> Any:
    """sigma^2 + E (clip(xbar, l, u) - mu)^2, xbar the mean of n data; of reals or floats."""
    s = deviation / (root(n) if isinstance(deviation, float) else sqrt(n))
    a, b = (low - mu) / s, (high - mu) / s
    second = cdf(b) - cdf(a) + a * density(a) - b * density(b) + a**2 * cdf(a) + b**2 * cdf(-b)
    return deviation**2 + s**2 * second


def unclipped_error(low: Any, high: Any, mu: Any, deviation: Any, n: int) -> Any:
    """sigma^2 (1 + 1/n), what it is deep inside."""
    return deviation**2 * (1 + Fraction(1, n))


@dataclass(frozen=True)
class Recomposition:
    """The expected squared error of the best z on a task that was not learned.

    Args:
        distance: what is added to sigma^2 D, squared; the square root of the distance grows linearly.
        window: the error after n data, of l, u, mu, sigma, n.
        simplex: whether z stays in the simplex, or has sum 1 only.
        frozen: whether the means stay as they are, or may move to the new one.
    """

    distance: Distance = "hull"
    window: Callable[[Any, Any, Any, Any, int], Any] = clipped_error
    simplex: bool = True
    frozen: bool = True

    def __str__(self) -> str:
        excess = {
            "hull": "dist(y, conv m)^2",
            "nearest mean": "min |y - m_k|^2",
            "square root": "dist(y, conv m)",
        }[self.distance]
        where = "in the simplex" if self.simplex else "of sum 1"
        means = "frozen means" if self.frozen else "means that may move"
        window = "a clipped normal mean" if self.window is clipped_error else "sigma^2 (1 + 1/n)"
        return f"best z {where}, {means}: error sigma^2 D + {excess}; after n data on a line: {window}"

    def excess(self, means: tuple[Entries, ...], y: Entries) -> Any:
        """What is claimed to be added to sigma^2 D."""
        if self.distance == "nearest mean":
            return min(squared_gap(m, y) for m in means)
        squared, _ = nearest(means, y)
        return squared if self.distance == "hull" else sqrt(squared)


@claim(
    CLAIM,
    source=Source("2407.17356", "abstract", "reconstructed"),
    quantifiers="for all frozen means in R^D, new means y, sigma and numbers n of data; equalities",
    statement=str,
    variant=Recomposition(),
    controls={
        "the nearest mean": Recomposition("nearest mean"),
        "linear growth": Recomposition("square root"),
        "sigma^2 (1 + 1/n) everywhere": Recomposition(window=unclipped_error),
    },
    hypotheses=(
        Hypothesis("z in the simplex", "z_k >= 0: else the model extrapolates", Recomposition(simplex=False)),
        Hypothesis("frozen weights", "the means do not move", Recomposition(frozen=False)),
    ),
    does_not_show="that a trained network is linear in z between the tasks that it has seen, or reaches the hull",
)
def recomposition_distance_to_hull(claimed: Recomposition, thorough: bool) -> Iterator[Evidence]:
    """Nearest points by their conditions, in fractions; the window against an integral; moments in symbols; draws."""
    yield Enumeration("new means on a grid", _grid(claimed, 4 if thorough else 3))
    yield Enumeration("the window against an integral", _windows(claimed, (1, 2, 7, 50) if thorough else (1, 7)))
    yield Identity("second moment of a normal variable on an interval", _moments(), sympy.simplify)
    yield Search("draws", _draws(claimed, 40 if thorough else 6), seed=SEED)


def _grid(claimed: Recomposition, largest: int) -> Iterator[Case]:
    points = [(Fraction(a), Fraction(b)) for a, b in product(range(largest), repeat=2)]
    for means in combinations(points, 2 if largest == 3 else 3):
        for y in product((Fraction(-1), Fraction(1, 2), Fraction(2)), repeat=2):
            true = _least(claimed, means, y)
            found = claimed.excess(means, y)
            case = {"means": [[*map(str, m)] for m in means], "y": [*map(str, y)]}
            yield case, Real.of(found).equals(true)


def _least(claimed: Recomposition, means: tuple[Entries, ...], y: Entries) -> Fraction:
    """The least |y - M z|^2 of what z and M may be."""
    if not claimed.frozen:
        return Fraction(0)
    if not claimed.simplex:
        return affine_distance(means, y)
    squared, weights = nearest(means, y)
    point = combined(weights, means)
    residual = tuple(a - b for a, b in zip(y, point, strict=True))
    # A point of a convex set is nearest iff nothing of the set lies beyond the plane through it.
    beyond = [dot(residual, tuple(a - b for a, b in zip(m, point, strict=True))) for m in means]
    assert max(beyond) <= 0 and min(weights) >= 0 and sum(weights) == 1
    return squared


def by_integral(low: Fraction, high: Fraction, mu: Fraction, deviation: Fraction, n: int) -> Real:
    """sigma^2 + E (clip(xbar) - mu)^2 by the density of xbar inside and its tails outside."""

    def enclose() -> arb:
        s, m = to_ball(deviation) / arb(n).sqrt(), to_ball(mu)
        first, last = to_ball(low), to_ball(high)

        def integrand(t: acb, analytic: bool) -> acb:
            square = (t - m) * (t - m)
            return square * (-square / (2 * s * s)).exp()

        inside = integral(integrand, first, last) / (s * (2 * arb.pi()).sqrt())
        # Products, since a power of a ball around 0 is not finite.
        below, above = first - m, last - m
        tails = cdf(below / s) * below * below + cdf(-above / s) * above * above
        return to_ball(deviation) ** 2 + inside + tails

    return Real(enclose)


def _windows(claimed: Recomposition, lengths: tuple[int, ...]) -> Iterator[Case]:
    low, high = Fraction(1, 5), Fraction(4, 5)
    for deviation, n, mu in product((Fraction(1, 10), Fraction(1, 2)), lengths, range(-2, 13, 2)):
        true = by_integral(low, high, Fraction(mu, 10), deviation, n)
        found = Real.of(claimed.window(low, high, Fraction(mu, 10), deviation, n))
        case = {"sigma": str(deviation), "n": n, "mu": f"{mu}/10"}
        yield case, abs(found - true) <= Fraction(1, 10**15)
    # Deep inside the clipping is not felt, and far outside the prediction is the end of the hull.
    few, many = (Real.of(clipped_error(low, high, Fraction(1, 2), Fraction(1, 10), n)) for n in (10, 1000))
    inside = [Real.of(unclipped_error(low, high, Fraction(1, 2), Fraction(1, 10), n)) for n in (10, 1000)]
    yield {"deep inside": "n = 10"}, abs(few - inside[0]) <= Fraction(1, 10**15)
    yield {"deep inside": "n = 1000"}, abs(many - inside[1]) <= Fraction(1, 10**30)
    far = Real.of(clipped_error(low, high, Fraction(2), Fraction(1, 10), 1000))
    yield {"mu": 2, "n": 1000}, abs(far - Fraction(1, 100) - Fraction(36, 25)) <= Fraction(1, 10**30)


def _moments() -> Iterator[Equation]:
    """Both sides have one slope in b and vanish at b = a; a fresh observation adds its own noise."""
    a, b = sympy.symbols("a b", real=True)
    moment = cdf(b) - cdf(a) + a * density(a) - b * density(b)
    yield "slope in b", sympy.diff(moment, b), b**2 * density(b)
    yield "at b = a", moment.subs(b, a), sympy.S.Zero
    x, f, mu, sigma = sympy.symbols("x f mu sigma", real=True)
    square = sympy.expand((mu + sigma * x - f) ** 2)
    yield "bias and noise", square.coeff(x, 0) + square.coeff(x, 2), (mu - f) ** 2 + sigma**2


def _draws(claimed: Recomposition, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    draws = 20_000
    for case in range(count):
        low, high = sorted(map(float, random.normal(size=2)))
        mu, deviation, n = float(random.normal()), float(random.uniform(0.1, 2)), int(random.integers(1, 20))
        means = mu + deviation / root(n) * random.normal(size=draws)
        errors = (np.clip(means, low, high) - mu - deviation * random.normal(size=draws)) ** 2
        expected = float(claimed.window(low, high, mu, deviation, n))
        allowance = ERRORS * float(errors.std()) / root(draws)
        yield Trial(case, abs(float(errors.mean()) - expected), 0.0, allowance)


@quantity("recomposition-error", unit="squared error", claim=CLAIM)
def recomposition_error(low: Number, high: Number, mu: Number, sigma: Positive, n: Count) -> dict[str, Result]:
    """The error on a task of mean mu with z fitted to n data, means of learned tasks from low to high, and its limit.

    Raises InputError unless low <= high.
    """
    if (low <= high) is not Outcome.HOLDS:
        raise InputError(f"low = {low!r} is not known to be at most high = {high!r}; give both in order")
    below, above = ((x > 0) is Outcome.HOLDS for x in (low - mu, mu - high))
    outside = low - mu if below else mu - high if above else Real.of(0)
    return {
        "error": Enclosure(clipped_error(low, high, mu, sigma, n)),
        "limit": result(sigma**2 + outside**2),
    }


@quantity("hull-distance", unit="squared error", claim=CLAIM)
def hull_distance(means: Matrix, y: Vector, sigma: Positive) -> dict[str, Result]:
    """The error of the best z in the simplex on a new mean y, the squared distance from the hull, and that z.

    Raises InputError for numbers that are not known to be rational, and for too many means.
    """
    centres, target = rows(means), vector(y)
    same_length("y", target, len(centres[0]), "entry of a mean")
    if not all(isinstance(entry, Fraction) for row in (*centres, target) for entry in row):
        raise InputError("faces are searched in fractions; give rational means and a rational y")
    squared, z = nearest(centres, target)
    return {"error": result(sigma**2 * len(target) + squared), **results(squared_distance=squared, z=z)}
