"""Exponentiated gradients fall at every step of size 1/hbar or less, and as 1/T: hbar = D^2/(4 sigma^2).

L(z_T) - L* <= KL(z*||z_0)/(eta T), from u at most hbar log K/T at eta = 1/hbar.

Source: derived here. d^T Hess L d = |M d|^2/sigma^2 <= hbar |d|_1^2 for sum d = 0, since |M d| <= D |d|_1/2; entropy is
1-strongly convex in |.|_1. So a step is one of mirror descent on a function that is hbar-smooth relative to entropy:
L(z+) <= L(z) + <grad, z+ - z> + hbar KL(z+||z), the three-point identity, and a telescoping sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import sympy

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.embeddings import Gaussian
from theory.inference.entropy.contraction import squared_diameter
from theory.inference.iteration.exponentiated import iterates, logarithm, loss, rate, smoothness
from theory.inference.simplex import combined, dot, kullback_leibler, normalised, uniform
from theory.outcome import Outcome

CLAIM = "gbi-eg-monotone-rate"
SEED = 2437
SMALL = Fraction(1, 10**30)
QUARTER = Fraction(1, 4)


@dataclass(frozen=True)
class Descent:
    """What is said of steps.

    Args:
        most: eta <= most/hbar; None for any eta.
        four: the divisor in hbar.
        power: of T in the rate.
    """

    most: int | None = 1
    four: int = 4
    power: int = 1

    def __str__(self) -> str:
        sizes = "any eta" if self.most is None else f"eta <= {self.most}/hbar"
        T = "T" if self.power == 1 else f"T^{self.power}"
        return (
            f"|M d|^2/sigma^2 <= hbar |d|_1^2, hbar = D^2/({self.four} sigma^2); for {sizes} the loss falls at every "
            f"step, and L(z_T) - L* <= KL(z*||z_0)/(eta {T})"
        )

    def hbar(self, gaussian: Gaussian) -> Any:
        return smoothness(squared_diameter(gaussian.means), gaussian.variance, self.four)

    def sizes(self, gaussian: Gaussian) -> list[Any]:
        """Step sizes to try."""
        largest = 30 if self.most is None else self.most
        return [largest / self.hbar(gaussian), QUARTER / self.hbar(gaussian)]


@claim(
    CLAIM,
    source=Source("2407.17356", "Iterative inference", "derived"),
    quantifiers="for all means, x, sigma, interior z_0 and T >= 1 of linear Gaussian models; hbar is attained by the "
    "two tasks furthest apart, and whether the rate is sharp is not known",
    statement=str,
    variant=Descent(),
    controls={
        "eta <= 3/hbar": Descent(most=3),
        "D^2/(8 sigma^2)": Descent(four=8),
        "rate 1/T^2": Descent(power=2),
    },
    hypotheses=(Hypothesis("small steps", "eta <= 1/hbar", Descent(most=None)),),
    does_not_show="that steps between 1/hbar and 2/hbar may climb: nothing is said of them",
)
def eg_monotone_rate(descent: Descent, thorough: bool) -> Iterator[Evidence]:
    """Integer means and directions; steps in balls; the curvature of pairs in symbols; random runs in float64."""
    yield Enumeration("integer directions", _smooth(descent, 4 if thorough else 3))
    yield Enumeration("steps in balls", _steps(descent, 8 if thorough else 5))
    yield Identity("the two tasks furthest apart", _pair(descent), sympy.expand)
    yield Search("a hundred small steps", _slow(descent), seed=SEED)
    yield Search("random runs", _random(descent, 60 if thorough else 12), seed=SEED)


def _smooth(descent: Descent, most: int) -> Iterator[Case]:
    for means in product(product(map(Fraction, range(2)), repeat=2), repeat=3):
        gaussian = Gaussian(means, QUARTER)
        if squared_diameter(means) == 0:
            continue
        for d in product(range(-most + 1, most), repeat=2):
            direction = (*map(Fraction, d), Fraction(-sum(d)))
            moved = combined(direction, means)
            limit = descent.hbar(gaussian) * sum(map(abs, direction)) ** 2
            yield {"means": [[*map(str, m)] for m in means], "d": d}, dot(moved, moved) / gaussian.variance <= limit


LINE = Gaussian(tuple((Fraction(m),) for m in (0, 1, 2, 4)), Fraction(1))
TWO = Gaussian(((Fraction(0),), (Fraction(1),)), QUARTER)


def _steps(descent: Descent, steps: int) -> Iterator[Case]:
    """The data are in the hull, so that L* = 0, and minimisers are exact."""
    known = (
        (TWO, Fraction(7, 10), (Fraction(3, 10), Fraction(7, 10))),
        (LINE, Fraction(3, 2), (Fraction(0), Fraction(1, 2), Fraction(1, 2), Fraction(0))),
        (LINE, Fraction(4), (Fraction(0), Fraction(0), Fraction(0), Fraction(1))),
    )
    for gaussian, x, best in known:
        for start in (uniform(gaussian.tasks), normalised(range(1, gaussian.tasks + 1))):
            divergence = kullback_leibler(best, start)
            for eta in descent.sizes(gaussian):
                path = iterates(gaussian, (x,), eta, start, steps)
                losses = [Real.of(loss(gaussian, (x,), z)) for z in path]
                falls = [after <= before + SMALL for before, after in pairwise(losses)]
                near = [
                    losses[T] <= rate(Real.of(divergence), eta, T, descent.power) + SMALL for T in range(1, steps + 1)
                ]
                case = {"means": gaussian.tasks, "x": str(x), "z_0": [*map(str, start)], "eta": str(eta)}
                yield case, Outcome.every([*falls, *near])


def _pair(descent: Descent) -> Iterator[Equation]:
    """D = e_j - e_k has |d|_1 = 2, and M d is the difference of two means."""
    a, b, variance = sympy.symbols("m_j m_k v", positive=True)
    curved = (a - b) ** 2 / variance
    yield "curvature", curved, smoothness((a - b) ** 2, variance, descent.four) * 2**2


def _slow(descent: Descent) -> Iterator[Trial]:
    """A tenth of the largest size, towards the task at the end of a line: far from rounding."""
    line, x = Gaussian(tuple((float(m),) for m in (0, 1, 2, 4)), 1.0), (4.0,)
    path = iterates(line, x, 0.1 / 4, (0.25,) * 4, 100)
    for T in (1, 10, 100):
        limit = float(rate(logarithm(4), Fraction(1, 40), T, descent.power))
        yield Trial({"T": T}, float(loss(line, x, path[T])), limit, 1e-12)


def _random(descent: Descent, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks = int(random.integers(2, 6))
        means = tuple(tuple(row) for row in random.normal(size=(tasks, 2)).tolist())
        gaussian, x = Gaussian(means, 0.5), tuple(random.normal(size=2).tolist())
        for eta in map(float, descent.sizes(gaussian)):
            path = iterates(gaussian, x, eta, tuple(map(float, uniform(tasks))), 120)
            losses = [float(loss(gaussian, x, z)) for z in path]
            allowance = 1e-12 * (1 + losses[0])
            for T in (1, 2, 5):
                yield Trial((case, eta > 0, "falls", T), losses[T], losses[T - 1], allowance)
                # The last loss is above L*: this is the weaker half of the bound.
                limit = float(rate(float(logarithm(tasks)), eta, T, descent.power))
                yield Trial((case, "rate", T), losses[T] - losses[-1], limit, allowance)
