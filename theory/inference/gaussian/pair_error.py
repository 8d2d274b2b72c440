"""How often the gradient at u prefers a wrong Gaussian task to the right one, in closed form.

Source: derived here, for arXiv 2407.17356. At x = m_c + sigma xi, g_c - g_j = <m_c - m_j, m_c - mbar + sigma
xi>/sigma^2 is normal, and <m_c - m_j, m_c - mbar> = (|m_c - m_j|^2 + R_c^2 - R_j^2)/2 by polarisation. Bayes'
comparison has |m_c - m_j|^2/2 in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import sqrt as root
from typing import Any

import numpy as np
import sympy

from theory.arithmetic.ball import Real, minimum, sqrt
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import result, rows
from theory.inference.embeddings import Gaussian
from theory.inference.gaussian.hulls import squared_gap
from theory.inference.normal import cdf
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import dot
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Matrix, Positive, Result, quantity

CLAIM = "gbi-pair-error-closed-form"
SEED = 2415
# In standard errors: beyond this lies one count in 16,000.
ERRORS = 4


def lead(gap: Any, own: Any, other: Any) -> Any:
    """<m_c - m_j, m_c - mbar> of |m_c - m_j|^2, R_c^2 and R_j^2."""
    return (gap + own - other) / 2


@dataclass(frozen=True)
class PairError:
    """P(g_j > g_c) = Phi(-lead/(sigma |m_c - m_j|)) for data of task c.

    Args:
        lead: of |m_c - m_j|^2, R_c^2 and R_j^2.
        differ: whether m_j and m_c differ; where they do not, 0/0 is read as 0.
        gaussian: whether noise is normal, or +-sigma in every coordinate.
        samples: what n data divide sigma by.
    """

    lead: Callable[[Any, Any, Any], Any] = lead
    differ: bool = True
    gaussian: bool = True
    samples: Callable[[Any], Any] = root

    def __str__(self) -> str:
        names = sympy.symbols("|m_c-m_j|^2 R_c^2 R_j^2", positive=True)
        noise = "normal noise" if self.gaussian else "any noise"
        which = "m_j other than m_c" if self.differ else "any m_j"
        return (
            f"{noise}, {which}: P(g_j > g_c) = Phi(-({sympy.factor(self.lead(*names))})/(sigma |m_c - m_j|)), "
            f"sigma/{self.samples(4)} at n = 4; equal to Bayes' Phi(-|m_c - m_j|/(2 sigma)) iff R_c = R_j"
        )

    def chance(self, model: Gaussian, c: int, j: int) -> Any:
        """P(g_j > g_c) as claimed, of one datum."""
        gap, radii = squared(model, c, j), model.squared_distances()
        size = self.lead(gap, radii[c], radii[j])
        if isinstance(gap, float):
            return cdf(-size / root(gap * model.variance))
        tied = not isinstance(gap, Real) and gap == 0
        return Fraction(1, 2) if tied else cdf(-size / sqrt(Real.of(gap) * model.variance))


def squared(model: Gaussian, c: int, j: int) -> Any:
    """|m_c - m_j|^2."""
    gap = tuple(a - b for a, b in zip(model.means[c], model.means[j], strict=True))
    return dot(gap, gap)


@claim(
    CLAIM,
    source=Source("2407.17356", "One-step inference", "derived"),
    quantifiers="for all K >= 2, means, sigma, tasks c and j and numbers n of data; equalities, and a union bound",
    statement=str,
    variant=PairError(),
    controls={
        "R_j^2 - R_c^2": PairError(lambda gap, own, other: (gap + other - own) / 2),
        "no factor 1/2": PairError(lambda gap, own, other: gap + own - other),
        "sigma/n": PairError(samples=float),
    },
    hypotheses=(
        Hypothesis("another mean", "m_j differs from m_c", PairError(differ=False)),
        Hypothesis("normal noise", "x - m_c is normal with covariance sigma^2 I", PairError(gaussian=False)),
    ),
    does_not_show="how often c is picked among K > 2 tasks: pairs err together, and their sum is only a bound",
)
def pair_error_closed_form(claimed: PairError, thorough: bool) -> Iterator[Evidence]:
    """Polarisation in fractions; noise of two values; mean and variance in symbols; draws, counted."""
    if not claimed.gaussian:
        yield Enumeration("noise of two values", _two_values(claimed))
    yield Enumeration("leads, and where they are Bayes'", _leads(claimed, 3 if thorough else 2))
    yield Identity("mean and variance of g_c - g_j", _moments(claimed), sympy.expand)
    yield Search("draws", _draws(claimed, 40 if thorough else 8), seed=SEED)


def _triples(largest: int) -> Iterator[tuple[Entries, ...]]:
    points = [(Fraction(a), Fraction(b)) for a, b in product(range(largest + 1), repeat=2)]
    for first, second in product(points[1:], repeat=2):
        yield (points[0], first, second)


def _leads(claimed: PairError, largest: int) -> Iterator[Case]:
    for means in _triples(largest):
        model = Gaussian(means)
        centre, radii = model.output(), model.squared_distances()
        for c, j in permutations(range(3), 2):
            direction = tuple(a - b for a, b in zip(means[c], means[j], strict=True))
            case = {"means": [[*map(str, m)] for m in means], "c, j": (c + 1, j + 1)}
            gap = squared_gap(means[c], means[j])
            if gap == 0:
                if not claimed.differ:
                    yield case, claimed.chance(model, c, j) == 0  # g_j = g_c, whatever x is
                continue
            from_centre = tuple(a - b for a, b in zip(means[c], centre, strict=True))
            found = claimed.lead(gap, radii[c], radii[j])
            as_bayes = (found == gap / 2) is (radii[c] == radii[j])
            yield case, found == dot(direction, from_centre) and as_bayes


def _two_values(claimed: PairError) -> Iterator[Case]:
    """Means 0, 1, 3 and x = m_c +- sigma: g_j > g_c on none, one or both of two data."""
    model = Gaussian(tuple((Fraction(m),) for m in (0, 1, 3)), Fraction(1, 4))
    for c, j in permutations(range(3), 2):
        data = [model.gradient((model.means[c][0] + sign * Fraction(1, 2),)) for sign in (-1, 1)]
        share = Fraction(sum(g[j] > g[c] for g in data), 2)
        yield {"c, j": (c + 1, j + 1)}, Real.of(claimed.chance(model, c, j)).equals(share)


def _moments(claimed: PairError) -> Iterator[Equation]:
    """Three tasks in the plane."""
    m, xi = sympy.symbols("m_1:7", real=True), sympy.symbols("xi_1:3", real=True)
    sigma = sympy.Symbol("sigma", positive=True)
    model = Gaussian((m[:2], m[2:4], m[4:]), sigma**2)
    x = tuple(entry + sigma * noise for entry, noise in zip(m[:2], xi, strict=True))
    g = model.gradient(x)
    difference = sympy.expand(sigma**2 * (g[0] - g[1]))
    still = difference.subs(dict.fromkeys(xi, 0))
    gap, radii = squared(model, 0, 1), model.squared_distances()
    yield "mean times sigma^2", still, claimed.lead(gap, radii[0], radii[1])
    slopes = [sympy.diff(difference, noise) for noise in xi]
    yield "variance times sigma^4", sum(slope**2 for slope in slopes), sigma**2 * gap


def _draws(claimed: PairError, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    draws = 20_000
    for case in range(count):
        tasks, dimensions, n = (int(random.integers(low, high)) for low, high in ((2, 6), (1, 5), (1, 6)))
        means = random.normal(size=(tasks, dimensions))
        # The mean of n data has the noise of one with sigma/sqrt(n).
        spread = random.uniform(0.3, 2)
        x = means[0] + spread / np.sqrt(n) * random.normal(size=(draws, dimensions))
        g = (x - means.mean(axis=0)) @ means.T
        scaled = Gaussian(tuple(tuple(map(float, m)) for m in means), float((spread / claimed.samples(n)) ** 2))
        chances = [claimed.chance(scaled, 0, j) for j in range(1, tasks)]
        for j, chance in enumerate(chances, start=1):
            seen = float((g[:, j] > g[:, 0]).mean())
            error = ERRORS * root(chance * (1 - chance) / draws) + 1 / draws
            yield Trial((case, "g_j", j), abs(seen - chance), 0.0, error)
        wrong = float((g.argmax(axis=1) != 0).mean())
        yield Trial((case, "argmax"), wrong, sum(chances), ERRORS / (2 * root(draws)))


@quantity("gradient-pair-error", unit="probability", claim=CLAIM)
def gradient_pair_error(means: Matrix, sigma: Positive, c: Count, j: Count, n: Count = 1) -> dict[str, Result]:
    """P(g_j > g_c) for n data of task c, that of Bayes' comparison, and a bound on P(argmax g is not c).

    Raises InputError for a task that does not exist, and where means c and j are not known to differ.
    """
    centres = rows(means)
    for name, task in (("c", c), ("j", j)):
        if task > len(centres):
            raise InputError(f"{name} = {task} of {len(centres)} tasks; give a number up to that")
    model = Gaussian(centres, sigma**2 / n)
    gaps = [Real.of(squared(model, c - 1, k)) for k in range(model.tasks) if k != c - 1]
    if c == j or (minimum(gaps) > 0) is not Outcome.HOLDS:
        raise InputError(f"task c = {c} is not known to differ from the others; give other means and j other than c")
    chances = [PairError().chance(model, c - 1, k) for k in range(model.tasks) if k != c - 1]
    own = PairError().chance(model, c - 1, j - 1)
    bayes = cdf(-sqrt(Real.of(squared(model, c - 1, j - 1)) / model.variance) / 2)
    return {"gradient": result(own), "bayes": Enclosure(bayes), "union": result(sum(chances))}
