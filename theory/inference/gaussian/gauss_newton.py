"""One Gauss-Newton step finds a task from noiseless data whatever the radii; one Euclidean step from u may not.

Source: derived here, for arXiv 2407.17356. With affinely independent means the columns of M over a row of ones are
independent, so that |x - M z|^2 has one least point with sum z = 1; at x = m_c it is e_c, where it is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Literal

import numpy as np
import sympy

from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import results, rows, same_length, vector
from theory.inference.embeddings import Gaussian
from theory.inference.gaussian.hulls import affine_weights, solved
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import argmax, dot, uniform
from theory.quantities import Matrix, Result, Vector, quantity

CLAIM = "gbi-gauss-newton-one-step"
SEED = 2418
Step = Literal["Gauss-Newton", "Euclidean"]


def least_squares(means: Sequence[Entries], x: Entries) -> tuple[Fraction, ...] | None:
    """The only z, of any sum, with the least |x - M z|; None where there are several."""
    return solved([[dot(p, q) for q in means] for p in means], [dot(p, x) for p in means])


def unit(c: int, tasks: int) -> tuple[Fraction, ...]:
    """e_c."""
    return tuple(Fraction(k == c) for k in range(tasks))


@dataclass(frozen=True)
class OneStep:
    """One step finds task c at x = m_c.

    Args:
        step: which one; a Euclidean step from u picks the largest entry.
        summed: whether z is kept at sum 1.
        independent: whether the means are affinely independent.
        noiseless: whether x is m_c, or anything.
    """

    step: Step = "Gauss-Newton"
    summed: bool = True
    independent: bool = True
    noiseless: bool = True

    def __str__(self) -> str:
        means = "affinely independent means" if self.independent else "any distinct means"
        result = "only minimum of |x - M z|" if self.step == "Gauss-Newton" else "largest entry of g(u)"
        constraint = " with sum z = 1" if self.summed else ""
        datum = "x = m_c" if self.noiseless else "any x nearest to m_c"
        return f"{means}, {datum}: the {result}{constraint} is e_c, for any radii"

    def finds(self, means: Sequence[Entries], c: int, x: Entries) -> bool:
        """Whether the step gives e_c, or picks c alone."""
        if self.step == "Euclidean":
            g = Gaussian(tuple(means)).gradient(x)
            return argmax(g) == c and sorted(g)[-2] < g[c]
        return (affine_weights if self.summed else least_squares)(means, x) == unit(c, len(means))


@claim(
    CLAIM,
    source=Source("2407.17356", "One-step inference", "derived"),
    quantifiers="for all K >= 2, affinely independent means and tasks c, at x = m_c; equality",
    statement=str,
    variant=OneStep(),
    controls={
        "any sum of z": OneStep(summed=False),
        "a Euclidean step": OneStep("Euclidean"),
    },
    hypotheses=(
        Hypothesis("independence", "means are affinely independent", OneStep(independent=False)),
        Hypothesis("no noise", "x = m_c", OneStep(noiseless=False)),
    ),
    does_not_show="that Gauss-Newton is the posterior: from noisy data it gives weights that may be negative",
)
def gauss_newton_one_step(claimed: OneStep, thorough: bool) -> Iterator[Evidence]:
    """Triangles and segments of a grid, solved in fractions; conditions of the minimum in symbols; random simplices."""
    yield Enumeration("triangles and segments of a grid", _grid(claimed, 4 if thorough else 3))
    yield Enumeration("a flat triangle", _flat(claimed))
    yield Identity("slopes at e_c, and what makes it the only minimum", _conditions(), sympy.expand)
    yield Search("random simplices", _random(claimed, 400 if thorough else 40), seed=SEED)


def _data(claimed: OneStep, mean: Entries) -> Iterator[Entries]:
    yield mean
    if not claimed.noiseless:
        yield tuple(entry + Fraction(1, 10) for entry in mean)


def _grid(claimed: OneStep, largest: int) -> Iterator[Case]:
    points = [(Fraction(a), Fraction(b)) for a, b in product(range(largest), repeat=2)]
    for size in (2, 3):
        for means in combinations(points, size):
            if claimed.independent and affine_weights(means, means[0]) is None:
                continue
            for c, mean in enumerate(means):
                case = {"means": [[*map(str, m)] for m in means], "c": c + 1}
                yield case, all(claimed.finds(means, c, x) for x in _data(claimed, mean))


def _flat(claimed: OneStep) -> Iterator[Case]:
    """The second mean is nearly between the others: the Euclidean step picks task 1 at x = m_2."""
    means = ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(1, 10)), (Fraction(5), Fraction(0)))
    for c, mean in enumerate(means):
        yield {"means": "(0, 0), (1, 1/10), (5, 0)", "c": c + 1}, claimed.finds(means, c, mean)
    euclidean = argmax(Gaussian(means).gradient(means[1]))
    yield {"a Euclidean step at": "m_2"}, euclidean == 0


def _conditions() -> Iterator[Equation]:
    """Three means in the plane: M^T (M z - x) = 0 at z = e_1, x = m_1, and the determinant is that of the triangle."""
    m = sympy.symbols("m_1:7", real=True)
    matrix = sympy.Matrix(3, 2, m).T
    residual = matrix * sympy.Matrix([1, 0, 0]) - matrix[:, 0]
    yield "slopes", matrix.T * residual, sympy.zeros(3, 1)
    ones = sympy.ones(3, 1)
    bordered = sympy.Matrix(sympy.BlockMatrix([[matrix.T * matrix, ones], [ones.T, sympy.zeros(1, 1)]]))
    area = sympy.Matrix([[1, 1, 1], [*matrix.row(0)], [*matrix.row(1)]]).det()
    yield "bordered determinant", bordered.det(), -(area**2)


def _random(claimed: OneStep, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    eps = float(np.finfo(float).eps)
    for case in range(count):
        tasks = int(random.integers(2, 7))
        means = random.normal(size=(tasks, tasks + 1))
        c = int(random.integers(tasks))
        # z = u + V y, V an orthonormal basis of sum 0.
        basis = np.linalg.svd(np.ones((1, tasks)))[2][1:].T
        across = means.T @ basis
        y, *_ = np.linalg.lstsq(across, means[c] - means.mean(axis=0), rcond=None)
        z = np.array(uniform(tasks), dtype=float) + basis @ y
        condition = float(np.linalg.cond(across))
        yield Trial(case, float(np.abs(z - np.eye(tasks)[c]).max()), 0.0, 64 * tasks * eps * condition**2)


@quantity("gauss-newton-step", unit="share", claim=CLAIM)
def gauss_newton_step(means: Matrix, x: Vector) -> dict[str, Result]:
    """The z with the least |x - M z| and sum 1, and <m_k, x - mbar>, the direction of a Euclidean step from u.

    Raises InputError for numbers that are not known to be rational and for means that are affinely dependent.
    """
    centres, datum = rows(means), vector(x)
    same_length("x", datum, len(centres[0]), "entry of a mean")
    if not all(isinstance(entry, Fraction) for row in (*centres, datum) for entry in row):
        raise InputError("the step is solved in fractions; give rational means and a rational x")
    z = affine_weights(centres, datum)
    if z is None:
        raise InputError(f"{len(centres)} means are affinely dependent: z is not unique; give independent ones")
    return results(z=z, euclidean=Gaussian(centres).gradient(datum))
