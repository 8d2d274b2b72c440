"""Several observations that share z: the gradient at u is a sum of posteriors, not of log-likelihoods.

Source: derived here. A datum counts at most 1 for a task in a sum of posteriors, however likely the task makes it: one
row (M, 1) and m rows (1, 3) pick the second task as soon as m >= 2, for every M. Two data of two tasks do no harm:
g_1 - g_2 = 4 (p_11 p_21 - p_12 p_22)/((p_11 + p_12)(p_21 + p_22)). In a log-linear family gradients of
independent observations do add up as log-likelihoods do, up to n B.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.arguments import largest_task, results
from theory.inference.embeddings import Gaussian
from theory.inference.linear_pool.shared import SharedPool, shared_pool
from theory.inference.simplex import Vector, argmax, uniform
from theory.quantities import Matrix, Result, quantity

CLAIM = "gbi-several-observations-sum-of-posteriors"
M = sympy.Symbol("M", positive=True)


@quantity("pool-several", unit="1", claim=CLAIM)
def pool_several(p: Matrix) -> dict[str, Result]:
    """Sum of posteriors, log-likelihoods and gradient at u of rows of likelihoods, one row an observation."""
    pool = shared_pool(p)
    posteriors = tuple(map(sum, zip(*pool.responsibilities(), strict=True)))
    return results(
        posteriors=posteriors,
        log_likelihood=pool.log_likelihoods(),
        gradient=pool.gradient(),
        gradient_task=largest_task(posteriors),
        likelihood_task=largest_task(pool.whole.likelihoods),
    )


def sum_of_posteriors(pool: SharedPool) -> Vector:
    """K sum_i r_ik."""
    return tuple(pool.tasks * sum(column) for column in zip(*pool.responsibilities(), strict=True))


def outvoted(largest: Any, others: int) -> SharedPool:
    """One row (M, 1) and `others` rows (1, 3)."""
    return SharedPool(((largest, 1), *((1, 3),) * others))


@dataclass(frozen=True)
class Several:
    """What is said of several observations.

    Args:
        likeliest: whether the summed gradient is said to pick the most likely task.
        votes: rows (1, 3) that are said to outvote one row (M, 1) for every M.
        copies: how many times B is subtracted for n observations of a log-linear family.
        least: the least number of observations at which they may differ, of two and of three tasks.
        each: whether every observation is a pool of its own, or the whole sequence is one.
    """

    likeliest: bool = False
    votes: int = 2
    copies: Callable[[int], int] = lambda n: n
    least: tuple[int, int] = (3, 2)
    each: bool = True

    def __str__(self) -> str:
        likeliest = "is the most likely task" if self.likeliest else "may differ from the most likely task"
        return (
            f"g(u) = K sum_i r_i; its largest entry {likeliest} from {self.least[0]} observations of two tasks "
            f"on, {self.least[1]} of three; one row (M, 1) is "
            f"outvoted by {self.votes} rows (1, 3) for every M; log-linear with n = 3: g - {self.copies(3)} B - ell is "
            "constant"
        )

    def gradient(self, pool: SharedPool) -> Vector:
        return pool.gradient() if self.each else pool.whole.gradient()


@claim(
    CLAIM,
    source=Source("2407.17356", "One z for a sequence", "derived"),
    quantifiers="for all n and p > 0; for every n >= 3, and for n = 2 with K >= 3 tasks, there are rows whose summed "
    "gradient misses the most likely task; for no others",
    statement=str,
    variant=Several(),
    controls={
        "the summed gradient finds the most likely task": Several(likeliest=True),
        "one row outvotes": Several(votes=1),
        "B counted once": Several(copies=lambda n: 1),
    },
    hypotheses=(
        Hypothesis("observations", "n >= 3, or n >= 2 with three tasks, to differ", Several(least=(2, 1))),
        Hypothesis("one pool each", "every observation has a pool of its own", Several(each=False)),
    ),
    does_not_show="that the summed gradient is wrong for its own model, in which every observation draws its task anew",
)
def several_observations(several: Several, thorough: bool) -> Iterator[Evidence]:
    """Rational rows; votes; Gaussians with several observations; symbols for the derivative."""
    yield Enumeration("sums of posteriors", _sums(several, 3 if thorough else 2))
    yield Enumeration("a most likely task that is missed, or none", _missed(several, 5 if thorough else 4))
    yield Enumeration("votes", _votes(several, 12 if thorough else 6))
    yield Enumeration("Gaussian observations", _gaussian(several))
    yield Identity("symbols", _symbols(several), sympy.cancel)


def _sums(several: Several, observations: int) -> Iterator[Case]:
    vectors = [(Fraction(a), Fraction(b), Fraction(c)) for a, b, c in ((1, 1, 2), (3, 1, 1), (1, 4, 2), (5, 1, 1))]
    for n in range(1, observations + 1):
        for rows in product(vectors, repeat=n):
            pool = SharedPool(rows)
            yield {"rows": rows}, several.gradient(pool) == sum_of_posteriors(pool)


def _missed(several: Several, most: int) -> Iterator[Case]:
    """From some n on there are rows that miss the most likely task, below that there are none."""
    shares: list[list[Vector]] = [
        [(Fraction(100), Fraction(1)), (Fraction(1), Fraction(3)), (Fraction(2), Fraction(1))],
        [(Fraction(69), Fraction(30), Fraction(1)), (Fraction(1), Fraction(300), Fraction(699))],
    ]
    for vectors, least in zip(shares, several.least, strict=True):
        for n in range(1, most + 1):
            pools = list(map(SharedPool, product(vectors, repeat=n)))
            missed = [pool.rows for pool in pools if argmax(pool.gradient()) != argmax(pool.whole.likelihoods)]
            expected = n >= least and not several.likeliest
            yield {"K": len(vectors[0]), "n": n, "rows": missed[:1]}, bool(missed) is expected


def _votes(several: Several, powers: int) -> Iterator[Case]:
    """The rows outvote; from M > 3^m on the first task is the more likely one all the same."""
    for power in range(powers + 1):
        pool = outvoted(Fraction(3**power * 4), several.votes)
        first, second = pool.gradient()
        likely = pool.whole.likelihoods
        yield {"M": 3**power * 4}, second > first and (likely[0] > likely[1]) is (3**power * 4 > 3**several.votes)


def _gaussian(several: Several) -> Iterator[Case]:
    """Sums of gradients, offsets and log-likelihoods over n data."""
    gaussian = Gaussian(((0, 0), (2, 0), (0, 1)), Fraction(1, 4))
    data = [(Fraction(1, 2), Fraction(1, 3)), (Fraction(-1), Fraction(2)), (Fraction(3), Fraction(1, 5))]
    for n in (1, 2, 3):
        g, ell = (map(sum, zip(*map(f, data[:n]), strict=True)) for f in (gaussian.gradient, gaussian.log_likelihoods))
        left = {a - several.copies(n) * b - c for a, b, c in zip(g, gaussian.offsets(), ell, strict=True)}
        yield {"n": n}, len(left) == 1


def _symbols(several: Several) -> Iterator[Equation]:
    """SymPy's derivative at u of two observations; the gap of votes for every M."""
    rows = (sympy.symbols("p_11 p_12", positive=True), sympy.symbols("p_21 p_22", positive=True))
    pool, z = SharedPool(rows), sympy.symbols("z_1 z_2", positive=True)
    u = dict(zip(z, uniform(2), strict=True))
    derivative = sympy.diff(pool.log_likelihood(z), z[0]).subs(u)
    yield "derivative", derivative, several.gradient(pool)[0]
    sums = sum(rows[0]) * sum(rows[1])
    g, likely = pool.gradient(), pool.whole.likelihoods
    yield "two data of two tasks", (g[0] - g[1]) * sums, 4 * (likely[0] - likely[1])
    first, second = outvoted(M, several.votes).gradient()
    # For two votes it is positive at every M > 0.
    yield "votes", second - first, 4 / (M + 1) + sympy.Integer(several.votes - 2)
