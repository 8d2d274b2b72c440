"""What one head on first-layer inputs makes of changed letters: at most e^Delta d/(1 + (e^Delta - 1) d) of its values.

Source: derived here. Where letters agree, a first layer sees equal states, so that the mass on changed letters is all
that can differ: no continuity is needed, only the range of the logits and the diameter of the values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import sympy
from sympy import Expr

from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.averaging.averages import averaged
from theory.compact.elementary import exp
from theory.compact.symbols import Delta, k, n
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Number, Positive, quantity

CLAIM = "single-head-continuity-sharp"
SEED = 2506


def changed_mass(oscillation: Any, share: Any) -> Any:
    """e^Delta d/(1 + (e^Delta - 1) d): the most that a softmax of this range gives to a share d of its keys."""
    growth = exp(oscillation)
    return growth * share / (1 + (growth - 1) * share)


def changed_share(oscillation: Any, mass: Any) -> Any:
    """The share of keys at which `changed_mass` is this mass."""
    return mass / (mass + exp(oscillation) * (1 - mass))


@quantity("changed-letters-mass", unit="share of the diameter of the values", claim=CLAIM)
def changed_letters_mass(oscillation: Positive, share: Number) -> Enclosure:
    """The largest change of one head with logits of range `oscillation` when this share of letters changes."""
    return Enclosure(changed_mass(oscillation, within_unit(share)))


@quantity("changed-letters-share", unit="share of the letters", claim=CLAIM)
def changed_letters_share(oscillation: Positive, mass: Number) -> Enclosure:
    """The share of letters that has to change before one head can change by this share of its values' diameter."""
    return Enclosure(changed_share(oscillation, within_unit(mass)))


@dataclass(frozen=True)
class Sharp:
    """The bound on one head, for values of diameter 1.

    Args:
        bound: from Delta, the number k of changed letters and the length n.
        layers: of averages, of which the last sees unequal states where there are two.
        same_last: whether the last letters, and so the queries, agree.
        both_runs: whether Delta bounds the logits of both runs, or of the first alone.
        union: whether the diameter is that of both value sets together, or the larger one of the two.
    """

    bound: Callable[[Expr, Expr, Expr], Expr] = lambda spread, k, n: changed_mass(spread, k / n)
    layers: int = 1
    same_last: bool = True
    both_runs: bool = True
    union: bool = True

    @property
    def statement(self) -> Expr:
        return sympy.Eq(sympy.Symbol("max|a_n(u)-a_n(w)|/D_v"), self.bound(Delta, k, n))

    def at(self, spread: Expr, changed: int, length: int) -> Real:
        return evaluate(self.bound(spread, sympy.Integer(changed), sympy.Integer(length)))


@claim(
    CLAIM,
    source=Source("2505.10606", "Continuity, one layer", "derived"),
    quantifiers="maximum over all logits of range <= Delta, values of diameter <= D_v and pairs of words of length n "
    "that differ at k of the first n - 1 places; attained",
    statement=lambda sharp: sharp.statement,
    variant=Sharp(),
    controls={
        "e^Delta d/(1 + e^Delta d)": Sharp(lambda spread, k, n: sympy.exp(spread) * k / (n + sympy.exp(spread) * k)),
        "half the range": Sharp(lambda spread, k, n: changed_mass(spread / 2, k / n)),
        "k/(n + 1)": Sharp(lambda spread, k, n: changed_mass(spread, k / (n + 1))),
        "e^Delta d attained": Sharp(lambda spread, k, n: sympy.exp(spread) * k / n),
    },
    hypotheses=(
        Hypothesis("first layer", "states are equal where letters agree", Sharp(layers=2)),
        Hypothesis("last letter", "the last letters, and so the queries, agree", Sharp(same_last=False)),
        Hypothesis("both runs", "Delta bounds the range of the logits in both runs", Sharp(both_runs=False)),
        Hypothesis("union", "D_v is the diameter of the two value sets together", Sharp(union=False)),
    ),
    does_not_show="anything of a second layer, whose states differ where the letters agree",
)
def single_head(sharp: Sharp, thorough: bool) -> Iterator[Evidence]:
    """The hypotheses' witnesses, all corners of logits and values, symbols, and random heads of plane values."""
    yield Enumeration("two layers, other queries, other ranges, other values", _witnesses(sharp))
    yield Enumeration("all logits in {0, Delta} and values in {0, 1}", _corners(sharp, 6 if thorough else 3))
    yield Identity("the bound, its attainment and its inverse", _identities(sharp), sympy.cancel)
    yield Search("random heads", _random(sharp, 1000 if thorough else 100), seed=SEED)


