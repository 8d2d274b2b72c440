"""Limits on the worst gap of several planes: formulas of their own, and frequencies searched with code of its own."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.rope.universal_limits.dyadic_frequencies import dyadic_gap
from theory.rope.universal_limits.log_frequencies import planes_needed
from theory.rope.universal_limits.log_frequencies_suffice import planes_sufficient
from theory.rope.universal_limits.m_frequency_box import m_frequency_box
from theory.rope.universal_limits.m_frequency_dirichlet import ball_volume, m_frequency_limit
from theory.rope.universal_limits.m_frequency_gaps import float_gap_error, float_gaps, frequency_sets, least_form
from theory.rope.universal_limits.m_frequency_slow_planes import m_frequency_slow_planes_limit
from theory.rope.universal_limits.worst_gap import worst_gap

HALF = sympy.Rational(1, 2)


def worst(amplitudes: np.ndarray, angles: np.ndarray, n: int) -> float:
    """G(n) from the definition, radians."""
    return float((amplitudes * (1 - np.cos(np.outer(np.arange(1, n), angles)))).sum(axis=1).min())


@pytest.mark.parametrize(("m", "n"), [(2, 850), (2, 5000), (4, 5000), (8, 20_000)])
def test_limits_against_certified_scans(m: int, n: int) -> None:
    found = worst_gap(n, [Angle.rope(10_000, 128, k) for k in range(1, m + 1)]).gap
    limits = m_frequency_limit(n, (sympy.Rational(1, m),) * m), m_frequency_box(n, m)
    assert Outcome.every(found <= limit.value for limit in limits) is Outcome.HOLDS
    assert (planes_needed(n, found).value <= m) is Outcome.HOLDS


def test_geometric_frequencies_do_not_do() -> None:
    """64 planes are more than planes-sufficient asks for, but those of base 10000 keep no gap of 1/2."""
    found = worst_gap(850, [Angle.rope(10_000, 128, k) for k in range(1, 65)]).gap
    assert float(planes_sufficient(850, Real.of(Fraction(1, 2)))["hoeffding"].value) < 64
    assert (found < Fraction(1, 2)) is Outcome.HOLDS


@pytest.mark.parametrize("amplitudes", [(1,), (3, 1), (1, 2, 2), (1, 1, 1, 1)])
def test_minkowski_from_its_formula(amplitudes: tuple[int, ...]) -> None:
    m, n = len(amplitudes), 60
    volume = math.pi ** (m / 2) / math.gamma(m / 2 + 1)
    square = 4 * math.prod(amplitudes) ** (1 / m) * (volume * n) ** (-2 / m)
    found = m_frequency_limit(n, tuple(map(sympy.Integer, amplitudes)))
    assert found.side == "upper" and float(found.value) == pytest.approx(2 * math.pi**2 * square, rel=1e-13)


@pytest.mark.parametrize("m", range(2, 12))
def test_volumes_of_balls(m: int) -> None:
    assert ball_volume(m) == sympy.simplify(ball_volume(m - 2) * 2 * sympy.pi / m) if m > 2 else sympy.pi
    assert float(Real.of(ball_volume(m))) == pytest.approx(math.pi ** (m / 2) / math.gamma(m / 2 + 1))


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(4, 40), st.integers(0, 2**32 - 1))
def test_no_frequencies_beat_the_limits(m: int, n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    parts = random.integers(1, 4, m)
    best = max(worst(parts / parts.sum(), random.uniform(0, np.pi, m), n) for _ in range(40))
    amplitudes = tuple(sympy.Rational(int(part), int(parts.sum())) for part in parts)
    volume = math.pi ** (m / 2) / math.gamma(m / 2 + 1)
    if 4 * math.prod(map(float, amplitudes)) ** (1 / m) * (volume * n) ** (-2 / m) < 0.99 * float(min(amplitudes)):
        assert best <= float(m_frequency_limit(n, amplitudes).value) + 1e-12
    if n >= 2**m:
        assert best <= float(m_frequency_box(n, m).value) + 1e-12


@pytest.mark.parametrize(
    ("amplitudes", "words"), [((1, 0), "not all positive"), ((1, -1), "positive"), ((1, 10**-9), "too short")]
)
def test_minkowski_refuses(amplitudes: tuple[float, ...], words: str) -> None:
    exact = tuple(sympy.Rational(Fraction(x).limit_denominator(10**9)) for x in amplitudes)
    with pytest.raises(InputError, match=words) as error:
        m_frequency_limit(10, exact)
    assert "\n" not in str(error.value)


def test_box() -> None:
    assert float(m_frequency_box(9, 2).value) == pytest.approx(1.5)
    assert m_frequency_box(8, 3).value.exact == 2
    assert float(m_frequency_box(7, 1).value) == pytest.approx(1 - math.cos(2 * math.pi / 7))
    with pytest.raises(InputError, match="n=7 is below 2\\^planes, planes=3"):
        m_frequency_box(7, 3)


def test_slow_planes() -> None:
    theta = [1, sympy.Rational(1, 10**4), sympy.Rational(1, 10**6)]
    found = m_frequency_slow_planes_limit(100, (sympy.Rational(1, 3),) * 3, tuple(map(sympy.sympify, theta)))
    alone = 2 * math.pi**2 / 3 / 100**2 + ((99e-4) ** 2 + (99e-6) ** 2) / 6
    assert float(found.value) == pytest.approx(alone, rel=1e-12)
    assert worst(np.ones(3) / 3, np.array([1, 1e-4, 1e-6]), 100) <= float(found.value)
    fast = m_frequency_slow_planes_limit(5000, (HALF, HALF), (sympy.Integer(1), sympy.Rational(-3, 2)))
    assert float(fast.value) == pytest.approx(float(m_frequency_limit(5000, (HALF, HALF)).value))


@settings(max_examples=40)
@given(st.integers(2, 30), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_slow_planes_are_never_beaten(n: int, m: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    parts, angles = random.integers(1, 9, m), 3 * random.uniform(0, 1, m) ** random.integers(1, 6)
    exact = (sympy.Rational(Fraction(angle)) for angle in angles)
    found = m_frequency_slow_planes_limit(n, tuple(map(sympy.Integer, map(int, parts))), tuple(exact))
    assert worst(parts, angles, n) <= float(found.value) + 1e-11


@pytest.mark.parametrize(
    ("amplitudes", "angles", "words"),
    [((1, 1), (1,), "amplitudes there are 2, of angles 1"), ((0,), (1,), "plane 1"), ((1, 1), (1, 4), "plane 2")],
)
def test_slow_planes_refuse(amplitudes: tuple[int, ...], angles: tuple[int, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        m_frequency_slow_planes_limit(9, tuple(map(sympy.Integer, amplitudes)), tuple(map(sympy.Integer, angles)))


@pytest.mark.parametrize("turns", list(frequency_sets(2, 5)))
def test_forms_and_gaps_from_the_definition(turns: tuple[Fraction, ...]) -> None:
    amplitudes = (Fraction(1, 4), Fraction(2, 3))
    forms = [sum(a * (t * x - round(t * x)) ** 2 for a, x in zip(amplitudes, turns, strict=True)) for t in range(1, 8)]
    assert least_form(amplitudes, turns, 7) == min(forms)
    weights, places = np.array([float(a) for a in amplitudes]), np.array([float(x) for x in turns])
    wanted = [(weights * (1 - np.cos(2 * np.pi * t * places))).sum() for t in range(1, 8)]
    assert float_gaps(weights, places, 7) == pytest.approx(wanted, abs=float_gap_error(weights, places, 7))


@pytest.mark.parametrize("n", range(2, 70))
def test_dyadic_from_the_definition(n: int) -> None:
    planes, gap = (dyadic_gap(n)[name].value for name in ("planes", "gap"))
    assert 2 ** (planes - 1) < n <= 2**planes
    assert worst(np.full(planes, 1 / planes), np.pi / 2.0 ** np.arange(planes), n) == pytest.approx(float(gap))


def test_needed_planes() -> None:
    needed = math.log(300) / math.log(2 * math.pi / math.acos(1 - 0.7))
    assert float(planes_needed(300, Real.of(Fraction(7, 10))).value) == pytest.approx(needed, rel=1e-14)
    with pytest.raises(InputError, match="gap=2 is not known to be below 2"):
        planes_needed(17, Real.of(2))


def test_needed_planes_against_a_grid() -> None:
    """No two frequencies of a grid keep the gap at which three planes are needed."""
    n, steps = 9, np.linspace(0, np.pi, 121)
    best = max(worst(np.array([0.5, 0.5]), np.array(pair), n) for pair in product(steps, steps))
    gap = 1 - math.cos(2 * math.pi / 3)
    assert float(planes_needed(n, Real.of(Fraction(3, 2))).value) == pytest.approx(2, abs=1e-12)
    assert best < gap and float(planes_needed(n, Real.of(Fraction(best))).value) < 2


def test_sufficient_planes() -> None:
    found = planes_sufficient(300, Real.of(Fraction(1, 3)))
    assert float(found["hoeffding"].value) == pytest.approx(18 * math.log(299), rel=1e-14)
    assert float(found["sufficient"].value) == pytest.approx(9 * math.log(299), rel=1e-14)
    with pytest.raises(InputError, match="epsilon=1 is not known"):
        planes_sufficient(10, Real.of(1))


def test_heads_in_torch(ledger: Submissions) -> None:
    ledger.submit("m-frequency-two-sided-gap", Constructed("hand-built heads of several planes", _heads()))


def _heads() -> list[Case]:
    generator, cases = torch.Generator().manual_seed(5), list[Case]()
    for m, T, extra in product((1, 2, 5), (1, 3, 8), (0, 2)):
        n = 2 * T + 1 + extra
        q, k = torch.randn(2, m, 2, generator=generator, dtype=torch.float64)
        angles = 3.1 * torch.rand(m, generator=generator, dtype=torch.float64)
        positions = torch.arange(1, n + 1, dtype=torch.float64)
        keys = torch.view_as_complex(k) * torch.exp(1j * positions[:, None] * angles)
        query = torch.view_as_complex(q) * torch.exp(1j * n * angles)
        logits = (query * keys.conj()).real.sum(dim=1).flip(0)
        amplitudes = torch.linalg.vector_norm(q, dim=1) * torch.linalg.vector_norm(k, dim=1)
        gap = float(logits[T] - torch.cat([logits[:T], logits[T + 1 :]]).max())
        bound = worst(amplitudes.numpy(), angles.numpy(), T + 1)
        cases.append(({"m": m, "T": T, "n": n}, gap <= bound + 1e-13 * n * m))
    return cases
