"""A task whose parameter lies among those of others is never the one that the gradient at u picks.

Source: derived here. For a given datum g_k = <eta_k, t - mubar> is linear in eta_k: a convex combination of parameters
has that combination of gradients, which is at most the largest of them. A vertex of the hull wins for some datum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import sympy

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import largest_task, results, rows, same_length, vector
from theory.inference.embeddings import Gaussian
from theory.inference.gaussian.hulls import affine_distance, in_hull, nearest
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import argmax, combined, dot
from theory.quantities import Exact, Matrix, Positive, Result, Vector, quantity

CLAIM = "gbi-hull-failure"
SEED = 2411
Hull = Literal["convex", "affine", "none"]


@dataclass(frozen=True)
class Failure:
    """Where task c is not the only largest gradient, for any datum, and who finds it.

    Args:
        hull: of the other parameters, in which eta_c lies; "none" demands nothing.
        ties: whether g_c may tie with the largest of the others.
        distinct: whether the means of Gaussian tasks differ, where their likelihoods pick c.
        gaussian: whether the likelihoods are said to pick c of Gaussian tasks, or of any family.
    """

    hull: Hull = "convex"
    ties: bool = True
    distinct: bool = True
    gaussian: bool = True

    def __str__(self) -> str:
        where = "for any eta_c" if self.hull == "none" else f"for eta_c in the {self.hull} hull of the others"
        means = "distinct means" if self.distinct else "any means"
        family = f"Gaussian tasks of {means}" if self.gaussian else "any family"
        return (
            f"{where}, every x: g_c {'<=' if self.ties else '<'} max g_j, j != c; one dimension: an extreme task is "
            f"picked; likelihoods of {family} pick c for some x, and so do gradients for vertices of the hull"
        )

    def covers(self, others: Sequence[Entries], eta: Entries) -> bool:
        """Whether anything is said of this parameter."""
        match self.hull:
            case "convex":
                return in_hull(others, eta)
            case "affine":
                return affine_distance(others, eta) == 0
        return True

    def fails(self, own: Any, others: Sequence[Any]) -> bool:
        """Whether g_c is no larger than it is said to be."""
        most = max(others)
        return bool(own <= most if self.ties else own < most)


@claim(
    CLAIM,
    source=Source("2407.17356", "One-step inference", "derived"),
    quantifiers="for all K >= 3, parameters eta_c among those of the others, and data x",
    statement=str,
    variant=Failure(),
    controls={
        "the affine hull": Failure(hull="affine"),
        "not even a tie": Failure(ties=False),
        "likelihoods of any family pick c": Failure(gaussian=False),
    },
    hypotheses=(
        Hypothesis("among the others", "eta_c is a convex combination of the other parameters", Failure(hull="none")),
        Hypothesis("distinct means", "for likelihoods: no two tasks are the same", Failure(distinct=False)),
    ),
    does_not_show="that c loses to the right task: with offsets subtracted, gradients pick it as likelihoods do",
)
def hull_failure(claimed: Failure, thorough: bool) -> Iterator[Evidence]:
    """Sets of points and directions of data; vertices and their data; a family with two data; symbols; random hulls."""
    yield Enumeration("likelihoods at x = m_c", _likelihoods(claimed))
    yield Enumeration("points of a grid, all directions of t - mubar", _grid(claimed, 4 if thorough else 3))
    yield Enumeration("a vertex, and a datum that it wins", _vertices(4 if thorough else 3))
    yield Enumeration("one dimension", _line(5 if thorough else 3))
    yield Identity("gradients of a mixture", _mixture(), sympy.expand)
    yield Search("random hulls, the best of many data", _random(claimed, 400 if thorough else 60), seed=SEED)


def _plane(largest: int) -> list[Entries]:
    """Points of a grid, centre first."""
    points = [(Fraction(a), Fraction(b)) for a, b in product(range(largest), repeat=2)]
    return sorted(points, key=lambda p: max(p[0], p[1]))


def _grid(claimed: Failure, largest: int) -> Iterator[Case]:
    directions = [v for v in product((-2, -1, 0, 1, 2), repeat=2) if largest > 3 or 2 not in map(abs, v)]
    for eta in _plane(min(largest - 1, 3)):
        for size in (2, 3):
            for others in combinations([p for p in _plane(3) if p != eta], size):
                if not claimed.covers(others, eta):
                    continue
                lost = all(claimed.fails(dot(eta, v), [dot(p, v) for p in others]) for v in directions)
                yield {"eta_c": [*map(str, eta)], "others": [[*map(str, p)] for p in others]}, lost


def _likelihoods(claimed: Failure) -> Iterator[Case]:
    """Task 2 of three collinear Gaussians, or of Bernoulli tasks 1/5, 1/2, 4/5, whose eta are -log 4, 0, log 4."""
    for first, middle, last in ((0, 1, 5), (0, 2, 3), (-1, 0, 1), *[(0, 0, 1)] * (not claimed.distinct)):
        model = Gaussian(tuple((Fraction(m),) for m in (first, middle, last)))
        x = (Fraction(middle),)
        corrected = tuple(a - b for a, b in zip(model.gradient(x), model.offsets(), strict=True))
        for name, values in (("likelihoods", model.log_likelihoods(x)), ("g - B", corrected)):
            yield {"means": (first, middle, last), "by": name}, largest_task(values) == 2
    if not claimed.gaussian:
        picked = {largest_task(p) for p in ((8, 5, 2), (2, 5, 8))}  # ten times the likelihoods of 0 and of 1
        yield {"family": "Bernoulli 1/5, 1/2, 4/5", "one datum": "0 or 1"}, 2 in picked


def _vertices(largest: int) -> Iterator[Case]:
    """Away from the nearest point of the hull of the others a vertex is the only largest."""
    for points in combinations(_plane(largest), 4 if largest > 3 else 3):
        for c, own in enumerate(points):
            others = [p for k, p in enumerate(points) if k != c]
            distance, weights = nearest(others, own)
            if distance == 0:
                continue
            v = tuple(a - b for a, b in zip(own, combined(weights, others), strict=True))
            won = all(dot(own, v) > dot(p, v) for p in others)
            model = Gaussian(points)
            x = tuple(a + b for a, b in zip(model.output(), v, strict=True))
            yield {"points": [[*map(str, p)] for p in points], "c": c + 1}, won and argmax(model.gradient(x)) == c


def _line(largest: int) -> Iterator[Case]:
    """Every datum but the mean of all picks an extreme task."""
    for means in combinations(range(largest + 1), 3):
        model = Gaussian(tuple((Fraction(m),) for m in means))
        for x in (Fraction(i, 3) for i in range(-3, 3 * largest + 4)):
            g = model.gradient((x,))
            tied = x == model.output()[0]
            right = len(set(g)) == 1 if tied else largest_task(g) in (1, 3)
            yield {"means": means, "x": str(x)}, right


def _mixture() -> Iterator[Equation]:
    """With eta_c = sum of lambda_j eta_j, for any datum and any mubar."""
    t, mubar, share = sympy.symbols("t mubar lambda", real=True)
    etas = sympy.symbols("eta_1:3", real=True)
    mixed = share * etas[0] + (1 - share) * etas[1]
    g = [eta * (t - mubar) for eta in (*etas, mixed)]
    yield "g_c", g[2], share * g[0] + (1 - share) * g[1]
    yield "g_1 - g_c", g[0] - g[2], (1 - share) * (g[0] - g[1])


def _random(claimed: Failure, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    eps = float(np.finfo(float).eps)
    for case in range(count):
        dimensions, tasks = int(random.integers(1, 6)), int(random.integers(2, 7))
        others = random.normal(size=(tasks, dimensions))
        own = random.dirichlet(np.ones(tasks)) @ others
        directions = random.normal(size=(64, dimensions))
        lead = directions @ own - (directions @ others.T).max(axis=1)
        size = float(np.abs(directions).sum(axis=1).max() * np.abs(others).max())
        # Rounding of a product of D terms, of the mixture of K points, and of the difference.
        yield Trial(case, 1 + float(lead.max()), 1.0, (dimensions + tasks + 2) * eps * (1 + size))


@quantity("hull-one-step", unit="nats; task", claim=CLAIM)
def hull_one_step(means: Matrix, x: Vector, sigma: Positive) -> dict[str, Result]:
    """What one step at u picks among Gaussian tasks, with and without offsets; which tasks it can never pick alone.

    Raises InputError for a datum of another dimension, and for means that are not known to be rational.
    """
    centres, datum = rows(means), vector(x)
    same_length("x", datum, len(centres[0]), "entry of a mean")
    model = Gaussian(centres, sigma**2)
    g, offsets = model.gradient(datum), model.offsets()
    corrected = tuple(a - b for a, b in zip(g, offsets, strict=True))
    found = results(gradient=g, offset=offsets, corrected=corrected)
    found |= {"picked": Exact(largest_task(g)), "picked-corrected": Exact(largest_task(corrected))}
    if all(isinstance(entry, Fraction) for row in centres for entry in row):
        hidden = [k + 1 for k, own in enumerate(centres) if in_hull([*centres[:k], *centres[k + 1 :]], own)]
        found["never-alone"] = Exact(hidden)
    return found
