"""What is printed of the copy task and false: the inequality, and the length from which it bites.

Source: arXiv 2601.22950, App. A. The right side of the inequality is negative, and with its sign repaired it tends to
epsilon; the length hardly depends on xi, its second term being negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice, product

import numpy as np
import sympy
from sympy import Expr, log

from theory.arithmetic import ball
from theory.arithmetic.ball import evaluate
from theory.claims import Source, claim
from theory.compact.copy_task.perplexity import CLAIM, DIFFERENCE, LENGTH, PAPER, N, eps, floor, moved, right, xi
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length, Rational, Result, quantity

SEED = 26012
PRINTED = -(log(right) - log(floor) + (N - 1) * eps) / N
# The second term of the printed n'; the first one, 1/delta(epsilon), is 1 for a constant model.
PRINTED_LENGTH = (eps - log(right) + log(floor)) / (xi + eps)
Model = tuple[Fraction, Fraction, Fraction]


def constant_models() -> Iterator[tuple[Model, Fraction]]:
    """T = (a, b, c)/d with a > b >= c and a > d/2, by d; with an epsilon between 0 and a/d - 1/2."""
    for d in count(3):
        for c, b in product(range(1, d), repeat=2):
            a = d - b - c
            if c <= b < a and 2 * a > d:
                yield (Fraction(a, d), Fraction(b, d), Fraction(c, d)), (Fraction(a, d) - Fraction(1, 2)) / 2


@dataclass(frozen=True)
class Inequality:
    """The log-perplexities of alpha_N and beta_N differ by at most an expression in N, epsilon, epsilon', p_min."""

    bound: Expr

    def __str__(self) -> str:
        return f"|pplx(alpha_N) - pplx(beta_N)| <= {self.bound}"

    def constant(self, model: Model, margin: Fraction, length: int) -> Outcome:
        """Whether that is so of a constant model on 0^N; its epsilon' is any small number."""
        values = {N: length, eps: margin, moved: margin / 10**6, floor: model[2]}
        return ball.log(model[0] / model[1]) / length <= evaluate(self.bound, values)


@claim(
    "copy-task-perplexity-printed",
    source=Source(PAPER, "App. A, proof of Prop 3.2"),
    quantifiers="for all N and all models with T >= p_min and right letters of more than 1/2 + epsilon",
    statement=str,
    variant=Inequality(PRINTED),
    controls={
        "its sign repaired, without the bad term": Inequality(log(right / (right - moved)) + (N - 1) / N * moved),
        "N for N - 1": Inequality(-(log(right) - log(floor) + N * eps) / N),
    },
    expected=Outcome.REFUTED,
    counterexample="T = (3/5, 1/5, 1/5), epsilon = 1/20, N = 1",
    near_miss=("one bad term, N - 1 small ones", Inequality(DIFFERENCE)),
    repaired_by=CLAIM,
    printed="|pplx(alpha_N) - pplx(beta_N)| <= -(1/N)(ln(1/2 + epsilon) - ln p_min + (N - 1) epsilon)",
    does_not_show="that the difference does not vanish: it does, like (1/N) ln(1/p_min) + epsilon'",
)
def copy_task_perplexity_printed(claimed: Inequality, thorough: bool) -> Iterator[Evidence]:
    """Constant models, exact and at random: their runs on alpha_N and beta_N differ in one term only."""
    models = islice(constant_models(), 200 if thorough else 20)
    yield Enumeration(
        "constant models, by common denominator",
        (
            (_case(model, margin, length), claimed.constant(model, margin, length))
            for model, margin in models
            for length in (1, 2, 5, 50)
        ),
    )
    yield Search("constant models at random", _random(claimed, 300 if thorough else 60), seed=SEED)


def _case(model: Model, margin: Fraction, length: int) -> str:
    return f"T = ({', '.join(map(str, model))}), epsilon = {margin}, N = {length}"


