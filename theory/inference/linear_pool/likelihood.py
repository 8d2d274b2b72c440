"""In a linear pool the gradient of the log-likelihood in z is the likelihood of the tasks, up to a common factor.

Source: arXiv 2407.17356 has the idea that gradients behave like likelihoods; statement and proof are derived here.
d/dz_k log sum_j z_j p_j = p_k / sum_j z_j p_j is proportional to p, so that pi g is proportional to pi p; z g = r(z),
and at u, where g = K r, the step u + (g - 1)/K lands on r.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.arguments import distribution, positive, results, same_length, vector
from theory.inference.embeddings import Gaussian, LinearPool
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import argmax, dot, multiplied, normalised, uniform
from theory.quantities import Amount, Result, Vector, quantity

CLAIM = "gbi-linear-pool-gradient-is-likelihood"
MOST_STEPS = 1000
Weights = Callable[[Entries, Entries, Entries], Entries]  # of a prior, z and g


def pool(p: Entries, z: Entries) -> tuple[LinearPool, Entries]:
    """The pool of given likelihoods and a start; u where none is given. Raises InputError for bad ones."""
    likelihoods = vector(p)
    positive("p", likelihoods)
    model = LinearPool(likelihoods)
    start = vector(z) or uniform(model.tasks)
    same_length("z", start, model.tasks)
    distribution("z", start)
    return model, start


def euclidean_step(z: Entries, g: Entries, rate: Any) -> Entries:
    """Z + rate (g - 1)."""
    return tuple(a + rate * (b - 1) for a, b in zip(z, g, strict=True))


def repeated(z: Entries, likelihoods: Entries, steps: int) -> Entries:
    """What `steps` multiplicative steps z <- z g(z) on one datum give: shares proportional to z p^steps."""
    return normalised(tuple(a * p**steps for a, p in zip(z, likelihoods, strict=True)))


@quantity("pool-gradient", unit="1", claim=CLAIM)
def pool_gradient(p: Vector, z: Vector = ()) -> dict[str, Result]:
    """Gradient g, responsibilities r and the step z + (g - 1)/K, for likelihoods p of the tasks; z is u if not given.

    Raises InputError unless p and z are positive and z adds up to 1.
    """
    model, start = pool(p, z)
    gradient = model.gradient(start)
    return results(
        gradient=gradient,
        responsibility=model.responsibilities(start),
        step=euclidean_step(start, gradient, Fraction(1, model.tasks)),
    )


@quantity("pool-posterior", unit="probability", claim=CLAIM)
def pool_posterior(p: Vector, prior: Vector, z: Vector = ()) -> dict[str, Result]:
    """The posterior of a prior read off the gradient at any z: prior g(z), normalised."""
    model, start = pool(p, z)
    shares = vector(prior)
    same_length("prior", shares, model.tasks)
    distribution("prior", shares)
    return results(posterior=normalised(multiplied(shares, model.gradient(start))))


@quantity("pool-repeats", unit="share", claim=CLAIM)
def pool_repeats(p: Vector, steps: Amount, z: Vector = ()) -> dict[str, Result]:
    """Where multiplicative steps z <- z g(z) on one datum lead: proportional to z p^steps."""
    if steps > MOST_STEPS:
        raise InputError(f"steps = {steps} gives powers too long to print; give at most {MOST_STEPS}")
    model, start = pool(p, z)
    return results(z=repeated(start, model.likelihoods, steps))


@dataclass(frozen=True)
class Reading:
    """How the likelihood is read off the gradient.

    Args:
        rate: the learning rate in u + rate (g - 1), from K.
        weights: what is proportional to the posterior, from a prior, z and g(z).
        power: the power of p after t multiplicative steps.
        from_uniform: whether the additive step starts at u, or anywhere.
        interior: whether starts are interior, or vertices.
        pooled: whether the model is a linear pool, or Gaussian.
    """

    rate: Callable[[int], Fraction] = lambda tasks: Fraction(1, tasks)
    weights: Weights = lambda prior, z, g: multiplied(prior, g)
    power: Callable[[int], int] = lambda steps: steps
    from_uniform: bool = True
    interior: bool = True
    pooled: bool = True

    def __str__(self) -> str:
        prior, z, g = (sympy.symbols(name, positive=True) for name in ("pi_k", "z_k", "g_k"))
        (weight,) = self.weights((prior,), (z,), (g,))
        start = "u" if self.from_uniform else "z"
        return (
            f"posterior_k proportional to {weight}; {start} + {self.rate(3)} (g - 1) = r at K = 3; "
            f"after 3 steps z <- z g the shares are proportional to z_0 p^{self.power(3)}"
        )

    def gradient(self, likelihoods: Entries, z: Entries) -> Entries:
        if self.pooled:
            return LinearPool(likelihoods).gradient(z)
        # Means 0, 1, ... and the first likelihood as the datum.
        return Gaussian(tuple((Fraction(k),) for k in range(len(z)))).gradient((likelihoods[0],), z)


@claim(
    CLAIM,
    source=Source("2407.17356", "Gradients as likelihoods", "derived"),
    quantifiers="for all K >= 2, likelihoods p > 0, interior z, priors pi and numbers t of steps; equalities",
    statement=str,
    variant=Reading(),
    controls={
        "rate 1/(K - 1)": Reading(rate=lambda tasks: Fraction(1, tasks - 1)),
        "rate 1": Reading(rate=lambda tasks: Fraction(1)),
        "repeats on one datum stay at the posterior": Reading(power=lambda steps: 1),
        "pi z g": Reading(weights=multiplied),
    },
    hypotheses=(
        Hypothesis("linear pool", "z enters as a linear pool of likelihoods", Reading(pooled=False)),
        Hypothesis("interior", "all z_k > 0", Reading(interior=False)),
        Hypothesis("from u", "the additive step starts at u", Reading(from_uniform=False)),
    ),
    does_not_show="anything of models in which z enters otherwise: a Gaussian's gradient is affine in the datum",
)
def gradient_is_likelihood(reading: Reading, thorough: bool) -> Iterator[Evidence]:
    """Rational likelihoods and starts; then symbols, with SymPy's derivative of log sum z p."""
    yield Enumeration("rational data and starts", _rational(reading, 4 if thorough else 3))
    yield Identity("derivatives and readings", _symbols(reading, 4 if thorough else 3), sympy.cancel)


