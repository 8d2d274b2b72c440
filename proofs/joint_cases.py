"""The cases by which the steps of proofs.joint_learnability are checked, in exact rationals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, floor, lcm
from typing import Any

import sympy
from sympy import Integer, Symbol, exp, symbols

from theory.arithmetic.ball import evaluate
from theory.compact.learnability.doubt import LIMIT
from theory.compact.learnability.joint import APART, CLOSE, LEAD, d0, moved
from theory.compact.learnability.models import C, Doubt, JointDetector, V, leads, softmax_margin
from theory.compact.learnability.separation import Separation, density
from theory.compact.symbols import m
from theory.compact.words import (
    ZEROS,
    Infinite,
    count,
    disagreements,
    hamming,
    periodic,
)
from theory.evidence import Case, Equation

SEPARATION = Separation()
LOGIT, TANH = LEAD, LIMIT  # as they are printed
MARGIN = softmax_margin(LEAD)
z = Symbol("z", positive=True)
LED = softmax_margin(z)
PERIODIC = symbols("p q l", positive=True)
SHARE = density(*PERIODIC)
THREE = (ZEROS, periodic(1), periodic(2))
GAIN = Fraction(30)
PERIODS = ((2, 3), (3, 4), (4, 6), (6, 9), (10, 15), (99, 100))


def added() -> Iterator[Equation]:
    """The two margins as the sum of two differences of probabilities."""
    a, b, a_, b_ = symbols("T_a T_b T'_a T'_b", real=True)
    yield "margins", (a - b) + (b_ - a_), (a - a_) + (b_ - b)


def outputs(parts: int) -> Iterator[Case]:
    """All pairs of distributions on three letters that prefer letters 0 and 1: as far apart as the lesser margin."""
    grid = [(a, b, parts - a - b) for a in range(parts + 1) for b in range(parts + 1 - a)]
    for p, q in product(grid, repeat=2):
        least = min(p[0] - max(p[1:]), q[1] - max(q[0], q[2]))
        if least > 0:
            apart = max(abs(x - y) for x, y in zip(p, q, strict=True))
            yield {"T": p, "T'": q}, apart >= SEPARATION.apart * least


def halves(longest: int) -> Iterator[Case]:
    """Half of the changes, rounded down, then the rest; the last letter is kept."""
    for length in range(1, longest + 1):
        zeros = (0,) * length
        for start in product((0, 1), repeat=length - 1):
            word = (*start, 0)
            changed = disagreements(zeros, word)
            between = list(zeros)
            for place in changed[: len(changed) // 2]:
                between[place - 1] = 1
            first, second = hamming(zeros, between), hamming(between, word)
            most = Fraction(ceil(Fraction(len(changed), 2)), length)
            yield {"w": word}, max(first, second) <= most and between[-1] == 0


def distances(most: int) -> Iterator[Case]:
    """Disagreements over a common period, counted."""
    for a, b in combinations(range(2, most + 1), 2):
        period = lcm(a, b)
        found = Fraction(count(periodic(a - 1), periodic(b - 1), period), period)
        yield {"p": a, "q": b}, found == density(Fraction(a), Fraction(b), Fraction(period))


def coprime() -> Iterator[Equation]:
    """Multiples of one of p, q and not of both, up to their least common multiple g a b, for p = g a and q = g b."""
    g, a, b = symbols("g a b", positive=True)
    shared = dict(zip(PERIODIC, (g * a, g * b, g * a * b), strict=True))
    yield "share", SHARE.subs(shared, simultaneous=True), ((b - 1) + (a - 1)) / (g * a * b)


def distance_rows() -> Iterator[tuple[object, ...]]:
    """P, q and the distance of the words."""
    for a, b in PERIODS:
        yield a, b, density(Fraction(a), Fraction(b), Fraction(lcm(a, b)))


def few(most: int) -> Iterator[Case]:
    """Two periods of at least 1/delta are closer than 2 delta, and the others are few."""
    for inverse in range(2, 21):
        for delta in (Fraction(1, inverse), Fraction(2, 2 * inverse + 1)):
            long = range(ceil(1 / delta), most + 1)
            close = all(
                density(Fraction(a), Fraction(b), Fraction(lcm(a, b))) < 2 * delta for a, b in combinations(long, 2)
            )
            bound = max(1, ceil(1 / delta) - 1)
            yield {"delta*": str(delta)}, close and bound <= SEPARATION.words(delta) == floor(1 / delta)


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


def close(power: int) -> Iterator[Case]:
    """Words at distance 0: at a flagged length the leads of the right letter are at most C K(n)/n on one of both."""
    length = 2**power - 1
    for words, gate in product(CLOSE, (Fraction(1, 20), Fraction(1, 6), Fraction(1, 2))):
        detector = JointDetector(words, gate, GAIN)
        found = []
        for word in (ZEROS, words[-1]):
            logits, right = detector.logits(word.prefix(length)), word.letter(length + 1)
            found.append(logits[right] - logits[1 - right])
        least = GAIN * Fraction(words[-1].nonzero(length), length)
        yield {"words": " ".join(map(str, words)), "d0": str(gate)}, min(found) <= least


def least_distance(words: Sequence[Infinite], length: int) -> Fraction:
    """The least distance of two of the words at a length."""
    return min(hamming(u.prefix(length), w.prefix(length)) for u, w in combinations(words, 2))


def growing() -> Iterator[tuple[int, Fraction]]:
    """R, and the least distance of two of 0^w, per_1, ..., per_r, over a common period."""
    for number in (1, 2, 3, 4, 5):
        words = [ZEROS, *map(periodic, range(1, number + 1))]
        yield number, least_distance(words, lcm(*range(2, number + 2)))


def growing_rows() -> Iterator[tuple[object, ...]]:
    """The same as text, with the margin at C = 30 and half the distance as gate."""
    for number, apart in growing():
        margin = evaluate(MARGIN, {C: GAIN, V: 2, d0: apart / 2, moved: 0})
        yield number, apart, f"{float(margin):.6f}"


def shrinking() -> Iterator[Case]:
    """The least distance of these words is that of 0^w and per_r."""
    for number, apart in growing():
        yield {"r": number}, apart == Fraction(1, number + 1)


def dilemma(most: int) -> Iterator[Case]:
    """The decoder that learns all per_m: right from 2 (m + 1)(m + 2) on, and undecided on 0^w."""
    witness: Any = Doubt()
    for size in range(1, most + 1):
        start = 2 * (size + 1) * (size + 2)
        yield {"m": size}, all(witness.right(periodic(size), length) for length in range(start, start + 60))
    yield "0^w", witness.logit(0, 1000) == 0


def vanishing(most: int) -> Iterator[Case]:
    """The limits of its margins, tanh(2^(1 - m)), fall below 2^(1 - m)."""
    for size in range(1, most + 1):
        yield {"m": size}, evaluate(TANH, {m: size}) < Fraction(2, 2**size)
