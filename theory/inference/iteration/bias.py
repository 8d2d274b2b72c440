"""Where exponentiated gradients end: at the minimiser that is nearest to the start in KL, of maximal entropy from u.

Source: derived here. All minimisers z' share M z' = y*. KL(z'||z_t) - KL(z'||z_{t+1}) = eta <x - M z_t, y*>/sigma^2 -
log of the norm is one number for all of them, so that sums of it are, up to the limit. That limit is a minimiser with
logarithm log z_0 + <theta, M> + const: softmax(log z_0 + <theta, M>).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, Literal

import numpy as np
import sympy

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.embeddings import Gaussian
from theory.inference.entropy.projection import projected
from theory.inference.iteration import square
from theory.inference.iteration.exponentiated import exponentiated, iterates
from theory.inference.iteration.line import CLAIM, least_norm, tilt
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import dot, kullback_leibler, softmax, uniform
from theory.outcome import Outcome

SEED = 2438
SMALL = Fraction(1, 10**30)
HALF = Fraction(1, 2)
Rule = Literal["tilt", "norm", "vertex"]


@dataclass(frozen=True)
class Limit:
    """Where steps end.

    Args:
        rule: the tilt of the start, the point of least norm, or a vertex that fits.
        from_uniform: whether the limit is that from u whatever the start is.
        exponentiated: whether steps are, or gradients are projected.
    """

    rule: Rule = "tilt"
    from_uniform: bool = False
    exponentiated: bool = True

    def __str__(self) -> str:
        limits = {
            "tilt": "the minimiser with the least KL from z_0",
            "norm": "the minimiser with the least norm",
            "vertex": "a vertex, where one fits exactly",
        }
        limit = "the minimiser of maximal entropy" if self.from_uniform else limits[self.rule]
        steps = "exponentiated" if self.exponentiated else "projected"
        return f"{steps} gradients of size <= 1/hbar from {'any ' if self.from_uniform else ''}z_0 end at {limit}"

    def point(self, means: Sequence[Any], y: Any, start: Sequence[Any]) -> Entries:
        """The limit."""
        if self.rule == "norm":
            return least_norm(means, y)
        if self.rule == "vertex" and y in means:
            return tuple(Fraction(m == y) for m in means)
        return tilt(means, y, uniform(len(means)) if self.from_uniform else start)[1]

    def of_square(self, y: Sequence[Fraction], start: Sequence[Fraction]) -> Entries:
        """The limit for means at the corners of a square, y inside."""
        if self.rule == "norm":
            return square.least_norm(y)
        return square.tilted(y, uniform(4) if self.from_uniform else start)

    def step(self, gaussian: Gaussian, x: Entries, eta: Any, z: Entries) -> Entries:
        if self.exponentiated:
            return exponentiated(gaussian, x, eta, z)
        return projected([a + eta * slope for a, slope in zip(z, gaussian.gradient(x, z), strict=True)])


@claim(
    CLAIM,
    source=Source("2407.17356", "Iterative inference", "derived"),
    quantifiers="for all linear Gaussian models, x, interior z_0, eta <= 1/hbar; the minimiser of least KL is unique",
    statement=str,
    variant=Limit(),
    controls={
        "least norm": Limit("norm"),
        "a vertex that fits": Limit("vertex"),
    },
    hypotheses=(
        Hypothesis("start", "KL is from z_0, which is u for maximal entropy", Limit(from_uniform=True)),
        Hypothesis("exponentiated", "steps multiply", Limit(exponentiated=False)),
    ),
    does_not_show="that the limit is a task: one between the others comes out as a mixture of all",
)
def eg_max_entropy_bias(limit: Limit, thorough: bool) -> Iterator[Evidence]:
    """Limits that stay, on a line and on a square; one difference for all minimisers; symbols; iterates in float64."""
    yield Enumeration("limits are fixed points of the right mean", _fixed(limit))
    yield Enumeration("limits on a square", _square(limit))
    yield Enumeration("one difference for all minimisers", _differences(6 if thorough else 4))
    yield Identity("gradients of the divergence at a tilt", _symbols(), sympy.simplify)
    yield Search("iterates", _iterates(limit, 6 if thorough else 2), seed=SEED)
    yield Search("iterates in the plane", _plane(limit), seed=SEED)


LINE = tuple(map(Fraction, (0, 1, 2, 4)))
STARTS = (uniform(4), tuple(map(Fraction, ("7/10", "1/10", "1/10", "1/10"))))


def _fixed(limit: Limit) -> Iterator[Case]:
    """From u, and means 0, 1, 2 with y = 1, no step is taken at all. No other point of mean y has a smaller KL."""
    three = tuple(map(Fraction, range(3)))
    gaussian = Gaussian(tuple((m,) for m in three))
    stays = exponentiated(gaussian, (Fraction(1),), Fraction(1), uniform(3))
    gaps = [abs(Real.of(a) - b) for a, b in zip(limit.point(three, Fraction(1), uniform(3)), stays, strict=True)]
    yield {"means": "0, 1, 2", "y": 1}, Outcome.every(gap <= SMALL for gap in gaps)
    for y, start in product((Fraction(3, 2), Fraction(1), Fraction(5, 2)), STARTS):
        z = limit.point(LINE, y, start)
        mean = abs(Real.of(dot(z, LINE)) - y) <= SMALL
        divergence = Real.of(kullback_leibler(z, start))
        others = [least_norm(LINE, y), *_minimisers(y)]
        nearest = [divergence <= Real.of(kullback_leibler(other, start)) + SMALL for other in others if min(other) >= 0]
        yield {"means": "0, 1, 2, 4", "y": str(y), "z_0": [*map(str, start)]}, Outcome.every([mean, *nearest])


PLACES = tuple((Fraction(a, 8), Fraction(b, 8)) for a, b in ((2, 3), (6, 1), (5, 7)))


def _square(limit: Limit) -> Iterator[Case]:
    """The mean is y, no other point of that mean has a smaller KL, and a step keeps its odds ratio."""
    gaussian = Gaussian(square.CORNERS)
    for y, start in product(PLACES, STARTS):
        z = limit.of_square(y, start)
        right = [abs(Real.of(a) - b) <= SMALL for a, b in zip(gaussian.output(z), y, strict=True)]
        others = [square.minimiser(y, y[0] * y[1] + Fraction(k, 100)) for k in range(-3, 4)]
        divergence = Real.of(kullback_leibler(z, start))
        nearest = [divergence <= Real.of(kullback_leibler(other, start)) + SMALL for other in others]
        after = limit.step(gaussian, y, HALF, start)
        kept = abs(Real.of(square.odds(after)) - square.odds(start)) <= SMALL
        yield {"y": [*map(str, y)], "z_0": [*map(str, start)]}, Outcome.every([*right, *nearest, kept])


def _minimisers(y: Fraction) -> list[Entries]:
    """Mixtures of two of the means around y."""
    found = []
    for low, high in product(range(4), repeat=2):
        if LINE[low] <= y <= LINE[high] and low != high:
            share = (y - LINE[low]) / (LINE[high] - LINE[low])
            found.append(tuple(share if k == high else 1 - share if k == low else Fraction(0) for k in range(4)))
    return found


def _differences(steps: int) -> Iterator[Case]:
    gaussian = Gaussian(tuple((m,) for m in LINE))
    for y, start in product((Fraction(3, 2), Fraction(5, 2)), STARTS):
        for before, after in pairwise(iterates(gaussian, (y,), Fraction(1, 4), start, steps)):
            drops = [
                Real.of(kullback_leibler(other, before)) - kullback_leibler(other, after) for other in _minimisers(y)
            ]
            same = [abs(drop - drops[0]) <= SMALL for drop in drops]
            yield {"y": str(y), "z_0": [*map(str, start)]}, Outcome.every([*same, drops[0] >= -SMALL])


def _plane(limit: Limit) -> Iterator[Trial]:
    """The same on the square, from steps of size 1/hbar = 2."""
    gaussian = Gaussian(tuple((float(a), float(b)) for a, b in square.CORNERS), 1.0)
    for case, (y, start) in enumerate(product(PLACES, STARTS)):
        z = tuple(map(float, start))
        for _ in range(200):
            z = limit.step(gaussian, tuple(map(float, y)), 2.0, z)
        gaps = (abs(float(Real.of(a)) - b) for a, b in zip(limit.of_square(y, start), z, strict=True))
        yield Trial(case, max(gaps), 0.0, 1e-9)


def _symbols() -> Iterator[Equation]:
    """At z = softmax(log z_0 + theta m): d KL(z||z_0)/dz_k = log(z_k/z_0k) + 1 is linear in m_k, of slope theta."""
    theta = sympy.Symbol("theta", real=True)
    m, start = sympy.symbols("m_1:4", real=True), sympy.symbols("s_1:4", positive=True)
    z = softmax([theta * mean for mean in m], start)
    slopes = [sympy.expand_log(sympy.log(share / s), force=True) for share, s in zip(z, start, strict=True)]
    for k in (1, 2):
        yield f"slope {k + 1}", slopes[k] - slopes[0], theta * (m[k] - m[0])


def _iterates(limit: Limit, count: int) -> Iterator[Trial]:
    """Float iterates until they stay, against the limit."""
    random = np.random.default_rng(SEED)
    known = [(LINE, Fraction(3, 2), start) for start in STARTS]
    for _ in range(count):
        weights = [Fraction(int(w), 8) for w in random.integers(1, 9, size=4)]
        means = tuple(Fraction(int(m), 4) for m in np.cumsum(random.integers(1, 5, size=4)))
        known.append((means, (means[0] + 3 * means[-1]) / 4, tuple(w / sum(weights) for w in weights)))
    for case, (means, y, start) in enumerate(known):
        gaussian, z = Gaussian(tuple((float(m),) for m in means), 1.0), tuple(map(float, start))
        eta = 4 / float(means[-1] - means[0]) ** 2
        for _ in range(400):
            z = limit.step(gaussian, (float(y),), eta, z)
        gaps = (abs(float(Real.of(a)) - b) for a, b in zip(limit.point(means, y, start), z, strict=True))
        yield Trial(case, max(gaps), 0.0, 1e-9)
