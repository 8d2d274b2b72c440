"""Discrepancies of Index queries: the definition over all inputs, bounds and where they are reached."""

from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.evidence import Search
from theory.outcome import Outcome
from theory.quantities import Exact, quantities
from theory.rope.index.discrepancy import (
    best_offset,
    float_gap,
    float_gap_error,
    index_discrepancy_printed,
    query_gap,
)
from theory.rope.index.window import competitors, farey_peaks, fold, rational_turns, reach

PLANE_2 = "rope(base=10000,d=128,k=2)"
GOLDEN = "pi*(sqrt(5)-1)"


def results(name: str, **arguments: object) -> dict[str, Any]:
    found = quantities()[name].evaluate({key: str(text) for key, text in arguments.items()})
    return {key: result.value if isinstance(result, Exact) else float(result.value) for key, result in found.items()}


def first(name: str, **arguments: object) -> Any:
    return next(iter(results(name, **arguments).values()))


@pytest.mark.parametrize(("angle", "n"), [(PLANE_2, 8), ("1", 7), ("2*pi/3", 4)])
def test_the_shortest_length_at_which_it_breaks(angle: str, n: int) -> None:
    def breaks(length: int) -> bool:
        printed = first("index-printed-bound", n=length, theta=angle)
        return bool(first("index-discrepancy-sup", n=length, theta=angle) > printed + 1e-12)

    assert [breaks(length) for length in range(2, n + 1)] == [False] * (n - 2) + [True]


def test_a_random_search_finds_a_violation_too() -> None:
    search = next(
        piece
        for piece in index_discrepancy_printed.check(index_discrepancy_printed.variant, False)
        if isinstance(piece, Search)
    )
    assert search.outcome is Outcome.REFUTED


@pytest.mark.parametrize(("angle", "n"), [("0.3", 3), ("0.3", 30), ("2.9", 2), ("2.9", 41)])
def test_printed_bounds(angle: str, n: int) -> None:
    bound = min(1 - np.cos(float(angle)), 2 * np.pi**2 / n**2)
    assert first("index-printed-bound", n=n, theta=angle) == pytest.approx(bound, rel=1e-14)


@pytest.mark.parametrize("n", [2, 3, 7, 19, 60])
def test_worst_case_bounds_are_reached(n: int) -> None:
    bound = first("index-worst-case-bound", n=n)
    assert bound == pytest.approx(1 - np.cos(2 * np.pi / n), rel=1e-14)
    assert first("index-discrepancy-inf", n=n, theta=f"2*pi/{n}") == bound
    assert first("index-discrepancy-inf", n=n + 1, theta=f"2*pi/{n}") == 0


