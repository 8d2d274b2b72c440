"""When the task of the largest gradient is the most likely one: where the best leads by more than rho = osc(R).

|R_k| <= (1/2) sup |(e_k - u)^T Hess ell (e_k - u)| <= (beta/2)(1 - 1/K) on the segment from u to e_k, beta a bound of
the curvature along vectors of sum 0; rho <= beta (1 - 1/K), half of it where ell is concave.

Source: derived here. Taylor's remainder; |e_k - u|^2 = 1 - 1/K; g_k - g_j = (ell_k - ell_j) - (R_k - R_j).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy
from flint import arb

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import smallest, to_ball
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import doubles, largest_task, number, results, rows, same_length, vector
from theory.inference.curvature.network import TanhNetwork, remainders
from theory.inference.embeddings import Gaussian
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import argmax, oscillation, uniform
from theory.outcome import Outcome
from theory.quantities import Matrix, Optimum, Positive, Result, Vector, quantity

CLAIM = "gbi-curvature-argmax"
SEED = 2431
PLANE = ((Fraction(0), Fraction(0)), (Fraction(2), Fraction(0)), (Fraction(0), Fraction(1)))
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


@quantity("curvature-gaussian", unit="nats", claim=CLAIM)
def curvature_gaussian(means: Matrix, x: Vector, variance: Positive) -> dict[str, Result]:
    """Remainders of a linear Gaussian model and half its curvatures, rho, the lead of the best task, and both picks.

    Row k of means is that of task k; "eigenvalue" is the largest of M^T M/sigma^2, "beta" that along sum 0.
    """
    gaussian = Gaussian(rows(means), number(variance))
    datum = vector(x)
    same_length("x", datum, len(gaussian.means[0]), "entry of a mean")
    found, ell = remainders_of(gaussian, datum), gaussian.log_likelihoods(datum)
    half = tuple(square / (2 * gaussian.variance) for square in gaussian.squared_distances())
    scale, _ = doubles("variance", [gaussian.variance, 1 / gaussian.variance])
    array = np.array([doubles("means", mean) for mean in gaussian.means])
    exact = results(
        remainder=found,
        half_curvature=half,
        rho=oscillation(found),
        gradient_task=largest_task(gaussian.gradient(datum)),
        likelihood_task=largest_task(ell),
    )
    if isinstance(best := largest_task(ell), int):
        exact |= results(lead=smallest(*(ell[best - 1] - e for k, e in enumerate(ell, 1) if k != best)))
    how = "eigenvalues in float64"
    squares = (np.linalg.norm(a, 2) ** 2 / scale for a in (array, array - array.mean(axis=0)))
    return exact | {
        name: Optimum(float(value), how) for name, value in zip(("eigenvalue", "beta"), squares, strict=True)
    }


def remainders_of(gaussian: Gaussian, x: Entries) -> Entries:
    """R_k at a datum, from the definition."""
    return remainders(gaussian.log_likelihoods(x), gaussian.log_likelihood(x), gaussian.gradient(x))


@dataclass(frozen=True)
class Remainder:
    """|R_k| <= c sup |curvature|, and the picks agree where the lead is above a share of rho.

    Args:
        constant: c.
        share: of rho.
        smooth: whether ell has two derivatives, or may have a kink.
        concave: whether rho <= (beta/2)(1 - 1/K) is said of concave ell only.
    """

    constant: Fraction = Fraction(1, 2)
    share: Fraction = Fraction(1)
    smooth: bool = True
    concave: bool = True

    def __str__(self) -> str:
        beta, K, rho = sympy.symbols("beta K rho", positive=True)
        c, share = (sympy.Rational(value.numerator, value.denominator) for value in (self.constant, self.share))
        which = f"concave ell, {beta * (1 - 1 / K)} for all" if self.concave else "all ell"
        return (
            f"|R_k| <= {c} sup |curvature| <= {c * beta * (1 - 1 / K)}; argmax g = argmax ell where ell leads by more "
            f"than {share * rho}; rho <= {beta / 2 * (1 - 1 / K)} for {which}{'' if self.smooth else ', kinks or not'}"
        )

    def agrees(self, ell: Entries, g: Entries, rho: Any) -> bool:
        """Whether the picks agree, or nothing is said."""
        first, second = sorted(ell)[:-3:-1]
        return bool(not first - second > self.share * rho or argmax(g) == argmax(ell))


@claim(
    CLAIM,
    source=Source("2407.17356", "One-step inference", "derived"),
    quantifiers="for all K >= 2 and ell with two derivatives on the segments from u to the vertices; the first bound "
    "is attained by linear Gaussian models",
    statement=str,
    variant=Remainder(),
    controls={
        "beta/4": Remainder(constant=QUARTER),
        "a lead of rho/2": Remainder(share=Fraction(1, 2)),
    },
    hypotheses=(
        Hypothesis("lead", "ell leads by more than rho", Remainder(share=Fraction(0))),
        Hypothesis("two derivatives", "ell has them on the segments", Remainder(smooth=False)),
        Hypothesis("concave", "ell is, for rho <= (beta/2)(1 - 1/K)", Remainder(concave=False)),
    ),
    does_not_show="that a smaller lead is lost: for two tasks of a linear Gaussian model rho = 0, whatever beta is",
)
def curvature_argmax(remainder: Remainder, thorough: bool) -> Iterator[Evidence]:
    """Gaussian tasks in fractions; a kink and a cubic; Taylor's integral; a network over its segments; networks."""
    yield Enumeration("Gaussian tasks on a line and in the plane", _gaussian(remainder, 5 if thorough else 4))
    yield Enumeration("two tasks, ell of a kink or a power", _powers(remainder))
    yield Identity("remainder of the line", _taylor(remainder), sympy.expand)
    for task in range(3):
        yield BoxCover(f"network, from u to task {task + 1}", ((Fraction(0), Fraction(1)),), _segment(remainder, task))
    yield Search("random networks", _random(remainder, 200 if thorough else 20), seed=SEED)


