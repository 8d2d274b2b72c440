"""That gradients at u are likelihoods of Gaussian tasks: false, they are their logarithms up to shift.

Source: arXiv 2407.17356 treats gradients at u as likelihoods to be used in Bayes' rule. Under a squared error they are
affine in the datum, and negative for half of all data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search
from theory.inference.embeddings import Gaussian
from theory.inference.gaussian.log_ratio import CLAIM, logistic
from theory.inference.simplex import Vector
from theory.outcome import Outcome

SEED = 2414
# A share that is right is right to all digits; no other one comes so near at the cases here.
SMALL = Fraction(1, 10**30)


@dataclass(frozen=True)
class Reading:
    """How the posterior of task 1 is read off gradients g = (g_1, g_2) of two Gaussian tasks."""

    name: str
    share: Callable[[Vector], Any]

    def __str__(self) -> str:
        return f"two Gaussian tasks: p_1/(p_1 + p_2) = {self.name}"


AFFINE = Reading("1/2 + (g_1 - g_2)/4", lambda g: Fraction(1, 2) + (g[0] - g[1]) / 4)


@claim(
    f"{CLAIM}-informal",
    source=Source("2407.17356", "Gradients as likelihoods", "reconstructed"),
    quantifiers="for all means, sigma and x; likelihoods up to a shift and a factor",
    statement=str,
    variant=AFFINE,
    controls={
        "half the slope": Reading("1/2 + (g_1 - g_2)/8", lambda g: Fraction(1, 2) + (g[0] - g[1]) / 8),
        "twice the logit": Reading("s(2 g_1 - 2 g_2)", lambda g: logistic(2 * (g[0] - g[1]))),
    },
    hypotheses=(Hypothesis("two tasks", "K = 2", remark="the claim is false with it"),),
    expected=Outcome.REFUTED,
    near_miss=("logistic of the difference", Reading("s(g_1 - g_2)", lambda g: logistic(g[0] - g[1]))),
    counterexample={"m": (0, 1), "x": 0},
    repaired_by=CLAIM,
    printed="the max-entropy gradient behaves like the likelihood p(x|z)",
    does_not_show="that weak evidence is read badly: the error is Delta^3/48 at most",
)
def log_ratio_informal(claimed: Reading, thorough: bool) -> Iterator[Evidence]:
    """Integer means and data from small to large; the logarithm of the odds in symbols; random tasks."""
    yield Enumeration("means and data from small to large", _cases(claimed, 4 if thorough else 3))
    yield Identity("at x = m_1, m = (0, m_2)", _symbols(claimed), sympy.simplify)
    yield Search.decided("random tasks", _random(claimed, 200 if thorough else 40), seed=SEED)


def _cases(claimed: Reading, largest: int) -> Iterator[Case]:
    data = sorted(range(-largest, largest + 1), key=lambda x: (abs(x), x))
    for m, x in product(range(1, largest + 1), data):
        model, datum = Gaussian(((Fraction(0),), (Fraction(m),))), (Fraction(x),)
        gap = abs(Real.of(claimed.share(model.gradient(datum))) - model.posterior(datum)[0])
        yield {"m": (0, m), "x": x}, gap <= SMALL


def _symbols(claimed: Reading) -> Iterator[Equation]:
    m = sympy.Symbol("m", positive=True)
    model = Gaussian(((sympy.S.Zero,), (m,)), sympy.S.One)
    x = (sympy.S.Zero,)
    yield "share of task 1", claimed.share(model.gradient(x)) + sympy.S.Zero, model.posterior(x)[0]


def _random(claimed: Reading, count: int) -> Iterator[tuple[Any, bool]]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        model = Gaussian(tuple((float(m),) for m in random.uniform(-1, 1, size=2)), 1.0)
        x = (float(random.uniform(-1, 1)),)
        # Numbers below 2: rounding stays far below this.
        yield case, abs(claimed.share(model.gradient(x)) - model.posterior(x)[0]) < 1e-12
