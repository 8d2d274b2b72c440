"""That the gradient at u identifies the task: false for three Gaussian tasks on a line.

Source: arXiv 2407.17356 infers the task by one gradient from maximal entropy. With means 0, 1, 2 the gradients are
m_k (x - 1)/sigma^2: the middle task is never picked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search
from theory.inference.embeddings import Gaussian
from theory.inference.log_linear import exactness
from theory.inference.log_linear.exactness import picked
from theory.inference.simplex import Vector, argmax
from theory.outcome import Outcome

SEED = 2412


@dataclass(frozen=True)
class Identified:
    """What is said to have its largest entry at the most likely task.

    Args:
        scores: from g(u) and the offsets.
        most: the largest number of tasks.
        text: how the scores are written.
    """

    scores: Callable[[Vector, Vector], Vector] = lambda g, offsets: g
    most: int = 3
    text: str = "g(u)"

    def __str__(self) -> str:
        return f"argmax {self.text} = argmax ell for all K <= {self.most} Gaussian tasks and all data off ties"

    def of(self, gaussian: Gaussian, x: Vector) -> Vector:
        return self.scores(gaussian.gradient(x), gaussian.offsets())


@claim(
    f"{exactness.CLAIM}-informal",
    source=Source("2407.17356", "One-step inference", "reconstructed"),
    quantifiers="for all numbers of Gaussian tasks of equal variance and all data off ties",
    statement=str,
    variant=Identified(),
    controls={
        "the least gradient": Identified(lambda g, offsets: tuple(-a for a in g), text="-g(u)"),
        "B subtracted twice": Identified(
            lambda g, offsets: tuple(a - 2 * b for a, b in zip(g, offsets, strict=True)), text="g(u) - 2 B"
        ),
    },
    hypotheses=(Hypothesis("equal variances", "one variance for all tasks", remark="the claim is false with it"),),
    expected=Outcome.REFUTED,
    near_miss=("two tasks", Identified(most=2)),
    counterexample={"means": (0, 1, 2), "x": "3/4"},
    repaired_by=exactness.CLAIM,
    printed="the gradient at maximum entropy identifies the task",
    does_not_show="that it fails for tasks spread evenly in many dimensions: their offsets are equal",
)
def exactness_informal(identified: Identified, thorough: bool) -> Iterator[Evidence]:
    """Means on a line from few and small to large, data in quarters; a symbol for the lead; random tasks."""
    yield Enumeration("means on a line", _line(identified, 4 if thorough else 3))
    yield Identity("scores of the counterexample, or of two tasks", _symbols(identified), sympy.expand)
    yield Search.decided("random tasks", _random(identified, 200 if thorough else 30), seed=SEED)


def _line(identified: Identified, largest: int) -> Iterator[Case]:
    for tasks in range(2, identified.most + 1):
        for means in combinations(range(largest), tasks):
            gaussian = Gaussian(tuple((m,) for m in means))
            for quarter in range(4 * largest):
                x = (Fraction(quarter, 4),)
                likely = picked(gaussian.log_likelihoods(x))
                yield {"means": means, "x": str(x[0])}, likely is None or picked(identified.of(gaussian, x)) == likely


def _symbols(identified: Identified) -> Iterator[Equation]:
    """The lead of the last task over the one before is that of the log-likelihoods."""
    x, m = sympy.Symbol("x", real=True), sympy.Symbol("m", positive=True)
    gaussian = Gaussian(tuple((k * m,) for k in range(identified.most)))
    score, ell = identified.of(gaussian, (x,)), gaussian.log_likelihoods((x,))
    yield "lead", score[-1] - score[-2], ell[-1] - ell[-2]


def _random(identified: Identified, count: int) -> Iterator[tuple[Any, bool]]:
    random = np.random.default_rng(SEED)
    for case, _ in product(range(count), range(3)):
        tasks = int(random.integers(2, identified.most + 1))
        gaussian = Gaussian(tuple(tuple(map(float, row)) for row in random.normal(size=(tasks, 2))))
        x = tuple(map(float, random.normal(size=2)))
        ell = sorted(gaussian.log_likelihoods(x))
        if ell[-1] - ell[-2] > 1e-9:
            yield case, argmax(identified.of(gaussian, x)) == argmax(gaussian.log_likelihoods(x))
