"""One gradient at u, offsets subtracted, is the posterior: for every datum and prior.

Source: derived here, from claim gbi-log-linear-master-identity and Bayes' rule. Where the eta_k do not depend on a
context B is K numbers, computed once; where they do, so does B, and for a Gaussian with outputs linear in z it takes
the Jacobian J of the output: B_k = |J (e_k - u)|^2/(2 sigma^2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy

from theory.arithmetic.ball import sqrt
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.embeddings import ExponentialFamily, Gaussian
from theory.inference.log_linear.bent import Bent
from theory.inference.log_linear.families import (
    bernoulli,
    categorical,
    constant,
    corrected,
    left_over,
    one_hot,
    poisson,
)
from theory.inference.simplex import Vector, combined, dot, normalised, total_variation, uniform
from theory.outcome import Outcome

CLAIM = "gbi-bias-corrected-equals-lli"
SEED = 2413
MEANS = (((0, 0), (2, 0), (0, 1)), ((1, 0), (0, 1), (-1, 0), (2, 2)))


def jacobian_offsets(gaussian: Gaussian) -> Vector:
    """|J (e_k - u)|^2/(2 sigma^2), J the matrix of the means."""
    found = []
    for place in range(gaussian.tasks):
        step = tuple(Fraction(int(k == place)) - share for k, share in enumerate(uniform(gaussian.tasks)))
        moved = combined(step, gaussian.means)
        found.append(dot(moved, moved) / (2 * gaussian.variance))
    return tuple(found)


@dataclass(frozen=True)
class Corrected:
    """What is subtracted, and how often the prior counts.

    Args:
        width: the power of sigma in B.
        priors: how often log pi is added.
        own: whether B is that of the datum's own context, or the mean over contexts.
        linear: whether eta is linear in z.
    """

    width: int = 2
    priors: int = 1
    own: bool = True
    linear: bool = True

    def __str__(self) -> str:
        prior = "log pi" if self.priors == 1 else f"{self.priors} log pi"
        context = "of the context" if self.own else "averaged over contexts"
        return f"softmax(g(u) - B + {prior}) = posterior, B_k = |J (e_k - u)|^2/(2 sigma^{self.width}) {context}"

    def family(self, means: tuple[Vector, ...], variance: Fraction) -> Gaussian:
        return (Gaussian if self.linear else Bent)(means, variance)

    def offsets(self, family: ExponentialFamily) -> Vector:
        offsets = family.offsets()
        if self.width == 2 or not isinstance(family, Gaussian):
            return offsets
        sigma = sqrt(family.variance)
        return tuple(sigma * b for b in offsets)

    def prior(self, prior: Vector) -> Vector:
        return tuple(share**self.priors for share in prior)


@claim(
    CLAIM,
    source=Source("2407.17356", "One-step inference", "derived"),
    quantifiers="for all log-linear families, K >= 2, data and priors; equalities",
    statement=str,
    variant=Corrected(),
    controls={
        "sigma for sigma^2": Corrected(width=1),
        "the prior twice": Corrected(priors=2),
        "one B for all contexts": Corrected(own=False),
    },
    hypotheses=(Hypothesis("log-linear", "eta is linear in z", Corrected(linear=False)),),
    does_not_show="that the correction is cheap: offsets that depend on the context cost as much as K likelihoods do",
)
def bias_corrected_equals_lli(claimed: Corrected, thorough: bool) -> Iterator[Evidence]:
    """Gaussians exactly, with priors and contexts; others in balls; symbols; random Gaussians in float64."""
    yield Enumeration("Gaussian tasks and priors", _gaussians(claimed, 3 if thorough else 1))
    yield Enumeration("contexts", _contexts(claimed))
    yield Enumeration("counts, outcomes and letters, to 10^-30", _others(claimed))
    yield Identity("offsets by the Jacobian", _symbols(claimed), sympy.expand)
    yield Search("random Gaussians", _random(claimed, 200 if thorough else 30), seed=SEED)


def _gaussians(claimed: Corrected, reach: int) -> Iterator[Case]:
    grid = list(map(Fraction, range(-reach, reach + 1)))
    for means, variance in product(MEANS, (Fraction(1, 4), Fraction(4))):
        family = claimed.family(means, variance)
        prior = normalised(range(2, family.tasks + 2))
        same_prior = normalised(claimed.prior(prior)) == prior
        for x in product(grid, repeat=2):
            left = left_over(family.gradient(x), claimed.offsets(family), family.log_likelihoods(x))
            holds = [constant(left), Outcome.of(same_prior)]
            if claimed.linear:
                holds.append(
                    constant([0, *(a - b for a, b in zip(jacobian_offsets(family), family.offsets(), strict=True))])
                )
            yield {"means": means, "variance": variance, "x": x}, Outcome.every(holds)


def _contexts(claimed: Corrected) -> Iterator[Case]:
    """Outputs J(c) z that depend on a context c."""
    families = [claimed.family(tuple((m * c, m + c) for m in range(3)), Fraction(1)) for c in (1, 2, 3)]
    offsets = [claimed.offsets(family) for family in families]
    mean = tuple(sum(column) / len(families) for column in zip(*offsets, strict=True))
    for (c, family), x in product(enumerate(families, 1), product(map(Fraction, range(2)), repeat=2)):
        b = offsets[c - 1] if claimed.own else mean
        yield {"c": c, "x": x}, constant(left_over(family.gradient(x), b, family.log_likelihoods(x)))


def _others(claimed: Corrected) -> Iterator[Case]:
    tables = ((2, 0, -1), (0, 1, 0), (0, 0, 1))
    families: list[tuple[str, ExponentialFamily, list[Vector]]] = [
        ("Poisson 1, 2, 6", poisson((1, 2, 6)), [(0,), (3,)]),
        ("Bernoulli 1/2, 99/100", bernoulli((Fraction(1, 2), Fraction(99, 100))), [(0,), (1,)]),
        ("categorical", categorical(tables), [one_hot(v, 3) for v in range(3)]),
    ]
    for name, family, data in families:
        prior = normalised(range(2, family.tasks + 2))
        for t in data:
            found = corrected(family.gradient(t), claimed.offsets(family), claimed.prior(prior))
            gaps = [constant([a, b]) for a, b in zip(found, family.posterior(t, prior), strict=True)]
            yield {"family": name, "t": t}, Outcome.every(gaps)


def _symbols(claimed: Corrected) -> Iterator[Equation]:
    sigma = sympy.Symbol("sigma", positive=True)
    entries = (sympy.symbols(f"{name}_1:4", real=True) for name in "ab")
    gaussian = Gaussian(tuple(zip(*entries, strict=True)), sigma**2)
    x = sympy.symbols("x y", real=True)
    g, ell = gaussian.gradient(x), gaussian.log_likelihoods(x)
    factor = sigma ** (2 - claimed.width)
    for k, offset in enumerate(jacobian_offsets(gaussian)):
        yield f"B_{k + 1}", gaussian.offsets()[k], factor * offset
        first = jacobian_offsets(gaussian)[0]
        yield f"task {k + 1} over task 1", g[k] - g[0] - factor * (offset - first), ell[k] - ell[0]


def _random(claimed: Corrected, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks, dimension = int(random.integers(2, 8)), int(random.integers(1, 6))
        gaussian = Gaussian(
            tuple(tuple(map(float, row)) for row in random.normal(size=(tasks, dimension))),
            float(random.uniform(0.2, 3)),
        )
        x = tuple(map(float, random.normal(size=dimension)))
        prior = tuple(map(float, random.dirichlet(np.ones(tasks))))
        found = corrected(gaussian.gradient(x), gaussian.offsets(), claimed.prior(prior))
        distance: Any = total_variation(found, gaussian.posterior(x, prior))
        scale = max(map(abs, (*gaussian.log_likelihoods(x), *gaussian.gradient(x), *gaussian.offsets())))
        yield Trial(case, float(distance), 0.0, 64 * dimension * (1 + scale) * float(np.finfo(np.float64).eps))
