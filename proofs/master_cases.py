"""The cases by which the steps of proofs.master_identity on gradients and offsets are checked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from theory.arithmetic.real import Real
from theory.evidence import Case, Equation
from theory.inference.embeddings import ExponentialFamily, Gaussian, LogLinear
from theory.inference.log_linear.bent import Bent
from theory.inference.log_linear.families import (
    SMALL,
    bernoulli_of_logits,
    categorical,
    constant,
    left_over,
    poisson,
    poisson_of_logs,
)
from theory.inference.log_linear.master import Master, reversed_offsets
from theory.inference.simplex import Vector, centred, dot, kullback_leibler, normalised, softmax, uniform
from theory.outcome import Outcome

MASTER = Master()
FALSE = {
    "KL(p_k||p_0)": Master(offsets=reversed_offsets),
    "+ B": Master(sign=1),
    "g not centred": Master(centre=False),
    "B once for n data": Master(copies=lambda n: 1),
}
COUNTS = (poisson((1, 2, 6)), (3,))
t = sympy.Symbol("t", real=True)
sigma = sympy.Symbol("sigma", positive=True)
LOGITS = (((2, 0, -1), (0, 1, 0)), ((0, 0), (3, 1), (1, -2)), ((1, 0, 2), (0, 3, 0), (1, 1, -1)))


def any_family(tasks: int = 3, start: Vector | None = None) -> LogLinear:
    """Tasks of one parameter; A has any values at the eta_k and at the start, and any derivative there."""
    eta = sympy.symbols(f"eta_1:{tasks + 1}", real=True)
    levels = dict(zip(eta, sympy.symbols(f"A_1:{tasks + 1}", real=True), strict=True))
    origin = sympy.expand(dot(uniform(tasks) if start is None else start, eta))
    level, slopes = sympy.Symbol("A_0", real=True), {origin: sympy.Symbol("mu_0", real=True)}
    return LogLinear(
        tuple((a,) for a in eta),
        lambda eta: levels.get(eta[0], level),
        lambda eta: (slopes[sympy.expand(eta[0])],),
    )


def reduced(difference: sympy.Expr) -> sympy.Expr:
    """Expanded, with exponentials of sums kept."""
    return sympy.cancel(sympy.expand(difference, power_exp=False))


def derivatives() -> Iterator[Equation]:
    """SymPy's derivative of ell at any z, two tasks of four kinds."""
    names, z = sympy.symbols("eta_1:3", real=True), sympy.symbols("z_1:3", positive=True)
    models: list[tuple[str, ExponentialFamily]] = [
        ("Gaussian", Gaussian(tuple((a,) for a in names), sigma**2)),
        ("Poisson", poisson_of_logs(names)),
        ("Bernoulli", bernoulli_of_logits(names)),
    ]
    for (name, model), k in product(models, range(2)):
        yield f"g_{k + 1}, {name}", sympy.diff(model.log_likelihood((t,), z), z[k]), model.gradient((t,), z)[k]


def divergences() -> Iterator[Case]:
    """B_k against the sum over letters of p_0 log(p_0/p_k), which is not negative."""
    for rows in LOGITS:
        family = categorical(rows)
        centre = softmax(family.parameter())
        defined = tuple(Real.of(kullback_leibler(centre, softmax(row))) for row in rows)
        gaps = [constant([a, b]) for a, b in zip(MASTER.offsets(family), defined, strict=True)]
        yield {"logits": rows}, Outcome.every([*gaps, *(b >= -SMALL for b in defined)])


def radii() -> Iterator[Equation]:
    """Of Gaussian tasks in the plane: squared distances from the mean of the means."""
    first, second = sympy.symbols("a_1:4", real=True), sympy.symbols("b_1:4", real=True)
    model = Gaussian(tuple(zip(first, second, strict=True)), sigma**2)
    for k, (offset, radius) in enumerate(zip(MASTER.offsets(model), model.squared_distances(), strict=True), 1):
        yield f"B_{k}", offset, radius / (2 * sigma**2)


def centres() -> Iterator[Equation]:
    """g_k minus the mean, for any A."""
    family = any_family()
    origin = family.parameter()
    (mean,) = family.mean(origin)
    for k, found in enumerate(centred(family.gradient((t,)))):
        yield f"task {k + 1}", found, (family.natural[k][0] - origin[0]) * (t - mean)


