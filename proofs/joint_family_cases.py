"""The cases by which the steps of proofs.joint_learnability on families of words are checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import lcm
from typing import Any

from proofs.joint_detector_cases import GAIN, MARGIN
from theory.arithmetic.ball import evaluate
from theory.compact.learnability.doubt import LIMIT
from theory.compact.learnability.joint import CLOSE, d0, moved
from theory.compact.learnability.models import C, Doubt, JointDetector, V
from theory.compact.symbols import m
from theory.compact.words import (
    ZEROS,
    Infinite,
    hamming,
    periodic,
)
from theory.evidence import Case

TANH = LIMIT  # as it is printed


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
