"""The companion on many layers: broken formulas stop it, and its tables agree with Poisson tails and recursions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import poisson

from proofs import layer_cases, layer_continuity, layer_lag_cases, layer_lags, layer_tail_cases, layer_tails
from tests.companions import stops
from theory.compact.averaging.averages import averaging_kernel, poisson_tail, poisson_tail_radius
from theory.compact.averaging.poisson_tail import Tails, latest, poisson_tail_averaging
from theory.compact.continuity.constants import HeadConstants, LayerConstants, first_factor, polynomial
from theory.compact.continuity.explicit import continuity_explicit
from theory.compact.continuity.explicit_bound import Explicit, coefficientwise
from theory.compact.continuity.logs_necessary import Logs, logs_necessary
from theory.compact.continuity.perturbation import Perturbation, attention_perturbation, two_key_change
from theory.compact.lag_kernels.kernels import RISING, UNIFORM, geometric
from theory.compact.lag_kernels.lag_kernel_continuity import LagBound, lag_kernel_continuity
from theory.compact.symbols import x
from theory.compact.words import running_distance


@dataclass(frozen=True)
class Unboosted(HeadConstants):
    """A head whose constants forget e^Delta."""

    @property
    def mean(self) -> object:
        return self.value + self.diameter * self.key


@dataclass(frozen=True)
class Doubled(LayerConstants):
    """A layer whose own distance counts twice."""

    @property
    def a(self) -> object:
        return 2 * super().a


test_a_broken_formula_stops_the_script = stops(
    layer_continuity,
    (layer_cases, "exp", lambda z: z**2, 1),
    (layer_cases, "HeadConstants", Unboosted, 3),
    (
        layer_continuity,
        "attention_perturbation",
        replace(attention_perturbation, variant=Perturbation(own=Fraction(1, 4))),
        5,
    ),
    (layer_cases, "two_key_change", lambda change: 2 * two_key_change(change), 6),
    (layer_cases, "one_key_change", lambda length, boost, change: Fraction(1, 1000), 6),
    (layer_cases, "LayerConstants", Doubled, 7),
    (layer_cases, "polynomial", lambda factors: polynomial(factors)[::-1], 8),
    (layer_tail_cases, "averaging_kernel", lambda length, m: averaging_kernel(length, m)[::-1], 9),
    (layer_tail_cases, "THREE", poisson_tail(4, x), 11),
    (layer_tail_cases, "poisson_tail", lambda m, share: poisson_tail(m + 1, share), 11),
    (
        layer_tails,
        "poisson_tail_averaging",
        replace(poisson_tail_averaging, variant=Tails(worst=latest)),
        14,
    ),
    (layer_continuity, "continuity_explicit", replace(continuity_explicit, variant=Explicit(shift=-1)), 16),
    (layer_cases, "poisson_tail", lambda m, share: poisson_tail(m + 1, share), 17),
    (layer_cases, "asymptotic_radius", poisson_tail_radius, 18),
    (layer_cases, "first_factor", coefficientwise, 19),
    (layer_cases, "coefficientwise", first_factor, 19),
    (layer_cases, "changed_mass", lambda spread, share: share, 20),
    (layer_tail_cases, "harmonic", lambda n: Fraction(1), 21),
    (layer_tails, "logs_necessary", replace(logs_necessary, variant=Logs(linear=4)), 21),
    (layer_tail_cases, "total_growth", lambda layers: sum(layer.b for layer in layers), 23),
    (layer_lag_cases, "FALLING", (UNIFORM, RISING), 24),
    (layer_lag_cases, "one_sided_density", running_distance, 24),
    (layer_lag_cases, "poisson_tail", lambda m, share: poisson_tail(m, share) / m, 26),
    (
        layer_lags,
        "lag_kernel_continuity",
        replace(lag_kernel_continuity, variant=LagBound(density=running_distance)),
        27,
    ),
    (layer_lag_cases, "geometric", lambda q: UNIFORM, 28),
    (layer_lag_cases, "RISING", geometric(Fraction(1, 2)), 29),
)


def test_what_is_left_by_the_recursion_and_the_bound_by_poisson_probabilities() -> None:
    for m, size, length, left, bound in layer_tail_cases.close():
        values = (np.arange(length) < size).astype(float)
        for _ in range(m):
            values = np.cumsum(values) / np.arange(1, length + 1)
        assert float(left) == pytest.approx(values[-1])
        assert float(bound) == pytest.approx(poisson.cdf(m - 1, np.log(length / size)))
    for depth, tails in layer_tail_cases.depths():
        for power, tail in enumerate(tails, start=1):
            assert float(tail) == pytest.approx(poisson.cdf(depth - 1, power * np.log(10)))


def test_radii_by_a_root_of_poisson_probabilities() -> None:
    for depth, level, radius, *_ in layer_cases.radii():
        root = brentq(lambda y, m=depth, eps=float(level): poisson.cdf(m - 1, y) - eps, 0, 60, xtol=1e-13)
        assert float(radius) == pytest.approx(np.exp(-root))
