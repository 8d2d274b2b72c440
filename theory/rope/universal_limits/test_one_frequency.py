"""What one plane can do at interior and end targets: brute force over angles and phases, torch heads."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.rope.universal_limits.one_frequency import exceeds, one_frequency_limit, phase_gaps
from theory.rope.universal_limits.one_frequency_end_target import end_target_rate, end_target_supremum
from theory.rope.universal_limits.one_frequency_phase import best_phase_gap


def gaps(angles: np.ndarray, phases: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Target minus the best rival, from the definition, for angles x phases."""
    logits = np.cos(phases[None, :, None] + angles[:, None, None] * offsets)
    return np.cos(phases)[None] - logits.max(axis=2)


def number(result: Any) -> float:
    return float(result.value)


def test_interior_limit() -> None:
    assert number(one_frequency_limit(11, Real.of(5))["limit"]) == pytest.approx(5 - 5 * np.cos(np.pi / 6), rel=1e-14)
    assert number(one_frequency_limit(424, Real.of(3))["quadratic"]) == pytest.approx(6 * np.pi**2 / 425**2)


@pytest.mark.parametrize("T", [1, 2, 3, 6])
def test_interior_limit_is_the_best_of_a_grid(T: int) -> None:
    step = 24 * (T + 1)
    angles, phases = 2 * np.pi * np.arange(step) / step, 2 * np.pi * np.arange(48) / 48
    offsets = np.array([t for t in range(-T, T + 1) if t])
    assert gaps(angles, phases, offsets).max() == pytest.approx(number(one_frequency_limit(T)["limit"]), abs=1e-12)


@pytest.mark.parametrize(
    ("theta", "left", "right"),
    [("1", 0, 16), ("0.3", 4, 1), ("2", 1, 1), ("rope(base=10000,d=128,k=2)", 7, 30), ("2*pi/7", 3, 2), ("3", 0, 1)],
)
def test_best_phase_by_a_grid(theta: str, left: int, right: int) -> None:
    found = best_phase_gap.evaluate({"theta": theta, "left": str(left), "right": str(right)})
    angle = np.array([float(Angle.parse(theta).real)])
    offsets = np.array([t for t in range(-left, right + 1) if t])
    best = gaps(angle, np.linspace(-np.pi, np.pi, 20_001), offsets).max()
    assert best <= number(found["gap"]) + 1e-12 and number(found["gap"]) - best < 2 * np.pi / 20_000
    turned = angle[0] * offsets % (2 * np.pi)
    assert number(found["B"]) == pytest.approx(turned.min()) and number(found["A"]) == pytest.approx(
        2 * np.pi - turned.max()
    )


def test_aliased_target_has_no_gap() -> None:
    assert all(result.value.ball().is_zero() for result in best_phase_gap(Angle.turn(1, 3), 1, 3).values())


def test_no_rival_is_refused() -> None:
    with pytest.raises(InputError, match="left=0, right=0"):
        best_phase_gap(Angle.turn(1, 3), 0, 0)


@given(st.fractions(0, 1, max_denominator=12), st.sets(st.integers(-9, 9).filter(bool), min_size=1))
def test_phases_of_the_grid_hold_the_best_one(turns: Fraction, offsets: set[int]) -> None:
    pairs = list(phase_gaps(turns, sorted(offsets)))
    values = [float(np.cos(2 * np.pi * target) - np.cos(2 * np.pi * rival)) for target, rival in pairs]
    angles, phases = np.array([2 * np.pi * float(turns)]), np.linspace(0, 2 * np.pi, 4 * turns.denominator + 1)
    seen = gaps(angles, phases[:-1], np.array(sorted(offsets)))[0]
    assert values == pytest.approx(seen, abs=1e-9)
    assert gaps(angles, np.linspace(0, 2 * np.pi, 997), np.array(sorted(offsets))).max() <= max(values) + 1e-9
    best = pairs[int(np.argmax(values))]
    assert all(
        exceeds(pair, best) is not Outcome.HOLDS or value > max(values) - 1e-9
        for pair, value in zip(pairs, values, strict=True)
    )


@pytest.mark.parametrize("n", [2, 3, 6, 9])
def test_end_suprema_by_a_grid(n: int) -> None:
    angles, phases = np.linspace(0, 2 * np.pi, 1200), np.linspace(-np.pi, np.pi, 360)
    best = gaps(angles, phases, np.arange(1, n)).max()
    # The gap changes by at most n a radian of the angle and 2 a radian of the phase.
    allowed = np.pi / 1199 * n + 2 * np.pi / 359
    assert number(end_target_supremum(n)) - allowed <= best <= number(end_target_supremum(n)) + 1e-12
    x = np.linspace(0, 2 * np.pi / (n - 1), 200_001)
    of_angle = 2 * np.sin((n - 1) * x / 2) * np.sin(x / 2)
    assert number(end_target_supremum(n)) == pytest.approx(of_angle.max(), abs=1e-9)


def test_end_rate() -> None:
    y = np.linspace(0, 2 * np.pi, 100_001)
    assert number(end_target_rate()) == pytest.approx((y * np.sin(y / 2)).max(), abs=1e-8)
    assert number(end_target_rate()) == pytest.approx(10**9 * number(end_target_supremum(10**9)), rel=1e-8)


def test_heads_in_torch(ledger: Submissions) -> None:
    ledger.submit("one-frequency-universal-limit", Constructed("hand-built heads, every interior target", _heads()))


def _heads() -> list[Case]:
    generator, cases = torch.Generator().manual_seed(3), list[Case]()
    for n in range(3, 20):
        q, k = torch.randn(2, 16, 2, generator=generator, dtype=torch.float64)
        angle = 6.3 * torch.rand(16, generator=generator, dtype=torch.float64)
        positions = torch.arange(1, n + 1, dtype=torch.float64)
        keys = torch.view_as_complex(k)[:, None] * torch.exp(1j * angle[:, None] * positions)
        query = torch.view_as_complex(q) * torch.exp(1j * angle * n)
        logits = (query[:, None] * keys.conj()).real.flip(1)
        norms = torch.linalg.vector_norm(q, dim=1) * torch.linalg.vector_norm(k, dim=1)
        for s in range(1, n - 1):
            others = torch.cat([logits[:, :s], logits[:, s + 1 :]], dim=1)
            bound = number(one_frequency_limit(min(s, n - 1 - s))["limit"])
            gap = logits[:, s] - others.max(dim=1).values
            cases.append(({"n": n, "s": s}, bool((gap <= norms * (bound + 1e-13 * n)).all())))
    return cases
