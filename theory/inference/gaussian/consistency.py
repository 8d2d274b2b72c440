"""With more and more data of one task the gradient at u comes to prefer it to another, or comes to prefer the other.

Source: derived here, for arXiv 2407.17356. (g_c - g_j)/n has the mean s = <eta_c - eta_j, mu_c - mubar> = KL(p_c||p_j)
+ B_c - B_j: the law of large numbers decides where s is not 0, the central limit theorem where it is. With two tasks
eta_1 - eta_2 = 2 (eta_1 - etabar) and the mean of t rises with eta, so that s > 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import comb
from typing import Any

import sympy

from theory.arithmetic.ball import Real, exp, sqrt
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.arguments import result, rows
from theory.inference.embeddings import Gaussian
from theory.inference.gaussian.pair_error import squared
from theory.inference.normal import cdf
from theory.inference.simplex import dot
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Matrix, Positive, Result, quantity

CLAIM = "gbi-large-sample-consistency"


def drift(model: Gaussian, c: int, j: int) -> Any:
    """The drift s = <eta_c - eta_j, mu_c - mubar> of Gaussian tasks."""
    direction = tuple(a - b for a, b in zip(model.natural[c], model.natural[j], strict=True))
    return dot(direction, tuple(a - b for a, b in zip(model.means[c], model.output(), strict=True)))


def right_way(model: Gaussian, c: int, j: int, n: int) -> Any:
    """P(g_c > g_j) for n data of task c: Phi(sqrt(n) s sigma/|m_c - m_j|)."""
    return cdf(Real.of(drift(model, c, j)) * sqrt(Real.of(n * model.variance) / squared(model, c, j)))


@dataclass(frozen=True)
class Consistency:
    """When P(g_c > g_j) tends to 1, and when to 1/2 or 0.

    Args:
        consistent: whether it tends to 1, from s and KL(p_c||p_j).
        at_zero: the limit at s = 0.
        spread: whether <eta_c - eta_j, t> has a positive variance.
        two: whether all tasks are consistent where there are two, or however many there are.
    """

    consistent: Callable[[Any, Any], bool] = lambda s, divergence: s > 0
    rule: str = "s > 0"
    at_zero: Fraction = Fraction(1, 2)
    spread: bool = True
    two: bool = True

    def __str__(self) -> str:
        variance = "0 < Var <eta_c - eta_j, t> < oo" if self.spread else "any eta_j"
        tasks = "two tasks" if self.two else "any number of tasks"
        return (
            f"{variance}: P(g_c > g_j) -> 1 iff {self.rule}, {self.at_zero} at s = 0, else 0; s = KL(p_c||p_j) + "
            f"B_c - B_j; always 1 for {tasks}"
        )

    def tends_to(self, s: Fraction, divergence: Fraction) -> Fraction:
        """Of P(g_c > g_j)."""
        if self.consistent(s, divergence):
            return Fraction(1)
        return self.at_zero if s == 0 else Fraction(0)


@claim(
    CLAIM,
    source=Source("2407.17356", "One-step inference", "derived"),
    quantifiers="for all tasks of a log-linear family and n -> oo data of task c; a limit in n for each j",
    statement=str,
    variant=Consistency(),
    controls={
        "s >= 0 suffices": Consistency(lambda s, divergence: s >= 0, "s >= 0"),
        "KL(p_c||p_j) > 0 suffices": Consistency(lambda s, divergence: divergence > 0, "KL(p_c||p_j) > 0"),
    },
    hypotheses=(
        Hypothesis("spread", "<eta_c - eta_j, t> has a positive, finite variance", Consistency(spread=False)),
        Hypothesis("strict convexity", "of A", remark="where A is affine the tasks have one distribution"),
        Hypothesis("two tasks", "K = 2, where consistency is always claimed", Consistency(two=False)),
    ),
    does_not_show="how fast: with s near 0 the limit is far off; with s < 0 more data make it worse",
)
def large_sample_consistency(claimed: Consistency, thorough: bool) -> Iterator[Evidence]:
    """Gaussian tasks in balls; binomial sums of Bernoulli tasks; the two forms of s in symbols."""
    yield Enumeration("two tasks, or more", _always(claimed))
    yield Enumeration("Gaussian tasks at growing n", _gaussian(claimed, 4 if thorough else 3))
    yield Enumeration("Bernoulli tasks, counted", _bernoulli(claimed, (16, 64, 256) if thorough else (16, 64)))
    yield Identity("s, for any A", _forms(), sympy.expand)


def _always(claimed: Consistency) -> Iterator[Case]:
    for a, b in product((0, 1, 2), (1, 3)):
        model = Gaussian(((Fraction(a), Fraction(0)), (Fraction(0), Fraction(b))), Fraction(1, 2))
        for c, j in permutations(range(2), 2):
            yield {"means": [[a, 0], [0, b]], "c, j": (c + 1, j + 1)}, drift(model, c, j) > 0
    for a, b in ((1, 2), (1, 9), (5, 7)):
        # Bernoulli tasks of rates a/10 and b/10: the odds of mubar are the geometric mean of theirs.
        odds = sqrt(Fraction(a * b, (10 - a) * (10 - b)))
        rates, mean = (Fraction(a, 10), Fraction(b, 10)), odds / (1 + odds)
        yield {"rates": [*map(str, rates)]}, Outcome.every([mean > rates[0], mean < rates[1]])
    if not claimed.two:
        model = Gaussian(tuple((Fraction(m),) for m in (0, 1, 5)))
        yield {"means": [0, 1, 5], "c, j": (2, 1)}, drift(model, 1, 0) > 0


def _gaussian(claimed: Consistency, largest: int) -> Iterator[Case]:
    """The chance is within Phi(-sqrt(n) |s| sigma/|m_c - m_j|) of its limit."""
    for first, second in product(range(1, largest + 2), repeat=2):
        model = Gaussian(tuple((Fraction(m),) for m in (0, first, -second)), Fraction(2))
        for c, j in permutations(range(3), 2):
            gap, offsets = squared(model, c, j), model.offsets()
            s, divergence = drift(model, c, j), Fraction(gap, 2 * model.variance)
            limit = claimed.tends_to(s, divergence)
            case = {"means": [0, first, -second], "c, j": (c + 1, j + 1)}
            yield case, s == divergence + offsets[c] - offsets[j]
            for n in (1, 4**6, 4**12):
                chance = Real.of(right_way(model, c, j, n))
                bound = cdf(-abs(Real.of(s)) * sqrt(n * model.variance / gap)) if s else 0
                yield {**case, "n": n}, abs(chance - limit) <= bound + Fraction(1, 10**30)
    if not claimed.spread:
        # Task 3 is task 1: g_1 = g_3 whatever the data.
        limit = claimed.tends_to(Fraction(0), Fraction(0))
        yield {"means": [0, 1, 0], "c, j": (1, 3)}, limit == 0


def _bernoulli(claimed: Consistency, lengths: tuple[int, ...]) -> Iterator[Case]:
    """Rates 1/5, 1/2, 4/5: mubar = 1/2, and g_c > g_j iff more than half, or less than half, of all data are 1."""
    rates = (Fraction(1, 5), Fraction(1, 2), Fraction(4, 5))
    for n, c, j in ((n, *pair) for n in lengths for pair in permutations(range(3), 2)):
        ones = [comb(n, k) * rates[c] ** k * (1 - rates[c]) ** (n - k) for k in range(n + 1)]
        chance = sum(ones[n // 2 + 1 :] if c > j else ones[: n // 2])
        toward = (rates[c] - Fraction(1, 2)) * (1 if c > j else -1)
        limit = claimed.tends_to(toward, Fraction(1))
        # Hoeffding's bound; at s = 0 half the chance of a tie, below 1/sqrt(2 n).
        bound = exp(-2 * n * toward**2) if toward else 1 / sqrt(2 * n)
        yield {"n": n, "rates c, j": [str(rates[c]), str(rates[j])]}, Real.of(abs(chance - limit)) <= bound


def _forms() -> Iterator[Equation]:
    """Any A, from its values at the three parameters and its slopes at eta_c and etabar; one coordinate."""
    eta = dict(zip("cj0", sympy.symbols("eta_c eta_j etabar", real=True), strict=True))
    level = dict(zip("cj0", sympy.symbols("A_c A_j A_0", real=True), strict=True))
    own, mean = sympy.symbols("mu_c mubar", real=True)
    offset = {k: level[k] - level["0"] - mean * (eta[k] - eta["0"]) for k in "cj"}
    divergence = level["j"] - level["c"] - own * (eta["j"] - eta["c"])
    yield "s", divergence + offset["c"] - offset["j"], (eta["c"] - eta["j"]) * (own - mean)
    middle = (eta["c"] + eta["j"]) / 2
    yield "eta_c - eta_j of two tasks", eta["c"] - eta["j"], 2 * (eta["c"] - middle)


@quantity("sample-consistency", unit="nats a datum; probability", claim=CLAIM)
def sample_consistency(means: Matrix, sigma: Positive, c: Count, j: Count, n: Count = 1) -> dict[str, Result]:
    """The drift s and KL(p_c||p_j) of Gaussian tasks, and P(g_c > g_j), P(g_j > g_c) for n data of task c.

    Raises InputError for a task that does not exist, and where means c and j are not known to differ.
    """
    centres = rows(means)
    for name, task in (("c", c), ("j", j)):
        if task > len(centres):
            raise InputError(f"{name} = {task} of {len(centres)} tasks; give a number up to that")
    model = Gaussian(centres, sigma**2)
    gap = Real.of(squared(model, c - 1, j - 1))
    if (gap > 0) is not Outcome.HOLDS:
        raise InputError(f"means c = {c} and j = {j} are not known to differ; give two tasks that do")
    s = drift(model, c - 1, j - 1)
    return {
        "drift": result(s),
        "kl": result(gap / (2 * model.variance)),
        "right": Enclosure(Real.of(right_way(model, c - 1, j - 1, n))),
        "wrong": Enclosure(Real.of(cdf(-s * sqrt(n * model.variance / gap)))),
    }
