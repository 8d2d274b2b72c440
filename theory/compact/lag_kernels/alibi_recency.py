"""With slopes only, letters at lag R or more matter as little as a sum of m geometric lags reaches R.

Source: arXiv 2108.12409 for the bias; the bound is derived here. h_m(R) is the probability that m independent geometric
variables, P[lag = r] = (1 - q) q^r, add up to at least R.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import numpy as np
import sympy

from theory.arithmetic.ball import Real, exp, sqrt
from theory.claims import Hypothesis, Source, claim
from theory.compact.continuity.constants import polynomial
from theory.compact.continuity.scalar_head import Floats
from theory.compact.isolation.detector import share
from theory.compact.lag_kernels.alibi import ALIBI, Ratio, ratio
from theory.compact.lag_kernels.kernels import geometric
from theory.compact.lag_kernels.nets import READOUT, Pair
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Exact, Positive, quantity

CLAIM = "alibi-recency"
SEED = 12409
Q, R, B = sympy.Symbol("q", positive=True), sympy.Symbol("R", integer=True), sympy.Symbol("B", positive=True)
# A reach beyond this is refused rather than searched for.
FARTHEST = 10**9


def geometric_tail(m: int, far: int, q: Any) -> Any:
    """h_m(R), the chance of fewer than m lags' ends among R + m - 1 trials; fractions, reals, floats, expressions."""
    trials = far + m - 1
    return sum((comb(trials, t) * (1 - q) ** t * q ** (trials - t) for t in range(m)), 0 * q)


def far_mass(boost: Any, tail: Any) -> Any:
    """e^D t/(1 + (e^D - 1) t): the most that content of oscillation D makes of a share t of the weight."""
    return share(boost, tail, 1)


@dataclass(frozen=True)
class Recency:
    """|T(u) - T(w)| <= Lambda D_0 (c_1 h_1(R) + ... + c_L h_L(R)) where the last R letters agree.

    Args:
        tail: h_m(R), of m, R and q.
        mass: what lags from R on carry in one head, of e^Delta and q^R.
        least: which of the slopes counts: the least one, by the largest q.
        flat: whether a head may have slope 0.
        last: whether R >= 1, so that the last letters agree.
        rough: a readout sqrt(a) in place of a linear one.
    """

    tail: Callable[[int, int, Any], Any] = geometric_tail
    mass: Callable[[Any, Any], Any] = far_mass
    least: bool = True
    flat: bool = False
    last: bool = True
    rough: bool = False

    def __str__(self) -> str:
        heads = "slopes >= 0" if self.flat else "slopes > 0"
        read = "any readout" if self.rough else "a Lipschitz readout"
        return (
            f"{heads}, {read}, R >= {int(self.last)}, q of the {'least' if self.least else 'largest'} slope: |T(u) - "
            f"T(w)| <= Lambda D_0 sum of c_m h_m(R), h_2(R) = {sympy.factor(self.tail(2, 3, Q))} at R = 3; "
            f"mass <= {self.mass(B, Q**R)}"
        )

    def modulus(self, coefficients: Sequence[Any], far: int, q: Any) -> Any:
        return sum((c * self.tail(m, far, q) for m, c in enumerate(coefficients[1:], start=1) if c), 0 * q)


@claim(
    CLAIM,
    source=Source(ALIBI, "the bias -m (i - j)", "derived"),
    quantifiers="for all lengths n, R >= 1, layers and heads with slopes of at least the one of q < 1",
    statement=str,
    variant=Recency(),
    controls={
        "q^R at any depth": Recency(lambda m, far, q: q**far),
        "the largest slope counts": Recency(least=False),
        "mass q^R whatever the content": Recency(mass=lambda boost, tail: tail),
        "mass of a boost (1 + e^Delta)/2": Recency(mass=lambda boost, tail: far_mass((1 + boost) / 2, tail)),
    },
    hypotheses=(
        Hypothesis("slopes", "every slope is positive: one flat head sees the far past", Recency(flat=True)),
        Hypothesis("the last letters agree", "R >= 1", Recency(last=False)),
        Hypothesis("Lipschitz maps", "the constants are finite", Recency(rough=True)),
    ),
    does_not_show="recency of a head that also attends to a sink or sees one key from afar",
)
def alibi_recency(claimed: Recency, thorough: bool) -> Iterator[Evidence]:
    """A readout; all contents of one head; chains of exact kernels; the recursion; random nets; that it is sharp."""
    yield Enumeration("one layer and its readout", _readouts(claimed))
    yield Enumeration("one head, all contents", _masses(claimed, 9 if thorough else 6))
    yield Enumeration("chains (a + b A_q)", _chains(claimed, 10 if thorough else 7))
    yield Identity("one more geometric lag; the incomplete beta function", _recursion(claimed), sympy.expand)
    yield Search("random nets", _nets(claimed, 3000 if thorough else 100), seed=SEED)
    yield Enumeration("chains come within 1 %", _sharp(claimed))


def _readouts(claimed: Recency) -> Iterator[Case]:
    """T(1) = a, or sqrt(a), of one head with q = 1/2 on 1^(n-R) 0^R against 0^n; Lambda = 10."""
    n, q = 20, Fraction(1, 2)
    for far in (1, 5, 10, 15):
        share = geometric(q).mean([int(i <= n - far) for i in range(1, n + 1)], n)
        change = sqrt(share) if claimed.rough else Real.of(share)
        yield {"R": far}, change <= 10 * Real.of(claimed.modulus([0, 1], far, q))


