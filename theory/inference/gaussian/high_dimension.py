"""In many dimensions random means nearly have equal radii: the exact law of the errors of one step, and of likelihoods.

Source: derived here, for arXiv 2407.17356. Of coordinates V = m_c - m_j and W = x - mbar, in units of tau^2, Var V =
2, Cov = 1 and Var W = 1 - 1/K + s^2, so that W = V/2 + E with Var E = q/2, q = 1 - 2/K + 2 s^2. The sum of V W has the
sign of |V|/2 + N, N normal with variance q/2, and |V| is sqrt(2) chi_d: a Student-t probability. Likelihoods have x -
(m_c + m_j)/2 for W, and q = 2 s^2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt as root
from typing import Any

import numpy as np
import sympy
from flint import acb, arb

from theory.arithmetic.ball import Real, exp, log
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import to_ball
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import result
from theory.inference.gaussian.pair_error import ERRORS
from theory.inference.normal import cdf, integral, student_tail
from theory.outcome import Outcome
from theory.quantities import Bound, Count, Number, Optimum, Result, quantity

CLAIM = "gbi-high-dimension-rescue"
SEED = 2416
MOST = 64
K, S = sympy.Symbol("K", integer=True, positive=True), sympy.Symbol("s", nonnegative=True)
D, DEGREES = sympy.symbols("d nu", integer=True, positive=True)


def gradient_weight(tasks: Any, ratio: Any) -> Any:
    """The weight q = 1 - 2/K + 2 s^2 of one step at u."""
    return 1 - Fraction(2) / tasks + 2 * ratio**2


def likelihood_weight(tasks: Any, ratio: Any) -> Any:
    """The weight q = 2 s^2 of likelihoods."""
    return 2 * ratio**2


@dataclass(frozen=True)
class Rescue:
    """P(g_j > g_c) = F(-sqrt(d/q)), F a Student-t distribution.

    Args:
        weight: q of K and s.
        freedom: degrees of freedom, of d.
        same_from: from which d on both laws are said to be one to a tenth; None for no such d.
        isotropic: whether means are normal in all directions, or multiples of one vector.
    """

    weight: Callable[[Any, Any], Any] = gradient_weight
    freedom: Callable[[int], int] = lambda d: d
    same_from: int | None = None
    isotropic: bool = True

    def __str__(self) -> str:
        means = "isotropic means" if self.isotropic else "any random means"
        q = sympy.expand(self.weight(K, S))
        same = "" if self.same_from is None else f"; the two agree for d >= {self.same_from}"
        return (
            f"{means}: P(g_j > g_c) = F(-sqrt(d/q)), q = {q}, F of Student's t, {self.freedom(D)} degrees of freedom; "
            f"likelihoods: q = 2 s^2; <= (1 + 1/q)^(-d/2){same}"
        )

    def chance(self, d: int, tasks: int, ratio: Any) -> Any:
        """P(g_j > g_c) as claimed: the tail beyond sqrt(d/q), of F with its own degrees of freedom."""
        freedom, q = self.freedom(d), self.weight(tasks, ratio)
        return student_tail(freedom, freedom * q / d) if freedom else cdf(Fraction(0))


def by_integral(d: int, q: Fraction, far: int = 12) -> Real:
    """E Phi(-|V|/sqrt(2 q)) by the density of |V|/sqrt(2) = chi_d up to `far`; the rest is below 10^-20."""

    def enclose() -> arb:
        scale = to_ball(q).sqrt()
        constant = 2 / (arb(2) ** (arb(d) / 2) * (arb(d) / 2).gamma())

        def integrand(r: acb, analytic: bool) -> acb:
            return constant * r ** (d - 1) * (-r * r / 2).exp() * cdf(-r / scale)

        return integral(integrand, arb(0), arb(far))

    return Real(enclose)


@claim(
    CLAIM,
    source=Source("2407.17356", "One-step inference", "derived"),
    quantifiers="for all d, K >= 2, s = sigma/tau >= 0 and j other than c, over m_k ~ N(0, tau^2 I) and the noise",
    statement=str,
    variant=Rescue(),
    controls={
        "1 - 1/K": Rescue(lambda tasks, ratio: 1 - Fraction(1) / tasks + 2 * ratio**2),
        "d - 1 degrees of freedom": Rescue(freedom=lambda d: d - 1),
        "as good as likelihoods from d = 10 on": Rescue(same_from=10),
    },
    hypotheses=(
        Hypothesis("isotropic means", "means are normal and spread in all directions", Rescue(isotropic=False)),
    ),
    does_not_show="that a given set of means behaves so: the probability is over means too, tasks c and j fixed before",
)
def high_dimension_rescue(claimed: Rescue, thorough: bool) -> Iterator[Evidence]:
    """The law against an integral; both laws and bounds on a grid; moments in symbols; random means, counted."""
    most = 20 if thorough else 6
    yield Enumeration("the law against an integral over |V|", _integrals(claimed, most))
    yield Enumeration("laws and bounds", _bounds(claimed, most))
    yield Identity("moments of V and W", _moments(claimed), sympy.expand)
    yield Search("random means", _draws(claimed, 40 if thorough else 6), seed=SEED)


def _integrals(claimed: Rescue, most: int) -> Iterator[Case]:
    ratios = (Fraction(1, 2), Fraction(1), Fraction(2))
    for d, tasks, ratio in product(range(1, most + 1, 2), (2, 3, 10), ratios):
        # Multiples of one vector have one coordinate, whatever their dimension.
        true = by_integral(d if claimed.isotropic else 1, gradient_weight(tasks, ratio))
        gap = abs(Real.of(claimed.chance(d, tasks, ratio)) - true)
        yield {"d": d, "K": tasks, "s": str(ratio)}, gap <= Fraction(1, 10**15)


def _bounds(claimed: Rescue, most: int) -> Iterator[Case]:
    """Chernoff's bound; likelihoods err less, as often for two tasks; without noise all pairs < K^2 2^(-d/2)."""
    for d, tasks, ratio in product(
        (*range(1, most + 1), 10, 20), (2, 3, 10), (Fraction(0), Fraction(1, 2), Fraction(2))
    ):
        own = Real.of(claimed.chance(d, tasks, ratio))
        best = Real.of(student_tail(d, likelihood_weight(tasks, ratio)))
        outcomes = [own.equals(best) if ratio == 0 else Outcome.of(True)] if tasks == 2 else [own > best]
        if q := gradient_weight(tasks, ratio):
            outcomes.append(own <= chernoff(d, q))
            if ratio == 0:
                outcomes.append((tasks - 1) * chernoff(d, q) < tasks * chernoff(d, Fraction(1)))
        if claimed.same_from is not None and d >= claimed.same_from:
            outcomes.append(own <= best * Fraction(11, 10))
        yield {"d": d, "K": tasks, "s": str(ratio)}, Outcome.every(outcomes)