@pytest.mark.parametrize("n", [2, 3, 6, 7, 20, 61])
def test_best_case_bounds_are_reached(n: int) -> None:
    found, parts = results("index-best-case-bound", n=n), -(-(n - 1) // 2) + 1
    assert found["sharp"] == pytest.approx(1 - np.cos(2 * np.pi / parts), rel=1e-14)
    assert found["8 pi^2/(n+1)^2"] == pytest.approx(8 * np.pi**2 / (n + 1) ** 2)
    assert first("index-discrepancy-sup", n=n, theta=f"2*pi/{parts}") == found["sharp"]


def test_best_case_with_few_integers() -> None:
    found = results("index-best-case-bound", n=20, integers=3)
    assert found["sharp"] == pytest.approx(1 - np.cos(2 * np.pi / 17))
    assert found["2 pi^2/(n-m)^2"] == pytest.approx(2 * np.pi**2 / 17**2)
    assert set(results("index-best-case-bound", n=3, integers=5)) == {"sharp", "8 pi^2/(n+1)^2"}
    assert results("index-discrepancy-sup", n=20, theta=1, integers=3)["offset"] == 3
    assert results("index-discrepancy-sup", n=20, theta=1)["offset"] == 9


@pytest.mark.parametrize("angle", ["0.3", "2.9", PLANE_2, GOLDEN])
def test_the_definition_over_all_queries(angle: str) -> None:
    theta = float(Angle.parse(angle).real)
    for n in (2, 3, 6, 13):
        by_offset = []
        for offset in range(n):
            logits = np.cos((n - np.arange(1, n + 1) - offset) * theta)
            rivals = np.delete(logits, n - offset - 1)
            by_offset.append(logits[n - offset - 1] - rivals.max())
            assert first("index-gap", n=n, theta=angle, offset=offset) == pytest.approx(by_offset[-1], abs=1e-13)
        found = results("index-discrepancy-inf", n=n, theta=angle)
        assert found["Delta_inf"] == pytest.approx(min(by_offset), abs=1e-13)
        assert found["argmin"] == 1 + int(np.argmax(np.cos(np.arange(1, n) * theta)))
        for integers in (1, 2, n // 2 + 1, 2 * n):
            allowed = by_offset[: min(integers, n - 1) + 1]
            sup = results("index-discrepancy-sup", n=n, theta=angle, integers=integers)
            assert sup["Delta_sup"] == pytest.approx(max(allowed), abs=1e-13)
            assert by_offset[sup["offset"]] == pytest.approx(max(allowed), abs=1e-13)


def test_the_golden_turn_nearly_keeps_its_scaled_gap() -> None:
    """n^2 Delta_inf(n) comes down to 2 pi^2/5 just after every Fibonacci number."""
    scaled = [n**2 * first("index-discrepancy-inf", n=n, theta=GOLDEN) for n in (611, 832041)]
    assert scaled[1] == pytest.approx(3.94784176, rel=1e-5)
    assert abs(scaled[1] - 2 * np.pi**2 / 5) < abs(scaled[0] - 2 * np.pi**2 / 5)


def test_positivity() -> None:
    assert [first("index-positivity", n=n, theta="2*pi*3/7") for n in (2, 7, 8, 20)] == [True, True, False, False]
    assert first("index-positivity", n=10**18, theta=1)


@given(st.integers(-400, 400), st.integers(1, 60), st.integers(2, 40), st.data())
def test_gaps_at_rational_turns(p: int, q: int, n: int, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, n - 1))
    turns = Fraction(p, q)
    distances = [abs(t * turns - round(t * turns)) for t in range(-offset, n - offset) if t]
    found = query_gap(n, Angle.turn(p, q), offset)
    assert float(found) == pytest.approx(1 - np.cos(2 * np.pi * float(min(distances))), abs=1e-14)
    assert (found.exact == 0) == (min(distances) == 0)


@given(st.floats(0, np.pi), st.integers(2, 200), st.data())
def test_the_float_gap_keeps_its_error_bound(theta: float, n: int, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, n - 1))
    angle = Angle(sympy.Rational(*theta.as_integer_ratio()))
    if theta:
        assert abs(float(query_gap(n, angle, offset)) - float_gap(n, offset, theta)) <= float_gap_error(n)


def test_windows() -> None:
    assert competitors(5, 1) == [-1, 1, 2, 3]
    assert (reach(5, 1), reach(5, 4), reach(5, 0)) == (3, 4, 4)
    assert fold(Fraction(7, 5)) == Fraction(2, 5)
    assert fold(Fraction(-1, 5)) == Fraction(1, 5)
    assert list(rational_turns(3, 4)) == [Fraction(1, 3), Fraction(1, 4)]
    assert [turns.denominator for turns in rational_turns(1, 5)] == [1, 2, 3, 4, 5, 5]


@pytest.mark.parametrize("order", [1, 2, 3, 7, 12])
def test_farey_peaks_bound_every_angle(order: int) -> None:
    peaks = dict(farey_peaks(order))

    def least(turns: Fraction) -> Fraction:
        return min(fold(t * turns) for t in range(1, order + 1))

    assert all(least(peak) == height for peak, height in peaks.items())
    neighbours = sorted({Fraction(p, q) for q in range(1, order + 1) for p in range(q + 1) if gcd(p, q) == 1})
    mediants = {
        Fraction(a.numerator + b.numerator, a.denominator + b.denominator)
        for a, b in pairwise(neighbours)
        if a < Fraction(1, 2)
    }
    assert set(peaks) == mediants
    for turns in (Fraction(k, 997) for k in range(499)):
        assert least(turns) <= max(peaks.values())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": 4, "theta": "1", "offset": 4}, ["offset=4", "position 0 of 1..4", "0 to n - 1 = 3"]),
        ({"n": 4, "theta": "0", "offset": 1}, ["0", "multiple of 2 pi"]),
        ({"n": -4, "theta": "1"}, ["-4", "2"]),
        ({"n": 4, "theta": "nan"}, ["nan"]),
        ({"n": 4, "theta": "1", "offset": -1}, ["-1", "0"]),
        ({"n": 1, "theta": "1"}, ["1", "2"]),
    ],
)
def test_bad_input_is_named_in_one_line(arguments: dict[str, object], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        results("index-gap", **arguments)
    message = str(caught.value)
    assert "\n" not in message and all(word in message for word in words), message


def test_bad_input_of_the_functions() -> None:
    with pytest.raises(InputError, match="n=1"):
        query_gap(1, Angle(sympy.Integer(1)), 0)
    with pytest.raises(InputError, match="offset=-1"):
        query_gap(3, Angle(sympy.Integer(1)), -1)
    with pytest.raises(InputError, match="integers=-1"):
        best_offset(3, -1)
