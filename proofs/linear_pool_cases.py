"""The cases by which the steps of proofs.linear_pool are checked, from the likelihoods of the tasks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from theory.evidence import Case, Equation
from theory.inference.embeddings import Gaussian, LinearPool
from theory.inference.linear_pool.likelihood import Reading, euclidean_step, repeated
from theory.inference.linear_pool.natural import natural_gradient
from theory.inference.simplex import Vector, argmax, centred, dot, multiplied, normalised, uniform

EXAMPLE = LinearPool(tuple(Fraction(p, 10) for p in (2, 5, 1, 9)))
START = normalised((1, 2, 3, 4))
PRIOR = normalised((4, 3, 2, 1))
MISLEADING = (LinearPool((Fraction(1), Fraction(3, 2), Fraction(8, 5))), normalised((6, 3, 1)))
READING = Reading()
FALSE = {
    "rate 1": Reading(rate=lambda tasks: Fraction(1)),
    "rate 1/(K - 1)": Reading(rate=lambda tasks: Fraction(1, tasks - 1)),
    "π_k z_k g_k": Reading(weights=multiplied),
    "repeats stay where they are": Reading(power=lambda steps: 1),
}
T = sympy.Symbol("T", positive=True)


def symbolic(tasks: int) -> tuple[LinearPool, Vector, Vector]:
    """A pool of any likelihoods, any start and any prior."""
    p, z, prior = (sympy.symbols(f"{name}_1:{tasks + 1}", positive=True) for name in ("p", "z", "pi"))
    return LinearPool(p), z, prior


FIRST = symbolic(2)[0].gradient(symbolic(2)[1])[0]


def pools(largest: int) -> Iterator[tuple[LinearPool, Vector]]:
    """All whole likelihoods and weights of the start up to a number, two and three tasks."""
    for tasks in (2, 3):
        for p, z in product(product(range(1, largest + 1), repeat=tasks), repeat=2):
            yield LinearPool(tuple(map(Fraction, p))), normalised(z)


def derivatives() -> Iterator[Equation]:
    """SymPy's derivative of the logarithm of the pool."""
    for tasks in (2, 3):
        model, z, _ = symbolic(tasks)
        for k, found in enumerate(model.gradient(z)):
            yield f"g_{k + 1}, K = {tasks}", sympy.diff(model.log_likelihood(z), z[k]), found


def sums() -> Iterator[Equation]:
    """Sum z_k g_k, and sum g_k at u."""
    for tasks in (2, 3, 4):
        model, z, _ = symbolic(tasks)
        yield f"<z, g>, K = {tasks}", dot(z, model.gradient(z)), sympy.Integer(1)
        yield f"sum of g(u), K = {tasks}", sum(model.gradient()), sympy.Integer(tasks)


def posteriors() -> Iterator[Equation]:
    """The posterior of any prior from the gradient at any z."""
    for tasks in (2, 3):
        model, z, prior = symbolic(tasks)
        found = normalised(READING.weights(prior, z, model.gradient(z)))
        for k, share in enumerate(model.posterior(prior)):
            yield f"posterior {k + 1}, K = {tasks}", found[k], share


def example() -> Iterator[tuple[Any, ...]]:
    """Task, likelihood, gradients at u and at another start, and the posterior read off the second."""
    far = EXAMPLE.gradient(START)
    shares = normalised(READING.weights(PRIOR, START, far))
    columns = (EXAMPLE.likelihoods, EXAMPLE.gradient(), far, PRIOR, shares)
    for task, row in enumerate(zip(*columns, strict=True), 1):
        yield task, *(f"{float(entry):.4f}" for entry in row)


def anywhere() -> Iterator[Case]:
    """Both starts of the example give the posterior by Bayes' rule."""
    total = dot(PRIOR, EXAMPLE.likelihoods)
    by_rule = tuple(a * b / total for a, b in zip(PRIOR, EXAMPLE.likelihoods, strict=True))
    for z in (uniform(4), START):
        yield {"z": z}, normalised(READING.weights(PRIOR, z, EXAMPLE.gradient(z))) == by_rule


def multiplicative(largest: int) -> Iterator[Case]:
    """Up to four steps z g(z) on one datum, one after the other."""
    for model, z in pools(largest):
        now, right = z, []
        for steps in range(1, 5):
            now = multiplied(now, model.gradient(now))
            right.append(now == repeated(z, model.likelihoods, steps))
        yield {"p": model.likelihoods, "z": z}, all(right)


def to_a_vertex(largest: int) -> Iterator[Case]:
    """What is left for other tasks after t steps is below ratio^t (1 - z_c)/z_c, for one most likely task c."""
    for model, z in pools(largest):
        p = sorted(model.likelihoods)
        if p[-1] == p[-2]:
            continue
        best = argmax(model.likelihoods)
        left = [(t, 1 - repeated(z, model.likelihoods, t)[best]) for t in (1, 5, 20)]
        bounds = [(p[-2] / p[-1]) ** t * (1 - z[best]) / z[best] for t, _ in left]
        yield {"p": model.likelihoods, "z": z}, all(a <= b for (_, a), b in zip(left, bounds, strict=True))


