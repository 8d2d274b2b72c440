"""The companion on one head: broken formulas stop it, and its tables agree with softmax in floating point."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sympy import exp, log

from proofs import head_cases, head_change_cases, head_continuity
from tests.companions import output, stops
from theory.compact.continuity.single_head import Sharp, changed_mass, changed_share, single_head
from theory.compact.continuity.weights_bound import Weights, weights_bound
from theory.compact.symbols import Delta, n

test_a_broken_formula_stops_the_script = stops(
    head_continuity,
    (head_cases, "exp", lambda x: x**2, 1),
    (head_cases, "LARGEST_PLAIN", exp(Delta / 2) / n, 2),
    (head_cases, "LEAST", exp(-Delta) / n, 2),
    (head_cases, "softmax", lambda levels: [Fraction(1, len(levels))] * len(levels), 3),
    (head_cases, "WEIGHTS", Weights(virtual=False), 4),
    (
        head_continuity,
        "weights_bound",
        replace(weights_bound, variant=Weights(high=lambda spread: exp(spread / 2))),
        5,
    ),
    (head_cases, "changed_mass", lambda spread, share: changed_mass(spread / 2, share), 8),
    (
        head_continuity,
        "single_head",
        replace(single_head, variant=Sharp(lambda spread, k, n: changed_mass(spread, k / (n + 1)))),
        11,
    ),
    (head_change_cases, "changed_mass", lambda spread, share: changed_mass(spread, share) / 2, 12),
    (head_change_cases, "softmax", lambda levels: [Fraction(1, len(levels))] * len(levels), 12),
    (head_change_cases, "SHARE", changed_share(Delta / 2, head_change_cases.r), 13),
    (head_change_cases, "GAIN", 1, 14),
    (head_change_cases, "averaged", lambda places, length, times: Fraction(len(places), length), 15),
    (head_change_cases, "NONE", log(4), 15),
    (head_change_cases, "FALSE", {"the bound itself": Sharp()}, 18),
)


def test_tables_by_a_softmax_in_floating_point() -> None:
    for spread, *weights in head_cases.largest((1, 4, 9), (2, 30, 5000)):
        for length, weight in zip((2, 30, 5000), weights, strict=True):
            logits = np.zeros(length)
            logits[0] = spread
            assert float(weight) == pytest.approx(np.exp(logits[0]) / np.exp(logits).sum(), abs=1e-4)
    for spread, *masses in head_cases.of_masses((0, 3), (1, 77, 999)):
        for count, mass in zip((1, 77, 999), masses, strict=True):
            boosted = np.exp(spread * (np.arange(1000) < count))
            assert float(mass) == pytest.approx(boosted[:count].sum() / boosted.sum(), abs=1e-4)
    for spread, tenth, half in head_change_cases.shares((0, 3, 6)):
        for text, part in ((tenth, 0.1), (half, 0.5)):
            boosted = np.exp(spread) * float(text) / 1000
            assert boosted / (boosted + 1 - float(text) / 1000) == pytest.approx(part, abs=1e-3)


def test_what_is_printed() -> None:
    text = output(head_continuity)
    assert re.search(r"10 +0\.9996 +0\.9955 +0\.9566 +0\.6878 +0\.1439\n", text)
    assert re.search(r"2 +14\.8145 +119\.2029\n", text)
