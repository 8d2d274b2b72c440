"""What the theory says of a set of words and a way to tell positions, before anything is trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from theory.compact.encodings.encoding import Verdict
from theory.compact.encodings.table import ENCODINGS
from theory.compact.evasions.log_scaling import SPARSE
from theory.compact.learnability.separation import periodic_distance

# The rows of the theory's table, by the names that decoders give their encodings.
ROWS = {
    "none": "nope",
    "rope": "rope",
    "sinusoidal": "sinusoidal",
    "learned": "learned-table",
    "flags": "finite-table",
    "alibi": "alibi",
    "window": "sliding-window",
}
SCORE_ONLY = ("none", "rope", "alibi", "window")
TABLES = ("learned", "flags")
NAMES = {"chi": "powers", "sq": "squares"}  # words with infinitely many ones, n^kappa of them up to n
EXCLUDED, POSSIBLE, OPEN = "excluded", "possible", "not excluded"


@dataclass(frozen=True)
class Prediction:
    """Whether one decoder can eventually learn all words with a fixed margin, by which claim, and why in words."""

    verdict: str
    claim: str
    reason: str


def kappa(word: str) -> Fraction:
    """The exponent of the number of ones of chi or sq."""
    return SPARSE[NAMES[word]][1]


def distance(first: str, second: str) -> Fraction | None:
    """The lower limit of the relative Hamming distance of two words; None where they are eventually equal."""
    if {first, second} <= {"0", "1+0"} or first == second:
        return None
    periods = [int(name.removeprefix("per")) for name in (first, second) if name.startswith("per")]
    if len(periods) == 2:
        return Fraction(periodic_distance(*periods).value)
    return Fraction(1, periods[0] + 1) if periods else Fraction(0)


def predict(words: Sequence[str], encoding: str, exponent: float | None = None) -> Prediction:
    """The prediction for these words; `exponent` is c, largest oscillation of the logits over ln n, with log scaling.

    `encoding` is one of ROWS. It speaks of n without end: not of the lengths of a training, and of a learned table only
    as far as one thinks of it as going on.
    """
    sparse = [name for name in words if name in NAMES]
    if exponent is not None and sparse:
        total = exponent + max(map(kappa, sparse))
        verdict, sign = (EXCLUDED, "<") if total < 1 else (POSSIBLE, ">=")
        return Prediction(verdict, "log-scaling-threshold", f"c + kappa = {float(total):.3g} {sign} 1")
    if sparse and encoding in SCORE_ONLY:
        recent = ENCODINGS[ROWS[encoding]].verdict is Verdict.RECENCY
        what = "its runs of zeros are unbounded" if recent else "its ones have density 0"
        reason = f"{sparse[0]} alone: T(0^n) is the same for all n, and {what}"
        return Prediction(EXCLUDED, "score-only-obstruction", reason)
    for first, second in combinations(words, 2):
        if distance(first, second) == 0:
            return Prediction(EXCLUDED, "isolation", f"{first} and {second} come arbitrarily close and stay different")
    if len(words) == 1:
        return Prediction(POSSIBLE if encoding in TABLES else OPEN, "any-single-word", "a table can hold it")
    apart = [d for pair in combinations(words, 2) if (d := distance(*pair)) is not None]
    if not apart:
        return Prediction(POSSIBLE, "tail-invariance", "words end alike")
    verdict = POSSIBLE if encoding in TABLES else OPEN
    return Prediction(verdict, "joint-learnability", f"words are at distance {min(apart)} or more")
