"""Partial induction as it is printed: a broken formula stops the script, and its tables say what is true."""

import math
import re
from dataclasses import replace

import pytest
from sympy import cos

from proofs import partial_induction, partial_induction_cases
from tests.companions import output, stops
from theory.rope.expressivity.partial_induction import partial_induction_two_angles
from theory.rope.expressivity.partial_induction_needs_both import partial_induction_needs_both
from theory.rope.expressivity.recency_gap import sine_gap
from theory.rope.expressivity.recency_phase import Phased, recency_phase
from theory.rope.expressivity.symbolic_cannot_index import by_position
from theory.symbols import n

test_a_broken_formula_stops_the_script = stops(
    partial_induction,
    (partial_induction_cases, "SMALLEST", (partial_induction_cases.SMALLEST[0],) * 2, 1),
    (partial_induction_cases, "by_token", by_position, 1),
    (partial_induction_cases, "latest_match", lambda tokens: max(value for _, value in tokens[:-1]), 1),
    (partial_induction_cases, "margin", lambda tokens, weights: sum(weights), 4),
    (
        partial_induction,
        "partial_induction_needs_both",
        replace(partial_induction_needs_both, variant=partial_induction_needs_both.controls["needs two layers"]),
        5,
    ),
    (partial_induction_cases, "TOLD_APART", (1, 1, 2), 7),
    (partial_induction_cases, "induction_logit", lambda turned, t, B, angle, phase: B * cos(turned + t * angle), 8),
    (
        partial_induction,
        "partial_induction_two_angles",
        replace(partial_induction_two_angles, variant=partial_induction_two_angles.controls["the first match"]),
        9,
    ),
    (partial_induction_cases, "lead", lambda near, far, lead=partial_induction_cases.lead: lead(far, near), 10),
    (partial_induction, "sine_gap", lambda t, angle, phase, sine: sine_gap(t + 1, angle, phase, sine), 11),
    (partial_induction_cases, "gap", lambda t, phase: cos(t * n + phase) - cos(t * n + n), 13),
    (
        partial_induction,
        "recency_phase",
        replace(recency_phase, variant=Phased("half of it", lambda length: Phased().bound(length) / 2)),
        14,
    ),
)


def test_recency_gaps_that_are_printed() -> None:
    rows = re.findall(r"^ +(\d+) +(0\.\d+) +(0\.\d+) +(0\.\d+)$", output(partial_induction), flags=re.M)
    assert [row[0] for row in rows] == ["5", "17", "100", "1000"]
    for row in rows:
        n, aligned, phased, bound = int(row[0]), *map(float, row[1:])
        assert aligned == pytest.approx(math.cos(math.pi / n) - math.cos(2 * math.pi / n), abs=6e-6)
        grid = [math.pi * share / (1000 * (n - 3)) for share in range(1, 1001)]
        best = max(2 * math.sin(angle / 2) * math.cos((n - 3) * angle / 2) for angle in grid)
        assert aligned < phased < bound
        assert phased == pytest.approx(best, abs=1e-5)


def test_answers_that_are_printed() -> None:
    assert re.search(r"a1 a2 a +2\n +a2 a1 a +1\n", output(partial_induction))
