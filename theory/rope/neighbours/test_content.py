"""Flips and margins of content matches against brute force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from random import Random

import numpy as np
import pytest
import sympy

from tests.asked import value
from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.quantities import quantities
from theory.rope.neighbours.semantic_flip import half_turns, semantic_flip_length
from theory.rope.neighbours.zero_frequency import symbolic_margin_limit


@pytest.mark.parametrize(("base", "d", "k"), [("500", 12, 3), ("7.5", 4, 2), ("1e5", 128, 1)])
def test_frequencies_and_wavelengths(base: str, d: int, k: int) -> None:
    frequency = float(base) ** (-2 * (k - 1) / d)
    assert float(value("rope-frequency", base=base, d=d, k=k)) == pytest.approx(frequency, rel=1e-14)
    assert float(value("wavelength", base=base, d=d, k=k)) == pytest.approx(2 * np.pi / frequency, rel=1e-14)


def flips(theta: float, n: int, targets: Iterable[float], others: Iterable[float]) -> Iterator[bool]:
    below = [np.flatnonzero(np.cos(np.arange(n) * theta + phase) < 0).tolist() for phase in targets]
    above = [np.flatnonzero(np.cos(np.arange(n) * theta + phase) > 0).tolist() for phase in others]
    return (bool(a and b) and not (len(a) == len(b) == 1 and a == b) for a in below for b in above)


@pytest.mark.parametrize("theta", [Fraction(1, 7), Fraction(2, 5), Fraction(3, 2), Fraction(2), Fraction(3)])
def test_flip_lengths_against_a_grid_of_phases(theta: Fraction) -> None:
    found = semantic_flip_length(Angle(sympy.Rational(theta.numerator, theta.denominator)))
    enough = found["enough"].value
    grid = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    assert all(flips(float(theta), enough, grid, grid))
    if "smallest" in found:
        smallest = found["smallest"].value
        assert all(flips(float(theta), smallest, grid, grid))
        # Alone in its half are the first offset, or the last.
        rising = np.pi / 2 + 1e-9
        first, second = -(smallest - 2) * float(theta) + rising - 2e-9, -(smallest - 2) * float(theta) - rising + 2e-9
        lone = flips(float(theta), smallest - 1, (first, rising), (second, rising + np.pi))
        assert not all(lone) or not all(
            next(flips(float(theta), smallest - 1, [a], [(a + np.pi) % (2 * np.pi)]))
            for a in np.linspace(0, 2 * np.pi, 2000)
        )


def test_half_turns_at_whole_numbers_and_beyond() -> None:
    assert [half_turns(Angle.turn(1, 2 * k)) for k in (2, 3, 10)] == [2, 3, 10]
    assert half_turns(Angle.turn(2, 5)) == 1
    for bad in ("0", "pi", "-1", "4"):
        with pytest.raises(InputError, match="between 0 and pi"):
            quantities()["semantic-flip-length"].evaluate({"theta": bad})


@pytest.mark.parametrize("seed", range(20))
def test_margins_stay_below_the_limit(seed: int) -> None:
    random = Random(seed)
    m, n = random.randint(1, 4), random.randint(2, 120)
    frequencies = [sympy.Rational(random.randint(1, 300), 100) for _ in range(m)]
    c, d = ([sympy.Rational(random.randint(0, 20), 7) for _ in range(m)] for _ in range(2))
    limit = symbolic_margin_limit(n, tuple(frequencies), tuple(c), tuple(d))
    assert limit.side == "upper"
    bound = float(limit.value)
    half = [float(abs(np.sin(float(x) / 2))) for x in frequencies]
    direct = sum((float(a) + float(b)) / s for a, b, s in zip(c, d, half, strict=True)) / (n // 2)
    assert bound == pytest.approx(direct, rel=1e-12)
    shifts = np.array([[random.uniform(0, 7) for _ in range(m)] for _ in range(2)])
    phases = np.array([float(x) for x in frequencies])[:, None] * np.arange(n)
    target = (np.array(c, dtype=float)[:, None] * np.cos(phases + shifts[0][:, None])).sum(0)
    other = (np.array(d, dtype=float)[:, None] * np.cos(phases + shifts[1][:, None])).sum(0)
    least = min(target[r] - other[s] for r in range(n) for s in range(n) if r != s)
    assert least <= bound + 1e-9


def test_margin_limit_names_bad_input() -> None:
    table = quantities()["symbolic-margin-limit"]
    with pytest.raises(InputError, match="multiple of 2 pi"):
        table.evaluate({"n": "9", "frequencies": "[0]", "target": "[1]", "distractor": "[1]"})
    with pytest.raises(InputError, match="do not match"):
        table.evaluate({"n": "9", "frequencies": "[1]", "target": "[1, 2]", "distractor": "[1]"})
