"""How well the size of the gradient at u tells strange data from those of two Gaussian tasks, in closed form.

Source: arXiv 2407.17356 scores data by the size of the gradient; the closed form is derived here. With two tasks P g
is proportional to the projection U on the axis between their means, N(+-a, sigma^2) inside. Outside it is V ~ N(b,
tau^2), and |U| > |V| iff (U - V)(U + V) > 0: two normal variables of means a - b, a + b, variance S^2 = sigma^2 +
tau^2 and covariance sigma^2 - tau^2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt as root
from typing import Any

import numpy as np
import sympy
from flint import acb, arb

from theory.arithmetic.ball import Real, sqrt
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import to_ball
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.embeddings import Gaussian
from theory.inference.gaussian.pair_error import ERRORS
from theory.inference.normal import cdf, integral, same_sign
from theory.inference.simplex import centred, dot
from theory.outcome import Outcome
from theory.quantities import Enclosure, Number, Positive, Result, quantity

CLAIM = "gbi-ood-auroc-two-task"
SEED = 2421
SMALL = Fraction(1, 10**15)
TENTH = Fraction(1, 10)


@dataclass(frozen=True)
class Auroc:
    """P(|U| > |V|) for U ~ N(+-a, sigma^2) inside and V ~ N(b, tau^2) outside.

    Args:
        covariance: what multiplies sigma^2 - tau^2 in the correlation.
        both: whether both signs of (U - V, U + V) count, or the positive ones.
        at_least_half: whether the score is also said to be no worse than chance.
        spread: whether data outside differ along the axis, or anyhow.
        middle: whether the gradient is taken at u, so that both means are equally far from the output.
        centre: whether the score is |P g|, or the largest g_k with its part in mbar.
    """

    covariance: int = 1
    both: bool = True
    at_least_half: bool = False
    spread: bool = True
    centre: bool = True
    middle: bool = True

    def __str__(self) -> str:
        score = f"{'|P g|' if self.centre else 'max g_k'} at {'u' if self.middle else 'any z'}"
        means = "along the axis between two means" if self.spread else "in any direction"
        rho = f"{self.covariance} (sigma^2 - tau^2)/S^2"
        second = " + Phi2(-A, -B; rho)" if self.both else ""
        half = " >= 1/2" if self.at_least_half else ""
        return (
            f"score {score}, data outside N(b, tau^2) {means}: AUROC = Phi2(A, B; rho){second}{half}, A = (a - b)/S, "
            f"B = (a + b)/S, rho = {rho}"
        )

    def value(self, a: Any, b: Any, deviation: Any, outside: Any) -> Real:
        """As claimed."""
        square = Real.of(deviation) ** 2 + Real.of(outside) ** 2
        rho = self.covariance * (Real.of(deviation) ** 2 - Real.of(outside) ** 2) / square
        first, second = (a - b) / sqrt(square), (a + b) / sqrt(square)
        whole = Real.of(same_sign(first, second, rho))
        if self.both:
            return whole
        # P(X < -A, Y < -B) = P(X < A, Y < B) - Phi(A) - Phi(B) + 1.
        return (whole + Real.of(cdf(first)) + Real.of(cdf(second)) - 1) / 2


@claim(
    CLAIM,
    source=Source("2407.17356", "Uncertainty", "derived"),
    quantifiers="for two Gaussian tasks of one sigma > 0, however frequent, and data N(b, tau^2) outside, tau > 0",
    statement=str,
    variant=Auroc(),
    controls={
        "the sign of rho turned": Auroc(covariance=-1),
        "one of two terms": Auroc(both=False),
        "no worse than chance": Auroc(at_least_half=True),
    },
    hypotheses=(
        Hypothesis("one axis", "outside data differ along the axis between the means", Auroc(spread=False)),
        Hypothesis("centred score", "g minus its mean, without <mbar, x - mbar>", Auroc(centre=False)),
        Hypothesis("at u", "the gradient is taken halfway between the means", Auroc(middle=False)),
    ),
    does_not_show="that large gradients mean known data: data far out along the axis score above all known ones",
)
def ood_auroc_two_task(claimed: Auroc, thorough: bool) -> Iterator[Evidence]:
    """The closed form against an integral; which data score 0 or most; moments in symbols; draws."""
    yield Enumeration("the closed form against an integral", _integrals(claimed, thorough))
    yield Enumeration("what the score sees", _blind(claimed))
    yield Identity("moments of U - V and U + V", _moments(claimed), sympy.expand)
    yield Search("draws", _draws(claimed, 40 if thorough else 8), seed=SEED)


def by_integral(a: Fraction, b: Fraction, deviation: Fraction, outside: Fraction) -> Real:
    """The integral over V within 10 tau of b; the rest is below 10^-22."""

    def enclose() -> arb:
        mean, other, sigma, tau = (to_ball(value) for value in (a, b, deviation, outside))

        def inside(v: acb, analytic: bool) -> acb:
            gap = (v - other) / tau
            # P(U > |v|) + P(U < -|v|), and as much of v as of -v.
            size = cdf((mean - v) / sigma) + cdf((-v - mean) / sigma)
            mirrored = (-v - other) / tau
            return size * ((-gap * gap / 2).exp() + (-mirrored * mirrored / 2).exp())

        return integral(inside, arb(0), abs(other) + 10 * tau) / (tau * (2 * arb.pi()).sqrt())

    return Real(enclose)


def _integrals(claimed: Auroc, thorough: bool) -> Iterator[Case]:
    sizes = (Fraction(1, 10), Fraction(1, 2), Fraction(1)) if thorough else (Fraction(1, 5), Fraction(1, 2))
    for a, b, deviation, outside in product((3 * TENTH, Fraction(1)), (Fraction(0), TENTH, Fraction(2)), sizes, sizes):
        found = claimed.value(a, b, deviation, outside)
        gap = abs(found - by_integral(a, b, deviation, outside))
        if not claimed.middle:
            # From another output, 1/10 along the axis, the means lie at a - 1/10 and -a - 1/10.
            near, far = (by_integral(a + sign * TENTH, b - TENTH, deviation, outside) for sign in (-1, 1))
            gap = abs(found - (near + far) / 2)
        outcomes = [gap <= SMALL, *[found >= Fraction(1, 2)] * claimed.at_least_half]
        yield {"a, b, sigma, tau": [*map(str, (a, b, deviation, outside))]}, Outcome.every(outcomes)


def _blind(claimed: Auroc) -> Iterator[Case]:
    """Means at (0, 1) -+ (1, 0): data off the axis score 0, those far out on it more than any mean."""
    model = Gaussian(((Fraction(-1), Fraction(1)), (Fraction(1), Fraction(1))))

    def score(x: tuple[Fraction, Fraction]) -> Fraction:
        g = model.gradient(x)
        moved = centred(g)
        return Fraction(dot(moved, moved)) if claimed.centre else Fraction(max(g))

    off, on = (Fraction(0), Fraction(9)), (Fraction(9), Fraction(1))
    known = [score(mean) for mean in model.means]
    yield {"x": "(0, 9), off the axis"}, score(off) == 0 if claimed.spread else score(off) >= min(known)
    yield {"x": "(9, 1), on it"}, score(on) > max(known)


def _moments(claimed: Auroc) -> Iterator[Equation]:
    """U = a + sigma xi and V = b + tau eta of independent xi, eta with variance 1."""
    a, b, sigma, tau, xi, eta = sympy.symbols("a b sigma tau xi eta", real=True)
    u, v = a + sigma * xi, b + tau * eta
    minus, plus = sympy.expand(u - v), sympy.expand(u + v)
    covariance = sum(minus.coeff(e) * plus.coeff(e) for e in (xi, eta))
    yield "covariance", covariance, claimed.covariance * (sigma**2 - tau**2)
    for name, form, mean in (("U - V", minus, a - b), ("U + V", plus, a + b)):
        yield f"variance of {name}", sum(form.coeff(e) ** 2 for e in (xi, eta)), sigma**2 + tau**2
        yield f"mean of {name}", form.subs({xi: 0, eta: 0}), mean
    yield "|U|^2 - |V|^2", u**2 - v**2, (u - v) * (u + v)


def _draws(claimed: Auroc, count: int) -> Iterator[Trial]:
    """Scores |P g| of data in R^D, x = m_c + sigma xi inside; pairs of them, counted."""
    random = np.random.default_rng(SEED)
    draws = 20_000
    for case in range(count):
        dimensions = int(random.integers(1, 6))
        means = random.normal(size=(2, dimensions))
        deviation, outside, b = (float(value) for value in random.uniform(0.2, 2, size=3))
        apart = means[0] - means[1]
        axis, a = apart / np.linalg.norm(apart), float(np.linalg.norm(apart)) / 2
        middle = means.mean(axis=0)
        task = (random.random(draws) < random.random()).astype(int)
        inside = means[task] + deviation * random.normal(size=(draws, dimensions))
        strange = middle + (b + outside * random.normal(size=(draws, 1))) * axis
        scores = []
        for x in (inside, strange):
            g = (x - middle) @ means.T / deviation**2
            scores.append(np.linalg.norm(g - g.mean(axis=1, keepdims=True), axis=1))
        seen = float((scores[0] > scores[1]).mean())
        exact = float(claimed.value(*(Fraction(value) for value in (a, b, deviation, outside))))
        yield Trial(case, abs(seen - exact), 0.0, ERRORS * root(exact * (1 - exact) / draws) + 1 / draws)


@quantity("two-task-auroc", unit="probability", claim=CLAIM)
def two_task_auroc(a: Number, b: Number, sigma: Positive, tau: Positive) -> dict[str, Result]:
    """AUROC of the gradient's size: two means 2 a apart, deviation sigma, against N(b, tau^2) outside."""
    return {"auroc": Enclosure(Auroc().value(a, b, sigma, tau))}
