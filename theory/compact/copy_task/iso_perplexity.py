"""Iso-perplexity: how accurate a more confident model has to be for the log-perplexity to prefer it.

Source: arXiv 2601.22950, eq. (10) and (11). A model with accuracy a that gives 1 - g to what it says has log-perplexity
-a ln(1 - g) - (1 - a) ln g on two letters; of confidence 1 - (g - d), it has the same at the critical accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

import sympy
from sympy import Expr, Rational, log, symbols

from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.copy_task.perplexity import PAPER
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Result, quantity
from theory.quantities import Rational as RationalNumber

CLAIM = "iso-perplexity"
SEED = 260110
a, g, d = symbols("a g d", positive=True)
HALF = Fraction(1, 2)


def perplexity(accuracy: Expr, loss: Expr) -> Expr:
    """-a ln(1 - g) - (1 - a) ln g."""
    return -accuracy * log(1 - loss) - (1 - accuracy) * log(loss)


CRITICAL = (perplexity(a, g) + log(g - d)) / (log(g - d) - log(1 - g + d))


@dataclass(frozen=True)
class Critical:
    """From which accuracy on a model of confidence 1 - g + d has the lower log-perplexity.

    Args:
        accuracy: an expression in a, g, d.
        above: whether that is never below a.
        to: its limit for d -> g.
        unsure: whether g - d may exceed 1/2.
    """

    accuracy: Expr = CRITICAL
    above: bool = False
    to: int = 1
    unsure: bool = False

    def __str__(self) -> str:
        order = " >= a" if self.above else ""
        where = "" if self.unsure else " < 1/2"
        return (
            f"for 0 < g - d{where}, pplx(a', g - d) < pplx(a, g) iff a' > {self.accuracy}{order}, "
            f"which tends to {self.to} for d -> g"
        )


@claim(
    CLAIM,
    source=Source(PAPER, "eq. (10) and (11)"),
    quantifiers="for all 0 < a < 1 and 0 <= d < g with g - d < 1/2; any real a'",
    statement=str,
    variant=Critical(),
    controls={
        "never below a": Critical(above=True),
        "the sign of ln(g - d) turned": Critical((perplexity(a, g) - log(g - d)) / (log(g - d) - log(1 - g + d))),
        "tends to 0": Critical(to=0),
        "g + d for g - d": Critical(CRITICAL.subs(d, -d)),
    },
    hypotheses=(
        Hypothesis("g - d < 1/2", "the letter that it says has more than half", Critical(unsure=True)),
        Hypothesis("two letters", "what is not said gets all of g", remark="of V letters, ln g becomes ln g/(V - 1)"),
    ),
    does_not_show="that such a model exists: which accuracies go with which confidence is for training to say",
)
def iso_perplexity(claimed: Critical, thorough: bool) -> Iterator[Evidence]:
    """The linear equation solved; both sides of the critical accuracy on a grid; its limit; random points."""
    yield Enumeration("a little above and below, on a grid", _grid(claimed, 12 if thorough else 6))
    yield Enumeration("d -> g", _limits(claimed))
    yield Identity("it solves the equation", _solved(claimed), sympy.simplify)
    yield Search("random points", _random(claimed, 400 if thorough else 80), seed=SEED)


def _at(claimed: Critical, accuracy: Fraction, loss: Fraction, step: Fraction) -> tuple[Real, Real]:
    """The critical accuracy, and what is to be beaten."""
    values = {a: accuracy, g: loss, d: step}
    return evaluate(claimed.accuracy, values), evaluate(perplexity(a, g), values)


def _grid(claimed: Critical, steps: int) -> Iterator[Case]:
    small = Fraction(1, 10**6)
    for x, y, z in product(range(1, steps), range(1, steps), range(steps)):
        accuracy, loss, step = Fraction(x, steps), Fraction(y, steps), Fraction(z, steps)
        left = loss - step
        if not left > 0 or left == HALF or (left > HALF and not claimed.unsure):
            continue
        critical, beaten = _at(claimed, accuracy, loss, step)
        below, above = (evaluate(perplexity(a, g), {a: critical + e, g: left}) for e in (-small, small))
        order = [critical >= accuracy] if claimed.above else []
        case = {"a": str(accuracy), "g": str(loss), "d": str(step)}
        yield case, Outcome.every((above < beaten, below > beaten, *order))


def _limits(claimed: Critical) -> Iterator[Case]:
    """1 - a' is (ln(1/(1 - h)) - pplx)/(ln h - ln(1 - h)), h = g - d, so of order 1/ln(1/h)."""
    for accuracy, loss in ((HALF, Fraction(2, 5)), (Fraction(4, 5), Fraction(1, 4))):
        for tens in (10, 100, 1000):
            critical, _ = _at(claimed, accuracy, loss, loss - Fraction(1, 10**tens))
            yield {"g - d": f"10^-{tens}"}, abs(critical - claimed.to) <= Fraction(1, 2 * tens)


def _solved(claimed: Critical) -> Iterator[Equation]:
    unknown = symbols("u", real=True)
    (solution,) = sympy.solve(sympy.Eq(perplexity(unknown, g - d), perplexity(a, g)), unknown)
    yield "a'", claimed.accuracy, solution
    yield "d = 0", claimed.accuracy.subs(d, Rational(0)), a


def _random(claimed: Critical, count: int) -> Iterator[Trial]:
    random = Random(SEED)
    for _ in range(count):
        loss, accuracy = random.uniform(0.01, 0.99), random.uniform(0.01, 0.99)
        left = loss * random.random()
        if 0.001 < left < 0.49:
            values = (Fraction(accuracy), Fraction(loss), Fraction(loss) - Fraction(left))
            critical, beaten = _at(claimed, *values)
            found = evaluate(perplexity(a, g), {a: critical, g: Fraction(left)})
            # Both are balls of 64 bits, and of size below 10.
            yield Trial(tuple(map(float, values)), float(abs(found - beaten)), 0.0, 1e-15)


@quantity("iso-perplexity-accuracy", unit="accuracy", claim=CLAIM)
def iso_perplexity_accuracy(a: RationalNumber, g: RationalNumber, d: RationalNumber) -> dict[str, Result]:
    """The accuracy at which confidence 1 - g + d has the log-perplexity of accuracy a and confidence 1 - g."""
    if not 0 < a < 1:
        raise InputError(f"a = {a} is not between 0 and 1; give an accuracy")
    if not 0 <= d < g < 1 or not g - d < HALF:
        raise InputError(f"g = {g}, d = {d}: 0 <= d < g < 1 and g - d < 1/2 are needed; give such losses")
    critical, level = _at(Critical(), a, g, d)
    return {"critical": Enclosure(critical), "log-perplexity": Enclosure(level)}