def starts(reading: Reading, tasks: int) -> Iterator[Entries]:
    """u, and unequal shares; or the vertices."""
    if not reading.interior:
        for place in range(tasks):
            yield tuple(Fraction(k == place) for k in range(tasks))
        return
    yield uniform(tasks)
    yield normalised(range(1, tasks + 1))
    yield normalised([3, *[2] * (tasks - 2), 1])


def _rational(reading: Reading, largest: int) -> Iterator[Case]:
    for tasks in (2, 3):
        prior = normalised(range(tasks + 1, 1, -1))
        for likelihoods in product(map(Fraction, range(1, largest + 1)), repeat=tasks):
            model = LinearPool(likelihoods)
            for z in starts(reading, tasks):
                g = reading.gradient(likelihoods, z)
                yield {"p": likelihoods, "z": z}, _agrees(reading, model, z, g, prior)


def _agrees(reading: Reading, model: LinearPool, z: Entries, g: Entries, prior: Entries) -> bool:
    likelihoods, tasks = model.likelihoods, model.tasks
    if dot(z, g) != 1 or multiplied(z, g) != model.responsibilities(z):
        return False
    start = uniform(tasks) if reading.from_uniform else z
    step = euclidean_step(start, reading.gradient(likelihoods, start), reading.rate(tasks))
    if step != model.responsibilities(start):
        return False
    if normalised(reading.weights(prior, z, g)) != model.posterior(prior):
        return False
    now = z
    for _ in range(3):
        now = multiplied(now, reading.gradient(likelihoods, now))
    if now != repeated(z, likelihoods, reading.power(3)):
        return False
    # Enough steps reach the most likely task from any interior start: (4/3)^12 exceeds all ratios of shares.
    best = max(likelihoods)
    return likelihoods.count(best) > 1 or likelihoods[argmax(repeated(z, likelihoods, 12))] == best


def _symbols(reading: Reading, most: int) -> Iterator[Equation]:
    for tasks in range(2, most + 1):
        p = sympy.symbols(f"p_1:{tasks + 1}", positive=True)
        z = sympy.symbols(f"z_1:{tasks + 1}", positive=True)
        prior = sympy.symbols(f"pi_1:{tasks + 1}", positive=True)
        model, u = LinearPool(p), uniform(tasks)
        g = model.gradient(z)
        for k in (0, tasks - 1):
            yield f"g_{k + 1}, K = {tasks}", sympy.diff(model.log_likelihood(z), z[k]), g[k]
            step = euclidean_step(u, model.gradient(u), reading.rate(tasks))
            yield f"step {k + 1}, K = {tasks}", step[k], model.responsibilities(u)[k]
            found = normalised(reading.weights(prior, z, g))
            yield f"posterior {k + 1}, K = {tasks}", found[k], model.posterior(prior)[k]
        yield f"<z, g>, K = {tasks}", dot(z, g), sympy.S.One
        yield f"sum of g(u), K = {tasks}", sum(model.gradient(u)), sympy.Integer(tasks)
