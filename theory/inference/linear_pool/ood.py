"""In a linear pool the largest gradient at u is the largest posterior: as a score of novelty it adds nothing.

Source: derived here. max_k g_k(u)/K = max_k r_k; and softmax(g) is the posterior of a log-linear family with equal
offsets. Both forget how likely the datum is under all tasks together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy

from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import largest
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search
from theory.inference.arguments import results
from theory.inference.embeddings import Gaussian, LinearPool
from theory.inference.linear_pool.likelihood import pool
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import oscillation, softmax
from theory.quantities import Result, Vector, quantity

CLAIM = "gbi-ood-linear-pool-no-gain"
SEED = 2409
TRIANGLE = ((2, 0, 0), (0, 2, 0), (0, 0, 2))  # equal radii, so equal offsets


@quantity("pool-score", unit="1", claim=CLAIM)
def pool_score(p: Vector) -> dict[str, Result]:
    """The score max_k g_k(u)/K of likelihoods p, and the largest posterior."""
    model, _ = pool(p, ())
    return results(score=share(model.gradient()), largest_posterior=largest(*model.responsibilities()))


def share(g: Sequence[Any]) -> Any:
    """max_k g_k/K."""
    return largest(*g) / len(g)


@dataclass(frozen=True)
class Score:
    """What is said of scores at u.

    Args:
        scaled: the factor of the pool's score when all likelihoods are multiplied by c, from c.
        soft: whether the score of a Gaussian is max softmax(g), or max g.
        means: of the Gaussian.
        at_uniform: whether the gradient is that at u, or at (K, ..., 1)/(K(K + 1)/2).
    """

    scaled: Callable[[Any], Any] = lambda c: 1
    soft: bool = True
    means: tuple[Entries, ...] = TRIANGLE
    at_uniform: bool = True

    def __str__(self) -> str:
        kind = "softmax(g)" if self.soft else "g"
        return (
            f"max g/K = max r at {'u' if self.at_uniform else 'z'}, times {self.scaled(sympy.Symbol('c'))} for c p; "
            f"of Gaussians with means {self.means} max {kind} ranks data as the largest posterior does"
        )

    def of_pool(self, model: LinearPool) -> Any:
        weights = range(model.tasks, 0, -1)
        start = None if self.at_uniform else tuple(Fraction(w, sum(weights)) for w in weights)
        return share(model.gradient(start))

    def of_gaussian(self, g: Entries) -> Any:
        return largest(*(float(entry) for entry in (softmax(g) if self.soft else g)))


@claim(
    CLAIM,
    source=Source("2407.17356", "Uncertainty from gradients", "derived"),
    quantifiers="for all K >= 2 and p > 0; for all data of a log-linear family with equal offsets",
    statement=str,
    variant=Score(),
    controls={
        "the score grows with the sum of p": Score(scaled=lambda c: c),
        "max g of Gaussians": Score(soft=False),
    },
    hypotheses=(
        Hypothesis("at u", "the gradient is taken at u", Score(at_uniform=False)),
        Hypothesis("equal offsets", "all B_k are equal", Score(means=((0, 0), (2, 0), (0, 1)))),
    ),
    does_not_show="that no score of a gradient helps: its length in a Gaussian model knows how far away the datum is",
)
def ood_linear_pool_no_gain(score: Score, thorough: bool) -> Iterator[Evidence]:
    """Rational likelihoods; data of Gaussians on a grid; symbols for a common factor; random likelihoods."""
    yield Enumeration("rational likelihoods", _rational(score, 5 if thorough else 3))
    yield Enumeration("data of Gaussians", _gaussian(score, 3 if thorough else 2))
    yield Identity("a common factor", _symbols(score), sympy.cancel)
    yield Search.decided("ranks of random likelihoods", _random(score, 200 if thorough else 30), seed=SEED)


def _rational(score: Score, most: int) -> Iterator[Case]:
    for tasks in (2, 3):
        for p in product(map(Fraction, range(1, most + 1)), repeat=tasks):
            model, more = LinearPool(p), LinearPool(tuple(10 * entry for entry in p))
            same = score.of_pool(model) == largest(*model.responsibilities())
            yield {"p": p}, same and score.of_pool(more) == score.scaled(10) * score.of_pool(model)


def _gaussian(score: Score, reach: int) -> Iterator[Case]:
    """Pairs of data whose largest posteriors differ by more than rounding: the scores are ordered in the same way.

    A softmax falls with every difference of its logits, so that equal differences rank equally.
    """
    gaussian = Gaussian(score.means)
    found = []
    for x in product(map(Fraction, range(-reach, reach + 1)), repeat=len(score.means[0])):
        g, ell = gaussian.gradient(x), gaussian.log_likelihoods(x)
        same = oscillation([a - b for a, b in zip(g, ell, strict=True)]) == 0
        posterior = largest(*(float(entry) for entry in softmax(tuple(map(float, ell)))))
        found.append((x, posterior, score.of_gaussian(tuple(map(float, g))), same))
    for (x, p, s, same), (y, q, t, _) in product(found, found):
        if p > q + 1e-9:
            yield {"x": x, "y": y}, s > t and (same or not score.soft)


def _symbols(score: Score) -> Iterator[Equation]:
    p, c = sympy.symbols("p_1:4", positive=True), sympy.Symbol("c", positive=True)
    once, more = LinearPool(p), LinearPool(tuple(c * entry for entry in p))
    for k in range(3):
        yield f"g_{k + 1}/K", once.gradient()[k] / sympy.Integer(3), once.responsibilities()[k]
        yield f"g_{k + 1} of c p", more.gradient()[k], score.scaled(c) * once.gradient()[k]


def _random(score: Score, count: int) -> Iterator[tuple[Any, bool]]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks = int(random.integers(2, 9))
        one, two = (LinearPool(tuple(map(float, random.gamma(0.5, size=tasks) + 1e-9))) for _ in range(2))
        lead = score.of_pool(one) - score.of_pool(two)
        posterior = largest(*one.responsibilities()) - largest(*two.responsibilities())
        yield case, abs(lead - posterior) <= 1e-12
