"""The log-likelihood at the mean of z against the mean of the log-likelihood: the gap G, and what it costs.

G(z) = ell(z) - sum_k z_k ell_k >= 0. In a log-linear family it is sum_k z_k A(eta_k) - A(eta(z)), whatever the datum;
its gradient at u is B up to a constant. Hence the plug-in free energy ell(z) + H(z) + sum_k z_k log pi_k lies above the
evidence lower bound at every z, and its maximum above log p(X): it bounds the evidence from the wrong side.

Source: arXiv 2407.17356 has the objective; the analysis is derived here: Jensen's inequality, and Gibbs' formula, by
which sum_k q_k (ell_k + log pi_k) + alpha H(q) is largest at softmax((ell + log pi)/alpha).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy
from flint import arb

from theory.arithmetic.ball import log as real_log
from theory.arithmetic.real import Real
from theory.arithmetic.root import falling_root
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import exp, log, to_ball
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import number, results, rows, vector
from theory.inference.embeddings import ExponentialFamily, Gaussian, LinearPool
from theory.inference.linear_pool.likelihood import pool
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import centred, dot, entropy, kullback_leibler, normalised, softmax, uniform
from theory.outcome import Outcome
from theory.quantities import Matrix, Positive, Result, Vector, quantity

CLAIM = "gbi-plug-in-versus-expectation"
SEED = 2411


def log_evidence(log_likelihoods: Entries, prior: Entries) -> Any:
    """Log sum_k pi_k e^(ell_k)."""
    return log(sum(weight * exp(ell) for weight, ell in zip(prior, log_likelihoods, strict=True)))


def free_energy(level: Any, z: Entries, prior: Entries) -> Any:
    """Level - KL(z||pi): level + H(z) + sum z_k log pi_k."""
    return level - kullback_leibler(z, prior)


def jensen_gap(family: ExponentialFamily, z: Sequence[Any]) -> Any:
    """G(z) = sum_k z_k A(eta_k) - A(eta(z))."""
    return dot(z, tuple(map(family.log_partition, family.natural))) - family.log_partition(family.parameter(z))


@quantity("plug-in-gaussian", unit="nats", claim=CLAIM)
def plug_in_gaussian(means: Matrix, x: Vector, variance: Positive, z: Vector = ()) -> dict[str, Result]:
    """Plug-in free energy at z (u if not given) under a uniform prior, log evidence, their difference and the gap G."""
    gaussian, datum = Gaussian(rows(means), number(variance)), vector(x)
    u = uniform(gaussian.tasks)
    start = vector(z) or u
    plug_in = free_energy(gaussian.log_likelihood(datum, start), start, u)
    evidence = log_evidence(gaussian.log_likelihoods(datum), u)
    return results(plug_in=plug_in, log_evidence=evidence, excess=plug_in - evidence, gap=jensen_gap(gaussian, start))


@quantity("plug-in-pool", unit="nats", claim=CLAIM)
def plug_in_pool(p: Vector) -> dict[str, Result]:
    """The largest plug-in free energy of a pool of two tasks, its z_1, and the log evidence; uniform prior.

    Raises InputError unless there are two tasks.
    """
    model, _ = pool(p, ())
    if model.tasks != 2:
        raise InputError(f"p has {model.tasks} entries, and the maximum is known in one variable; give two")
    best, top = best_of_pool(model)
    return results(maximum=top, z_1=best, log_evidence=model.log_likelihood(uniform(2)))


def best_of_pool(model: LinearPool) -> tuple[Real, Real]:
    """z_1 and the value of the largest plug-in free energy of two tasks: the zero of its falling derivative."""
    p, q = model.likelihoods

    def slope(z: arb) -> arb:
        a, b = to_ball(p), to_ball(q)
        return (a - b) / (z * a + (1 - z) * b) + ((1 - z) / z).log()

    small = Fraction(1, 2**20)
    best = falling_root(slope, small, 1 - small)
    value = real_log(best * p + (1 - best) * q) - best * real_log(2 * best) - (1 - best) * real_log(2 * (1 - best))
    return best, value


@dataclass(frozen=True)
class PlugIn:
    """What is said of G and of the free energies.

    Args:
        factor: c in G = c (sum_k z_k A(eta_k) - A(eta(z))).
        bounds: whether the plug-in free energy is said to bound the evidence from below.
        offsets: c in grad G(u) = c B + constant.
        fixed: whether G of a linear pool is said to be the same for all data, too.
        convex: whether A is convex.
    """

    factor: int = 1
    bounds: bool = False
    offsets: int = 1
    fixed: bool = False
    convex: bool = True

    def __str__(self) -> str:
        relation = "<= log p(X)" if self.bounds else ">= log p(X)"
        factor, copies = (f"{c} " if c != 1 else "" for c in (self.factor, self.offsets))
        pools = ", and no datum matters for G of a linear pool" if self.fixed else ""
        return (
            f"G(z) = {factor}(sum z_k A(eta_k) - A(eta(z))) >= 0{pools}; grad G(u) = {copies}B + constant; "
            f"ELBO <= plug-in; max plug-in {relation}"
        )


@claim(
    CLAIM,
    source=Source("2407.17356", "E-step objective", "derived"),
    quantifiers="for all K >= 2, priors, z on the simplex and alpha > 0; the gap for all log-linear families and data, "
    "with equality iff all eta_k with z_k > 0 are equal where A is strictly convex",
    statement=str,
    variant=PlugIn(),
    controls={
        "ELBO <= plug-in <= log p(X)": PlugIn(bounds=True),
        "G <= 0": PlugIn(factor=-1),
        "G = V/sigma^2": PlugIn(factor=2),
        "grad G(u) = -B": PlugIn(offsets=-1),
    },
    hypotheses=(
        Hypothesis("log-linear", "G is free of the datum in log-linear families", PlugIn(fixed=True)),
        Hypothesis("convex", "A is convex, as every log partition function is", PlugIn(convex=False)),
    ),
    does_not_show="that the mean of z should be given up: the plug-in needs one pass, the expectation K",
)
def plug_in_versus_expectation(claimed: PlugIn, thorough: bool) -> Iterator[Evidence]:
    """Gaussians exactly, pools in balls; symbols for the gap and its gradient; Gibbs' formula at random."""
    yield Enumeration("gap of Gaussians", _gaussians(claimed, 3 if thorough else 2))
    yield Enumeration("linear pools", _pools(claimed, 4 if thorough else 3))
    yield Identity("gap and its gradient", _symbols(claimed), sympy.expand)
    yield Search("Gibbs' formula and the evidence", _random(claimed, 200 if thorough else 30), seed=SEED)


