"""The cases by which the steps of proofs.master_identity on exact inference and on correction are checked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from proofs.master_cases import any_family, t
from theory.arithmetic.real import Real
from theory.evidence import Case, Equation
from theory.inference.embeddings import ExponentialFamily, Gaussian
from theory.inference.log_linear.bias_corrected import jacobian_offsets
from theory.inference.log_linear.exactness import Exactness, equal_norms, picked, wrong_datum
from theory.inference.log_linear.families import bernoulli, constant, corrected, poisson
from theory.inference.simplex import Vector, softmax, total_variation
from theory.outcome import Outcome

EXACT = Exactness()
QUARTER = Fraction(1, 4)
TRIANGLE = Gaussian(((0, 0), (2, 0), (0, 1)), QUARTER)
DATUM = (Fraction(7, 10), Fraction(1, 5))
PRIOR = (Fraction(1, 5), Fraction(3, 10), Fraction(1, 2))
COIN = bernoulli((Fraction(1, 2), Fraction(99, 100)))
NORMS = Gaussian(((1, 0), (0, 1), (-1, 0)))
PLANES = (
    ((0,), (1,), (3,)),
    ((0,), (1,)),
    ((0, 0), (2, 0), (0, 1)),
    ((1, 0), (0, 1), (-1, 0)),
    ((1, 0), (0, 1), (-1, 0), (0, -1)),
)


def posteriors() -> Iterator[Case]:
    """softmax(g) is the posterior at each datum, to 10^-30, iff all offsets are equal."""
    families: list[tuple[ExponentialFamily, list[Vector]]] = [(COIN, [(0,), (1,)])]
    families.append((bernoulli((QUARTER, 3 * QUARTER)), [(0,), (1,)]))
    families.append((poisson((1, 2, 6)), [(x,) for x in range(4)]))
    for means in PLANES:
        points = product((Fraction(-1), Fraction(1, 3), Fraction(2)), repeat=len(means[0]))
        families.append((Gaussian(means, QUARTER), list(points)))
    for family, data in families:
        claimed = EXACT.criterion(family)
        for x in data:
            step, posterior = softmax(family.gradient(x)), family.posterior(x)
            same = [constant([a, b]) for a, b in zip(step, posterior, strict=True)]
            yield {"eta": family.natural, "t": x}, claimed.iff(Outcome.every(same))


def lean() -> Iterator[Equation]:
    """How far preferences exceed log-likelihood ratios, for any A."""
    family = any_family()
    g, ell, offsets = family.gradient((t,)), family.log_likelihoods((t,)), family.offsets()
    for j, k in ((0, 1), (0, 2), (1, 2)):
        more = EXACT.lean * (offsets[k] - offsets[j])
        yield f"{k + 1} over {j + 1}", g[k] - g[j], ell[k] - ell[j] + more


def coin_rows() -> Iterator[tuple[Any, ...]]:
    """Outcome, posterior and softmax(g) of the second of two coins."""
    for x in (0, 1):
        found = COIN.posterior((x,))[1], softmax(COIN.gradient((x,)))[1]
        yield x, *(f"{float(Real.of(entry)):.4f}" for entry in found)


def wrong_data() -> Iterator[Case]:
    """A datum on the wrong side of a facet, found exactly where the offsets differ."""
    for means in PLANES:
        gaussian = Gaussian(means, QUARTER)
        x = wrong_datum(gaussian)
        equal = EXACT.criterion(gaussian) is Outcome.HOLDS
        misled = x is not None and picked(gaussian.gradient(x)) != picked(gaussian.log_likelihoods(x))
        yield {"means": means, "x": x}, misled is not equal


def needs() -> Iterator[Case]:
    """Both coins are told apart by either outcome, and equal norms are no equal offsets."""
    offsets = COIN.offsets()
    yield "offsets of the coins", offsets[0] > offsets[1]
    for x in (0, 1):
        g, ell = COIN.gradient((x,)), COIN.log_likelihoods((x,))
        signs = [(values[1] - values[0] > 0) is Outcome.HOLDS for values in (g, ell)]
        yield {"x": x}, signs == [x == 1] * 2
    yield "norms", equal_norms(NORMS) is Outcome.HOLDS and EXACT.criterion(NORMS) is Outcome.REFUTED


def correction() -> Iterator[Case]:
    """softmax(g - B + log pi) for Gaussian, Poisson and Bernoulli tasks."""
    for family, data in ((TRIANGLE, [DATUM, (-1, 3)]), (poisson((1, 2, 6)), [(0,), (3,), (9,)]), (COIN, [(0,), (1,)])):
        prior = PRIOR if family.tasks == 3 else (Fraction(1, 5), Fraction(4, 5))
        for x in data:
            found, right = corrected(family.gradient(x), family.offsets(), prior), family.posterior(x, prior)
            yield {"t": x}, Outcome.every([constant([a, b]) for a, b in zip(found, right, strict=True)])


def triangle_rows() -> Iterator[tuple[Any, ...]]:
    """Task, g, B, ell, softmax(g), softmax(g - B), and that with the prior."""
    g, offsets, ell = TRIANGLE.gradient(DATUM), TRIANGLE.offsets(), TRIANGLE.log_likelihoods(DATUM)
    columns = (g, offsets, ell, softmax(g), corrected(g, offsets), corrected(g, offsets, PRIOR))
    for task, row in enumerate(zip(*columns, strict=True), 1):
        yield task, *(f"{float(Real.of(entry)):.4f}" for entry in row)


def jacobians() -> Iterator[Equation]:
    """Offsets of Gaussian outputs J z from the columns of J."""
    sigma = sympy.Symbol("sigma", positive=True)
    names = (sympy.symbols(f"{name}_1:4", real=True) for name in "ab")
    gaussian = Gaussian(tuple(zip(*names, strict=True)), sigma**2)
    for k, (a, b) in enumerate(zip(gaussian.offsets(), jacobian_offsets(gaussian), strict=True), 1):
        yield f"B_{k}", a, b


def contexts() -> Iterator[Case]:
    """Outputs that depend on a context: its own offsets are right, and their mean over contexts is not."""
    families = [Gaussian(tuple((Fraction(m * c), Fraction(m + c)) for m in range(3))) for c in (1, 2, 3)]
    mean = tuple(sum(column) / 3 for column in zip(*(family.offsets() for family in families), strict=True))
    x = (Fraction(1), Fraction(2))
    for c, family in enumerate(families, 1):
        g, right = family.gradient(x), family.posterior(x)
        own, average = (total_variation(corrected(g, b), right) for b in (family.offsets(), mean))
        yield {"c": c}, Outcome.every([own <= Fraction(1, 10**30), average > Fraction(1, 1000)])
