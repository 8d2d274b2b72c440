"""Every weight of a head with compact data is of order 1/i, and so are the weights between two runs.

Source: arXiv 2505.10606 (reconstructed, a standard step); the sharp constants are those of
`theory.rope.softmax.bounded_logits`. A virtual key (a sink, a first token) belongs to no position, but to the softmax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import sympy
from sympy import Expr, exp

from theory.arithmetic.ball import evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.symbols import Delta, n, v
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Amount, Bound, Enclosure, Length, Positive, Result, quantity
from theory.rope.softmax.bounded_logits import largest_weight, least_weight

CLAIM = "weights-bound"
PAPER = "2505.10606"
SEED = 2505
TWO = sympy.log(2)  # logits are multiples of it, so that their exponentials are whole


@dataclass(frozen=True)
class Weights:
    """Bounds of one weight among n keys of a word and v virtual ones, logits of range Delta.

    Args:
        low, high: the factors in low(Delta)/(n + v) <= p <= high(Delta)/n.
        virtual: whether the virtual keys count in the lower bounds.
        scaled: a query may multiply its logits by log_2 of its length.
        growing: the value at position j may be j.
    """

    low: Callable[[Expr], Expr] = lambda spread: exp(-spread)
    high: Callable[[Expr], Expr] = exp
    virtual: bool = True
    scaled: bool = False
    growing: bool = False

    def keys(self, n: Expr, v: Expr) -> Expr:
        return n + v if self.virtual else n

    def lower(self, n: Expr, v: Expr, spread: Expr) -> tuple[Expr, Expr]:
        """The sharp and the plain lower bound."""
        keys = self.keys(n, v)
        return least_weight(keys, spread), self.low(spread) / keys

    def upper(self, n: Expr, v: Expr, spread: Expr) -> tuple[Expr, Expr]:
        return largest_weight(n, spread), self.high(spread) / n

    @property
    def statement(self) -> Expr:
        weight = sympy.Symbol("p_j")
        below, above = self.lower(n, v, Delta), self.upper(n, v, Delta)
        bounded = sympy.Le(abs(sympy.Symbol("a_i")), sympy.Symbol("max|v|"))
        return sympy.And(*(b <= weight for b in below), *(weight <= b for b in above), bounded)

    def outcome(self, length: int, virtual: int, spread: Expr, seen: list[Fraction]) -> Outcome:
        """Whether all bounds hold for these weights."""
        bounds = [side(sympy.Integer(length), sympy.Integer(virtual), spread) for side in (self.lower, self.upper)]
        low, high = min(seen), max(seen)
        below, above = ([evaluate(bound) for bound in pair] for pair in bounds)
        return Outcome.every([*(bound <= low for bound in below), *(bound >= high for bound in above)])


@quantity("attention-weight-bounds", unit="share of the attention", claim=CLAIM)
def attention_weight_bounds(n: Length, oscillation: Positive, virtual: Amount = 0) -> dict[str, Result]:
    """Least and largest weight of one of n keys with logits of range `oscillation`, and e^-Delta/(n + v), e^Delta/n.

    `virtual` counts the keys that belong to no position, such as a sink.
    """
    weights, counts = Weights(), (sympy.Integer(n), sympy.Integer(virtual))
    least, plain_least = (evaluate(b, {Delta: oscillation}) for b in weights.lower(*counts, Delta))
    most, plain_most = (evaluate(b, {Delta: oscillation}) for b in weights.upper(*counts, Delta))
    return {
        "least": Bound("lower", least) if virtual else Enclosure(least),
        "largest": Bound("upper", most) if virtual else Enclosure(most),
        "plain-least": Bound("lower", plain_least),
        "plain-largest": Bound("upper", plain_most),
    }


@claim(
    CLAIM,
    source=Source(PAPER, "bounded logits", "reconstructed"),
    quantifiers="for all n >= 1 keys of a word, v >= 0 virtual keys, logits of range <= Delta, rows between two such",
    statement=lambda weights: weights.statement,
    variant=Weights(),
    controls={
        "p <= e^(Delta/2)/n": Weights(high=lambda spread: exp(spread / 2)),
        "p >= e^(-Delta/2)/(n + v)": Weights(low=lambda spread: exp(-spread / 2)),
        "virtual keys do not count": Weights(virtual=False),
    },
    hypotheses=(
        Hypothesis("bounded logits", "data and states in compact sets", Weights(scaled=True)),
        Hypothesis("bounded values", "values in a compact set", Weights(growing=True)),
    ),
    does_not_show="that a weight tends to anything: at n far below e^Delta one key may have it all",
)
def weights_bound(weights: Weights, thorough: bool) -> Iterator[Evidence]:
    """All rows of logits 0, ln 2, 2 ln 2; rows between two rows; symbols; random rows and means of their values."""
    yield Enumeration("values average within their range", _means(weights, 4 if thorough else 3))
    yield Enumeration("logits 0, ln 2, ...", _grid(weights, 5 if thorough else 4))
    yield Enumeration("half way between two rows", _between(weights, 4 if thorough else 3))
    yield Identity("sharp and plain bounds", _identities(weights), sympy.cancel)
    yield Search(
        "random rows with virtual keys, and rows between", _random(weights, 400 if thorough else 60), seed=SEED
    )


def softmax(levels: tuple[int, ...]) -> list[Fraction]:
    """Weights of logits that are these multiples of ln 2."""
    powers = [Fraction(2) ** level for level in levels]
    return [power / sum(powers) for power in powers]


def _means(weights: Weights, longest: int) -> Iterator[Case]:
    """The mean of values of modulus at most 1; the values at position j are j where nothing bounds them."""
    for length in range(1, longest + 1):
        for row in combinations_with_replacement(range(2), length):
            for values in [range(1, length + 1)] if weights.growing else product((-1, 1), repeat=length):
                mean = sum((p * value for p, value in zip(softmax(row), values, strict=True)), Fraction(0))
                yield {"logits/ln 2": row, "values": tuple(values)}, -1 <= mean <= 1


def _grid(weights: Weights, longest: int) -> Iterator[Case]:
    """Rows up to order; virtual keys come first."""
    if weights.scaled:
        for power in range(1, 6):
            boosted = softmax((power, *[0] * (2**power - 1)))
            yield {"n": 2**power, "logits": "ln n, 0, ..., 0"}, weights.outcome(2**power, 0, TWO, boosted)
    for length, virtual, spread in product(range(1, longest + 1), range(3), range(3)):
        for sinks in combinations_with_replacement(range(spread + 1), virtual):
            for row in combinations_with_replacement(range(spread + 1), length):
                if max(*sinks, *row, 0) - min(*sinks, *row, spread) == spread:
                    seen = softmax((*sinks, *row))[virtual:]
                    yield {"row": row, "virtual": sinks}, weights.outcome(length, virtual, spread * TWO, seen)


def _between(weights: Weights, longest: int) -> Iterator[Case]:
    """Rows of even multiples of ln 2, so that half way their exponentials are whole too."""
    spread = 2
    for length in range(1, longest + 1):
        rows = combinations_with_replacement((0, spread), length)
        for row, other in product(rows, list(product((0, spread), repeat=length))):
            middle = tuple((a + b) // 2 for a, b in zip(row, other, strict=True))
            yield {"rows": (row, other)}, weights.outcome(length, 0, spread * TWO, softmax(middle))


def _identities(weights: Weights) -> Iterator[Equation]:
    sharp_least, plain_least = weights.lower(n, v, Delta)
    sharp, plain = weights.upper(n, v, Delta)
    growth, keys = exp(Delta), n + v
    yield "the largest weight", sharp, growth / (growth + n - 1)
    yield "e^Delta/n lies above it", plain - sharp, growth * (growth - 1) / (n * (growth + n - 1))
    above = (growth - 1) / (keys * growth * (1 + (keys - 1) * growth))
    yield "e^-Delta/(n + v) lies below the least", sharp_least - plain_least, above


def _random(weights: Weights, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        length, virtual = int(random.integers(1, 40)), int(random.integers(0, 4))
        spread, t = float(random.uniform(0.1, 12)), float(random.choice([0, 1, random.uniform()]))
        powers = random.choice([1, 8, 64], size=(2, 1))
        first, second = spread * random.uniform(size=(2, length + virtual)) ** powers
        share = np.exp((1 - t) * first + t * second)
        share /= share.sum()
        exact = sympy.Rational(*spread.as_integer_ratio())
        low = float(max(_floats(weights.lower(sympy.Integer(length), sympy.Integer(virtual), exact))))
        high = float(min(_floats(weights.upper(sympy.Integer(length), sympy.Integer(virtual), exact))))
        # Each exponent is off by 3 Delta eps, each exponential by 2 eps, their sum by n eps.
        relative = (length + virtual + 6 * spread + 8) * np.finfo(np.float64).eps
        yield Trial((case, "largest"), float(share[virtual:].max()), high, high * relative)
        yield Trial((case, "least"), float(1 / share[virtual:].min()), 1 / low, relative / low)


def _floats(bounds: tuple[Expr, ...]) -> list[float]:
    return [float(evaluate(bound)) for bound in bounds]
