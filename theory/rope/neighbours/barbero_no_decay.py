"""Logits of random queries and keys neither fall nor rise with their distance.

Source: arXiv 2410.06205, Prop. 3.2. The logit is bilinear: only first and second moments count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import sympy
from sympy import Matrix, cos, symbols

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.rope.neighbours.barbero_basics import BARBERO
from theory.rope.rotation import logit, rope
from theory.symbols import r

SEED = 642
SIGMAS = 6  # a normal variable is farther out once in 5e8 draws
TURN = (Fraction(3, 5), Fraction(4, 5))  # cosine and sine of the plane of the exact cases


@dataclass(frozen=True)
class Moments:
    """The variance of q^T R^r k, of mean 0, from d and the cosines of r theta_k.

    `same` makes the key the query itself; `scale` is the standard deviation of the coordinates.
    """

    variance: Callable[[int, Sequence[Any]], Any] = lambda d, cosines: d
    same: bool = False
    scale: int = 1

    def __str__(self) -> str:
        cosines = [cos(r * angle) for angle in symbols("theta_1:3", real=True)]
        pair = "k = q" if self.same else "q, k independent"
        return (
            f"{pair}, deviation {self.scale}: E q^T R^r k = 0 and its variance is {self.variance(4, cosines)} at d = 4"
        )


@claim(
    "barbero-no-decay",
    source=Source(BARBERO, "Prop. 3.2", "reconstructed"),
    quantifiers="for all r, frequencies and even d; q, k independent, coordinates uncorrelated, mean 0, variance 1",
    statement=str,
    variant=Moments(),
    controls={
        "decays with the distance": Moments(lambda d, cosines: 2 * sum(cosines)),
        "decays as its square": Moments(lambda d, cosines: 4 * sum(cosines) ** 2 / d),
        "one term a plane": Moments(lambda d, cosines: sympy.Rational(d, 2)),
    },
    hypotheses=(
        Hypothesis("independent", "query and key are independent", Moments(same=True)),
        Hypothesis("variance 1", "coordinates have variance 1", Moments(scale=2)),
    ),
    does_not_show="that trained queries and keys are independent; for k = q the mean is 2 sum_k cos(r theta_k)",
)
def barbero_no_decay(moments: Moments, thorough: bool) -> Iterator[Evidence]:
    """Moments of the bilinear form from the definition; signs enumerated exactly; normal coordinates sampled."""
    yield Identity("moments, d = 2, 4, 6", (each for m in (1, 2, 3) for each in _moments(moments, m)))
    yield Enumeration("random signs, cosine 3/5", _signs(moments, 6 if thorough else 3))
    yield Search("normal coordinates", _normal(moments, 40 if thorough else 6), seed=SEED)


def _moments(moments: Moments, m: int) -> Iterator[Equation]:
    """The coefficients of q_a k_b are those of the definition; E q_a q_b k_c k_d factors for independent vectors."""
    angles, d = symbols(f"theta_1:{m + 1}", real=True), 2 * m
    query, key = (Matrix(symbols(f"{name}_1:{d + 1}", real=True)) for name in "qk")
    form = logit(query, r, key, 0, angles)
    coefficients = Matrix(d, d, lambda a, b: sympy.diff(form, query[a], key[b]))
    mean = coefficients.trace() * moments.scale**2 if moments.same else sympy.Integer(0)
    yield f"d = {d}, mean", mean, sympy.Integer(0)
    variance = sum(each**2 for each in coefficients) * moments.scale**4
    yield (
        f"d = {d}, variance",
        variance,
        sympy.sympify(moments.variance(d, [cos(r * angle) for angle in angles]), strict=True),
    )


def _signs(moments: Moments, reach: int) -> Iterator[Case]:
    signs = list(product((-moments.scale, moments.scale), repeat=2))
    for steps in range(reach):
        turn = rope([sympy.acos(sympy.Rational(3, 5))], sympy.Integer(steps)).applyfunc(sympy.expand_trig)
        matrix = [Fraction(int(x.p), int(x.q)) for x in turn.applyfunc(sympy.expand)]
        pairs = [(q, q) for q in signs] if moments.same else list(product(signs, signs))
        logits = [sum((k[a] * matrix[2 * a + b] * q[b] for a in (0, 1) for b in (0, 1)), Fraction(0)) for q, k in pairs]
        mean = sum(logits) / len(logits)
        variance = sum((each - mean) ** 2 for each in logits) / len(logits)
        yield {"r": steps}, mean == 0 and variance == moments.variance(2, [matrix[0]])


def _normal(moments: Moments, rounds: int) -> Iterator[Trial]:
    """Sample mean and mean square of N logits, against their own standard deviations."""
    rng, count = np.random.default_rng(SEED), 20_000
    for _ in range(rounds):
        m, steps = int(rng.integers(1, 9)), int(rng.integers(0, 2000))
        d, phases = 2 * m, steps * rng.uniform(0, np.pi, m)
        queries = rng.normal(scale=moments.scale, size=(count, m, 2)) @ np.array([1, 1j])
        keys = queries if moments.same else rng.normal(scale=moments.scale, size=(count, m, 2)) @ np.array([1, 1j])
        logits = (queries * np.exp(1j * phases) * keys.conj()).real.sum(axis=1)
        variance = float(moments.variance(d, list(np.cos(phases))))
        case = {"d": d, "r": steps}
        # The bounds exceed the errors of float64 by orders of magnitude.
        yield Trial({**case, "moment": 1}, abs(float(logits.mean())), SIGMAS * sqrt(d / count))
        # E (q^T R k)^4 = 3 E |q|^4 = 3 d (d + 2).
        deviation = sqrt((3 * d * (d + 2) - d**2) / count)
        yield Trial({**case, "moment": 2}, abs(float((logits**2).mean()) - variance), SIGMAS * deviation)
