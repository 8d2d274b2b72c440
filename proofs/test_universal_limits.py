"""The companion on universal limits: broken formulas stop it, and its steps are what they say away from their cases."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sympy import Rational, cos, log, sin

from proofs import universal_cases, universal_limits, universal_plane_cases, universal_planes
from tests.companions import stops
from theory.arithmetic.ball import versine
from theory.rope.universal_limits.dyadic_frequencies import dyadic
from theory.rope.universal_limits.log_frequencies import Needed, log_frequencies
from theory.rope.universal_limits.m_frequency_box import Box
from theory.rope.universal_limits.m_frequency_dirichlet import P, ball_volume
from theory.rope.universal_limits.one_frequency import TURN, Limit, one_frequency_universal_limit
from theory.symbols import n

test_a_broken_formula_stops_the_script = stops(
    universal_limits,
    (universal_cases, "height", lambda offset, m: cos(offset) * m, 1),
    (universal_cases, "one_plane", lambda T: versine(TURN / 3), 7),
    (
        universal_limits,
        "one_frequency_universal_limit",
        replace(one_frequency_universal_limit, variant=Limit(lambda T, n: T + 2)),
        5,
    ),
    (universal_cases, "TO_LEFT", 2 * sin(universal_cases.a) * sin(universal_cases.psi), 9),
    (universal_cases, "arc", lambda y, N: 2 * sin(y / N) * sin(y / 2), 11),
    (universal_cases, "supremum", lambda length: TURN / 2 / length, 12),
    (universal_plane_cases, "BOX", Box(lambda m: n ** Rational(-2, m)), 14),
    (
        universal_plane_cases,
        "rho_squared",
        lambda m: 4 * P ** Rational(1, m) * ball_volume(m) ** Rational(-2, m) * n ** Rational(-3, m),
        14,
    ),
    (universal_plane_cases, "dyadic", lambda m: tuple(2 * x for x in dyadic(m)), 20),
    (universal_planes, "log_frequencies", replace(log_frequencies, variant=Needed(log(n) / log(2))), 23),
)


def test_the_best_phase_by_brute_force() -> None:
    random = np.random.default_rng(1)
    phases = np.linspace(-np.pi, np.pi, 20_001)
    for _ in range(20):
        keys, angle = int(random.integers(1, 9)), random.uniform(0, 2 * np.pi)
        turned = np.arange(1, keys + 1) * angle
        right, left = (np.mod(sign * turned, 2 * np.pi).min() for sign in (1, -1))
        gaps = np.cos(phases) - np.cos(phases + turned[:, None]).max(axis=0)
        said = float(universal_cases.BEST_PHASE.subs({universal_cases.L: left, universal_cases.R: right}))
        # A phase of the grid is at most pi/20000 from the best one, and a gap has a slope of at most 2.
        assert said - 2 * np.pi / 20_000 - 1e-9 <= gaps.max() <= said + 1e-9


def test_the_table_of_the_fastest_planes_by_brute_force() -> None:
    length = 300
    for m, found, ellipsoid, box in universal_plane_cases.fastest(length, (1, 2, 3)):
        angles = 10_000.0 ** (-np.arange(m) / 64)
        gaps = (1 - np.cos(np.outer(np.arange(1, length), angles))).mean(axis=1)
        assert found.t == int(gaps.argmin()) + 1
        assert float(found.gap) == pytest.approx(gaps.min(), rel=1e-9)
        volume = (2.0, np.pi, 4 * np.pi / 3)[m - 1]
        assert float(ellipsoid) == pytest.approx(8 * np.pi**2 / m * (volume * length) ** (-2 / m))
        assert float(box) == pytest.approx(1 - np.cos(2 * np.pi * length ** (-1 / m)))


def test_the_table_of_planes_needed_and_sufficient() -> None:
    for length, least, m, gap, kept, enough in universal_plane_cases.numbers([17, 850]):
        assert float(least) == pytest.approx(np.log(length) / np.log(6))
        assert float(enough) == pytest.approx(4 * np.log(length - 1))
        assert (m, gap) == {17: (5, Fraction(2, 5)), 850: (10, Fraction(1, 5))}[length]
        assert float(kept) == pytest.approx(np.log(length) / np.log(2 * np.pi / np.arccos(1 - 2 / m)))
