"""Inverse temperatures that positional heads need: thresholds found with arithmetic of their own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import i0e

from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.quantities import Bound
from theory.rope.universal_limits.positional_temperature import positional_length_ceiling, positional_needed_beta
from theory.rope.universal_limits.temperature_best_frequency import (
    best_frequency_beta,
    best_frequency_constants,
    lattice_root,
)
from theory.rope.universal_limits.temperature_separation import symbolic_sufficient_beta
from theory.rope.universal_limits.temperature_several_planes import several_planes_needed_beta


def numbers(found: dict[str, Bound]) -> dict[str, float]:
    return {name: float(bound.value) for name, bound in found.items()}


@pytest.mark.parametrize("beta", [2, 30, 750])
def test_length_ceilings(beta: int) -> None:
    found, mass = numbers(positional_length_ceiling(Real.of(beta))), i0e(beta)
    assert found == pytest.approx({"integer": 4 / mass - 1, "last": 3 / mass, "letter": 7 / mass}, rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4, 6, 7, 8, 17, 100, 10_000])
def test_needed_beta_solves_its_equation(n: int) -> None:
    found = numbers(positional_needed_beta(n))
    for name, count, level in (("letter", n, 7), ("integer", n + 1, 4), ("last", n, 3)):
        root = 0 if count <= level else brentq(lambda x, c=count, k=level: c * i0e(x) - k, 0, n**2, xtol=1e-13)
        assert found[name] == pytest.approx(root, rel=1e-9)
        assert found[f"{name} plain"] == pytest.approx(((count / level) ** 2 - 1) / (2 * np.pi), rel=1e-9, abs=1e-12)
        assert found[f"{name} plain"] <= found[name]


def weight(turns: np.ndarray, amplitudes: np.ndarray, beta: float, left: int, right: int) -> float:
    """F_{left,right} from the definition."""
    offsets = np.array([t for t in range(-left, right + 1) if t])
    return float(np.exp(-beta * (1 - np.cos(2 * np.pi * np.outer(offsets, turns))) @ amplitudes).sum())


@settings(max_examples=60)
@given(st.integers(1, 3), st.integers(9, 40), st.sampled_from(["letter", "integer", "last"]), st.integers(0, 2**32 - 1))
def test_no_head_decodes_below_what_is_needed(m: int, n: int, kind: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    offset, bound = {"letter": (0, 3), "integer": (int(random.integers(1, n)), 1), "last": (n - 1, 1)}[kind]
    found = several_planes_needed_beta(n, m)[kind].value if m > 1 else positional_needed_beta(n)[kind].value
    for _ in range(30):
        turns = random.uniform(0, 0.5, m) if random.integers(2) else 1 / (n + random.uniform(-n / 2, 6, m))
        assert weight(turns, np.ones(m) / m, float(found), offset, n - 1 - offset) >= bound * (1 - 1e-9)


def test_several_planes() -> None:
    found = numbers(several_planes_needed_beta(300, 5))
    assert found["last plain"] == pytest.approx(5 * ((300 / 3) ** (2 / 5) - 1) / (2 * np.pi), rel=1e-13)
    assert found["last plain"] < found["last"]
    root = brentq(lambda x: 300 * i0e(x / 5) ** 5 - 3, 0, 1000, xtol=1e-13)
    assert found["last"] == pytest.approx(root, rel=1e-9)
    assert numbers(several_planes_needed_beta(40, 1))["letter"] == numbers(positional_needed_beta(40))["letter"]


@pytest.mark.parametrize(("n", "offset"), [(50, 49), (51, 25), (300, 299), (777, 388)])
def test_best_frequencies_are_between_their_bounds(n: int, offset: int) -> None:
    found = best_frequency_beta(n, offset)
    upper, lower = (float(found[name].value) for name in ("upper", "lower"))
    assert lower < found["optimum"].value <= upper < found["optimum"].value * (1 + 1e-5)


@pytest.mark.parametrize(("n", "offset"), [(9, 8), (9, 4), (12, 0), (14, 6), (14, 7), (20, 19), (21, 10)])
def test_no_angle_of_a_grid_is_better(n: int, offset: int) -> None:
    found, bound = best_frequency_beta(n, offset), 1 if offset else 3
    optimum = float(found["optimum"].value)
    assert found["optimum/n^2"].value == pytest.approx(optimum / n**2)
    sums = [
        weight(np.array([x]), np.ones(1), optimum * (1 - 1e-3), offset, n - 1 - offset)
        for x in np.linspace(0, 0.5, 8 * n * n)
    ]
    assert min(sums) > bound
    turns, upper = float(found["turns"].value), float(found["upper"].value)
    assert weight(np.array([turns]), np.ones(1), upper, offset, n - 1 - offset) == pytest.approx(bound)


def test_best_frequency_where_nothing_is_needed_and_bad_input() -> None:
    assert best_frequency_beta(2, 1)["upper"].value.exact == 0
    with pytest.raises(InputError, match="offset=9 points outside"):
        best_frequency_beta(9, 9)
    with pytest.raises(InputError, match="offset=3 is neither at an end nor in the middle of n=14"):
        best_frequency_beta(14, 3)
    with pytest.raises(InputError, match="n=100000 is above 65536"):
        best_frequency_beta(100_000, 0)


def test_constants() -> None:
    found = numbers(best_frequency_constants())
    assert found["last lower"] == pytest.approx(1 / (18 * np.pi), rel=1e-14)
    assert found["middle lower"] == pytest.approx(1 / (32 * np.pi), rel=1e-14)
    # The images of the lattice make a difference midway: the sum is not 1 at pi/4.
    k = np.arange(1, 40)
    for sides, plain, excess in ((1, np.pi / 9, 0), (2, np.pi / 4, 1.395e-5)):
        root = brentq(lambda u, s=sides: s * np.exp(-u * k * k).sum() - 1, 0.1, 2, xtol=1e-15)
        assert float(lattice_root(sides)) == pytest.approx(root, rel=1e-12)
        assert root / plain - 1 == pytest.approx(excess, abs=1e-8)
    assert found["middle upper"] == pytest.approx(found["middle lower"] * (1 + 1.395e-5), rel=1e-8)


def test_symbolic_head() -> None:
    assert float(symbolic_sufficient_beta(17, 8).value) == pytest.approx(np.log(16) / (1 - np.cos(np.pi / 4)))
    assert float(symbolic_sufficient_beta(2, 8).value) == 0
    assert float(symbolic_sufficient_beta(1000, 2).value) == pytest.approx(np.log(999) / 2)
    assert float(symbolic_sufficient_beta(208, 26).value) < numbers(positional_needed_beta(208))["integer"]
