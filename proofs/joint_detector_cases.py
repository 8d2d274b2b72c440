"""The cases by which the steps of proofs.joint_learnability on the construction are checked, in exact rationals."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy
from sympy import Integer, Symbol, exp

from theory.arithmetic.ball import evaluate
from theory.compact.learnability.joint import APART, LEAD, d0, moved
from theory.compact.learnability.models import C, JointDetector, V, leads, softmax_margin
from theory.compact.words import (
    ZEROS,
    hamming,
    periodic,
)
from theory.evidence import Case, Equation

LOGIT = LEAD  # as it is printed
MARGIN = softmax_margin(LEAD)
z = Symbol("z", positive=True)
LED = softmax_margin(z)
THREE = (ZEROS, periodic(1), periodic(2))
GAIN = Fraction(30)


def agreement(longest: int) -> Iterator[Case]:
    """Uniform attention to 1[w_j = alpha_j] is 1 - d_H, on all words of each length."""
    for alpha in (ZEROS, periodic(1), periodic(2)):
        for length in range(1, longest + 1):
            for word in product((0, 1), repeat=length):
                values = [Fraction(letter == alpha.letter(j)) for j, letter in enumerate(word, start=1)]
                mean = sum(values, Fraction(0)) / length
                yield {"alpha": str(alpha), "w": word}, mean == 1 - hamming(word, alpha.prefix(length))


def learned(longest: int) -> Iterator[Case]:
    """On each word, from where all are d0 apart, the right letter has the logit C d0 and the others 0."""
    for words, apart, letters in APART:
        detector = JointDetector(words, apart / 2, GAIN, letters)
        for length in range(detector.learned_from(longest), longest + 1):
            for word in words:
                wanted = [Fraction(0)] * letters
                wanted[word.letter(length + 1)] = lead(detector.gate, Fraction(0))
                yield {"word": str(word), "n": length}, detector.logits(word.prefix(length)) == wanted


def lead(gate: Fraction, share: Fraction) -> Fraction:
    """C (d0 - r)."""
    value = evaluate(LOGIT, {C: GAIN, d0: gate, moved: share}).exact
    assert value is not None
    return value


def softmaxes() -> Iterator[Equation]:
    """One letter of V leads by z; for two letters this is tanh(z/2)."""
    for letters in (2, 3, 5):
        weights = [exp(z)] + [Integer(1)] * (letters - 1)
        yield f"V = {letters}", (weights[0] - weights[1]) / sum(weights), LED.subs(V, letters)
    yield "tanh", LED.subs(V, 2), sympy.tanh(z / 2).rewrite(exp)


def starts() -> Iterator[tuple[object, ...]]:
    """Words, their distance, and from which length on all is right up to 400."""
    for words, apart, letters in APART:
        detector = JointDetector(words, apart / 2, GAIN, letters)
        yield " ".join(map(str, words)), apart, detector.learned_from(400)


def early() -> Iterator[Case]:
    """For 0^w, per_1 and per_2 something is wrong at n = 1 and n = 2, and nothing at n = 3, ..., 60."""
    detector = JointDetector(THREE, Fraction(1, 6), GAIN)
    for length in range(1, 61):
        right = (leads(detector.logits(word.prefix(length)), word.letter(length + 1)) for word in THREE)
        yield {"n": length}, all(right) is (length >= 3)


def flips(length: int) -> Iterator[tuple[int, Fraction, Fraction]]:
    """How many of the first letters of 0^n are changed, r, and the lead of the letter 0."""
    detector = JointDetector(THREE, Fraction(1, 6), GAIN)
    for changed in range(length // 6):
        word = (1,) * changed + (0,) * (length - changed)
        logits = detector.logits(word)
        if all(hamming(word, other.prefix(length)) > detector.gate for other in THREE[1:]):
            yield changed, Fraction(changed, length), logits[0] - logits[1]


def flipped(length: int) -> Iterator[Case]:
    """The leads against C (d0 - r)."""
    for changed, share, found in flips(length):
        yield {"changed": changed}, found == lead(Fraction(1, 6), share)


def flip_rows() -> Iterator[tuple[object, ...]]:
    """Of 300 letters: how many are changed, r, and the margin."""
    for changed, share, _ in flips(300):
        if changed % 15 == 0:
            margin = evaluate(MARGIN, {C: GAIN, V: 2, d0: Fraction(1, 6), moved: share})
            yield changed, f"{float(100 * share):.0f} %", f"{float(margin):.6f}"


def wide_gate(longest: int) -> Iterator[Case]:
    """A gate of 1/2 for 0^w, per_7 and per_9: per_9 is wrong at each one of it, but where per_7 has one as well."""
    detector = JointDetector((ZEROS, periodic(7), periodic(9)), Fraction(1, 2), GAIN)
    for length in range(9, longest, 10):
        found = leads(detector.logits(periodic(9).prefix(length)), 1)
        yield {"n": length}, found is ((length + 1) % 40 == 0)


def additive(longest: int) -> Iterator[Case]:
    """Sums of one-hot codes through ReLUs, before attention and after it, against the detector."""
    detector = JointDetector(THREE, Fraction(1, 6), GAIN)
    for length in range(1, longest + 1):
        for word in product((0, 1), repeat=length):
            logits = [Fraction(0), Fraction(0)]
            for alpha in detector.words:
                matches = (
                    sum(max(0, (letter == s) + (alpha.letter(j) == s) - 1) for s in (0, 1))
                    for j, letter in enumerate(word, start=1)
                )
                share = Fraction(sum(matches), length)
                for s in (0, 1):
                    gated = share - 2 + detector.gate + (alpha.letter(length + 1) == s)
                    logits[s] += detector.gain * max(Fraction(0), gated)
            yield {"w": word}, logits == detector.logits(word)