def _gaussian(remainder: Remainder, largest: int) -> Iterator[Case]:
    tasks = [tuple((Fraction(m),) for m in means) for K in (2, 3) for means in combinations(range(largest), K)]
    for means in (PLANE, *tasks):
        gaussian = Gaussian(means, QUARTER)
        squares = [square / gaussian.variance for square in gaussian.squared_distances()]
        for x in product(map(Fraction, ("1/10", "7/10", "8/5", "2")), map(Fraction, ("0", "1/5"))):
            datum = x[: len(means[0])]
            found = remainders_of(gaussian, datum)
            size = all(abs(R) <= remainder.constant * square for R, square in zip(found, squares, strict=True))
            # No less than the largest curvature along sum 0, and that itself on a line.
            beta = sum(squares)
            bounded = all(abs(R) <= remainder.constant * beta * (1 - Fraction(1, len(means))) for R in found)
            concave = oscillation(found) <= beta / 2 * (1 - Fraction(1, len(means)))
            picks = remainder.agrees(gaussian.log_likelihoods(datum), gaussian.gradient(datum), oscillation(found))
            case = {"means": [[*map(str, mean)] for mean in means], "x": [*map(str, datum)]}
            yield case, size and bounded and concave and picks and all(R <= 0 for R in found)


def _powers(remainder: Remainder) -> Iterator[Case]:
    """Along s = z_1 - z_2: ell = |s - 1/2| bends nowhere but at 1/2, and s |s|^(3/2) bends up and then down."""
    if not remainder.smooth:
        yield {"ell": "|s - 1/2|", "curvature": 0}, max(map(abs, remainders((HALF, HALF * 3), HALF, (-1, 1)))) <= 0
    # (4/15) s |s|^(3/2) has the second derivative s/|s|^(1/2), of size 1 at the ends, where s is the step of e_k - u.
    found = remainders((Fraction(4, 15), -Fraction(4, 15)), 0, (0, 0))
    rho = oscillation(found)
    limits = [rho <= 1, *([] if remainder.concave else [rho <= HALF])]
    yield {"ell": "(4/15) s |s|^(3/2)"}, all(abs(R) <= remainder.constant for R in found) and all(limits)
    beta = Fraction(3, 7)
    yield {"ell": "-(beta/2) s^2"}, all(abs(R) <= remainder.constant * beta for R in (-beta / 2, -beta / 2))


