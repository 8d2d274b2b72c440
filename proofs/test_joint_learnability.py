"""The companion on joint learnability: broken formulas stop it, and its tables agree with floating point."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from sympy import tanh

from proofs import joint_cases, joint_detector_cases, joint_family_cases, joint_learnability
from tests.companions import output, stops
from theory.compact.isolation.sparse_words import Sparse, sparse_words
from theory.compact.learnability.doubt import Dilemma, doubt_or_dilemma
from theory.compact.learnability.joint import Joint
from theory.compact.learnability.joint import joint_learnability as joint_claim
from theory.compact.learnability.models import C, Doubt, JointDetector
from theory.compact.learnability.separation import Separation, margin_separation
from theory.compact.symbols import m
from theory.compact.words import ZEROS, Infinite, Word, periodic


class Ungated(JointDetector):
    """A detector whose terms are cut off at 0 nowhere."""

    def logits(self, word: Word) -> list[Fraction]:
        found = [Fraction(0)] * self.letters
        for alpha in self.words:
            agree = Fraction(sum(a == b for a, b in zip(word, alpha.prefix(len(word)), strict=True)), len(word))
            found[alpha.letter(len(word) + 1)] += self.gain * (self.gate - 1 + agree)
        return found


def without_overlap(a: Fraction, b: Fraction, period: Fraction) -> Fraction:
    """The distance if common multiples were counted once."""
    return 1 / a + 1 / b - 1 / period


def everything(logits: Sequence[Fraction], right: int) -> bool:
    """Nothing is ever wrong."""
    return True


# The word per_1, as if it had no ones.
UNCOUNTED = Infinite("per_1", periodic(1).letter, lambda n: 0)

test_a_broken_formula_stops_the_script = stops(
    joint_learnability,
    (joint_cases, "SEPARATION", Separation(apart=Fraction(2)), 1),
    (joint_cases, "disagreements", lambda u, w: (), 2),
    (joint_cases, "density", without_overlap, 3),
    (joint_cases, "SHARE", joint_cases.SHARE / 2, 3),
    (joint_cases, "SEPARATION", Separation(words=lambda delta: floor(1 / delta / 2)), 4),
    (
        joint_learnability,
        "margin_separation",
        replace(margin_separation, variant=Separation(without_overlap)),
        5,
    ),
    (joint_detector_cases, "hamming", lambda u, w: Fraction(0), 6),
    (joint_detector_cases, "LOGIT", C, 7),
    (joint_detector_cases, "JointDetector", Ungated, 7),
    (joint_detector_cases, "LED", tanh(joint_detector_cases.z), 8),
    (joint_detector_cases, "leads", everything, 9),
    (joint_family_cases, "CLOSE", ((ZEROS, UNCOUNTED),), 13),
    (joint_learnability, "joint_learnability", replace(joint_claim, variant=Joint(at_once=True)), 14),
    (joint_family_cases, "least_distance", lambda words, n: Fraction(1, len(words) + 1), 15),
    (joint_learnability, "sparse_words", replace(sparse_words, variant=Sparse(dense=True)), 16),
    (joint_family_cases, "Doubt", lambda: Doubt(digits=5), 17),
    (joint_learnability, "doubt_or_dilemma", replace(doubt_or_dilemma, variant=Dilemma(zeros=True)), 17),
    (joint_family_cases, "TANH", tanh(2 ** (2 - m)), 18),
)


def test_margins_by_a_softmax_in_floating_point() -> None:
    rows = re.findall(r"^ +(\d+) +\d+ % +(0\.\d+)$", output(joint_learnability), flags=re.M)
    assert [int(changed) for changed, _ in rows] == [0, 15, 30, 45]
    words = np.array([[i % p == 0 for i in range(1, 302)] for p in (400, 2, 3)])
    for changed, margin in rows:
        word = np.arange(1, 301) <= int(changed)
        gates = np.maximum(0, (word == words[:, :300]).mean(axis=1) - 1 + 1 / 6)
        weights = np.exp([30 * gates[words[:, 300] == letter].sum() for letter in (False, True)])
        assert float(margin) == pytest.approx((weights[0] - weights[1]) / weights.sum(), abs=2e-6)


def test_distances_and_margins_of_families() -> None:
    rows = re.findall(r"^ +(\d) +1/(\d) +(0\.\d{6})$", output(joint_learnability), flags=re.M)
    assert [int(number) for number, *_ in rows] == [1, 2, 3, 4, 5]
    for number, inverse, margin in rows:
        assert int(inverse) == int(number) + 1
        assert float(margin) == pytest.approx(np.tanh(30 / int(inverse) / 4), abs=2e-6)


def test_distances_of_periodic_words_over_many_periods() -> None:
    rows = re.findall(r"^ +(\d+) +(\d+) +(\d+)/(\d+)$", output(joint_learnability), flags=re.M)
    assert len(rows) == len(joint_cases.PERIODS)
    positions = np.arange(1, 9901)
    for p, q, above, below in rows:
        share = ((positions % int(p) == 0) != (positions % int(q) == 0)).mean()
        assert share == pytest.approx(int(above) / int(below), abs=1e-3)
