"""Between two Gaussian tasks the gradient at u is a log-likelihood ratio: as likelihoods it is right to first order.

Source: derived here, for arXiv 2407.17356. With Delta = g_1 - g_2 the posterior of task 1 is the logistic function s
of Delta, whose value is 1/2, slope 1/4 and second derivative 0 at Delta = 0. Its third derivative is s(1 - s)(1 - 6 s
+ 6 s^2) = -1/8 + 2 y (1 - 3 y) at y = (s - 1/2)^2 in [0, 1/4], so between -1/8 and 1/24: Taylor's remainder.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy
from flint import arb
from sympy import Expr

from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import exp
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.embeddings import Gaussian
from theory.inference.simplex import Vector as Entries
from theory.outcome import Outcome
from theory.quantities import Bound, Enclosure, Number, Result, quantity

CLAIM = "gbi-log-ratio-not-likelihood"
SEED = 2413
DELTA = sympy.Symbol("Delta", positive=True)
BOUND = DELTA**3 / 48


def logistic(x: Any) -> Any:
    """1/(1 + e^-x)."""
    return 1 / (1 + exp(-x))


def read(g: Entries) -> Any:
    """The share of task 1 that gradients, shifted and scaled, would have as likelihoods: 1/K + (g_1 - gbar)/K."""
    return Fraction(1, len(g)) + (g[0] - sum(g) / len(g)) / len(g)


@dataclass(frozen=True)
class Remainder:
    """|p_1/(p_1 + p_2) - 1/2 - Delta/4| <= bound.

    Args:
        bound: of |Delta|.
        two: whether there are two tasks, or three on a line, whose shares are read off in the same way.
        one_variance: whether both tasks have the variance that the gradient takes for granted.
    """

    bound: Expr = BOUND
    two: bool = True
    one_variance: bool = True

    def __str__(self) -> str:
        share = "p_1/(p_1 + p_2) - 1/2 - Delta/4" if self.two else "p_1/(p_1 + p_2 + p_3) - 1/3 - (g_1 - gbar)/3"
        noise = "sigma" if self.one_variance else "sigma_k"
        return f"noise {noise}: |{share}| <= {self.bound}, Delta = |g_1 - g_2|, and -Delta^3/48 in the limit"

    def allowed(self, delta: Fraction) -> Real:
        return evaluate(self.bound, {DELTA: abs(delta)})


@claim(
    CLAIM,
    source=Source("2407.17356", "Gradients as likelihoods", "derived"),
    quantifiers="for two Gaussian tasks of one variance and all x, by the log-ratio Delta, any real number",
    statement=str,
    variant=Remainder(),
    controls={
        "Delta^3/96": Remainder(DELTA**3 / 96),
        "Delta^2/48": Remainder(DELTA**2 / 48),
    },
    hypotheses=(
        Hypothesis("two tasks", "K = 2", Remainder(two=False)),
        Hypothesis("one variance", "sigma is that of both tasks", Remainder(one_variance=False)),
    ),
    does_not_show="that reading gradients as likelihoods is harmless: at Delta = 3 the share is 1.25",
)
def log_ratio_not_likelihood(claimed: Remainder, thorough: bool) -> Iterator[Evidence]:
    """Grids of means and data; boxes of Delta; the limit at 0; the third derivative in symbols; random tasks."""
    yield Enumeration("grids of means and data", _tasks(claimed, 4 if thorough else 2))
    yield BoxCover("Delta", ((Fraction(1), Fraction(8)),), lambda delta: _box(claimed, delta))
    yield Enumeration("near 0", _limit(claimed))
    yield Identity("third derivative", _derivatives(), sympy.simplify)
    yield Search("random tasks", _random(claimed, 2000 if thorough else 100), seed=SEED)


def _tasks(claimed: Remainder, largest: int) -> Iterator[Case]:
    for m, variance in product(range(1, largest + 1), (Fraction(1, 2), Fraction(1))):
        model = Gaussian(tuple((Fraction(k * m),) for k in range(2 if claimed.two else 3)), variance)
        for x in (Fraction(2 * i + 1, 8) for i in range(-4, 4 * largest + 5)):  # no midpoint, where Delta = 0
            g = model.gradient((x,))
            shares = model.posterior((x,))
            if not claimed.one_variance:
                # Task 2 has four times the variance: half the height, a quarter of the exponent.
                far = (x - m) ** 2 / (2 * variance)
                shares = (1 / (1 + exp(-far / 4 + x**2 / (2 * variance)) / 2),)
            error = abs(Real.of(shares[0]) - read(g))
            yield {"m_2": m, "sigma^2": str(variance), "x": str(x)}, error <= claimed.allowed(g[0] - g[1])


def _box(claimed: Remainder, delta: arb) -> Outcome:
    error = abs(logistic(delta) - arb(1) / 2 - delta / 4)
    limit = evaluate(claimed.bound, {DELTA: Real(lambda: delta)}).enclose()
    return Outcome.settled(error <= limit, error > limit)


def _limit(claimed: Remainder) -> Iterator[Case]:
    """The error is -Delta^3/48 up to a factor 1 - Delta^2/10 at least, on both sides of 0."""
    for k, sign in product(range(4, 40, 5), (1, -1)):
        delta = Fraction(sign, 2**k)
        error = logistic(Real.of(delta)) - Fraction(1, 2) - delta / 4
        attained = -48 * error / delta**3
        case = {"Delta": f"{sign}/2^{k}"}
        inside = [attained < 1, attained > 1 - delta**2 / 10, abs(error) <= claimed.allowed(delta)]
        yield case, Outcome.every(inside)


def _derivatives() -> Iterator[Equation]:
    x = sympy.Symbol("x", real=True)
    s = 1 / (1 + sympy.exp(-x))
    y = (s - sympy.Rational(1, 2)) ** 2
    yield "third", sympy.diff(s, x, 3), -sympy.Rational(1, 8) + 2 * y * (1 - 3 * y)
    yield "second at 0", sympy.diff(s, x, 2).subs(x, 0), sympy.S.Zero
    yield "slope at 0", sympy.diff(s, x).subs(x, 0), sympy.Rational(1, 4)


def _random(claimed: Remainder, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    allowed = sympy.lambdify(DELTA, claimed.bound, "math")
    eps = float(np.finfo(float).eps)
    for case in range(count):
        dimensions = int(random.integers(1, 8))
        model = Gaussian(tuple(tuple(map(float, m)) for m in random.normal(size=(2, dimensions))), 1.0)
        x = tuple(map(float, random.normal(size=dimensions)))
        g, ell = model.gradient(x), model.log_likelihoods(x)
        delta = g[0] - g[1]
        error = abs(model.posterior(x)[0] - 0.5 - delta / 4)
        size = max(map(abs, (*g, *ell)))
        yield Trial(case, error, float(allowed(abs(delta))), 16 * dimensions * eps * (1 + size))


@quantity("log-ratio-remainder", unit="probability", claim=CLAIM)
def log_ratio_remainder(delta: Number) -> dict[str, Result]:
    """The posterior of task 1 at log-ratio delta, its first-order reading 1/2 + delta/4, the error and its bound."""
    share = logistic(delta)
    first = Fraction(1, 2) + delta / 4
    return {
        "posterior": Enclosure(share),
        "first-order": Enclosure(first),
        "error": Enclosure(share - first),
        "bound": Bound("upper", abs(delta) ** 3 / 48),
    }
