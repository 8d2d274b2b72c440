"""Softmax weights of positional heads: sharpness, brute force from the definition, heads in torch."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import i0e

from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.rope.softmax.bounded_logits import bounded_logit_weight
from theory.rope.universal_limits.bessel_bound import mean_weight_at
from theory.rope.universal_limits.weight_ceiling import weight_ceiling
from theory.rope.universal_limits.weight_floor import competitor_weight_floor_at


def real(value: float | str) -> Real:
    return Real.of(Fraction(value))


@given(st.floats(0, 1e6))
def test_mean_weights_are_means(x: float) -> None:
    found = mean_weight_at(real(x))
    assert float(found["mean"].value) == pytest.approx(i0e(x), rel=1e-9)
    phases = np.linspace(0, 2 * np.pi, 20_000, endpoint=False)
    assert float(found["mean"].value) == pytest.approx(np.exp(-x * (1 - np.cos(phases))).mean(), rel=1e-9)
    assert float(found["lower"].value) <= float(found["mean"].value)
    assert found["lower"].side == "lower" and float(found["lower"].value) == pytest.approx((1 + 2 * np.pi * x) ** -0.5)


def test_mean_weight_refuses() -> None:
    with pytest.raises(InputError, match="x=-1 is not known"):
        mean_weight_at(real(-1))


def test_ceiling_in_the_middle() -> None:
    found = weight_ceiling(424, real(100))
    assert float(found["ceiling"].value) == pytest.approx(1 / 425 / i0e(100), rel=1e-12)
    assert float(found["algebraic"].value) == pytest.approx((1 + 200 * np.pi) ** 0.5 / 425)
    assert float(bounded_logit_weight(849, real(200))["largest"].value) == pytest.approx(1)


def test_ceiling_of_uneven_planes() -> None:
    parts, beta = np.array([1 / 3, 2]), 5
    found = weight_ceiling(17, real(beta), (sympy.Rational(1, 3), sympy.Integer(2)))
    assert float(found["ceiling"].value) == pytest.approx(1 / 18 / np.prod(i0e(beta * parts)))
    assert float(found["algebraic"].value) == pytest.approx(np.prod(1 + 2 * np.pi * beta * parts) ** 0.5 / 18)


def weights(amplitudes: np.ndarray, angles: np.ndarray, beta: float, left: int, right: int) -> float:
    """F_{left,right} from the definition, radians."""
    offsets = np.array([t for t in range(-left, right + 1) if t])
    return float(np.exp(-beta * (1 - np.cos(np.outer(offsets, angles))) @ amplitudes).sum())


@pytest.mark.parametrize(
    ("T", "beta", "parts", "ratio"), [(50, 20, 5.3, 0.908), (200, 300, 6.1, 0.9725), (1000, 5000, 8.2, 0.9922)]
)
def test_sharpness(T: int, beta: int, parts: float, ratio: float) -> None:
    found = 1 / (1 + weights(np.ones(1), np.array([2 * np.pi / (T + parts)]), beta, T, T))
    assert found / float(weight_ceiling(T, real(beta))["ceiling"].value) == pytest.approx(ratio, abs=5e-4)


@settings(max_examples=60)
@given(st.integers(1, 3), st.integers(0, 12), st.integers(1, 12), st.floats(0.1, 60), st.integers(0, 2**32 - 1))
def test_floor_by_random_frequencies(m: int, left: int, right: int, beta: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    parts = random.integers(1, 5, m)
    amplitudes = tuple(sympy.Rational(int(part), 4) for part in parts)
    n = left + right + 1
    mass = np.prod(i0e(beta * parts / 4))
    formula = ((n + 1) * mass - 2) / 2 if left else (n * mass - 1) / 2
    floor = float(competitor_weight_floor_at(n, real(beta), amplitudes, left).value)
    assert floor == pytest.approx(formula, rel=1e-9, abs=1e-12)
    for _ in range(20):
        found = weights(parts / 4, random.uniform(0, np.pi, m), beta, left, right)
        assert floor <= found * (1 + 1e-9) + 1e-12
    assert float(competitor_weight_floor_at(n, real(beta), amplitudes, right).value) == floor


def test_floor_refuses() -> None:
    with pytest.raises(InputError, match="not all known to be at least 0"):
        competitor_weight_floor_at(4, real(1), (sympy.Integer(-1),))
    with pytest.raises(InputError, match="offset=4 points outside"):
        competitor_weight_floor_at(4, real(1), (sympy.Integer(1),), 4)


def test_heads_in_torch(ledger: Submissions) -> None:
    ledger.submit("positional-weight-ceiling", Constructed("softmax of hand-built heads", _heads()))


def _heads() -> list[Case]:
    generator, cases = torch.Generator().manual_seed(7), list[Case]()
    for m, T, beta in [(1, 5, 3), (1, 20, 40), (1, 60, 100), (2, 9, 2), (3, 30, 12), (8, 40, 30)]:
        n = 2 * T + 1
        phases = 0.2 * torch.randn(m, generator=generator, dtype=torch.float64)
        angles = 2 * torch.pi / (T + 1 + 8 * torch.rand(m, generator=generator, dtype=torch.float64))
        positions = torch.arange(1, n + 1, dtype=torch.float64)
        keys = torch.polar(torch.full((n, m), m**-0.5, dtype=torch.float64), positions[:, None] * angles)
        query = torch.polar(torch.full((m,), m**-0.5, dtype=torch.float64), n * angles - T * angles + phases)
        weight = torch.softmax(beta * (query * keys.conj()).real.sum(dim=1), dim=0).flip(0)[T]
        bound = weight_ceiling(T, real(beta), (sympy.Rational(1, m),) * m)
        cases.append(({"m": m, "T": T, "beta": beta}, float(weight) <= float(bound["ceiling"].value)))
    return cases
