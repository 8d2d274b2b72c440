"""What softmax can do with bounded logits: every weight stays of order 1/n.

Source: arXiv 2410.01104, Lemma 2.1 (reconstructed); the sharp constant is derived here. Logits are taken after scaling
by the inverse temperature, and R bounds their range, largest minus smallest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import sympy
from sympy import Expr, Matrix, exp, log, symbols

from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Enclosure, Length, Positive, Result, quantity
from theory.rope.rotation import rope
from theory.symbols import i, n, theta

SEED = 2410
R = symbols("R", nonnegative=True)
Weight = Callable[[Expr, Expr], Expr]


def least_weight(n: Expr, spread: Expr) -> Expr:
    """The least weight among n logits of range `spread`: one low logit, n - 1 high ones."""
    return 1 / (1 + (n - 1) * exp(spread))


def largest_weight(n: Expr, spread: Expr) -> Expr:
    """The largest weight among n logits of range `spread`: one high logit, n - 1 low ones."""
    return 1 / (1 + (n - 1) * exp(-spread))


@quantity("bounded-logit-weight", unit="share of the attention", claim="softmax-dispersion-bounded-logits")
def bounded_logit_weight(n: Length, spread: Positive) -> dict[str, Result]:
    """Least and largest softmax weight of n scaled logits that differ by at most `spread`, and the weaker e^spread/n.

    A head with |q| |k| <= B at inverse temperature beta has spread at most 2 beta B.
    """
    high, low = (evaluate(weight(sympy.Integer(n), R), {R: spread}) for weight in (largest_weight, least_weight))
    return {
        "least": Enclosure(low),
        "largest": Enclosure(high),
        "reconstructed": Bound("upper", evaluate(exp(R) / n, {R: spread})),
    }


@dataclass(frozen=True)
class Weights:
    """What is asserted to be the least and the largest weight, as functions of n and R."""

    least: Weight
    largest: Weight

    @property
    def statement(self) -> Expr:
        weight = sympy.Symbol("w_j")
        return sympy.And(sympy.Le(self.least(n, R), weight), sympy.Le(weight, self.largest(n, R)))

    def at(self, length: int, spread: Expr) -> tuple[Real, Real]:
        """The two bounds as numbers."""
        number = sympy.Integer(length)
        return evaluate(self.least(number, spread)), evaluate(self.largest(number, spread))


@claim(
    "softmax-dispersion-bounded-logits",
    source=Source("2410.01104", "Lemma 2.1", "reconstructed"),
    quantifiers="for all n >= 1, all n scaled logits of range at most R, all j; both bounds are attained",
    statement=lambda weights: weights.statement,
    variant=Weights(least_weight, largest_weight),
    controls={
        "e^R/n attained": Weights(lambda n, R: exp(-R) / n, lambda n, R: exp(R) / n),
        "n in place of n - 1": Weights(lambda n, R: 1 / (1 + n * exp(R)), lambda n, R: 1 / (1 + n * exp(-R))),
        "only the target may differ by R": Weights(lambda n, R: 1 / (n - 1 + exp(R)), largest_weight),
    },
    hypotheses=(
        Hypothesis(
            "range",
            "R is the largest minus the smallest logit, not the distance to their middle",
            Weights(lambda n, R: least_weight(n, R / 2), lambda n, R: largest_weight(n, R / 2)),
        ),
    ),
    printed="w_j = Theta(1/n) at fixed R, by w_j <= e^R/n",
    does_not_show="that positional heads are sharper than symbolic ones: it knows nothing but the range",
)
def softmax_dispersion(weights: Weights, thorough: bool) -> Iterator[Evidence]:
    """All logits on a grid of steps ln 2 exactly, the proof for symbolic logits, rotary heads, and random logits."""
    yield Enumeration("logits 0, ln 2, 2 ln 2, ...", _grid(weights, longest=6 if thorough else 4))
    yield Identity("distance to the bounds, term by term", _distances(weights, 5), sympy.cancel)
    yield Identity("two levels", _two_levels(weights, 5), sympy.cancel)
    yield Identity("logits of a rotary head lie in [-|q| |k|, |q| |k|]", _norms())
    yield Search("random logits", _random(weights, 500 if thorough else 100), seed=SEED)


def _grid(weights: Weights, longest: int) -> Iterator[Case]:
    for length, levels in product(range(1, longest + 1), range(3)):
        tables = (t for t in product(range(levels + 1), repeat=length) if max(t) - min(t) == levels)
        seen = [Fraction(2 ** table[0], sum(2**level for level in table)) for table in tables]
        if seen:
            low, high = weights.at(length, levels * log(2))
            yield {"n": length, "R": f"{levels} ln 2"}, Outcome.every((low.equals(min(seen)), high.equals(max(seen))))


def _softmax(logits: Sequence[Expr]) -> list[Expr]:
    total = sum(exp(logit) for logit in logits)
    return [exp(logit) / total for logit in logits]


def _distances(weights: Weights, longest: int) -> Iterator[Equation]:
    """1/w minus its bound is a sum of differences of e^(L_l - L_j) from e^-R or e^R, one sign each."""
    for length in range(1, longest + 1):
        logits = symbols(f"L_1:{length + 1}", real=True)
        inverse = 1 / _softmax(logits)[0]
        ratios = [exp(logit - logits[0]) for logit in logits[1:]]
        below, above = inverse - 1 / weights.largest(length, R), 1 / weights.least(length, R) - inverse
        yield f"largest, n = {length}", below, sum(ratio - exp(-R) for ratio in ratios)
        yield f"least, n = {length}", above, sum(exp(R) - ratio for ratio in ratios)


def _two_levels(weights: Weights, longest: int) -> Iterator[Equation]:
    for length in range(2, longest + 1):
        yield f"one high, n = {length}", _softmax([R] + [0] * (length - 1))[0], weights.largest(length, R)
        yield f"one low, n = {length}", _softmax([0] + [R] * (length - 1))[0], weights.least(length, R)


def _norms() -> Iterator[Equation]:
    q, k = (Matrix(symbols(f"{name}_1:5", real=True)) for name in "qk")
    turned = rope([theta], i) * q[:2, :]
    yield "a turn keeps the norm", turned.dot(turned), q[0] ** 2 + q[1] ** 2
    crosses = sum((q[a] * k[b] - q[b] * k[a]) ** 2 for a, b in combinations(range(4), 2))
    yield "Lagrange, two planes", q.dot(q) * k.dot(k) - q.dot(k) ** 2, crosses


def _random(weights: Weights, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        length, spread = int(random.integers(2, 40)), float(random.uniform(0.1, 12))
        # Powers push the draws towards the two ends, where the bounds are attained.
        logits = spread * random.uniform(size=length) ** random.choice([1, 8, 64])
        logits[:2] = spread, 0.0
        weight = np.exp(logits - spread)
        weight /= weight.sum()
        low, high = map(float, weights.at(length, sympy.Rational(*spread.as_integer_ratio())))
        # Each exponent is off by 2 R u, each exponential by 2 u, their sum by n u.
        relative = (length + 4 * spread + 8) * np.finfo(np.float64).eps
        yield Trial((case, "largest"), float(weight[0]), high, high * relative)
        yield Trial((case, "least"), float(1 / weight[1]), 1 / low, relative / low)
