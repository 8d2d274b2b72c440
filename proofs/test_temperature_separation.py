"""The companion on temperatures: broken formulas stop it, and its tables agree with brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ive
from sympy import Rational, log, pi, sqrt

from proofs import temperature_cases, temperature_limits, temperature_separation
from tests.companions import stops
from theory.arithmetic.ball import Real
from theory.rope.universal_limits.bessel_bound import x
from theory.rope.universal_limits.positional_temperature import LAST, Query
from theory.rope.universal_limits.temperature_separation import temperature_separation as separation
from theory.rope.universal_limits.temperature_several_planes import last_plain
from theory.rope.universal_limits.weight_ceiling import Ceiling, T, positional_weight_ceiling
from theory.rope.universal_limits.weight_floor import Floor, M, a, b
from theory.symbols import n, omega

test_a_broken_formula_stops_the_script = stops(
    temperature_separation,
    (temperature_cases, "index_logit", lambda i, j, s, angle: (i - j - s) * angle, 1),
    (temperature_cases, "EXCESS", temperature_cases.EXCESS - Rational(1, 20), 3),
    (temperature_cases, "TAIL", 3 * temperature_cases.TAIL, 4),
    (temperature_cases, "FLOOR", Floor(two=(a + b + 2) * M - 1), 8),
    (
        temperature_separation,
        "positional_weight_ceiling",
        replace(positional_weight_ceiling, variant=Ceiling(1 / ((2 * T + 1) * M))),
        11,
    ),
    (temperature_cases, "LAST", Query(2), 13),
    (temperature_cases, "LEAST", 1 / sqrt(1 + 6 * x), 14),
    (temperature_cases, "beta_threshold", lambda length, angle, offset: Real.of(1), 16),
    (temperature_cases, "SYMBOLIC", 8 * log(n - 1) / omega**2, 18),
    (temperature_cases, "last_plain", lambda m: ((n / 3) ** 2 - 1) / (2 * pi), 20),
    (
        temperature_limits,
        "temperature_separation",
        replace(
            separation,
            variant=replace(separation.variant, enough=log(n - 1) / 2),
        ),
        19,
    ),
)


def test_the_table_of_needs_against_the_bessel_function() -> None:
    for length, found in temperature_cases.needs([10, 300]):
        for (_, least), (level, count) in zip(found, ((3, length), (4, length + 1), (7, length)), strict=True):
            root = brentq(lambda beta, at=level / count: ive(0, beta) - at, 0, 10 * length**2, xtol=1e-12)
            assert float(least) == pytest.approx(root, rel=1e-9)


def test_the_table_of_spaced_keys_by_the_sum_of_weights() -> None:
    for steps, length, angle, least, found in temperature_cases.spaced([5, 20]):
        gaps = 1 - np.cos(np.arange(1, steps + 1) * 2 * np.pi / int(angle.partition("/")[2]))
        sides = (length - 1) // steps
        assert sides * np.exp(-float(found) * gaps).sum() == pytest.approx(1)
        assert sides * np.exp(-float(least) * gaps).sum() > 1


def test_what_letters_and_several_planes_need() -> None:
    assert float(temperature_cases.symbolic(26, 10**4)) == pytest.approx(np.log(9999) / (1 - np.cos(2 * np.pi / 26)))
    for m, least in temperature_cases.many_planes(850, [1, 3, 8]):
        assert float(least) == pytest.approx(m / (2 * np.pi) * ((850 / 3) ** (2 / m) - 1))
    assert last_plain(1) == LAST.plain_bound
