"""That one softmax step from u is the posterior of a linear pool: false for two tasks of likelihoods 1 and 2.

Source: arXiv 2407.17356 treats gradients at u as likelihoods to be normalised. g(u) = K r is the posterior itself, up
to K, so that r = softmax(log g); a softmax of g takes likelihoods for log-likelihoods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import sympy

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import log
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search
from theory.inference.embeddings import LinearPool
from theory.inference.linear_pool import calibration
from theory.inference.simplex import Vector, softmax
from theory.outcome import Outcome

SEED = 2408
SMALL = Real.of(sympy.Rational(1, 10**30))


@dataclass(frozen=True)
class Step:
    """The logits that are said to give the posterior, from an entry of g(u) and K."""

    logit: Callable[[Any, int], Any] = lambda g, tasks: g

    def __str__(self) -> str:
        return f"softmax({self.logit(sympy.Symbol('g', positive=True), 3)}) = r for three tasks"

    def shares(self, model: LinearPool) -> Vector:
        return softmax([self.logit(g, model.tasks) for g in model.gradient()])


@claim(
    f"{calibration.CLAIM}-informal",
    source=Source("2407.17356", "One softmax step", "reconstructed"),
    quantifiers="for all K >= 2 and p > 0; likelihoods of a linear pool",
    statement=str,
    variant=Step(),
    controls={
        "softmax(g/K)": Step(lambda g, tasks: g / tasks),
        "softmax(K g)": Step(lambda g, tasks: tasks * g),
    },
    hypotheses=(Hypothesis("linear pool", "z enters as a linear pool", remark="the claim is false with it"),),
    expected=Outcome.REFUTED,
    near_miss=("softmax(log g)", Step(lambda g, tasks: log(g))),
    counterexample={"p": (1, 2)},
    repaired_by=calibration.CLAIM,
    printed="gradients at maximum entropy, through a softmax, are the posterior",
    does_not_show="that the step picks another task: it keeps the order of the posterior",
)
def calibration_informal(step: Step, thorough: bool) -> Iterator[Evidence]:
    """Likelihoods from small to large in balls; two tasks in symbols; random likelihoods."""
    yield Enumeration("likelihoods from small to large", _cases(step, 4 if thorough else 3))
    yield Identity("two tasks", _symbols(step), lambda difference: sympy.cancel(sympy.powsimp(difference)))
    yield Search.decided("random likelihoods", _random(step, 100 if thorough else 20), seed=SEED)


def _cases(step: Step, largest: int) -> Iterator[Case]:
    for p in product(range(1, largest + 1), repeat=2):
        model = LinearPool(p)
        gaps = [abs(Real.of(a) - b) for a, b in zip(step.shares(model), model.responsibilities(), strict=True)]
        yield {"p": p}, Outcome.every(gap <= SMALL for gap in gaps)


def _symbols(step: Step) -> Iterator[Equation]:
    p = sympy.symbols("p_1:3", positive=True)
    model = LinearPool(p)
    yield "first share", step.shares(model)[0], model.responsibilities()[0]


def _random(step: Step, count: int) -> Iterator[tuple[Any, bool]]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        p = tuple(map(float, random.uniform(0.1, 1, size=int(random.integers(2, 9)))))
        model = LinearPool(p)
        shares = step.shares(model)
        # Rounding of K likelihoods between 0.1 and 1 stays far below this, and so would no other step.
        yield case, bool(np.allclose(shares, model.responsibilities(), rtol=0, atol=1e-12))
