"""The sum of cosines B_m measures how much better similar keys are attended to than random ones, on average.

Source: arXiv 2405.14591, Thm 1, for uncorrelated coordinates of one common mean. Neither matters: the mean
drops out of the difference, and covariances meet the antisymmetric part of a rotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import sympy
from sympy import Expr, Matrix, cos, symbols

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.rope.neighbours.base_sums import MEN
from theory.rope.rotation import logit

M = sympy.Symbol("m", integer=True)
SIGMA = sympy.Symbol("sigma", positive=True)
Vector = tuple[int, ...]
Law = Callable[[int], list[Vector]]
Noise = Callable[[Vector], list[Vector]]
ROTATIONS = ((Fraction(3, 5), Fraction(4, 5)), (Fraction(12, 13), Fraction(5, 13)))  # cosines and sines of two planes


def signs(d: int) -> list[Vector]:
    """Independent coordinates of mean 0 and variance 1: every vector of signs, equally likely."""
    return list(product((-1, 1), repeat=d))


def alike(d: int) -> list[Vector]:
    """Coordinates of mean 0 and variance 1 that are all equal."""
    return [(-1,) * d, (1,) * d]


@dataclass(frozen=True)
class Similar:
    """(E q^T R^m k* - E q^T R^m k)/(2 sigma^2) = gain, for q = mean + sigma s, k a copy of q, k* = q + noise.

    Args:
        gain: a function of the cosines of m theta_j.
        laws: each gives the equally likely vectors s, from d.
        noise: the equally likely vectors of noise, given s.
    """

    gain: Callable[[Sequence[Any]], Any] = sum
    laws: tuple[Law, ...] = (signs, alike)
    noise: Noise = lambda s: [(1,) * len(s), (-1,) * len(s)]

    def __str__(self) -> str:
        cosines = [cos(M * angle) for angle in symbols("theta_1:3", positive=True)]
        return f"(E q^T R^m k* - E q^T R^m k)/(2 sigma^2) = {self.gain(cosines)} at d = 4"


@claim(
    "men-bm-identity",
    source=Source(MEN, "Thm 1", "reconstructed"),
    quantifiers="for all m, theta, even d, means, correlations, sigma > 0; k independent, noise independent of mean 0",
    statement=str,
    variant=Similar(),
    controls={
        "squares of the cosines": Similar(lambda cosines: sum(c**2 for c in cosines)),
        "d terms": Similar(lambda cosines: 2 * sum(cosines)),
        "the mean over the planes": Similar(lambda cosines: sum(cosines) / sympy.Integer(len(cosines))),
    },
    hypotheses=(
        Hypothesis(
            "equal variances",
            "the variances of the two coordinates of a plane have the same sum in every plane",
            Similar(laws=(lambda d: [(*s[:2], *(2 * each for each in s[2:])) for s in signs(d)],)),
        ),
        Hypothesis("noise of mean 0", "E noise = 0", Similar(noise=lambda s: [(1,) * len(s)])),
        Hypothesis(
            "independent noise", "the noise does not depend on q", Similar(noise=lambda s: [tuple(-x for x in s)])
        ),
    ),
    printed="the same for uncorrelated coordinates of a common mean; neither is needed",
    does_not_show="that an average over queries and keys says much about single tokens",
)
def men_bm_identity(similar: Similar, thorough: bool) -> Iterator[Evidence]:
    """Moments of a finite law with symbolic means, from the definition; expectations enumerated over rationals."""
    yield Identity("d = 2 and 4", (_moments(similar, law, m) for m in (1, 2) for law in similar.laws))
    for law in similar.laws:
        yield Enumeration("rational rotations", _expectations(similar, law, 5 if thorough else 3))


def _moments(similar: Similar, law: Law, planes: int) -> Equation:
    angles = _angles(planes)
    gain = sympy.sympify(similar.gain([cos(M * angle) for angle in angles]), strict=True)
    return f"d = {2 * planes}", _difference(law, similar.noise, planes) / (2 * SIGMA**2), gain


def _angles(planes: int) -> tuple[sympy.Symbol, ...]:
    return symbols(f"theta_1:{planes + 1}", real=True)


@cache  # variants differ in what they say of it
def _difference(law: Law, noise: Noise, planes: int) -> Expr:
    """E q^T R^m k* - E q^T R^m k."""
    d = 2 * planes
    angles, mean = _angles(planes), Matrix(symbols(f"mu_1:{d + 1}", real=True))
    pairs = [(Matrix(s), Matrix(e)) for s in law(d) for e in noise(s)]
    query, key = (Matrix(symbols(f"{name}_1:{d + 1}", real=True)) for name in "qk")
    form = logit(query, M, key, sympy.Integer(0), angles)
    coefficients = Matrix(d, d, lambda a, b: sympy.diff(form, key[a], query[b]))
    # E k* q^T, and E k E q^T for an independent copy of q.
    moments = sum(((mean + SIGMA * s + e) * (mean + SIGMA * s).T for s, e in pairs), sympy.zeros(d, d)) / len(pairs)
    difference: Expr = sum((moments - mean * mean.T).multiply_elementwise(coefficients))
    return difference


def _expectations(similar: Similar, law: Law, reach: int) -> Iterator[Case]:
    """Unequal means, d = 4: all q and noise, and all pairs of q and an independent k."""
    mean, sigma = (Fraction(1), Fraction(-2), Fraction(1, 2), Fraction(3)), Fraction(2, 3)
    vectors = {s: tuple(mu + sigma * x for mu, x in zip(mean, s, strict=True)) for s in law(4)}
    for steps in range(reach):
        powers = [complex_power(rotation, steps) for rotation in ROTATIONS]
        matched = [
            _logit(powers, vectors[s], tuple(x + y for x, y in zip(vectors[s], e, strict=True)))
            for s in vectors
            for e in similar.noise(s)
        ]
        independent = [_logit(powers, vectors[s], vectors[other]) for s, other in product(vectors, vectors)]
        gain = sum(matched) / len(matched) - sum(independent) / len(independent)
        yield {"m": steps}, gain / (2 * sigma**2) == similar.gain([c for c, _ in powers])


def complex_power(rotation: tuple[Fraction, Fraction], steps: int) -> tuple[Fraction, Fraction]:
    """Cosine and sine of `steps` times the angle with these cosine and sine."""
    c, s = Fraction(1), Fraction(0)
    for _ in range(steps):
        c, s = c * rotation[0] - s * rotation[1], s * rotation[0] + c * rotation[1]
    return c, s


def _logit(
    powers: Sequence[tuple[Fraction, Fraction]], query: tuple[Fraction, ...], key: tuple[Fraction, ...]
) -> Fraction:
    total = Fraction(0)
    for plane, (c, s) in enumerate(powers):
        (x, y), (a, b) = query[2 * plane : 2 * plane + 2], key[2 * plane : 2 * plane + 2]
        total += a * (c * x - s * y) + b * (s * x + c * y)
    return total
