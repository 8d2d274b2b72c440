"""Logits that grow like ln n: the exponent c decides, against how densely two words disagree.

Source: derived here. Where logits of query i range over c ln i, every key has a weight of at most i^(c - 1), so that
K(n) <= n^kappa disagreements vanish for c + kappa < 1; and from c + kappa = 1 on one head learns 0^w and a word of
n^kappa ones. Factors of the total length let the exponents of layers add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import sympy

from theory.arithmetic import ball
from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.evasions.factors import logarithmic, stepped, stretched, trained_logarithm
from theory.compact.evasions.joint import PAPER
from theory.compact.evasions.models import HALF, growing_content
from theory.compact.evasions.two_layers import boosted, query_gap, total_length_gap
from theory.compact.isolation.detector import errors
from theory.compact.symbols import k, n
from theory.compact.words import POWERS, SQUARES, Infinite
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome

CLAIM = "log-scaling-threshold"
SEED = 220212172
# Words of n^kappa ones: kappa, and the flagged lengths at which errors are looked for.
SPARSE: dict[str, tuple[Infinite, Fraction, Callable[[int], int]]] = {
    "powers": (POWERS, Fraction(0), lambda j: 2**j - 1),
    "squares": (SQUARES, HALF, lambda j: 4**j - 1),
}
Combine = Callable[[Sequence[Fraction]], Fraction]


def total(exponents: Sequence[Fraction]) -> Fraction:
    """The sum."""
    return sum(exponents, Fraction(0))


@dataclass(frozen=True)
class Threshold:
    """Isolation from words of n^kappa disagreements is guaranteed iff some c of all layers, plus kappa, is below 1.

    Args:
        query, length: c of the exponents of layers, for factors of the query and of the total length.
        dense: how many times kappa counts.
        rate: the exponent of the gap over two layers of factors of the query.
        steady: whether this rate holds at any depth.
        visible: a j such that errors are said to come by n = 2^j wherever they come.
        slope: how many times the slope of a factor against ln n is its rate.
    """

    query: Combine = max
    length: Combine = total
    dense: int = 1
    rate: Callable[[Fraction], Fraction] = lambda c: (1 - c) ** 2
    visible: int | None = None
    slope: Callable[[Real], Real] = lambda rate: rate

    def __str__(self) -> str:
        names = {max: "max c_l", total: "sum c_l"}
        kappa = {0: "", 1: " + kappa"}.get(self.dense, f" + {self.dense} kappa")
        visible = "" if self.visible is None else f", by n = 2^{self.visible}"
        slope = self.slope(Real.of(Fraction(1, 10))).exact
        pair = self.rate(Fraction(1, 2)), self.rate(Fraction(1, 4))
        return (
            f"factors of the query: isolated iff {names[self.query]}{kappa} < 1{visible}; of the total "
            f"length: iff {names[self.length]}{kappa} < 1; over two layers of exponent 1/2 or 1/4 "
            f"the gap is n^-{pair[0]} or n^-{pair[1]}; the slope of 1 + ln(n)/10 is {slope}"
        )

    def isolates(self, combine: Combine, exponents: Sequence[Fraction], kappa: Fraction) -> bool:
        """Whether errors are guaranteed."""
        return combine(exponents) + self.dense * kappa < 1


@claim(
    CLAIM,
    source=Source(PAPER, "beyond bounded logits", "derived"),
    quantifiers="for all c >= 0 and kappa in [0, 1); Lipschitz layers; words that are not eventually equal and "
    "disagree at n^(kappa + o(1)) places; the converse by one head with the flags of the word",
    statement=str,
    variant=Threshold(),
    controls={
        "c < 1 is visible at practical n": Threshold(visible=20),
        "gap n^-(1 - c) over two layers": Threshold(rate=lambda c: 1 - c),
        "c without the slope": Threshold(slope=lambda rate: rate**0),
    },
    hypotheses=(
        Hypothesis("K(n) <= n^kappa", "sparser words have the higher threshold", Threshold(dense=0)),
        Hypothesis("query-indexed", "the largest exponent counts for these alone", Threshold(length=max)),
        Hypothesis("fixed L", "the number of layers is fixed", remark="the rate (1 - c)^L vanishes with growing L"),
        Hypothesis("Lipschitz", "layers are Lipschitz", remark="a modulus 1/ln(1/t) times ln n need not vanish"),
    ),
    does_not_show="anything at practical lengths: at c = 0.9 the detector fails first at 2^79",
)
def log_scaling_threshold(claimed: Threshold, thorough: bool) -> Iterator[Evidence]:
    """Errors of one head far out; two layers in closed form; their slopes; factors of models; forward passes."""
    yield Enumeration("one head, exponent by exponent", _one_layer(claimed, 200 if thorough else 90))
    yield Enumeration("one key at range c ln n, n a square", _weights())
    yield Enumeration("two layers, factors of the total length", _totals(claimed))
    yield Enumeration("two layers, slope of the gap", _slopes(claimed, 6 if thorough else 5))
    yield Enumeration("slopes of factors", _factors(claimed))
    yield Identity("a - 1/2 where n^c K = n", [_half()], sympy.simplify)
    yield Search("one layer, any logits over c ln n", _any_logits(100 if thorough else 40), seed=SEED)
    yield Search("two layers in float64", _passes(12 if thorough else 6), seed=SEED)


def _one_layer(claimed: Threshold, most: int) -> Iterator[Case]:
    exponents = {"powers": (0, "1/4", "1/2", "3/4", "4/5", "9/10", 1, "5/4"), "squares": (0, "2/5", "1/2", "3/5", 1)}
    for name, (word, kappa, flagged) in SPARSE.items():
        for c in map(Fraction, exponents[name]):
            feature = growing_content(c).feature
            reach = most if claimed.visible is None else claimed.visible
            first = next(errors(feature, word, map(flagged, range(1, reach + 1)), word), None)
            yield {"word": name, "c": str(c)}, (first is not None) == claimed.isolates(claimed.query, [c], kappa)


def _weights() -> Iterator[Case]:
    for root in range(1, 40):
        for ones in range(1, root + 1):
            # c = 1/2: n^c = root, each key has root/(root ones + n - ones) <= n^(c - 1).
            yield {"n": root**2, "K": ones}, Fraction(root, root * ones + root**2 - ones) <= Fraction(1, root)


def _totals(claimed: Threshold) -> Iterator[Case]:
    for c in map(Fraction, ("1/4", "2/5", "9/20", "1/2", "3/5")):
        near, far = (total_length_gap(10**tens, c) for tens in (12, 24))
        vanishes = far < near / 2
        yield {"c": f"{c}, {c}"}, vanishes.iff(Outcome.of(claimed.isolates(claimed.length, [c, c], Fraction(0))))


def _slopes(claimed: Threshold, tens: int) -> Iterator[Case]:
    for c in (HALF, Fraction(1, 4)):
        ratio = query_gap(10 ** (tens - 1), c) / query_gap(10**tens, c)
        found = ball.log(ratio) / ball.log(10)
        yield {"c": str(c), "n": f"10^{tens}"}, abs(found - claimed.rate(c)) <= Fraction(1, 25)


def _factors(claimed: Threshold) -> Iterator[Case]:
    """A factor less slope ln n stays bounded: by 2 here."""
    rules = (logarithmic(), logarithmic(Fraction(1, 3)), trained_logarithm(2048), stepped(), stretched(4096))
    for rule, bits in product(rules, (60, 600, 6000)):
        assert rule.slope is not None
        left = abs(rule.at(2**bits) - claimed.slope(rule.slope) * ball.log(2**bits))
        yield {"factor": rule.formula, "n": f"2^{bits}"}, left <= 2


def _half() -> Equation:
    boost = n / k
    return "feature", boost * k / (boost * k + n - k) - sympy.Rational(1, 2), k / (2 * (2 * n - k))


def _any_logits(count: int) -> Iterator[Trial]:
    """K changed letters, logits and values of their own: outputs in [0, 1] move by K n^(c - 1) at most."""
    random = np.random.default_rng(SEED)
    for case in range(count):
        n, c = int(random.integers(4, 3000)), float(random.uniform(0, 0.9))
        changed = int(random.integers(1, max(2, n // 8)))
        high = random.random() < 0.5  # the changed letters take all that they can, or anything
        logits = c * np.log(n) * (np.zeros(n) if high else random.random(n))
        values, others = random.random(n) * (not high), random.random(n)
        others[:changed] = 1 if high else others[:changed]
        logits[:changed] = c * np.log(n) if high else logits[:changed]
        before = np.where(np.arange(n) < changed, c * np.log(n) * random.random(n), logits)
        after = np.where(np.arange(n) < changed, others, values)
        outputs = [float(np.exp(z) @ v / np.exp(z).sum()) for z, v in ((before, values), (logits, after))]
        # Sums of 3000 positive numbers, both times.
        yield Trial((case, n, changed), abs(outputs[0] - outputs[1]), min(1.0, changed * n ** (c - 1)), 1e-12)


def _passes(count: int) -> Iterator[Trial]:
    """Both layers with causal softmax on 1 0^(n - 1); on 0^n all is 0."""
    random = np.random.default_rng(SEED)
    for case in range(count):
        length, c = int(random.integers(3, 300)), Fraction(int(random.integers(1, 20)), 20)
        i = np.arange(1, length + 1)
        for indexed, gap in ((True, query_gap), (False, total_length_gap)):
            factor = float(c) * np.log(i if indexed else np.full(length, length))
            state = np.exp(factor) / (np.exp(factor) + i - 1)
            weights = np.where(i <= boosted(length, c), np.exp(factor[-1]), 1.0)
            found = float(weights @ state / weights.sum())
            # Sums of 300 positive numbers, on both sides.
            yield Trial((case, length, indexed), abs(found - float(gap(length, c))), 0.0, 1e-12)
