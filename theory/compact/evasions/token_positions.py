"""Positions that depend on tokens: one changed letter of 2m + 1 moves the output by a constant.

Source: derived here; the formula of the positions is that of arXiv 2405.18719. The position of key j is the number of
letters c after it; the logit is Delta where that is at least 1, and the value is 1 for letter a. The words are
a^m b b^m and a^m c b^m.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import sympy
from sympy import Expr, exp

from theory.arithmetic import ball
from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.isolation.detector import sigma
from theory.compact.symbols import Delta, m
from theory.compact.words import Word, hamming
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.quantities import Count, Enclosure, Exact, Rational, Result, quantity

CLAIM = "token-positions-discontinuous"
PAPER = "2405.18719"
SEED = 240518719
A, B, C = range(3)
BEFORE, AFTER = m / (2 * m + 1), exp(Delta) * m / (exp(Delta) * m + m + 1)


def output(word: Word, boost: Fraction, counted: int = C) -> Fraction:
    """The share of a under softmax weights, e^Delta = boost, from the definition."""
    weights = [boost if counted in word[j + 1 :] else Fraction(1) for j in range(len(word))]
    return sum((w for w, letter in zip(weights, word, strict=True) if letter == A), Fraction(0)) / sum(weights)


def pair(half: int) -> tuple[Word, Word]:
    """a^m b b^m and a^m c b^m."""
    return (A,) * half + (B,) * (half + 1), (A,) * half + (C,) + (B,) * half


@dataclass(frozen=True)
class Jump:
    """The outputs on both words, expressions in m and Delta, and the limit of the second.

    Args:
        before, after: the outputs.
        to: the limit of `after` for m -> infinity.
        counts: the letter that positions count.
    """

    before: Expr = BEFORE
    after: Expr = AFTER
    to: Expr = 1 / (1 + exp(-Delta))
    counts: int = C

    def __str__(self) -> str:
        letter = "abc"[self.counts]
        return (
            f"with positions that count {letter}: {self.before} on a^m b b^m and {self.after} on a^m c b^m, which "
            f"tends to {self.to}, while d_H = 1/(2m + 1)"
        )


@claim(
    CLAIM,
    source=Source(PAPER, "counts of gates as positions", "derived"),
    quantifiers="for all m >= 1 and Delta >= 0; one head, query at the last letter",
    statement=str,
    variant=Jump(),
    controls={
        "the change vanishes": Jump(after=m / (2 * m + 1)),
        "the limit is 1": Jump(to=sympy.Integer(1)),
        "e^Delta twice": Jump(after=exp(2 * Delta) * m / (exp(2 * Delta) * m + m + 1)),
    },
    hypotheses=(Hypothesis("positions count c", "the changed letter is what positions count", Jump(counts=A)),),
    does_not_show="that a trained model with such positions jumps: its gates may not change on one token",
)
def token_positions_discontinuous(claimed: Jump, thorough: bool) -> Iterator[Evidence]:
    """The definition in exact rationals; limits by algebra; softmax in float64."""
    yield Enumeration("from the definition", _outputs(claimed, 40 if thorough else 12))
    yield Identity("limits for m to infinity", _limits(claimed), sympy.simplify)
    yield Search("softmax in float64", _floats(claimed, 100 if thorough else 30), seed=SEED)


def _outputs(claimed: Jump, longest: int) -> Iterator[Case]:
    for half, boost in product(range(1, longest + 1), (Fraction(1), Fraction(2), Fraction(20))):
        words = pair(half)
        found = [output(word, boost, claimed.counts) for word in words]
        values = {m: half, Delta: sympy.log(sympy.Rational(boost.numerator, boost.denominator))}
        said = [side.subs(values) for side in (claimed.before, claimed.after)]
        near = hamming(*words) == Fraction(1, 2 * half + 1)
        exact = all(Fraction(int(s.p), int(s.q)) == f for s, f in zip(said, found, strict=True))
        yield {"m": half, "e^Delta": str(boost)}, near and exact


def _limits(claimed: Jump) -> Iterator[Equation]:
    """Both are rational in m: in x = 1/m they have a value at 0."""
    x = sympy.Symbol("x", positive=True)
    for name, share, to in (("after", claimed.after, claimed.to), ("before", claimed.before, sympy.Rational(1, 2))):
        yield name, sympy.cancel(share.subs(m, 1 / x)).subs(x, 0), to


def _floats(claimed: Jump, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    sides = [sympy.lambdify((m, Delta), side, modules="numpy") for side in (claimed.before, claimed.after)]
    for case in range(count):
        half, spread = int(random.integers(1, 200)), float(random.uniform(0, 8))
        for word, side in zip(pair(half), sides, strict=True):
            letters = np.array(word)
            later = (letters == claimed.counts)[::-1].cumsum()[::-1] - (letters == claimed.counts)
            weights = np.exp(spread * (later >= 1))
            found = float(weights[letters == A].sum() / weights.sum())
            # Sums of 400 positive numbers, on both sides.
            yield Trial((half, case), abs(found - float(side(half, spread))), 0.0, 1e-12)


@quantity("token-position-outputs", unit="1", claim=CLAIM)
def token_position_outputs(m: Count, spread: Rational) -> dict[str, Result]:
    """Both outputs at logits of range `spread`, the limit of the second, and the distance of the words."""
    if spread < 0:
        raise InputError(f"spread = {spread} is negative; give the range of the logits, at least 0")
    boost = ball.exp(spread)
    return {
        "before": Exact(Fraction(m, 2 * m + 1)),
        "after": Enclosure(boost * m / (boost * m + m + 1)),
        "limit": Enclosure(sigma(Real.of(spread))),
        "distance": Exact(hamming(*pair(m))),
    }
