"""One head under perturbed states: the query's own distance counts once, all others through their mean.

Source: derived here. With e_j the distance of the states at position j of two runs, total variation TV and (A e)_i the
mean of e_1, ..., e_i: TV(p, p') <= lambda_q e_i/2 + lambda_k e^Delta (A e)_i.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Rational, Symbol

from theory.arithmetic.ball import Real, log
from theory.claims import Hypothesis, Source, claim
from theory.compact.continuity.constants import HeadConstants
from theory.compact.continuity.scalar_head import ScalarHead
from theory.compact.continuity.weights_bound import softmax
from theory.compact.elementary import exp as growth
from theory.compact.symbols import Delta
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Enclosure, Length2, Positive, Result, quantity

CLAIM = "attention-perturbation"
SEED = 2507


def two_key_change(change: Any) -> Any:
    """TV of two equal keys whose logits move by `change` in opposite directions: sigma(2 change) - 1/2."""
    return 1 / (1 + growth(-2 * change)) - Fraction(1, 2)


def one_key_change(length: int, boost: Any, change: Any) -> Any:
    """TV when one of `length` keys, above the others by `boost`, moves up by `change`."""
    before, after = (growth(logit) / (growth(logit) + length - 1) for logit in (boost, boost + change))
    return after - before


@quantity("two-key-perturbation", unit="total variation", claim=CLAIM)
def two_key_perturbation(change: Positive) -> dict[str, Result]:
    """The change of two equal weights whose logits move by `change` in opposite directions, and its bound."""
    return {"change": Enclosure(two_key_change(change)), "bound": Bound("upper", change / 2)}


@quantity("one-key-perturbation", unit="total variation", claim=CLAIM)
def one_key_perturbation(n: Length2, boost: Positive, change: Positive) -> dict[str, Result]:
    """The change of the weights when one of n keys, above the others by `boost`, rises by `change`; and its bound."""
    found = Perturbation().total_variation(boost + change, Real.of(0), change / n)
    return {"change": Enclosure(one_key_change(n, boost, change)), "bound": Bound("upper", found)}


@dataclass(frozen=True)
class Perturbation:
    """The bounds on the weights and on the output of one head.

    Args:
        own: the factor of lambda_q e_i in the bound on TV.
        growth: of lambda_k (A e)_i, from Delta.
        moving: whether the output moves with its weights too, and not with its values alone.
        both_runs: whether Delta bounds the logits of both runs, or of the first alone.
    """

    own: Fraction = Fraction(1, 2)
    growth: Callable[[Any], Any] = growth
    moving: bool = True
    both_runs: bool = True

    def total_variation(self, oscillation: Any, query: Any, key: Any) -> Any:
        """From lambda_q e_i and lambda_k (A e)_i."""
        return self.own * query + self.growth(oscillation) * key

    def output(self, head: HeadConstants, own: Any, mean: Any) -> Any:
        """From e_i and (A e)_i."""
        moved = self.total_variation(head.oscillation, head.query * own, head.key * mean)
        return self.growth(head.oscillation) * head.value * mean + (head.diameter * moved if self.moving else 0)

    @property
    def statement(self) -> Expr:
        e, mean = sympy.symbols("e_i (Ae)_i", nonnegative=True)
        diameter, *lipschitz = sympy.symbols("D_v lambda_q lambda_k lambda_v", nonnegative=True)
        share = self.total_variation(Delta, lipschitz[0] * e, lipschitz[1] * mean)
        whole = self.output(HeadConstants(Delta, diameter, *lipschitz), e, mean)
        return sympy.And(Symbol("TV") <= share, Symbol("|a_i-a'_i|") <= whole)


@claim(
    CLAIM,
    source=Source("2505.10606", "Continuity, one layer", "derived"),
    quantifiers="for all i, all states of two runs, logits of range <= Delta in both, Lipschitz in query and key",
    statement=lambda perturbation: perturbation.statement,
    variant=Perturbation(),
    controls={
        "lambda_q e_i/4": Perturbation(own=Fraction(1, 4)),
        "no e^Delta": Perturbation(growth=lambda oscillation: oscillation * 0 + 1),
        "half the range": Perturbation(growth=lambda oscillation: growth(oscillation / 2)),
        "values alone": Perturbation(moving=False),
    },
    hypotheses=(
        Hypothesis("range", "Delta bounds the range of the logits in both runs", Perturbation(both_runs=False)),
        Hypothesis(
            "Lipschitz",
            "logits and values are Lipschitz in the states",
            remark="uniform continuity is enough for continuity without a rate, claim continuity-qualitative",
        ),
    ),
    does_not_show="that a bound on the mean of the e_j is enough: the query's own e_i counts in full",
)
def attention_perturbation(perturbation: Perturbation, thorough: bool) -> Iterator[Evidence]:
    """One moving key; logits in steps of ln 2; the derivative of softmax; two keys in boxes; random heads."""
    yield Enumeration("one key of n", _one_key(perturbation))
    yield Enumeration("logits 0, ln 2, ..., moved by 0 or ln 2", _grid(perturbation, 4 if thorough else 3))
    yield Identity("derivatives", _derivatives(perturbation), sympy.cancel)
    for base in (Fraction(0), Fraction(-1), *[Fraction(1, 2), Fraction(-2)] * thorough):
        domain = ((Fraction(1, 2), Fraction(3)),)
        yield BoxCover(f"two keys at distance {base}", domain, partial(_two_keys, perturbation, base))
    yield Search("random heads", _random(perturbation, 1000 if thorough else 100), seed=SEED)


def _one_key(perturbation: Perturbation) -> Iterator[Case]:
    """A key moves up in the second run: it alone has e_j > 0, and values are 1 there and 0 elsewhere."""
    for length, boost, change in product((2, 10, 100), (Fraction(0), Fraction(3)), (Fraction(1, 10), Fraction(3))):
        spread = boost + change if perturbation.both_runs else boost
        observed = Real.of(one_key_change(length, boost, change))
        bound = perturbation.total_variation(spread, 0, change / length)
        # States are the logits, so that lambda_k = 1; a value depends on the position alone.
        whole = perturbation.output(HeadConstants(spread, 1, 0, 1, 0), 0, change / length)
        case = {"keys": length, "boost": str(boost), "change": str(change)}
        yield case, Outcome.every((observed <= bound, observed <= whole))


def _grid(perturbation: Perturbation, longest: int) -> Iterator[Case]:
    """All rows of exponents, each moved by the query (either sign) or by keys (e_j, up or down)."""
    step, moves = log(2), (-1, 0, 1)
    for length in range(2, longest + 1):
        for row in product((0, 1, 2), repeat=length):
            if min(row) == 0:
                for kind, move in product(("query", "keys"), product(moves, repeat=length)):
                    moved = tuple(a + b for a, b in zip(row, move, strict=True))
                    variation = sum(abs(a - b) for a, b in zip(softmax(row), softmax(moved), strict=True)) / 2
                    spread = max(max(row) - min(row), (max(moved) - min(moved)) * perturbation.both_runs)
                    query, key = (1, 0) if kind == "query" else (0, Fraction(sum(map(abs, move)), length))
                    bound = perturbation.total_variation(spread * step, query * step, key * step)
                    yield {"row": row, "move": move, "by": kind}, bound >= variation


def _derivatives(perturbation: Perturbation) -> Iterator[Equation]:
    time = Symbol("t", real=True)
    for length in (2, 3, 4):
        start, speed = (sympy.symbols(f"{name}_1:{length + 1}", real=True) for name in "sX")
        weights = [sympy.exp(a + time * b) for a, b in zip(start, speed, strict=True)]
        shares = [weight / sum(weights) for weight in weights]
        mean = sum(share * b for share, b in zip(shares, speed, strict=True))
        found = sympy.diff(shares[0], time)
        yield f"dp/dt = p (X - E X), {length} keys", found, shares[0] * (speed[0] - mean)
    p, change = Symbol("p", positive=True), Symbol("l", positive=True)
    yield "sd <= range/2: 1 - 4 p (1 - p)", 1 - 4 * p * (1 - p), (1 - 2 * p) ** 2
    slope = sympy.diff(two_key_change(change), change).subs(change, 0)
    yield "two keys meet the query's bound", slope, Rational(perturbation.own.numerator, perturbation.own.denominator)
    # One of n keys, the highest by Delta, starts to move: p (1 - p) against e^Delta/n.
    n, high = Symbol("n", positive=True), sympy.exp(Delta)
    boosted = high / (high + n - 1)
    excess = high * (high**2 + (2 * high - 1) * (n - 1)) / (n * (high + n - 1) ** 2)
    yield "one key", perturbation.growth(Delta) / n - boosted * (1 - boosted), excess


def _two_keys(perturbation: Perturbation, base: Fraction, change: arb) -> Outcome:
    """Two keys whose logits differ by `base`; the query moves them by up to `change`, in opposite directions."""

    def share(logit: arb) -> arb:
        return 1 / (1 + (-logit).exp())

    start = arb(base.numerator) / base.denominator
    moved = share(start + 2 * change) - share(start)
    bound = change * perturbation.own.numerator / perturbation.own.denominator
    return Outcome.settled(moved <= bound, moved > bound)


def _random(perturbation: Perturbation, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        length, head = int(random.integers(2, 40)), ScalarHead.draw(random)
        states = random.uniform(-1, 1, size=(2, length))
        moved = random.uniform(size=length) < random.choice([0.1, 1])
        states[1] = np.where(moved, np.clip(states[0] + random.normal(size=length) * 0.1, -1, 1), states[0])
        distances = abs(states[0] - states[1])
        logits = [head.logits(row)[-1] for row in states]
        # The range that is there, which is less than what the constants allow for.
        constants = head.constants(max(float(np.ptp(row)) for row in logits))
        first, second = (head.output(row)[-1] for row in states)
        bound = perturbation.output(constants, distances[-1], distances.mean())
        # Exponentials are off by Delta eps, sums by n eps, of values of modulus at most |v|.
        allowance = (2 * length + 2 * constants.oscillation + 8) * constants.diameter * np.finfo(np.float64).eps
        yield Trial(case, float(abs(first - second)), float(bound), float(allowance))
