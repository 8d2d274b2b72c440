"""What the theory says of a set of words and a way to tell positions, before anything is trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import lcm

SPARSE = {"chi": Fraction(0), "sq": Fraction(1, 2)}  # infinitely many ones, n^kappa of them up to n
SCORE_ONLY = ("none", "rope", "alibi", "window")
RECENCY = ("alibi", "window")
EXCLUDED, POSSIBLE, OPEN = "excluded", "possible", "not excluded"


@dataclass(frozen=True)
class Prediction:
    """Whether one decoder can eventually learn all words with a fixed margin, by which claim, and why in words."""

    verdict: str
    claim: str
    reason: str


def distance(first: str, second: str) -> Fraction | None:
    """The lower limit of the relative Hamming distance of two words; None where they are eventually equal."""
    if {first, second} <= {"0", "1+0"} or first == second:
        return None
    periods = [period for name in (first, second) if (period := _period(name)) is not None]
    if len(periods) == 2:
        p, q = periods
        return Fraction(1, p) + Fraction(1, q) - Fraction(2, lcm(p, q))
    return Fraction(1, periods[0]) if periods else Fraction(0)


def _period(name: str) -> int | None:
    return int(name.removeprefix("per")) + 1 if name.startswith("per") else None


def predict(words: Sequence[str], encoding: str, exponent: Fraction | float | None = None) -> Prediction:
    """The prediction for these words; `exponent` is c, largest oscillation of the logits over ln n, with log scaling.

    `encoding` is one of the decoder's, or "flags". It speaks of n without end: not of the lengths of a training, and
    of a learned table only as far as one thinks of it as going on.
    """
    sparse = [name for name in words if name in SPARSE]
    if exponent is not None and sparse:
        kappa = max(SPARSE[name] for name in sparse)
        if exponent + kappa < 1:
            return Prediction(EXCLUDED, "log-scaling-threshold", f"c + kappa = {float(exponent + kappa):.3g} < 1")
        return Prediction(POSSIBLE, "log-scaling-threshold", f"c + kappa = {float(exponent + kappa):.3g} >= 1")
    if sparse and encoding in SCORE_ONLY:
        claim = "score-only-obstruction"
        what = "its runs of zeros are unbounded" if encoding in RECENCY else "its ones have density 0"
        return Prediction(EXCLUDED, claim, f"{sparse[0]} alone: T(0^n) is the same for all n, and {what}")
    for first, second in combinations(words, 2):
        if distance(first, second) == 0:
            return Prediction(EXCLUDED, "isolation", f"{first} and {second} come arbitrarily close and stay different")
    if len(words) == 1:
        verdict = POSSIBLE if encoding in ("flags", "learned") else OPEN
        return Prediction(verdict, "any-single-word", "a table can hold it")
    apart = [d for pair in combinations(words, 2) if (d := distance(*pair)) is not None]
    reason = f"words are at distance {min(apart)} or more" if apart else "words end alike"
    claim = "joint-learnability" if apart else "tail-invariance"
    return Prediction(POSSIBLE if encoding in ("flags", "learned") or not apart else OPEN, claim, reason)