def chernoff(d: int, q: Any) -> Real:
    """(1 + 1/q)^(-d/2)."""
    return exp(-log(1 + 1 / Real.of(q)) * Fraction(d, 2))


def _moments(claimed: Rescue) -> Iterator[Equation]:
    """Coordinates m_1 .. m_5 and xi are independent with variance 1: covariances are products of coefficients."""
    for tasks in (2, 3, 5):
        m, xi = sympy.symbols(f"m_1:{tasks + 1}"), sympy.Symbol("xi")
        names = (*m, xi)
        mean = sum(m) / sympy.Integer(tasks)
        v, w = m[0] - m[1], sympy.expand(m[0] + S * xi - mean)
        half = sympy.expand(m[0] + S * xi - (m[0] + m[1]) / 2)
        for name, q, second in (("g", claimed.weight(tasks, S), w), ("ell", 2 * S**2, half)):
            covariance = sum(v.coeff(e) * second.coeff(e) for e in names)
            rest = sympy.expand(second - v / 2)
            yield f"{name}: covariance, K = {tasks}", covariance, sympy.S.One
            yield (
                f"{name}: twice the variance of the rest",
                2 * sum(rest.coeff(e) ** 2 for e in names),
                sympy.sympify(q, strict=True),
            )
    t, q = sympy.symbols("t q", positive=True)
    # E e^(-t V W) is a determinant to the power -1/2; at t = 1/q it is least.
    cross = sympy.Matrix([[1, 0], [0, 1]]) + t * sympy.Matrix([[0, 1], [1, 0]]) * sympy.Matrix(
        [[2, 1], [1, (1 + q) / 2]]
    )
    yield "E e^(-t V W)", cross.det(), 1 + 2 * t - q * t**2
    yield "at t = 1/q", sympy.expand(cross.det().subs(t, 1 / q)), 1 + 1 / q


