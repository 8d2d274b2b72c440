"""That a square on z is an entropy: false for two tasks of gradients 0 and 1.

Source: arXiv 2407.17356 has an entropy H in its E-step; reports say that it is implemented as an L2 penalty. The
maximum with alpha H is softmax(g/alpha), that with the square a projection: alpha = 2 lambda/K makes their second
orders equal and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import quotient
from theory.evidence import Case, Enumeration, Evidence, Search
from theory.inference.entropy import sparsemax
from theory.inference.entropy.projection import projected
from theory.inference.simplex import Vector, softmax, uniform
from theory.outcome import Outcome

SEED = 2436
SMALL = Fraction(1, 10**30)


@dataclass(frozen=True)
class Penalty:
    """What the square is said to be.

    Args:
        whole: the entropy, or its quadratic part at u.
        factor: alpha = factor lambda/K.
    """

    whole: bool = True
    factor: int = 2

    def __str__(self) -> str:
        penalty = "H(z)" if self.whole else "(log K - (K/2) |z - u|^2)"
        return f"argmax <g, z> - lambda |z|^2 = argmax <g, z> + alpha {penalty}, alpha = {self.factor} lambda/K"

    def maximum(self, g: Vector, weight: Any) -> Vector:
        alpha = quotient(self.factor * weight, len(g))
        if self.whole:
            return softmax([quotient(slope, alpha) for slope in g])
        # The slopes g - alpha K (z - u) are those of a square with 2 lambda = alpha K.
        return projected([u + quotient(slope, alpha * len(g)) for u, slope in zip(uniform(len(g)), g, strict=True)])


@claim(
    f"{sparsemax.CLAIM}-informal",
    source=Source("2407.17356", "L2 in place of entropy", "reconstructed"),
    quantifiers="for all K >= 2, g and lambda > 0",
    statement=str,
    variant=Penalty(),
    controls={
        "alpha = lambda/K": Penalty(factor=1),
        "half the quadratic part": Penalty(whole=False, factor=1),
    },
    hypotheses=(Hypothesis("lambda > 0", "lambda is positive", remark="the claim is false with it"),),
    expected=Outcome.REFUTED,
    near_miss=("the quadratic part", Penalty(whole=False)),
    counterexample={"g": (0, 1), "lambda": "1"},
    repaired_by=sparsemax.CLAIM,
    printed="the entropy of the task distribution is implemented as an L2 penalty",
    does_not_show="that the two are far apart for weak evidence: near u they agree to first order in g",
)
def sparsemax_informal(penalty: Penalty, thorough: bool) -> Iterator[Evidence]:
    """Gradients from few and small to large; random ones."""
    yield Enumeration("gradients from small to large", _cases(penalty, 4 if thorough else 3))
    yield Search.decided("random gradients", _random(penalty, 100 if thorough else 30), seed=SEED)


def _cases(penalty: Penalty, most: int) -> Iterator[Case]:
    for tasks, weight in product((2, 3), (Fraction(1), Fraction(1, 2))):
        for g in product(range(most), repeat=tasks):
            pairs = zip(sparsemax.step(g, weight), penalty.maximum(g, weight), strict=True)
            yield {"g": g, "lambda": str(weight)}, Outcome.every(abs(Real.of(a) - b) <= SMALL for a, b in pairs)


def _random(penalty: Penalty, count: int) -> Iterator[tuple[Any, bool]]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        g, weight = tuple(random.normal(size=int(random.integers(2, 7))).tolist()), float(random.uniform(0.5, 3))
        pair = sparsemax.step(g, weight), penalty.maximum(g, weight)
        yield case, bool(np.allclose(*pair, rtol=0, atol=1e-12))