def additive() -> Iterator[Equation]:
    """The step from u with the learning rate 1/K."""
    for tasks in (2, 3, 4):
        model, _, _ = symbolic(tasks)
        step = euclidean_step(uniform(tasks), model.gradient(), READING.rate(tasks))
        for k, share in enumerate(model.responsibilities()):
            yield f"share {k + 1}, K = {tasks}", step[k], share


def steepest() -> Iterator[Equation]:
    """The natural gradient has with every tangent vector v the product <g, v>, in Fisher's metric, and is tangent."""
    for tasks in (2, 3):
        z = sympy.symbols(f"z_1:{tasks}", positive=True)
        z = (*z, 1 - sum(z))
        g = sympy.symbols(f"g_1:{tasks + 1}", real=True)
        v = sympy.symbols(f"v_1:{tasks}", real=True)
        v = (*v, -sum(v))
        found = natural_gradient(z, g)
        yield f"product, K = {tasks}", sum(a * b / c for a, b, c in zip(found, v, z, strict=True)), dot(g, v)
        yield f"sum, K = {tasks}", sum(found), sympy.Integer(0)


def unit_steps(largest: int) -> Iterator[Case]:
    """The sum of z and its natural gradient is r(z)."""
    for model, z in pools(largest):
        step = tuple(a + b for a, b in zip(z, natural_gradient(z, model.gradient(z)), strict=True))
        yield {"p": model.likelihoods, "z": z}, step == model.responsibilities(z)


def directions() -> Iterator[Equation]:
    """Both gradients at u, and of two tasks anywhere."""
    for tasks in (2, 3, 4):
        g = sympy.symbols(f"g_1:{tasks + 1}", real=True)
        found, plain = natural_gradient(uniform(tasks), g), centred(g)
        yield f"at u, K = {tasks}", found[0], plain[0] / tasks
    more = sympy.Symbol("M", positive=True)
    _, shares, _ = symbolic(3)
    shares = (*shares[:2], 1 - shares[0] - shares[1])
    model = LinearPool((1 + more, sympy.Integer(1), sympy.Integer(1)))
    factor = more * shares[0] / (1 + more * shares[0])
    for k, entry in enumerate(natural_gradient(shares, model.gradient(shares))):
        yield f"entry {k + 1} where task 1 explains best", entry, factor * (int(k == 0) - shares[k])
    z, g = sympy.Symbol("z_1", positive=True), sympy.symbols("g_1:3", real=True)
    yield "two tasks", natural_gradient((z, 1 - z), g)[0], 2 * z * (1 - z) * centred(g)[0]


def chain() -> Iterator[Equation]:
    """Through e_k = e^(a_k/T): the derivative in a_k is e_k/T times that in e_k."""
    for tasks in (2, 3):
        e = sympy.symbols(f"e_1:{tasks + 1}", positive=True)
        model, z = symbolic(tasks)[0], normalised(e)
        derivative = e[0] / T * sympy.diff(model.log_likelihood(z), e[0])
        yield f"K = {tasks}", derivative, natural_gradient(z, model.gradient(z))[0] / T
        yield f"r - z, K = {tasks}", derivative, (model.responsibilities(z)[0] - z[0]) / T


def misleading() -> Iterator[Case]:
    """Largest is r - z at task 2, the posterior of prior z at task 1, the likelihood at task 3."""
    model, z = MISLEADING
    g = model.gradient(z)
    found = [argmax(values) + 1 for values in (natural_gradient(z, g), model.responsibilities(z), g)]
    yield {"picked": found}, found == [2, 1, 3]


def needs() -> Iterator[Case]:
    """A Gaussian, a vertex, and a start other than u."""
    gaussian = Gaussian(((Fraction(0),), (Fraction(1),), (Fraction(2),)))
    g = gaussian.gradient((Fraction(0),))
    yield {"Gaussian": g}, g == (0, -1, -2) and dot(uniform(3), g) != 1
    for p in product(map(Fraction, (1, 2, 5)), repeat=2):
        yield {"vertex, p": p}, LinearPool(p).responsibilities((1, 0)) == (1, 0)
    z = normalised((9, 1))
    step = euclidean_step(z, LinearPool((Fraction(1), Fraction(2))).gradient(z), Fraction(1, 2))
    yield {"z": z, "step": step}, sum(step) != 1


def wrong_readings() -> Iterator[Case]:
    """Each false reading fails on the example."""
    u, r = uniform(4), EXAMPLE.responsibilities()
    for name, reading in FALSE.items():
        step = euclidean_step(u, EXAMPLE.gradient(), reading.rate(4)) == r
        weights = normalised(reading.weights(PRIOR, START, EXAMPLE.gradient(START))) == EXAMPLE.posterior(PRIOR)
        twice = multiplied(r, EXAMPLE.gradient(r)) == repeated(u, EXAMPLE.likelihoods, reading.power(2))
        yield name, not (step and weights and twice)
