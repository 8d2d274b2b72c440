"""Finitely many words are learned by one continuous model iff any two are eventually equal or stay apart.

Source: derived here; one layer, one head and uniform attention are enough (`JointDetector`), and the converse is
isolation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Symbol, exp

from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.learnability.models import HALF, C, JointDetector, V, Words, leads, margin, softmax_margin
from theory.compact.learnability.separation import PAPER
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, constant, hamming, periodic
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.quantities import Amount, Enclosure, Exact, Length, Letters, Rational, Result, quantity

CLAIM = "joint-learnability"
SEED = 25056
d0, moved = Symbol("d0", positive=True), Symbol("r", nonnegative=True)
LEAD = C * (d0 - moved)
LETTERS = Infinite("(012)^w", lambda i: (i - 1) % 3, lambda n: n - (n + 2) // 3)
# Words, how far apart they stay (twice the gate), and their number of letters.
APART: tuple[tuple[tuple[Infinite, ...], Fraction, int], ...] = (
    ((periodic(1), periodic(2)), HALF, 2),
    ((ZEROS, periodic(1), periodic(2)), Fraction(1, 3), 2),
    ((ZEROS, constant(1)), Fraction(1), 2),
    ((ZEROS, periodic(3), LETTERS), Fraction(1, 4), 3),
)
CLOSE: tuple[tuple[Infinite, ...], ...] = ((ZEROS, POWERS), (ZEROS, SQUARES), (ZEROS, periodic(1), POWERS))


@dataclass(frozen=True)
class Joint:
    """Which words one model learns, from where on, and with what lead in logit.

    Args:
        lead: of the right letter, where r of the letters have been changed, in C, d0 and r.
        at_once: whether from n = 1 on.
        some_pair: whether one pair that stays apart is enough.
        gate: a gate that is said to do for all words; None for half their distance.
        finite: whether there are finitely many words.
    """

    lead: Expr = LEAD
    at_once: bool = False
    some_pair: bool = False
    gate: Fraction | None = None
    finite: bool = True

    def __str__(self) -> str:
        which = "some two" if self.some_pair else "any two"
        start = "from n = 1 on" if self.at_once else "from where all are at least d0 apart"
        gate = "" if self.gate is None else f", with gate {self.gate}"
        words = "words" if self.finite else "infinitely many words"
        return (
            f"{words} are learned by one model iff {which} are eventually equal or stay apart; {start}{gate} with "
            f"margin (e^z - 1)/(e^z + V - 1), z = {self.lead}"
        )


@claim(
    CLAIM,
    source=Source(PAPER, "converse of isolation", "derived"),
    quantifiers="for all finite sets of words; d0 half their least distance; r < d0 of the letters changed, early, and "
    "the prefix more than d0 from all other words",
    statement=str,
    variant=Joint(),
    controls={
        "from n = 1 on": Joint(at_once=True),
        "some pair apart": Joint(some_pair=True),
        "gate 1/2 whatever the distance": Joint(gate=HALF),
        "C for C d0": Joint(lead=C * (1 - moved)),
    },
    hypotheses=(
        Hypothesis("finite", "finitely many words, so that their least distance is positive", Joint(finite=False)),
    ),
    does_not_show="which infinite families are learned: all per_m are, and with 0^w they are not",
)
def joint_learnability(claimed: Joint, thorough: bool) -> Iterator[Evidence]:
    """The detector in exact rationals on words that stay apart, changed letters, words that do not; both its forms."""
    yield Enumeration("words that stay apart", _learned(claimed, 400 if thorough else 80))
    yield Enumeration("changed letters", _changed(claimed, 300 if thorough else 90))
    yield Enumeration("words that do not stay apart", _close(claimed))
    yield Identity("margin of a letter that leads by z", _margins(), sympy.simplify)
    yield Search("the additive form in float64", _additive(60 if thorough else 20), seed=SEED)


def _detector(claimed: Joint, words: tuple[Infinite, ...], apart: Fraction, letters: int) -> JointDetector:
    gate = apart / 2 if claimed.gate is None else claimed.gate
    return JointDetector(words, gate if claimed.finite else Fraction(0), Fraction(30), letters)


def _said(claimed: Joint, detector: JointDetector, share: Fraction = Fraction(0)) -> Fraction:
    """The claimed lead in logit."""
    value = evaluate(claimed.lead, {C: detector.gain, d0: detector.gate, moved: share}).exact
    assert value is not None
    return value


def _learned(claimed: Joint, longest: int) -> Iterator[Case]:
    families = [*APART, ((ZEROS, periodic(9)), Fraction(1, 10), 2)]
    for words, apart, letters in families:
        detector = _detector(claimed, words, apart, letters)
        start = 1 if claimed.at_once else JointDetector(words, apart / 2).learned_from(longest)
        for n, word in product(range(start, longest + 1), words):
            logits, right = detector.logits(word.prefix(n)), word.letter(n + 1)
            lead = [_said(claimed, detector) if s == right else Fraction(0) for s in range(letters)]
            case = {"words": " ".join(w.name for w in words), "word": word.name, "n": n}
            yield case, logits == lead and leads(logits, right)


def _changed(claimed: Joint, length: int) -> Iterator[Case]:
    """0^n with its first letters changed, beside per_1 and per_2."""
    words, apart, letters = APART[1]
    detector = _detector(claimed, words, apart, letters)
    for changed in range(1, int(length * apart / 2)):
        word = (1,) * changed + (0,) * (length - changed)
        share = Fraction(changed, length)
        if all(hamming(word, other.prefix(length)) > detector.gate for other in words[1:]):
            logits = detector.logits(word)
            yield {"changed": str(share)}, logits[0] - logits[1] == _said(claimed, detector, share)


def _close(claimed: Joint) -> Iterator[Case]:
    """Whatever the gate, at flagged lengths the right letter leads by C K(n)/n at most, on one of both words."""
    for words, gate in product(CLOSE, (Fraction(1, 20), Fraction(1, 6), HALF)):
        n = 2**12 - 1
        detector = JointDetector(words, gate)
        leading = []
        for word in (ZEROS, words[-1]):
            logits, right = detector.logits(word.prefix(n)), word.letter(n + 1)
            leading.append(logits[right] - logits[1 - right])
        learned = min(leading) > detector.gain * Fraction(words[-1].nonzero(n), n)
        case = {"words": " ".join(w.name for w in words), "gate": str(gate)}
        yield case, learned is (claimed.some_pair and len(words) > 2)


def _margins() -> Iterator[Equation]:
    z = Symbol("z", positive=True)
    for letters in (2, 3, 5):
        total = exp(z) + letters - 1
        yield f"V = {letters}", (exp(z) - 1) / total, softmax_margin(z, sympy.Integer(letters))


def _additive(count: int) -> Iterator[Trial]:
    """Token and position one-hots added, one ReLU layer before attention and one after, against the detector."""
    random = np.random.default_rng(SEED)
    for case in range(count):
        words, apart, letters = APART[int(random.integers(len(APART)))]
        n, detector = int(random.integers(1, 120)), JointDetector(words, apart / 2, Fraction(30), letters)
        word: Any = random.integers(letters, size=n) if case % 2 else np.array(words[0].prefix(n))
        tokens = np.eye(letters)[word]
        logits = np.zeros(letters)
        for alpha in words:
            positions = np.eye(letters)[list(alpha.prefix(n))]
            share = np.maximum(0, tokens + positions - 1).sum(axis=1).mean()
            following = np.eye(letters)[alpha.letter(n + 1)]
            logits += 30 * np.maximum(0, share - 2 + float(apart) / 2 + following)
        exact = [float(z) for z in detector.logits(tuple(map(int, word)))]
        # Four roundings of numbers up to 2, times 30.
        yield Trial((case, n), float(abs(logits - exact).max()), 0.0, 30 * 8 * float(np.finfo(float).eps))


@quantity("joint-margin", unit="probability", claim=CLAIM)
def joint_margin(letters: Letters, gain: Rational, gate: Rational, changed: Rational = Fraction(0)) -> Enclosure:
    """The margin of the joint detector on each of its words, `changed` (below `gate`) of whose letters are wrong."""
    if not (0 < gate <= 1 and 0 <= changed < gate):
        raise InputError(f"changed = {changed}, gate = {gate}: 0 <= changed < gate <= 1 is needed; give such shares")
    if gain <= 0:
        raise InputError(f"gain = {gain} is not positive; give the factor of the logits, such as 30")
    values: dict[sympy.Symbol, Fraction | int | Real] = {C: gain, d0: gate, moved: changed, V: letters}
    return Enclosure(evaluate(softmax_margin(LEAD), values))


@quantity("joint-margin-on-words", unit="probability", claim=CLAIM)
def joint_margin_on_words(
    words: Words, gain: Rational, gate: Rational, n: Length, flips: Amount = 0
) -> dict[str, Result]:
    """The margins of the detector of two letters on its words, with the first `flips` of n letters changed."""
    detector = JointDetector(words, gate, gain)
    found: dict[str, Result] = {}
    for word in words:
        prefix = word.prefix(n)
        start = tuple(1 - letter for letter in prefix[:flips])
        found[word.name] = Enclosure(margin(detector.logits(start + prefix[flips:]), word.letter(n + 1)))
    return found


@quantity("jointly-learned-from", unit="letters", claim=CLAIM)
def jointly_learned_from(words: Words, gate: Rational, n: Length) -> dict[str, Result]:
    """The first length from which on, up to n, all pairs are at least the gate apart, and whether all is right then."""
    detector = JointDetector(words, gate)
    start = detector.learned_from(n)
    right = all(
        leads(detector.logits(word.prefix(i)), word.letter(i + 1)) for i in range(start, n + 1) for word in words
    )
    return {"from": Exact(start), "right": Exact(right)}