def _taylor(remainder: Remainder) -> Iterator[Equation]:
    """Along a segment: ell(1) - ell(0) - ell'(0) is the integral of (1 - t) ell''(t), and 1 - t has the mean 1/2."""
    t = sympy.Symbol("t", real=True)
    ell = sum(c * t**power for power, c in enumerate(sympy.symbols("c_0:6", real=True)))
    left = ell.subs(t, 1) - ell.subs(t, 0) - sympy.diff(ell, t).subs(t, 0)
    integral = ell + (1 - t) * sympy.diff(ell, t)
    yield "integral", sympy.diff(integral, t), (1 - t) * sympy.diff(ell, t, 2)
    yield "remainder", left, integral.subs(t, 1) - integral.subs(t, 0)
    c = sympy.Rational(remainder.constant.numerator, remainder.constant.denominator)
    yield "mean", sympy.diff(t - t**2 / 2, t), 1 - t
    yield "constant", (t - t**2 / 2).subs(t, 1), c
    for K in (2, 3, 4):
        yield "length", sum(((k == 0) - share) ** 2 for k, share in enumerate(uniform(K))) * K, sympy.Integer(K - 1)


NETWORK = TanhNetwork(
    (Fraction(1), Fraction(-1, 2)),
    ((Fraction(4, 5), Fraction(-3, 10), Fraction(1, 10)), (Fraction(1, 5), Fraction(1, 2), Fraction(-7, 10))),
    (Fraction(2, 5), Fraction(-1, 5)),
    Fraction(3, 5),
    HALF,
    QUARTER,
)
# Above the curvature of this network on the segments from u to the tasks, and near it.
BENDS = (Fraction(7, 10), Fraction(9, 4), Fraction(3, 10))


def _segment(remainder: Remainder, task: int) -> Any:
    """The curvature stays below a rational number all along, and the remainder below its share of that."""
    ball = TanhNetwork(
        tuple(map(to_ball, NETWORK.outer)),
        tuple(tuple(map(to_ball, row)) for row in NETWORK.inner),
        *(tuple(map(to_ball, NETWORK.weights)), to_ball(NETWORK.x), to_ball(HALF), to_ball(QUARTER)),
    )
    direction = tuple(to_ball(int(k == task) - share) for k, share in enumerate(uniform(3)))
    R = abs(Real.of(NETWORK.remainders()[task])) <= remainder.constant * BENDS[task]

    def decide(t: arb) -> Outcome:
        z = tuple(to_ball(share) + t * d for share, d in zip(uniform(3), direction, strict=True))
        bend, limit = abs(ball.bend(z, direction)), to_ball(BENDS[task])
        return Outcome.every([R, Outcome.settled(bend <= limit, bend > limit)])

    return decide


def _random(remainder: Remainder, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks, hidden = int(random.integers(2, 6)), int(random.integers(1, 6))
        inner = tuple(tuple(map(float, row)) for row in random.normal(size=(hidden, tasks)))
        outer, weights = (tuple(map(float, random.normal(size=hidden))) for _ in range(2))
        network = TanhNetwork(outer, inner, weights, float(random.normal()), float(random.normal()), 0.5)
        found, u = network.remainders(), np.full(tasks, 1 / tasks)
        for task, R in enumerate(found):
            direction = np.eye(tasks)[task] - u
            bends = [abs(network.bend(tuple(u + t * direction), tuple(direction))) for t in np.linspace(0, 1, 65)]
            # Between 65 points a curvature below a hundred or so changes by less than this share.
            yield Trial((case, task), abs(R), float(remainder.constant) * max(bends) * 1.05, 1e-12)
        agrees = remainder.agrees(network.log_likelihoods(), network.gradient(), oscillation(found) + 1e-12)
        yield Trial((case, "picks"), float(not agrees), 0.0)
