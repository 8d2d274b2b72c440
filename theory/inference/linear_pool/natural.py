"""In a linear pool the natural gradient with unit step is the EM step; logits of a softmax get r - z.

Source: derived here. The Fisher-Rao gradient on the simplex is (diag z - z z^T) g = z g - z <z, g>, and <z, g> = 1 in a
linear pool. It is parallel to P g for every g only where diag z - z z^T is a multiple of P on the tangent space: at u,
and everywhere if K = 2. With z = softmax(a/T), dz_j/da_k = z_k (delta_jk - z_j)/T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from theory.arithmetic.ball import Real, sqrt
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.arguments import largest_task, results
from theory.inference.embeddings import Gaussian, LinearPool
from theory.inference.linear_pool.likelihood import pool
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import centred, dot, multiplied, normalised, uniform
from theory.outcome import Outcome
from theory.quantities import Result, Vector, quantity

CLAIM = "gbi-natural-gradient-unit-step"
T = sympy.Symbol("T", positive=True)


def natural_gradient(z: Entries, g: Entries) -> Entries:
    """(diag z - z z^T) g."""
    mean = dot(z, g)
    return tuple(a * (b - mean) for a, b in zip(z, g, strict=True))


@quantity("pool-natural", unit="1", claim=CLAIM)
def pool_natural(p: Vector, z: Vector = ()) -> dict[str, Result]:
    """Natural gradient r - z, Euclidean one P g, their cosine, and which task each way of reading them picks."""
    model, start = pool(p, z)
    g = model.gradient(start)
    natural, euclidean = natural_gradient(start, g), centred(g)
    found = results(
        natural=natural,
        euclidean=euclidean,
        gradient_task=largest_task(natural),
        posterior_task=largest_task(model.responsibilities(start)),
        likelihood_task=largest_task(model.likelihoods),
    )
    if any(Real.of(entry).equals(0) is Outcome.REFUTED for entry in natural):
        norms = sqrt(dot(natural, natural)) * sqrt(dot(euclidean, euclidean))
        found |= results(cosine=dot(natural, euclidean) / norms)
    return found


@dataclass(frozen=True)
class Natural:
    """What is said of the natural gradient.

    Args:
        chain: the factor of r - z in the gradient of the logits, from T.
        agree: whether its direction and the Euclidean one agree for every datum, from K and whether z = u.
        fisher: whether the metric is Fisher's, or Euclidean.
        pooled: whether the model is a linear pool, or Gaussian.
    """

    chain: Callable[[Any], Any] = lambda temperature: 1 / temperature
    agree: Callable[[int, bool], bool] = lambda tasks, at_uniform: tasks == 2 or at_uniform
    fisher: bool = True
    pooled: bool = True

    def __str__(self) -> str:
        kind = "natural" if self.fisher else "Euclidean"
        spots = (("u", True), ("any other z", False))
        agree = "; ".join(
            f"K = {tasks}: {' and '.join(name for name, at in spots if self.agree(tasks, at))}" for tasks in (2, 3)
        )
        return (
            f"z + {kind} gradient = z g = r(z); d ell/da_k = {self.chain(T)} (r_k - z_k); "
            f"both directions agree for all data at {agree}"
        )

    def direction(self, z: Entries, g: Entries) -> Entries:
        return natural_gradient(z, g) if self.fisher else centred(g)

    def gradient(self, model: LinearPool, z: Entries) -> Entries:
        if self.pooled:
            return model.gradient(z)
        return Gaussian(tuple((Fraction(k),) for k in range(model.tasks))).gradient((model.likelihoods[0],), z)


@claim(
    CLAIM,
    source=Source("2407.17356", "E-step as a gradient step", "derived"),
    quantifiers="for all K >= 2, p > 0, interior z and T > 0; for K >= 3 u is the only interior z at which the natural "
    "and the Euclidean direction agree for every datum",
    statement=str,
    variant=Natural(),
    controls={
        "they agree at every z": Natural(agree=lambda tasks, at_uniform: True),
        "they agree at u alone, K = 2 too": Natural(agree=lambda tasks, at_uniform: at_uniform),
        "no 1/T": Natural(chain=lambda temperature: temperature / temperature),
        "z - r": Natural(chain=lambda temperature: -1 / temperature),
    },
    hypotheses=(
        Hypothesis("linear pool", "z enters as a linear pool of likelihoods", Natural(pooled=False)),
        Hypothesis("Fisher", "lengths are measured by the Fisher-Rao metric diag(1/z)", Natural(fisher=False)),
    ),
    does_not_show="that r - z points at a task away from u: its largest entry need be neither the most likely task nor "
    "the one with the largest posterior",
)
def natural_gradient_unit_step(natural: Natural, thorough: bool) -> Iterator[Evidence]:
    """Rational data and starts; directions by their minors; symbols for the chain rule through a softmax."""
    yield Enumeration("unit steps", _steps(natural, 4 if thorough else 3))
    yield Enumeration("directions", _directions(natural, 5 if thorough else 4))
    yield Identity("logits of a softmax", _chain(natural, 3 if thorough else 2), sympy.cancel)


def _starts(tasks: int, largest: int) -> Iterator[Entries]:
    for weights in product(range(1, largest + 1), repeat=tasks):
        yield normalised(weights)


def _data(tasks: int) -> Iterator[LinearPool]:
    """One task, or two, are three times as likely as the others."""
    for likelihoods in product((Fraction(1), Fraction(3)), repeat=tasks):
        yield LinearPool(likelihoods)


def _steps(natural: Natural, largest: int) -> Iterator[Case]:
    for tasks in (2, 3):
        for z, model in product(_starts(tasks, largest), _data(tasks)):
            step = tuple(a + d for a, d in zip(z, natural.direction(z, natural.gradient(model, z)), strict=True))
            yield {"p": model.likelihoods, "z": z}, step == model.responsibilities(z)


def _directions(natural: Natural, largest: int) -> Iterator[Case]:
    """At every z whether all data give parallel vectors is as claimed."""
    for tasks in (2, 3):
        for z in _starts(tasks, largest):
            agree = all(_parallel(z, model.gradient(z)) for model in _data(tasks))
            yield {"z": z}, agree is natural.agree(tasks, z == uniform(tasks))


def _parallel(z: Entries, g: Entries) -> bool:
    one, two = natural_gradient(z, g), centred(g)
    minors = (one[i] * two[j] - one[j] * two[i] for i in range(len(z)) for j in range(i))
    return dot(one, two) >= 0 and not any(minors)


def _chain(natural: Natural, tasks: int) -> Iterator[Equation]:
    """SymPy's derivative through exponentials e_k = e^(a_k/T): d/da_k = (e_k/T) d/de_k."""
    e = sympy.symbols(f"e_1:{tasks + 1}", positive=True)
    p = sympy.symbols(f"p_1:{tasks + 1}", positive=True)
    z = normalised(e)
    model = LinearPool(p)
    r = model.responsibilities(z)
    derivative = e[0] / T * sympy.diff(model.log_likelihood(z), e[0])
    yield "linear pool", derivative, natural.chain(T) * (r[0] - z[0])
    at_uniform = multiplied(uniform(tasks), centred(model.gradient()))
    yield "at u", natural_gradient(uniform(tasks), model.gradient())[0], at_uniform[0]
    share, slopes = sympy.Symbol("z_1", positive=True), sympy.symbols("g_1 g_2", real=True)
    pair = natural_gradient((share, 1 - share), slopes)
    yield "two tasks, any z", pair[0], 2 * share * (1 - share) * centred(slopes)[0]
    means = tuple((m,) for m in sympy.symbols(f"m_1:{tasks + 1}", real=True))
    x = (sympy.Symbol("x", real=True),)
    gaussian = Gaussian(means)
    derivative = e[0] / T * sympy.diff(gaussian.log_likelihood(x, z), e[0])
    yield "any embedding", derivative, natural.chain(T) * natural_gradient(z, gaussian.gradient(x, z))[0]