def identity() -> Iterator[Equation]:
    """ell_k - ell(u), for any A and two to four tasks."""
    for tasks in (2, 3, 4):
        family = any_family(tasks)
        found = MASTER.explained(family.gradient((t,)), MASTER.offsets(family))
        for k, ell in enumerate(family.log_likelihoods((t,))):
            yield f"ell_{k + 1}, K = {tasks}", ell - family.log_likelihood((t,)), found[k]


def counts() -> Iterator[tuple[Any, ...]]:
    """Task, g, B, ell, g - B - ell, posterior and softmax(g) of three Poisson tasks at the count 3."""
    family, x = COUNTS
    g, offsets, ell = family.gradient(x), MASTER.offsets(family), family.log_likelihoods(x)
    left = left_over(g, offsets, ell)
    for task, row in enumerate(zip(g, offsets, ell, left, family.posterior(x), softmax(g), strict=True), 1):
        yield task, *(f"{float(Real.of(entry)):.4f}" for entry in row)


def counted() -> Iterator[Case]:
    """What is left is constant; and the likelihood prefers task 2, the gradient task 3."""
    family, _ = COUNTS
    for count in range(7):
        g, ell = family.gradient((count,)), family.log_likelihoods((count,))
        yield {"x": count}, constant(left_over(g, MASTER.offsets(family), ell))
    g, ell = family.gradient((3,)), family.log_likelihoods((3,))
    yield "preferred", Outcome.every([g[2] > g[1], ell[1] > ell[2], ell[1] > ell[0]])


def several() -> Iterator[Case]:
    """Two and three data, of one triple of tasks each or of different ones."""
    family = Gaussian(((Fraction(0),), (Fraction(1),), (Fraction(3),)), Fraction(1, 4))
    points = [(Fraction(x),) for x in range(-1, 3)]
    for n in (2, 3):
        for data in product(points, repeat=n):
            yield {"x": data}, MASTER.verdict(family, data)
    others = Gaussian(((Fraction(2),), (Fraction(0),), (Fraction(1),)), Fraction(1, 2))
    for x, y in product(points, repeat=2):
        left = [
            left_over(f.gradient(v), MASTER.offsets(f), f.log_likelihoods(v)) for f, v in ((family, x), (others, y))
        ]
        yield {"contexts, x": (x, y)}, constant([sum(column) for column in zip(*left, strict=True)])


def other_starts() -> Iterator[Equation]:
    """Gradient at z_0 = (z_1, z_2, 1 - z_1 - z_2), and B from there."""
    z = sympy.symbols("z_1:3", real=True)
    start = (*z, 1 - sum(z))
    family = any_family(3, start)
    g, level = family.gradient((t,), start), family.log_likelihood((t,), start)
    for k, (ell, offset) in enumerate(zip(family.log_likelihoods((t,)), family.offsets(start), strict=True)):
        yield f"ell_{k + 1}", ell - level, g[k] - dot(start, g) - offset


def false_forms() -> Iterator[Case]:
    """Each is wrong for two data of the three Poisson tasks."""
    family, x = COUNTS
    for name, form in FALSE.items():
        yield name, form.verdict(family, (x, x)) is Outcome.REFUTED


def needs() -> Iterator[Case]:
    """A mean that is a cube in z; and a gradient that is taken elsewhere than B."""
    means = ((Fraction(0),), (Fraction(1),), (Fraction(3),))
    bent, straight = Bent(means), Gaussian(means)
    left = [
        left_over(bent.gradient((x,)), bent.offsets(), bent.log_likelihoods((x,))) for x in (Fraction(0), Fraction(1))
    ]
    residuals = [tuple(a - b for a, b in zip(*left, strict=True))]
    yield {"cube": residuals}, constant(residuals[0]) is Outcome.REFUTED
    z = normalised((1, 2, 3))
    found: Vector = left_over(straight.gradient((Fraction(1),), z), straight.offsets(), straight.log_likelihoods((1,)))
    yield {"z": z}, constant(found) is Outcome.REFUTED
