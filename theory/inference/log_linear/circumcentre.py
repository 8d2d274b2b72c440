"""From which start one gradient is the posterior: where the output is equally far from the means of all tasks.

Source: derived here. The master identity holds at any start z_0 whose entries add up to 1, with offsets measured from
eta(z_0): one step is exact iff KL(p_eta(z_0) || p_k) is the same for all k, of Gaussians iff M z_0 is equidistant from
all m_k. For affinely independent means that is the circumcentre, in their affine hull and perhaps outside the simplex;
three distinct points of a line lie on no sphere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import isqrt
from typing import Any

import sympy

from theory.arithmetic.ball import log
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.arguments import results, rows
from theory.inference.embeddings import Gaussian
from theory.inference.log_linear.families import constant, poisson
from theory.inference.simplex import Vector, combined, dot, normalised, uniform
from theory.outcome import Outcome
from theory.quantities import Matrix, Result, quantity

CLAIM = "gbi-circumcentre-start"
Means = tuple[Vector, ...]
Start = Callable[[Means], Vector]
RIGHT = ((0, 0), (4, 0), (0, 3))  # sides 3, 4, 5
OBTUSE = ((0, 0), (4, 0), (1, 1))


def circumcentre_start(means: Means) -> Vector:
    """z_0 with entries that add up to 1 and sum_k z_0k m_k equidistant from all means.

    Raises InputError where the means are not affinely independent: there is none, or more than one.
    """
    gaps = [tuple(a - b for a, b in zip(mean, means[0], strict=True)) for mean in means[1:]]
    # c = m_1 + sum_k z_k gap_k with 2 <gap_j, c - m_1> = |gap_j|^2.
    system = sympy.Matrix([[_expression(2 * dot(a, b)) for b in gaps] for a in gaps])
    if system.det() == 0:
        shown = ", ".join(f"({', '.join(map(str, mean))})" for mean in means)
        raise InputError(
            f"means {shown} lie in a flat of fewer than {len(means) - 1} dimensions, and a circumcentre needs "
            "independent ones; drop tasks, or give means of more entries"
        )
    solution = system.LUsolve(sympy.Matrix([_expression(dot(a, a)) for a in gaps]))
    others = tuple(Fraction(int(z.p), int(z.q)) if z.is_Rational else z for z in solution)
    return (1 - sum(others), *others)


def _expression(value: Any) -> sympy.Expr:
    if isinstance(value, int | Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    expression: sympy.Expr = value
    return expression


def incentre_start(means: Means) -> Vector:
    """Shares proportional to the lengths of the opposite sides of a triangle with rational ones."""
    sides = []
    for j, k in ((1, 2), (0, 2), (0, 1)):
        gap = tuple(a - b for a, b in zip(means[j], means[k], strict=True))
        sides.append(isqrt(int(dot(gap, gap))))
    return normalised(sides)


def centroid_start(means: Means) -> Vector:
    """The uniform shares."""
    return uniform(len(means))


@quantity("circumcentre-start", unit="1", claim=CLAIM)
def circumcentre(means: Matrix) -> dict[str, Result]:
    """The start z_0 from which one gradient is the posterior of Gaussian tasks, one row of means a task, and M z_0.

    Raises InputError for means that are not rational or not affinely independent.
    """
    table = rows(means)
    if not all(isinstance(entry, Fraction) for row in table for entry in row):
        raise InputError("means are not all rational, and the linear system is solved exactly; give fractions")
    z = circumcentre_start(table)
    return results(start=z, centre=combined(z, table), inside=all(entry >= 0 for entry in z))


@dataclass(frozen=True)
class Exact:
    """Which start is exact.

    Args:
        start: from the means.
        inside: whether it is said to lie in the simplex always.
        independent: whether means are affinely independent, or on a line.
    """

    start: Start = circumcentre_start
    inside: bool = False
    independent: bool = True

    def __str__(self) -> str:
        names: dict[Any, str] = {
            circumcentre_start: "circumcentre",
            incentre_start: "incentre",
            centroid_start: "centroid",
        }
        inside = ", in the simplex" if self.inside else ""
        return (
            "softmax(g(z_0)) = posterior for all data iff M z_0 is equidistant from all m_k; for "
            f"{'affinely independent' if self.independent else 'distinct'} means iff it is the "
            f"{names[self.start]}{inside}"
        )


@claim(
    CLAIM,
    source=Source("2407.17356", "Where the gradient starts", "derived"),
    quantifiers="for all K >= 2 affinely independent means and data; of starts that add up to 1 exactly one",
    statement=str,
    variant=Exact(),
    controls={
        "incentre": Exact(start=incentre_start),
        "centroid": Exact(start=centroid_start),
        "in the simplex": Exact(inside=True),
    },
    hypotheses=(Hypothesis("independent", "the means are affinely independent", Exact(independent=False)),),
    does_not_show="that a trained network is right at such a start: outside the simplex it has not seen any z",
)
def circumcentre_is_exact(exact: Exact, thorough: bool) -> Iterator[Evidence]:
    """Triangles and tetrahedra with all starts of a grid; a pair of Poisson tasks; symbols for two and three means."""
    yield Enumeration("starts", _starts(exact, 4 if thorough else 2))
    yield Enumeration("higher dimensions", _simplices(exact))
    yield Enumeration("Poisson pairs, to 10^-30", _poisson())
    yield Identity("radii", _symbols(exact), sympy.cancel)


def exact_at(means: Means, z: Vector) -> bool:
    """Whether g(z) - ell is constant over the tasks at each of two data."""
    gaussian, dimension = Gaussian(means, Fraction(1, 4)), len(means[0])
    data = tuple(Fraction(k + 1, 3) for k in range(dimension)), tuple(Fraction(-k) for k in range(dimension))
    pairs = ((gaussian.gradient(x, z), gaussian.log_likelihoods(x)) for x in data)
    return all(constant([a - b for a, b in zip(g, ell, strict=True)]) is Outcome.HOLDS for g, ell in pairs)


def equidistant(means: Means, z: Vector) -> bool:
    """Whether M z is equally far from all means."""
    gaussian = Gaussian(means)
    return len(set(gaussian.squared_distances(gaussian.output(z)))) == 1


def _starts(exact: Exact, reach: int) -> Iterator[Case]:
    """The claimed start, and all starts of a grid around it; on a line some start of a grid would have to be exact."""
    steps = [Fraction(k, 4) for k in range(-reach, reach + 1)]
    if not exact.independent:
        line: Means = ((0,), (1,), (2,))
        starts = ((a, b, 1 - a - b) for a, b in product(steps, repeat=2))
        found: list[Vector] = [z for z in starts if exact_at(line, z)]
        yield {"means": line, "starts": found}, bool(found)
        return
    for means in (RIGHT, OBTUSE, ((0, 0), (2, 0), (0, 1)), ((1, 0), (0, 1), (-1, 0))):
        z = exact.start(means)
        others: list[Vector] = [(z[0] + a, z[1] + b, z[2] - a - b) for a, b in product(steps, repeat=2)]
        found = [other for other in others if exact_at(means, other)]
        alike = found == [other for other in others if equidistant(means, other)]
        yield {"means": means, "z_0": z}, alike and found == [z] and (not exact.inside or min(z) >= 0)


def _simplices(exact: Exact) -> Iterator[Case]:
    if exact.start is incentre_start:
        return
    pairs: list[Means] = [((0,), (3,)), ((1, 2), (4, 0))]
    solids: list[Means] = [((0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)), ((1, 1, 0), (0, 1, 1), (1, 0, 1), (3, 0, 0))]
    for means in [*pairs, *solids, *combinations(solids[1], 3)]:
        z = exact.start(means)
        yield {"means": means}, exact_at(means, z) and equidistant(means, z)


def _poisson() -> Iterator[Case]:
    """Two rates a < b: the divergences are equal at the logarithmic mean (b - a)/log(b/a)."""
    for a, b in ((1, 4), (2, 3)):
        share = (log((b - a) / log(Fraction(b, a))) - log(a)) / log(Fraction(b, a))
        z = (1 - share, share)
        family = poisson((a, b))
        gaps = [constant(family.offsets(z))]
        for t in (0, 3):
            found = zip(family.gradient((t,), z), family.log_likelihoods((t,)), strict=True)
            gaps.append(constant([g - ell for g, ell in found]))
        yield {"rates": (a, b)}, Outcome.every(gaps)


def _symbols(exact: Exact) -> Iterator[Equation]:
    """Squared distances from the centre of (0, 0), (a, 0), (b, c)."""
    a, b, c = sympy.symbols("a b c", positive=True)
    zero = sympy.S.Zero
    means = ((zero, zero), (a, zero), (b, c))
    z = circumcentre_start(means) if exact.start is not centroid_start else centroid_start(means)
    gaussian = Gaussian(means)
    first, *others = gaussian.squared_distances(gaussian.output(z))
    for k, other in enumerate(others, 2):
        yield f"R_{k}^2 - R_1^2", other, first
    yield "entries of z_0", sum(z), sympy.S.One