def _masses(claimed: Recency, longest: int) -> Iterator[Case]:
    """Logits are 0 or Delta at each key: the extreme contents; e^Delta = 4."""
    for q, n in product((Fraction(1, 2), Fraction(3, 4)), range(2, longest + 1)):
        for far, content in product(range(1, n), product((1, 4), repeat=n)):
            weights = [size * q**r for r, size in enumerate(content)]
            found = Fraction(sum(weights[far:]), sum(weights))
            yield {"q": str(q), "R": far, "boosted": content}, found <= claimed.mass(Fraction(4), q**far)


def _chains(claimed: Recency, n: int) -> Iterator[Case]:
    """All letters at lag R and beyond differ: the most, since every step is monotone."""
    ratios = [Fraction(1, 3), Fraction(3, 5), *[Fraction(1)] * claimed.flat]
    for far, depth in product(range(0 if not claimed.last else 1, n), (1, 2, 3)):
        changed = [Fraction(i <= n - far) for i in range(1, n + 1)]
        for chosen in product(ratios, repeat=depth):
            slopes = [q for q in chosen if q < 1] or [Fraction(3, 5)]
            counted = max(slopes) if claimed.least else min(slopes)
            for a, b in ((0, 1), (1, 2)):
                values = changed
                for q in chosen:
                    means = geometric(q).means(values)
                    values = [a * old + b * new for old, new in zip(values, means, strict=True)]
                case = {"R": far, "q": [*map(str, chosen)], "a, b": (a, b)}
                yield case, values[-1] <= claimed.modulus(polynomial([(a, b)] * depth), far, counted)


def _recursion(claimed: Recency) -> Iterator[Equation]:
    for m, far in product((1, 2, 3), (1, 2, 4)):
        nearer = sum((1 - Q) * Q**r * claimed.tail(m, far - r, Q) for r in range(far))
        yield f"h_{m + 1}({far})", nearer + Q**far, claimed.tail(m + 1, far, Q)
        # The slope of I_q(R, m) in q; both are 0 at q = 0.
        density = Q ** (far - 1) * (1 - Q) ** (m - 1) * far * comb(far + m - 1, far)
        yield f"slope of h_{m}({far})", sympy.diff(claimed.tail(m, far, Q), Q), density


def _nets(claimed: Recency, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for number in range(count):
        n = int(random.integers(3, 15))
        far = int(random.integers(1, n))
        lags = np.subtract.outer(np.arange(n), np.arange(n)).astype(float)
        slopes: list[float] = []

        def biases() -> Floats:
            slopes.append(float(random.exponential(1.5)) + 0.01)  # noqa: B023
            return np.where(lags >= 0, -slopes[-1] * lags, -np.inf)  # noqa: B023

        flips = random.random(n) < 0.8
        flips[n - far :] = False
        pair = Pair.drawn(random, n, biases, flips)
        counted = float(np.exp(-(min(slopes) if claimed.least else max(slopes))))
        allowed = READOUT * float(claimed.modulus(pair.coefficients, far, counted))
        rounding = allowed < 1000 * pair.allowance  # a bound so small tells nothing of a float
        yield Trial({"net": number, "R": far}, pair.difference, allowed, pair.allowance, rounding or not pair.changed)


def _sharp(claimed: Recency) -> Iterator[Case]:
    """X <- A_q x at a length where q^n no longer counts."""
    n, q = 40, Fraction(1, 2)
    for m, far in product((1, 2, 3), (3, 8)):
        values = [Fraction(i <= n - far) for i in range(1, n + 1)]
        for _ in range(m):
            values = geometric(q).means(values)
        limit = claimed.tail(m, far, q)
        yield {"m": m, "R": far}, Fraction(99, 100) * limit <= values[-1] <= limit


@quantity("alibi-tail", unit="1", claim=CLAIM)
def alibi_tail(layers: Count, R: Count, q: Ratio | None = None, slope: Positive | None = None) -> Enclosure:
    """h_m(R): how much m layers with slopes see of what lies R or more places back."""
    return Enclosure(geometric_tail(layers, R, ratio(q, slope)))


@quantity("alibi-reach", unit="letters", claim=CLAIM)
def alibi_reach(layers: Count, tolerance: Positive, q: Ratio | None = None, slope: Positive | None = None) -> Exact:
    """The least R with h_m(R) <= tolerance."""
    per_place = ratio(q, slope)

    def enough(far: int) -> bool:
        return (geometric_tail(layers, far, per_place) <= tolerance) is Outcome.HOLDS

    high = 1
    while not enough(high):
        high *= 2
        if high > FARTHEST:
            raise InputError(f"no R up to {FARTHEST} is enough; give a larger tolerance or a larger slope")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return Exact(high)


@quantity("alibi-far-mass", unit="weight", claim=CLAIM)
def alibi_far_mass(delta: Positive, R: Count, q: Ratio | None = None, slope: Positive | None = None) -> Enclosure:
    """The most weight that keys R or more places back have in one head whose content logits oscillate by delta."""
    return Enclosure(far_mass(exp(delta), ratio(q, slope) ** R))