def _random(claimed: Inequality, trials: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    bound = sympy.lambdify((N, eps, moved, floor), claimed.bound, modules="numpy")
    for case in range(trials):
        least, other, most = sorted(random.dirichlet((1, 1, 4)))
        if most > 0.5:
            length, margin = int(random.integers(1, 400)), (most - 0.5) * random.uniform(0.1, 1)
            # Two logarithms of either sign on each side.
            slack = 16 * float(np.finfo(float).eps * -np.log(least))
            limit = float(bound(length, margin, 0.0, least))
            yield Trial((case, length), float(np.log(most / other)) / length, limit, slack)


@dataclass(frozen=True)
class Start:
    """From `length` letters on, an expression in epsilon, p_min and xi, the difference is at most xi."""

    length: Expr

    def __str__(self) -> str:
        return f"|pplx(alpha_N) - pplx(beta_N)| <= xi for all N >= max(1/delta, {self.length})"

    def at(self, margin: Fraction, least: Fraction, target: Fraction) -> int:
        """The least such N of a constant model, whose delta is 1."""
        found = evaluate(self.length, {eps: margin, floor: least, xi: target})
        return max(1, int(np.ceil(float(found))))


@claim(
    "copy-task-length-printed",
    source=Source(PAPER, "App. A, proof of Prop 3.2"),
    quantifiers="for all xi > 0 and all models with T >= p_min and right letters of more than 1/2 + epsilon",
    statement=str,
    variant=Start(PRINTED_LENGTH),
    controls={
        "the sign of its numerator turned": Start((log(right) - log(floor) - eps) / (xi + eps)),
        "xi without the factor 2, and without its logarithm": Start(1 / xi),
    },
    expected=Outcome.REFUTED,
    counterexample="T = (3/5, 1/5, 1/5), epsilon = 1/20, xi = 1/100, N = 1",
    near_miss=("2 ln(1/p_min)/xi", Start(LENGTH)),
    repaired_by=CLAIM,
    printed="n' = max(ceil(1/delta(epsilon)), (epsilon - ln(1/2 + epsilon) + ln p_min)/(xi + epsilon))",
    does_not_show="that short prompts differ: the number of letters that xi asks for is sufficient, not necessary",
)
def copy_task_length_printed(claimed: Start, thorough: bool) -> Iterator[Evidence]:
    """Constant models at the claimed length: exactly, and random ones."""
    yield Enumeration("constant models, by common denominator", _lengths(claimed, 200 if thorough else 20))
    yield Search("constant models at random", _random_lengths(claimed, 300 if thorough else 60), seed=SEED)


def _lengths(claimed: Start, most: int) -> Iterator[Case]:
    for model, margin in islice(constant_models(), most):
        for target in (Fraction(1, 100), Fraction(1, 10)):
            length = claimed.at(margin, model[2], target)
            case = f"T = ({', '.join(map(str, model))}), epsilon = {margin}, xi = {target}, N = {length}"
            yield case, ball.log(model[0] / model[1]) / length <= target


def _random_lengths(claimed: Start, trials: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(trials):
        least, other, most = sorted(random.dirichlet((1, 1, 4)))
        if most > 0.5:
            target = Fraction(int(random.integers(1, 100)), 100)
            margin = Fraction(most - 0.5) / 2
            length = claimed.at(margin, Fraction(least), target)
            slack = 16 * float(np.finfo(float).eps * -np.log(least))
            yield Trial((case, length), float(np.log(most / other)) / length, float(target), slack)


@quantity("copy-perplexity-printed", unit="nats", claim="copy-task-perplexity-printed")
def copy_perplexity_printed(n: Length, margin: Rational, least: Rational, target: Rational) -> dict[str, Result]:
    """The printed bound on the difference of log-perplexities, and the second term of the printed length."""
    for name, value in (("margin", margin), ("least", least)):
        if not 0 < value < Fraction(1, 2):
            raise InputError(f"{name} = {value} is not between 0 and 1/2; give a number there")
    if target <= 0:
        raise InputError(f"target = {target} is not positive; give the difference that is allowed, such as 1/100")
    values = {N: n, eps: margin, floor: least, xi: target}
    return {
        "bound": Enclosure(evaluate(PRINTED, values)),
        "length-term": Enclosure(evaluate(PRINTED_LENGTH, values)),
    }
