"""The companion on isolation: broken formulas stop it, and its tables agree with softmax in floating point."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sympy import exp

from proofs import isolation, isolation_cases, isolation_error_cases, isolation_word_cases, isolation_words
from tests.companions import output, stops
from theory.compact.isolation.basin import Basin, basin
from theory.compact.isolation.detector import BoundedDetector, logit
from theory.compact.isolation.isolation import Isolation
from theory.compact.isolation.isolation import isolation as isolation_claim
from theory.compact.isolation.isolation_printed import OFTEN, isolation_printed
from theory.compact.isolation.models import constant_decoder
from theory.compact.isolation.sparse_words import Sparse, sparse_words
from theory.compact.isolation.tail_invariance import Tail, tail_invariance
from theory.compact.symbols import Delta
from theory.compact.words import one_sided_density, running_distance
from theory.rope.scale import ceiling


def doubled(changed: Sequence[int], n: int) -> Fraction:
    """Not the one-sided density."""
    return 2 * one_sided_density(changed, n)


test_a_broken_formula_stops_the_script = stops(
    isolation,
    (isolation_cases, "logit", lambda feature, flag: logit(feature, flag) - Fraction(1, 2), 1),
    (isolation_cases, "LOST", 1, 2),
    (isolation_cases, "DENSITIES", (lambda changed, n: n**2 * running_distance(changed, n),), 3),
    (isolation, "basin", replace(basin, variant=Basin(loss=1)), 4),
    (isolation_cases, "RADIUS", 1 / (1 + 2 * exp(Delta)), 5),
    (isolation_cases, "REPEAT", constant_decoder(Fraction(0)), 6),
    (isolation_cases, "constant_decoder", lambda one: constant_decoder(2 * one), 7),
    (isolation, "isolation_printed", replace(isolation_printed, variant=OFTEN), 8),
    (isolation, "isolation_printed", replace(isolation_printed, counterexample="another"), 8),
    (isolation_error_cases, "running_distance", lambda changed, n: 1 - running_distance(changed, n), 10),
    (isolation, "isolation", replace(isolation_claim, variant=Isolation("nowhere")), 11),
    (isolation_error_cases, "one_sided_density", doubled, 12),
    (isolation_error_cases, "errors", lambda feature, word, lengths: iter(()), 13),
    (isolation_error_cases, "BoundedDetector", lambda boost: BoundedDetector(2 * boost), 13),
    (isolation_error_cases, "constant_decoder", lambda one: constant_decoder(1 - one), 15),
    (isolation_error_cases, "JOINT", constant_decoder(Fraction(1, 10)), 16),
    (isolation_error_cases, "growing_share", lambda word, n: Fraction(word.nonzero(n), n), 16),
    (
        isolation_words,
        "tail_invariance",
        replace(tail_invariance, variant=Tail(given=(Fraction(0),), begun=lambda first: 10**4)),
        17,
    ),
    (isolation_word_cases, "LEAST", Fraction(1, 5), 18),
    (isolation_word_cases, "GAIN", -8, 19),
    (isolation_word_cases, "growing_share", lambda word, n: Fraction(word.nonzero(n), n), 20),
    (isolation_word_cases, "isqrt", lambda n: n // 2, 21),
    (isolation_words, "sparse_words", replace(sparse_words, variant=Sparse(neither=True)), 22),
    (isolation_word_cases, "ceiling", lambda x: ceiling(x) + 1, 23),
    (isolation_word_cases, "constant_decoder", lambda one: constant_decoder(1 - one), 24),
)


def test_radii_by_counting_ones_in_floating_point() -> None:
    for spread, exact, certified in isolation_cases.radii():
        length = 10**6 + 7
        ones = np.arange(length // 4 + 1)
        mass = np.exp(spread) * ones / (np.exp(spread) * ones + length - ones)
        assert (mass < 0.25).sum() - 1 == int(np.floor(float(exact) * length))
        assert (mass < np.tanh(0.25)).sum() - 1 == int(np.floor(float(certified) * length))


def test_first_errors_by_the_definition() -> None:
    for spread, power in isolation_error_cases.first_errors():
        powers = np.arange(1, power + 1)
        mass = np.exp(spread) * powers / (np.exp(spread) * powers + 2.0**powers - 1 - powers)
        assert (mass <= 0.25).tolist() == [False] * (power - 1) + [True]


def test_what_is_printed_on_the_powers_of_two() -> None:
    rows = re.findall(r"^ +(\d+) +(\d+) +(0\.\d+) +(-?0\.\d+) +(0\.\d+) +([01])$", output(isolation), flags=re.M)
    assert [int(row[0]) for row in rows] == [2**power - 1 for power in range(3, 11)]
    for _, _, a, z, one, letter in rows:
        assert float(z) == pytest.approx(2 * float(a) - 0.5, abs=2e-6)
        assert float(one) == pytest.approx(1 / (1 + np.exp(-float(z))), abs=2e-6)
        assert int(letter) == (float(z) > 0)
