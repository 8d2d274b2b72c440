"""Doubt or dilemma: all periodic words by one model, with margins that vanish; and then not 0^w.

Source: the title of arXiv 2505.10606; the statement and its witness are derived here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy
from sympy import Expr, tanh

from theory.arithmetic import ball
from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.learnability.models import Doubt, JointDetector
from theory.compact.learnability.models import margin as softmax_margin
from theory.compact.learnability.separation import PAPER
from theory.compact.symbols import m
from theory.compact.words import ZEROS, periodic
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Exact, Length, quantity

CLAIM = "doubt-or-dilemma"
SEED = 25053
LIMIT = tanh(2 ** (1 - m))


@dataclass(frozen=True)
class Dilemma:
    """What one continuous model makes of all per_m.

    Args:
        limit: the margin on per_m in the limit, of m.
        digits: how many m the position data code; None for all.
        from_: from which n on all is right on per_m, of m.
        zeros: whether 0^w is learned too.
        most: how many per_m are learned at most; None for no bound.
        double_limit: whether margins are said to vanish for words whose distances do, or for any two.
    """

    limit: Expr = LIMIT
    digits: int | None = None
    from_: Expr = 2 * (m + 1) * (m + 2)
    zeros: bool = False
    most: int | None = None
    double_limit: bool = True

    def __str__(self) -> str:
        which = "whose mutual distances tend to 0" if self.double_limit else "of any kind"
        most = "" if self.most is None else f"; at most {self.most} per_m are learned"
        return (
            f"one model with {self.digits or 'all'} digits is right on per_m, m >= 1, for n >= {self.from_}, with "
            f"margins that tend to {self.limit}{', and on 0^w' if self.zeros else ''}{most}; margins tend to 0 on "
            f"infinitely many words {which}"
        )


@claim(
    CLAIM,
    source=Source(PAPER, "doubts or dilemmas", "derived"),
    quantifiers="for all m >= 1; (margins) for all continuous T and words, pairwise not eventually equal, with "
    "liminf d_H -> 0 over pairs",
    statement=str,
    variant=Dilemma(),
    controls={
        "tanh(2^-m)": Dilemma(limit=tanh(2 ** (-m))),
        "it learns 0^w too": Dilemma(zeros=True),
        "five digits": Dilemma(digits=5),
        "at most three": Dilemma(most=3),
        "from n = m + 1 on": Dilemma(from_=m + 1),
    },
    hypotheses=(Hypothesis("double limit", "distances between the words tend to 0", Dilemma(double_limit=False)),),
    does_not_show="that the rate 2^(1 - m) is the best, or that a trained model finds such digits",
)
def doubt_or_dilemma(claimed: Dilemma, thorough: bool) -> Iterator[Evidence]:
    """The witness on periodic words in exact rationals; its limits; two words with one margin; forward passes."""
    most = 10 if thorough else 7
    yield Enumeration("right on per_m from the claimed length on", _right(claimed, most, 60 if thorough else 20))
    yield Enumeration("margins far out", _margins(claimed, most))
    yield Enumeration("0^w", _zeros(claimed))
    yield Enumeration("margins on families of words", _families(claimed))
    yield Identity("the margin of letter 1 at the centre of a tent", [_centre(claimed)], sympy.simplify)
    yield Search("all digits in float64", _passes(claimed, 100 if thorough else 30), seed=SEED)


def _right(claimed: Dilemma, most: int, more: int) -> Iterator[Case]:
    for size in range(1, most + 1):
        word, start = periodic(size), int(claimed.from_.subs(m, size))
        found = all(Doubt(claimed.digits).right(word, n) for n in range(start, start + more + 3 * size))
        yield {"m": size, "n": f"from {start}"}, found and (claimed.most is None or size <= claimed.most)


def _margins(claimed: Dilemma, most: int) -> Iterator[Case]:
    for size in range(1, most + 1):
        for n in (10**9, 10**9 * (size + 1) - 1):
            z = Doubt(claimed.digits).logit(periodic(size).nonzero(n), n)
            # The share of ones is off by 1/n, the tent by that over its radius.
            slack = Fraction(4, 2**size) / (n * Doubt.radius(size))
            found = abs(ball.tanh(abs(z) / 2) - evaluate(claimed.limit, {m: size})) <= slack
            yield {"m": size, "n": n}, found


def _zeros(claimed: Dilemma) -> Iterator[Case]:
    for n in (1, 10, 10**6):
        yield {"n": n}, Doubt(claimed.digits).right(ZEROS, n) is claimed.zeros


def _families(claimed: Dilemma) -> Iterator[Case]:
    """The limits of all per_m vanish; per_1 and per_2, which stay apart, are learned with one margin."""
    for size in range(2, 40):
        yield {"m": size}, evaluate(claimed.limit, {m: size}) <= Fraction(1, 2 ** (size - 1))
    words = periodic(1), periodic(2)
    first, second = (
        softmax_margin(JointDetector(words, Fraction(1, 4)).logits(word.prefix(600)), word.letter(601))
        for word in words
    )
    vanish = second <= first / 2
    yield {"words": "per_1, per_2"}, Outcome.HOLDS if claimed.double_limit else vanish


def _centre(claimed: Dilemma) -> Equation:
    z = 8 * 2 ** (-m) * sympy.Rational(1, 2)
    return "2 sigma(z) - 1", 2 / (1 + sympy.exp(-z)) - 1, claimed.limit.rewrite(sympy.exp)


def _passes(claimed: Dilemma, count: int) -> Iterator[Trial]:
    """Attention as a mean, all tents and flags of 24 digits."""
    random = np.random.default_rng(SEED)
    digits = np.arange(1, 25)
    radii = (1 / (digits + 1) - 1 / (digits + 2)) / 2
    for _ in range(count):
        size, n = int(random.integers(1, 12)), int(random.integers(1, 2000))
        share = np.mean(periodic(size).prefix(n))
        tents = np.maximum(0, 1 - abs(share - 1 / (digits + 1)) / radii)
        flags = (n + 1) % (digits + 1) == 0
        z = float(8 * (2.0**-digits * (flags - 0.5) * tents).sum())
        exact = float(Doubt(claimed.digits or 24).logit(periodic(size).nonzero(n), n))
        # A share rounded to 2^-53 over a radius of 1/(2 25 26) at least, times 8.
        yield Trial((size, n), abs(z - exact), 0.0, 8 * 1300 * 2.0**-50)


@quantity("doubt-margin-limit", unit="probability", claim=CLAIM)
def doubt_margin_limit(m: Count) -> Enclosure:
    """tanh(2^(1 - m)): what the margin of the witness on per_m tends to."""
    return Enclosure(ball.tanh(Fraction(2, 2**m)))


@quantity("doubt-margin", unit="probability", claim=CLAIM)
def doubt_margin(m: Count, n: Length) -> Enclosure:
    """The margin of the witness after n letters of per_m; negative where it is wrong."""
    z = Doubt().logit(periodic(m).nonzero(n), n)
    return Enclosure(ball.tanh(Real.of(z if periodic(m).letter(n + 1) else -z) / 2))


@quantity("doubt-last-error", unit="letters", claim=CLAIM)
def doubt_last_error(m: Count, n: Length) -> Exact:
    """The last length up to n at which the witness does not predict the next letter of per_m; 0 for none."""
    # Beyond 2 (m + 1)(m + 2) the share of ones lies in its own tent.
    last = min(n, 2 * (m + 1) * (m + 2))
    return Exact(next((i for i in range(last, 0, -1) if not Doubt().right(periodic(m), i)), 0))