def _witnesses(sharp: Sharp) -> Iterator[Case]:
    """One case without each hypothesis where it is dropped; else a case that meets the bound."""
    for length in (2, 10, 100):
        observed, spread = Fraction(1, length), sympy.S.Zero
        if sharp.layers == 2:
            observed = averaged((1,), length, 2)
        if not sharp.same_last:
            # The logit is Delta w_i (j mod 2) and the value j mod 2; 0^n against 0^(n-1) 1 with e^Delta = 4.
            observed, spread = Fraction(4, 5) - Fraction(1, 2), sympy.log(4)
        if not sharp.both_runs:
            # Logits 0 in the one run, and one letter above the others by twice Delta in the other.
            observed, spread = Fraction(16, 16 + length - 1), sympy.log(4)
        if not sharp.union:
            # The changed letter's value is -1 in the one run and 1 in the other, all others are 0.
            observed = Fraction(2, length)
        yield {"n": length, "k": 1, "observed": str(observed)}, sharp.at(spread, 1, length) >= observed


def _corners(sharp: Sharp, longest: int) -> Iterator[Case]:
    """The largest difference over all heads, with Delta = ln 2 and ln 4."""
    for length, levels in product(range(2, longest + 1), (1, 2)):
        kinds = [(growth, value) for growth in (1, 2**levels) for value in (0, 1)]
        for changed in range(1, length):
            most = max(
                abs(_mean([*same, *(pair[0] for pair in pairs)]) - _mean([*same, *(pair[1] for pair in pairs)]))
                for same in combinations_with_replacement(kinds, length - changed)
                for pairs in combinations_with_replacement(list(product(kinds, kinds)), changed)
            )
            claimed = sharp.at(levels * sympy.log(2), changed, length)
            yield {"n": length, "k": changed, "Delta/ln 2": levels, "largest": str(most)}, claimed.equals(most)


def _mean(keys: list[tuple[int, int]]) -> Fraction:
    """The mean of values under weights."""
    return Fraction(sum(weight * value for weight, value in keys), sum(weight for weight, _ in keys))


def _identities(sharp: Sharp) -> Iterator[Equation]:
    growth, share = sympy.exp(Delta), k / n
    bound = sharp.bound(Delta, k, n)
    yield "k boosted letters attain it", bound, k * growth / (k * growth + n - k)
    excess = share**2 * (growth - 1) * growth / (1 + (growth - 1) * share)
    yield "e^Delta d lies above it", growth * share - bound, excess
    yield "the inverse", changed_mass(Delta, changed_share(Delta, share)), share
    # The two means are mixtures of one common part C with R and R', of masses m >= m'.
    m, m_, C, R, R_ = sympy.symbols("m m' C R R'", positive=True)
    difference = (1 - m) * C + m * R - (1 - m_) * C - m_ * R_
    yield "m times a difference of two means", difference, m * (R - (m_ * R_ + (m - m_) * C) / m)


def _random(sharp: Sharp, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        length, spread = int(random.integers(2, 30)), float(random.uniform(0, 6))
        changed = int(random.integers(1, length))
        logits, values = np.empty((2, length)), np.empty((2, length, 2))
        logits[:] = spread * random.uniform(size=length) ** random.choice([1, 16])
        values[:] = random.normal(size=(length, 2))
        places = random.choice(length - 1, size=changed, replace=False)
        logits[:, places] = spread * random.uniform(size=(2, changed)) ** random.choice([1 / 16, 1])
        values[1, places] = random.normal(size=2)
        weights = np.exp(logits)
        means = (weights[..., None] * values).sum(axis=1) / weights.sum(axis=1, keepdims=True)
        points = values.reshape(-1, 2)
        diameter = float(np.linalg.norm(points[:, None] - points, axis=-1).max())
        bound = float(sharp.at(sympy.Rational(*spread.as_integer_ratio()), changed, length)) * diameter
        # Exponentials are off by Delta eps, sums by n eps of values no larger than 6.
        allowance = (2 * length + spread + 8) * 12 * np.finfo(np.float64).eps
        yield Trial(case, float(np.linalg.norm(means[0] - means[1])), bound, allowance)


def within_unit(share: Real) -> Real:
    """The share itself. Raises InputError unless it lies in [0, 1]."""
    if Outcome.every((share >= 0, share <= 1)) is not Outcome.HOLDS:
        raise InputError(f"{share!r} is no share; give a number from 0 to 1")
    return share
