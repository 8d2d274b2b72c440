"""When one gradient at u is inference: where all offsets are equal; else it leans to tasks far from the mean one.

Source: derived here. softmax(g) = softmax(ell) iff g - ell, that is B, is constant. Where data may lie anywhere the
tasks divide space into polyhedral cells; cells that share a facet connect all of them, so that B_k > B_j on both sides
of some facet, if not all are equal: just inside the cell of j the gradient prefers k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy

from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.arguments import number, rows
from theory.inference.embeddings import ExponentialFamily, Gaussian
from theory.inference.log_linear.families import bernoulli, constant, poisson
from theory.inference.simplex import Vector, dot
from theory.outcome import Outcome
from theory.quantities import Exact, Matrix, Positive, quantity

CLAIM = "gbi-exactness-iff-equal-offsets"
Criterion = Callable[[ExponentialFamily], Outcome]
POINTS = ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0))


def equal_offsets(family: ExponentialFamily) -> Outcome:
    """Whether all B_k are equal."""
    return constant(family.offsets())


def equal_norms(family: ExponentialFamily) -> Outcome:
    """Whether all |eta_k| are equal: not what matters."""
    return constant([dot(eta, eta) for eta in family.natural])


def any_pair(family: ExponentialFamily) -> Outcome:
    """Equal offsets, or just two tasks."""
    return Outcome.HOLDS if family.tasks == 2 else equal_offsets(family)


def picked(values: Vector) -> int | None:
    """The index of the largest entry of exact numbers, None where it is tied."""
    best = max(values)
    return values.index(best) if values.count(best) == 1 else None


def wrong_datum(gaussian: Gaussian, reach: int = 12) -> Vector | None:
    """A datum in one or two dimensions where the gradient at u picks another task than the likelihood, or None.

    It lies next to a point of a facet, on the side of the task with the smaller offset.
    """
    offsets = gaussian.offsets()
    for j, k in product(range(gaussian.tasks), repeat=2):
        if offsets[k] <= offsets[j]:
            continue
        near, far = gaussian.means[j], gaussian.means[k]
        gap = tuple(Fraction(a - b) for a, b in zip(near, far, strict=True))
        along = (-gap[1], gap[0]) if len(gap) == 2 else gap
        for step in range(-reach, reach + 1) if len(gap) == 2 else (0,):
            facet = tuple(Fraction(a + b, 2) + step * c / 2 for a, b, c in zip(near, far, along, strict=True))
            # At half of this inside the cell of j, the gradient still prefers k.
            inside = (offsets[k] - offsets[j]) * gaussian.variance / (2 * dot(gap, gap))
            for _ in range(6):
                x = tuple(a + inside * b for a, b in zip(facet, gap, strict=True))
                if picked(gaussian.log_likelihoods(x)) == j and picked(gaussian.gradient(x)) != j:
                    return x
                inside /= 2
    return None


@quantity("wrong-datum", unit="a datum, as text", claim=CLAIM)
def wrong_datum_of(means: Matrix, variance: Positive) -> Exact:
    """A datum where one gradient at u picks another task than the likelihood: Gaussian tasks in one or two dimensions.

    Raises InputError for more dimensions, and for means that are not rational.
    """
    table, scale = rows(means), number(variance)
    if len(table[0]) > 2 or not all(isinstance(entry, Fraction) for row in (*table, (scale,)) for entry in row):
        raise InputError(f"means of {len(table[0])} entries: the search takes one or two, all rational; give those")
    found = wrong_datum(Gaussian(table, scale))
    return Exact("none: all offsets are equal" if found is None else " ".join(map(str, found)))


@dataclass(frozen=True)
class Exactness:
    """When one gradient at u is the posterior, and where it leans.

    Args:
        criterion: the families in which softmax(g) is the posterior.
        lean: the sign of B_k - B_j in (g_k - g_j) - (ell_k - ell_j).
        everywhere: whether data fill the space, or only the outcomes 0 and 1 occur.
    """

    criterion: Criterion = equal_offsets
    lean: int = 1
    everywhere: bool = True

    def __str__(self) -> str:
        sign = "" if self.lean > 0 else "-"
        equal = "all B_k are equal"
        names: dict[Any, str] = {
            equal_offsets: equal,
            equal_norms: "all |eta_k| are equal",
            any_pair: f"K = 2 or {equal}",
        }
        data = "all data" if self.everywhere else "both outcomes"
        return (
            f"softmax(g) = posterior for one datum iff for all iff {names[self.criterion]}; argmax g = argmax ell for "
            f"{data} off ties iff {equal}; (g_k - g_j) - (ell_k - ell_j) = {sign}(B_k - B_j)"
        )


@claim(
    CLAIM,
    source=Source("2407.17356", "One-step inference", "derived"),
    quantifiers="for all log-linear families, K >= 2; the part on argmax for distinct eta_k, A strictly convex and "
    "data anywhere in R^d",
    statement=str,
    variant=Exactness(),
    controls={
        "K = 2 is exact": Exactness(criterion=any_pair),
        "equal norms": Exactness(criterion=equal_norms),
        "it leans to near tasks": Exactness(lean=-1),
    },
    hypotheses=(
        Hypothesis("data anywhere", "the statistic takes all values of R^d", Exactness(everywhere=False)),
        Hypothesis(
            "distinct", "the eta_k are distinct and A strictly convex", remark="else two tasks tie for all data"
        ),
    ),
    does_not_show="that unequal offsets often mislead: where they do, the datum lies between two tasks",
)
def exactness_iff_equal_offsets(exactness: Exactness, thorough: bool) -> Iterator[Evidence]:
    """Gaussians in one and two dimensions with an exact datum on the wrong side; pairs in balls; symbols."""
    yield Enumeration("posteriors", _posteriors(exactness, thorough))
    yield Enumeration("tasks picked", _tasks(exactness, thorough))
    yield Identity("lean", _lean(exactness), sympy.expand)


def _gaussians(thorough: bool) -> Iterator[Gaussian]:
    for count in (2, 3, 4) if thorough else (2, 3):
        for means in combinations([(m,) for m in range(5 if thorough else 4)], count):
            yield Gaussian(means, Fraction(1, 4))
    yield Gaussian(((1, 0), (0, 1), (-1, 0)), Fraction(1))
    points = [*POINTS, (2, 2), (0, 2)] if thorough else POINTS
    for count in (3, 4):
        for triple in combinations(points, count):
            yield Gaussian(triple, Fraction(1, 4))


def _posteriors(exactness: Exactness, thorough: bool) -> Iterator[Case]:
    """G - ell constant, at each of several data."""
    pairs = (Fraction(1, 2), Fraction(99, 100)), (Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 3), Fraction(1, 5))
    families: list[tuple[ExponentialFamily, list[Vector]]] = [(bernoulli(pair), [(0,), (1,)]) for pair in pairs]
    families.append((poisson((1, 2, 6)), [(x,) for x in range(4)]))
    for gaussian in _gaussians(thorough):
        families.append(
            (gaussian, [(x,) * len(gaussian.means[0]) for x in (Fraction(-2), Fraction(1, 3), Fraction(4))])
        )
    for family, data in families:
        claimed = exactness.criterion(family)
        for t in data:
            gaps = [a - b for a, b in zip(family.gradient(t), family.log_likelihoods(t), strict=True)]
            yield {"eta": family.natural, "t": t}, claimed.iff(constant(gaps))


def _tasks(exactness: Exactness, thorough: bool) -> Iterator[Case]:
    """A datum on the wrong side of a facet exists iff the offsets differ; or an outcome 0 or 1 that misleads does."""
    if not exactness.everywhere:
        family = bernoulli((Fraction(1, 2), Fraction(99, 100)))
        misled = [_leads(family.gradient((x,))) is not _leads(family.log_likelihoods((x,))) for x in (0, 1)]
        yield {"p": (Fraction(1, 2), Fraction(99, 100))}, Outcome.of(not any(misled)).iff(equal_offsets(family))
        return
    for gaussian in _gaussians(thorough):
        equal = equal_offsets(gaussian) is Outcome.HOLDS
        found = wrong_datum(gaussian)
        right = found is None
        if equal:
            data = product(map(Fraction, range(-2, 4)), repeat=len(gaussian.means[0]))
            right &= all(picked(gaussian.gradient(x)) == picked(gaussian.log_likelihoods(x)) for x in data)
        yield {"means": gaussian.means, "x": found}, right is equal


def _leads(values: Vector) -> Outcome:
    """Whether the second of two tasks is preferred."""
    lead: Outcome = values[1] - values[0] > 0
    return lead


def _lean(exactness: Exactness) -> Iterator[Equation]:
    means = tuple(
        (a, b) for a, b in zip(sympy.symbols("a_1:4", real=True), sympy.symbols("b_1:4", real=True), strict=True)
    )
    gaussian = Gaussian(means, sympy.Symbol("sigma", positive=True) ** 2)
    x = sympy.symbols("x y", real=True)
    g, ell, offsets = gaussian.gradient(x), gaussian.log_likelihoods(x), gaussian.offsets()
    for j, k in combinations(range(3), 2):
        yield f"{k + 1} over {j + 1}", (g[k] - g[j]) - (ell[k] - ell[j]), exactness.lean * (offsets[k] - offsets[j])
