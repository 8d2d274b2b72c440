"""Gaussian tasks of equal variance: one gradient at u is the posterior iff all means are equally far from their mean.

g_k = <m_k, x - mbar>/sigma^2 and B_k = R_k^2/(2 sigma^2), R_k = |m_k - mbar|. n observations count as their mean with
variance sigma^2/n.

Source: derived here, from claim gbi-log-linear-master-identity. Two means are always equally far from their midpoint, K
orthogonal ones of norm r have R^2 = r^2 (1 - 1/K).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import sympy

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.embeddings import Gaussian
from theory.inference.log_linear.bent import Bent
from theory.inference.log_linear.families import constant, left_over
from theory.inference.simplex import Vector, combined, dot, uniform
from theory.outcome import Outcome

CLAIM = "gbi-gaussian-corollary"
Means = Sequence[Vector]
SIGMA = Fraction(1, 2)


def squared_radii(means: Means) -> Vector:
    """R_k^2."""
    return Gaussian(tuple(means)).squared_distances()


def squared_norms(means: Means) -> Vector:
    """|m_k|^2."""
    return tuple(dot(mean, mean) for mean in means)


def equal_radii(means: Means) -> bool:
    """Whether all means are equally far from their mean."""
    return len(set(squared_radii(means))) == 1


def equal_spacing(means: Means) -> bool:
    """Whether neighbours on a line are equally far apart."""
    gaps = [tuple(b - a for a, b in zip(one, two, strict=True)) for one, two in pairwise(means)]
    return len(set(gaps)) == 1 or equal_radii(means)


@dataclass(frozen=True)
class Closed:
    """The closed forms, and when one step is exact.

    Args:
        power: of sigma in both.
        squared: the squared lengths in B.
        exact: from the means.
        observations: the factor of sigma^2 for n observations.
        linear: whether the output is linear in z.
        common: whether all tasks have one variance.
    """

    power: int = 2
    squared: Callable[[Means], Vector] = squared_radii
    exact: Callable[[Means], bool] = equal_radii
    observations: Callable[[int], Fraction] = lambda n: Fraction(1, n)
    linear: bool = True
    common: bool = True

    def __str__(self) -> str:
        names: dict[Any, str] = {
            squared_radii: "|m_k - mbar|^2",
            squared_norms: "|m_k|^2",
            equal_radii: "equal R_k",
            equal_spacing: "equal gaps",
        }
        return (
            f"g_k = <m_k, x - mbar>/sigma^{self.power}, B_k = {names[self.squared]}/(2 sigma^{self.power}); exact iff "
            f"{names[self.exact]}; 4 observations: sigma^2 times {self.observations(4)}"
        )

    def gradient(self, means: Means, x: Vector, sigma: Any) -> Vector:
        centre = combined(uniform(len(means)), means)
        residual = tuple(a - b for a, b in zip(x, centre, strict=True))
        return tuple(dot(mean, residual) / sigma**self.power for mean in means)

    def offsets(self, means: Means, sigma: Any) -> Vector:
        return tuple(square / (2 * sigma**self.power) for square in self.squared(means))


@claim(
    CLAIM,
    source=Source("2407.17356", "Mean squared error as the loss", "derived"),
    quantifiers="for all K >= 2 means in R^d, sigma > 0, data and numbers n of observations",
    statement=str,
    variant=Closed(),
    controls={
        "1/sigma": Closed(power=1),
        "norms for radii": Closed(squared=squared_norms),
        "equal spacing is enough": Closed(exact=equal_spacing),
        "sigma^2 for n observations": Closed(observations=lambda n: Fraction(1)),
    },
    hypotheses=(
        Hypothesis("linear", "the output is linear in z", Closed(linear=False)),
        Hypothesis("one variance", "all tasks have one variance", Closed(common=False)),
    ),
    does_not_show="that trained decoders have equal radii: the offsets of real ones differ",
)
def gaussian_corollary(closed: Closed, thorough: bool) -> Iterator[Evidence]:
    """Means on grids; pairs and regular simplices; several observations; variances that differ; symbols."""
    yield Enumeration("means on grids", _grids(closed, 4 if thorough else 3))
    yield Enumeration("pairs and regular simplices", _equal(closed, 8 if thorough else 5))
    yield Enumeration("several observations", _several(closed))
    yield Enumeration("variances", _variances(closed))
    yield Identity("closed forms", _symbols(closed), sympy.expand)


def _verdict(closed: Closed, means: Means, x: Vector) -> Outcome:
    """The closed forms are those of the family, g - B - ell is constant, and g - ell is iff that is claimed."""
    gaussian = (Gaussian if closed.linear else Bent)(tuple(means), SIGMA**2)
    g, offsets = gaussian.gradient(x), closed.offsets(means, SIGMA)
    ell = gaussian.log_likelihoods(x)
    bare = constant([a - b for a, b in zip(g, ell, strict=True)])
    holds = closed.gradient(means, x, SIGMA) == g and offsets == gaussian.offsets()
    return Outcome.every(
        [Outcome.of(holds), constant(left_over(g, offsets, ell)), bare.iff(Outcome.of(closed.exact(means)))]
    )


def _grids(closed: Closed, largest: int) -> Iterator[Case]:
    line = [tuple((m,) for m in means) for tasks in (2, 3) for means in combinations(range(largest), tasks)]
    plane = list(combinations(list(product(range(2), range(2))), 3))
    for means in [*line, *plane]:
        for x in product(map(Fraction, (-1, 2)), repeat=len(means[0])):
            yield {"means": means, "x": x}, _verdict(closed, means, x)


def _equal(closed: Closed, most: int) -> Iterator[Case]:
    """Orthogonal means of one norm are the vertices of a regular simplex."""
    for tasks in range(2, most + 1):
        orthogonal = [tuple(3 * int(i == k) for i in range(tasks)) for k in range(tasks)]
        found = squared_radii(orthogonal)
        x = tuple(Fraction(k, 2) for k in range(tasks))
        right = all(value == 9 * (1 - Fraction(1, tasks)) for value in found)
        yield {"K": tasks}, Outcome.every([Outcome.of(right), _verdict(closed, orthogonal, x)])
    for gap in range(1, 4):
        yield {"pair": gap}, _verdict(closed, [(1, 2), (1 + gap, 2 - gap)], (Fraction(1), Fraction(3)))


def _several(closed: Closed) -> Iterator[Case]:
    """Sums of gradients and offsets over n data are those of their mean with a smaller variance."""
    means = ((0, 0), (2, 0), (0, 1))
    data = [(Fraction(1, 2), Fraction(1, 3)), (Fraction(-1), Fraction(2)), (Fraction(3), Fraction(1, 5))]
    gaussian = Gaussian(means, SIGMA**2)
    for n in (1, 2, 3):
        seen = data[:n]
        one = Gaussian(means, SIGMA**2 * closed.observations(n))
        mean = tuple(sum(column) / n for column in zip(*seen, strict=True))
        summed = tuple(map(sum, zip(*map(gaussian.gradient, seen), strict=True)))
        holds = summed == one.gradient(mean) and tuple(n * b for b in gaussian.offsets()) == one.offsets()
        yield {"n": n}, holds


def _variances(closed: Closed) -> Iterator[Case]:
    """G - ell differs by one number between two data; the scale of the model is sum_k z_k sigma_k."""
    means, widths = ((0,), (1,), (3,)), (Fraction(1),) * 3 if closed.common else (Fraction(1), Fraction(2), Fraction(1))
    centre, width = Fraction(4, 3), sum(widths) / 3
    rows = []
    for x in map(Fraction, (-1, 0, 2)):
        left = []
        for (m,), sigma in zip(means, widths, strict=True):
            bent = 0 if closed.common else sigma * ((x - centre) ** 2 / width**3 - 1 / width)
            # Without log sigma_k, which all data share.
            left.append(m * (x - centre) / width**2 + bent + (x - m) ** 2 / (2 * sigma**2))
        rows.append(left)
        yield {"x": x, "sigma": widths}, constant([a - b for a, b in zip(left, rows[0], strict=True)])


def _symbols(closed: Closed) -> Iterator[Equation]:
    sigma = sympy.Symbol("sigma", positive=True)
    z = sympy.symbols("z_1:4", positive=True)
    means = tuple(zip(*(sympy.symbols(f"{name}_1:4", real=True) for name in "ab"), strict=True))
    x = sympy.symbols("x y", real=True)
    gaussian = Gaussian(means, sigma**2)
    u = dict(zip(z, uniform(3), strict=True))
    level = gaussian.log_likelihood(x, z)
    for k in range(3):
        yield f"g_{k + 1}", sympy.diff(level, z[k]).subs(u), closed.gradient(means, x, sigma)[k]
        yield f"B_{k + 1}", gaussian.offsets()[k], closed.offsets(means, sigma)[k]