def _draws(claimed: Rescue, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    draws = 20_000
    for case in range(count):
        d, tasks, ratio = int(random.integers(1, 7)), int(random.integers(2, 9)), float(random.uniform(0.2, 2))
        if claimed.isotropic:
            means = random.normal(size=(draws, tasks, d))
        else:
            means = random.normal(size=(draws, tasks, 1)) * np.full(d, 1 / root(d))
        x = means[:, 0] + ratio * random.normal(size=(draws, d))
        g = np.einsum("nkd,nd->nk", means, x - means.mean(axis=1))
        ell = -((x[:, None] - means) ** 2).sum(axis=2)
        # The Fraction 2/K is no float.
        weight = float(claimed.weight(tasks, Fraction(ratio)))
        own = student_tail(claimed.freedom(d), claimed.freedom(d) * weight / d) if claimed.freedom(d) else 0.5
        for name, values, chance in (("g", g, own), ("ell", ell, student_tail(d, 2 * ratio**2))):
            seen = float((values[:, 1] > values[:, 0]).mean())
            error = ERRORS * root(chance * (1 - chance) / draws) + 1 / draws
            yield Trial((case, name), abs(seen - chance), 0.0, error)


@quantity("random-means-accuracy", unit="share of draws", claim=CLAIM)
def random_means_accuracy(tasks: Count, d: Count, s: Number) -> dict[str, Result]:
    """How often one step at u, and likelihoods, pick the right one of K random means in R^d, s = sigma/tau: counted.

    Raises InputError for K = 1, more tasks or dimensions than the count takes, and an s that is no number up to 10^6.
    """
    if not 2 <= tasks <= MOST or d > MOST:
        raise InputError(f"K = {tasks} and d = {d} are not counted; give 2 <= K <= {MOST} and d <= {MOST}")
    if (Real.of(s) >= 0) is not Outcome.HOLDS or (Real.of(s) <= 10**6) is not Outcome.HOLDS:
        raise InputError(f"s = {s!r} is a ratio of deviations; give a number from 0 to 10^6")
    random, draws = np.random.default_rng(SEED), 20_000
    means = random.normal(size=(draws, tasks, d))
    x = means[:, 0] + float(Real.of(s)) * random.normal(size=(draws, d))
    g = np.einsum("nkd,nd->nk", means, x - means.mean(axis=1))
    ell = g - ((means - means.mean(axis=1, keepdims=True)) ** 2).sum(axis=2) / 2
    how = f"{draws} draws in float64"
    found = {"gradient": g, "likelihood": ell}
    return {name: Optimum(float((values.argmax(axis=1) == 0).mean()), how) for name, values in found.items()}


@quantity("random-means-error", unit="probability", claim=CLAIM)
def random_means_error(tasks: Count, d: Count, s: Number) -> dict[str, Result]:
    """P(g_j > g_c) and P(ell_j > ell_c) for K random means in R^d, s = sigma/tau, and a bound on the first.

    Raises InputError for K = 1 and s < 0.
    """
    if tasks < 2:
        raise InputError(f"K = {tasks} tasks leave nothing to infer; give at least 2")
    ratio = s if s.exact is None else s.exact
    if (Real.of(ratio) >= 0) is not Outcome.HOLDS:
        raise InputError(f"s = {s!r} is a ratio of deviations; give a number >= 0")
    q = gradient_weight(tasks, ratio)
    found = {
        "gradient": result(student_tail(d, q)),
        "likelihood": result(student_tail(d, likelihood_weight(tasks, ratio))),
    }
    if (Real.of(q) > 0) is Outcome.HOLDS:
        found["bound"] = Bound("upper", chernoff(d, q))
    return found