@dataclass(frozen=True)
class _Concave(Gaussian):
    """No family: its A is turned upside down."""

    def log_partition(self, eta: Entries) -> Any:
        return -super().log_partition(eta)


def _gaussians(claimed: PlugIn, reach: int) -> Iterator[Case]:
    """ell(z) - sum z_k ell_k for several data, V/(2 sigma^2), and the evidence at x = f(z)."""
    family = Gaussian if claimed.convex else _Concave
    for means in (((0,), (1,)), ((0,), (1,), (3,)), ((0, 0), (2, 0), (0, 1))):
        gaussian = family(means, Fraction(1, 4))
        tasks = gaussian.tasks
        for z in (uniform(tasks), normalised(range(1, tasks + 1))):
            gap = claimed.factor * jensen_gap(gaussian, z)
            variance = dot(z, gaussian.squared_distances(gaussian.output(z)))
            holds = gap >= 0 and gap == variance / (2 * gaussian.variance)
            for x in product(map(Fraction, range(-reach, reach + 1)), repeat=len(means[0])):
                holds &= gaussian.log_likelihood(x, z) - dot(z, gaussian.log_likelihoods(x)) == gap
            datum = gaussian.output(z)
            plug_in = Real.of(free_energy(gaussian.log_likelihood(datum, z), z, uniform(tasks)))
            evidence = log_evidence(gaussian.log_likelihoods(datum), uniform(tasks))
            yield {"means": means, "z": z}, Outcome.every([Outcome.of(holds), _side(claimed, plug_in, evidence)])


def _side(claimed: PlugIn, plug_in: Real, evidence: Any) -> Outcome:
    return plug_in <= evidence if claimed.bounds else plug_in >= evidence


def _pools(claimed: PlugIn, largest: int) -> Iterator[Case]:
    """G >= 0 there too, but it depends on the datum; the best plug-in exceeds the evidence unless p is constant."""
    gaps = []
    for p in product(map(Fraction, range(1, largest + 1)), repeat=2):
        if p[0] == p[1]:
            continue
        model, u = LinearPool(p), uniform(2)
        gap = Real.of(model.log_likelihood(u)) - dot(u, model.log_likelihoods())
        gaps.append(gap)
        _, best = best_of_pool(model)
        holds = [gap >= 0, _side(claimed, best, model.log_likelihood(u))]
        if claimed.fixed:
            holds.append(abs(gap - gaps[0]) <= Fraction(1, 10**9))
        yield {"p": p}, Outcome.every(holds)


def _symbols(claimed: PlugIn) -> Iterator[Equation]:
    """For any A of one variable, written as a function; and SymPy's gradient of the gap of Gaussians at u."""
    z = sympy.symbols("z_1:4", positive=True)
    t = sympy.Symbol("t", real=True)
    eta = sympy.symbols("eta_1:4", real=True)
    A = sympy.Function("A")
    origin = sum(a * b for a, b in zip(z, eta, strict=True))
    levels = [e * t - A(e) for e in eta]
    spread = sum(a * A(e) for a, e in zip(z, eta, strict=True)) - A(origin)
    expected = (origin * t - A(origin)) - sum(a * level for a, level in zip(z, levels, strict=True))
    yield "G for any A", expected, claimed.factor * spread
    gaussian = Gaussian(
        tuple((m,) for m in sympy.symbols("m_1:4", real=True)), sympy.Symbol("sigma", positive=True) ** 2
    )
    gap = jensen_gap(gaussian, z)
    u = dict(zip(z, uniform(3), strict=True))
    gradient = centred([sympy.diff(gap, entry).subs(u) for entry in z])
    for k, offset in enumerate(centred(gaussian.offsets())):
        yield f"entry {k + 1} of grad G(u)", gradient[k], claimed.offsets * offset


def _random(claimed: PlugIn, count: int) -> Iterator[Trial]:
    """The true objective at q, and at its maximiser, against alpha log sum (pi_k e^(ell_k))^(1/alpha)."""
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks, alpha = int(random.integers(2, 7)), float(random.uniform(0.2, 3))
        ell = tuple(map(float, random.normal(0, 2, size=tasks)))
        prior, q = (tuple(map(float, random.dirichlet(np.ones(tasks)))) for _ in range(2))
        scores = tuple(a + float(np.log(b)) for a, b in zip(ell, prior, strict=True))
        for share in (q, softmax(tuple(score / alpha for score in scores))):
            value = dot(share, scores) + alpha * float(entropy(share))
            top = alpha * float(np.log(sum(np.exp(score / alpha) for score in scores)))
            yield Trial((case, share is q), value, top, 1e-12 * (1 + abs(top) + sum(map(abs, scores))))
