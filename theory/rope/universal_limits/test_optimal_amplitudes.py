"""The largest worst gap of RoPE's frequencies: exact and float brute force, degenerate programmes."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from theory.arithmetic.angle import Angle
from theory.errors import InputError, Undecided
from theory.outcome import Outcome
from theory.rope.universal_limits.amplitude_programme import solve
from theory.rope.universal_limits.optimal_amplitudes import rope_angles, rope_optimal_gap
from theory.rope.universal_limits.worst_gap import worst_gap


def table(turns: np.ndarray, n: int) -> np.ndarray:
    return 1 - np.cos(2 * np.pi * np.outer(np.arange(1, n), turns))


@settings(max_examples=30)
@given(st.integers(2, 10**6), st.integers(1, 20), st.integers(2, 60))
def test_against_the_dual_in_float64(base: int, planes: int, n: int) -> None:
    heights = table(float(base) ** (-np.arange(planes) / planes) / (2 * np.pi), n)
    dual = linprog(
        [*np.zeros(n - 1), 1],
        A_ub=np.hstack([heights.T, -np.ones((planes, 1))]),
        b_ub=np.zeros(planes),
        A_eq=[[*np.ones(n - 1), 0]],
        b_eq=[1],
    )
    solved = solve(rope_angles(base, 2 * planes), n)
    assert dual.fun is not None and float(solved.lower) - 1e-8 <= dual.fun <= float(solved.upper) + 1e-8
    assert float(solved.upper - solved.lower) < 1e-8
    try:
        value = solved.value
    except Undecided:  # a vertex whose float solution is not clear-cut
        return
    # All three are one number, never decided to be equal, where one plane does it all.
    assert Outcome.every((solved.lower <= value, value <= solved.upper)) is not Outcome.REFUTED


@pytest.mark.parametrize(("base", "n"), [(10_000, 850), (500_000, 3000)])
def test_worst_gap_of_the_amplitudes_by_a_certified_scan(base: int, n: int) -> None:
    solved = solve(rope_angles(base, 128), n)
    scanned = worst_gap(n, solved.angles, solved.amplitudes)
    assert abs(float(scanned.gap - solved.lower)) < 1e-30 and scanned.t in solved.weights
    alike = worst_gap(n, solved.angles).gap
    assert Outcome.every((alike < solved.lower, scanned.gap < solved.value)) is Outcome.HOLDS


def exact_value(turns: list[Fraction], n: int) -> Fraction:
    """The value of the programme for rational cosines, over all its vertices, in rationals."""
    twice = {Fraction(0): 2, Fraction(1, 6): 1, Fraction(1, 4): 0, Fraction(1, 3): -1, Fraction(1, 2): -2}
    cosines = {turns: Fraction(value, 2) for turns, value in twice.items()}
    rows = [[1 - cosines[min(t * x % 1, -t * x % 1)] for x in turns] for t in range(1, n)]
    best = Fraction(0)
    for size in range(1, len(turns) + 1):
        for planes in combinations(range(len(turns)), size):
            for tight in combinations(range(n - 1), size):
                system = sympy.Matrix(
                    [[sympy.Rational(rows[t][k]) for k in planes] + [-1] for t in tight] + [[1] * size + [0]]
                )
                if system.det() == 0:
                    continue
                *shares, value = system.solve(sympy.Matrix([0] * size + [1]))
                gaps = [sum(share * row[k] for share, k in zip(shares, planes, strict=True)) for row in rows]
                if min(shares) >= 0 and min(gaps) >= value:
                    best = max(best, Fraction(int(value.p), int(value.q)))
    return best


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("turns", ["1/2 1/3", "1/3 1/4 1/6", "1/2 1/4", "1/6"])
def test_rational_cosines_exactly(turns: str, n: int) -> None:
    frequencies = [Fraction(x) for x in turns.split()]
    solved = solve([Angle.turn(*x.as_integer_ratio()) for x in frequencies], n)
    value = exact_value(frequencies, n)
    assert Outcome.every((solved.lower <= value, solved.upper >= value)) is Outcome.HOLDS
    assert float(solved.upper - solved.lower) < 1e-9
    assert sum(solved.amplitudes) == 1 == sum(solved.weights.values())


def test_degenerate_programmes_are_undecided() -> None:
    twice = [Angle(sympy.S.One)] * 2
    with pytest.raises(Undecided, match=r"degenerate; only bounds are known: 0\.45969"):
        _ = solve(twice, 3).value
    assert float(solve(twice, 3).lower) == pytest.approx(1 - np.cos(1))


def test_more_planes_and_shorter_inputs_do_not_lose() -> None:
    values = [float(rope_optimal_gap(10_000, 32, n)["gap"].value) for n in (2, 5, 9, 40, 41, 200)]
    assert values == sorted(values, reverse=True) and values[0] == pytest.approx(1 - np.cos(1))
    assert rope_optimal_gap(10_000, 32, 40)["gap"].value.ball(100).rel_accuracy_bits() >= 100
    assert float(rope_optimal_gap(10_000, 64, 200)["gap"].value) >= values[-1]


def test_bad_input() -> None:
    with pytest.raises(InputError, match="64 planes is too large a programme"):
        solve(rope_angles(10_000, 128), 10**6)
    with pytest.raises(InputError, match="0 planes, n=5"):
        solve([], 5)
    with pytest.raises(InputError, match="d=3"):
        rope_optimal_gap(10_000, 3, 5)
    with pytest.raises(InputError, match="1/2 is not an integer"):
        rope_optimal_gap.evaluate({"base": "1/2", "d": "8", "n": "5"})
