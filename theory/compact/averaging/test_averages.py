"""Repeated averages and Poisson tails against matrices, chains and SciPy."""

from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import gammaincc
from scipy.stats import poisson

from tests.asked import value
from theory.arithmetic.ball import evaluate
from theory.arithmetic.real import Real, midpoint
from theory.compact.averaging.averages import (
    averaged,
    averaged_enclosed,
    averages,
    averaging_kernel,
    causal_average,
    poisson_tail,
    poisson_tail_radius,
    tail_radius,
    tail_sum,
)
from theory.errors import InputError, Undecided
from theory.outcome import Outcome

WORDS = st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(1, n))))


def matrix(n: int) -> np.ndarray:
    """A of size n."""
    return np.array([[Fraction(1, i) if j <= i else Fraction(0) for j in range(1, n + 1)] for i in range(1, n + 1)])


@given(WORDS, st.integers(0, 5))
def test_powers_of_the_matrix(word: tuple[int, set[int]], times: int) -> None:
    n, positions = word
    vector = np.array([Fraction(i in positions) for i in range(1, n + 1)])
    for _ in range(times):
        vector = matrix(n) @ vector
    assert averaged(positions, n, times) == vector[-1]
    if times:
        kernel = averaging_kernel(n, times)
        assert sum(kernel) == 1 and kernel == sorted(kernel, reverse=True)
        assert sum(kernel[i - 1] for i in positions) == vector[-1]
        assert averages(positions, n, times)[-1] == vector[-1]
        assert averages(positions, n, times, 1.0)[-1] == pytest.approx(float(vector[-1]), abs=1e-15)
        assert averages(positions, n, times, arb(1))[-1].overlaps(arb(vector[-1].numerator) / vector[-1].denominator)
        assert averaged_enclosed(positions, n, times).equals(vector[-1]) is not Outcome.REFUTED


@pytest.mark.parametrize(("n", "m", "k"), [(5, 2, 1), (4, 3, 2), (6, 3, 4)])
def test_a_chain_that_falls_to_a_place_before_it(n: int, m: int, k: int) -> None:
    """X_0 = n, X_(t+1) uniform on 1, ..., X_t: the probability that X_m <= k, path by path."""
    total = Fraction(0)
    for path in product(range(1, n + 1), repeat=m):
        steps = [n, *path]
        if all(later <= earlier for earlier, later in zip(steps, path, strict=False)) and path[-1] <= k:
            total += prod((Fraction(1, earlier) for earlier in steps[:-1]), start=Fraction(1))
    assert averaged(range(1, k + 1), n, m) == total


def test_averages_of_integers_are_fractions() -> None:
    assert causal_average([1, 0, 1]) == [1, Fraction(1, 2), Fraction(2, 3)]


@given(st.integers(1, 40), st.floats(1e-300, 1))
def test_tails_in_all_types(m: int, x: float) -> None:
    y = -np.log(x)
    expected = poisson.cdf(m - 1, y)
    assert expected == pytest.approx(gammaincc(m, y), rel=1e-9)
    assert poisson_tail(m, x) == pytest.approx(expected, rel=1e-9)
    exact = Fraction(x)
    found = Real.of(poisson_tail(m, exact))
    assert float(found) == pytest.approx(expected, rel=1e-9)
    ball = poisson_tail(m, arb(x))
    assert ball.overlaps(found.ball())
    rational = sympy.Rational(exact.numerator, exact.denominator)
    assert float(evaluate(sympy.sympify(poisson_tail(m, rational), strict=True))) == pytest.approx(expected, rel=1e-9)
    assert float(poisson_tail(m, Real(lambda: arb(x)))) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kind", [float, Fraction, Real.of, arb, sympy.Integer])
def test_ends(kind: Any) -> None:
    for m in (1, 3):
        for x, expected in ((-1, 0), (0, 0), (1, 1), (7, 1)):
            found = poisson_tail(m, kind(x))
            assert (found.exact if isinstance(found, Real) else found) == expected
    assert poisson_tail(0, kind(1)) == 0


def test_a_wide_ball_holds_all_values() -> None:
    found = poisson_tail(3, arb(0.5, 0.6))
    assert found.contains(arb(0)) and found.contains(arb(1)) and found.is_finite()
    inside = poisson_tail(3, arb(0.2, 0.1))
    assert all(inside.contains(poisson_tail(3, arb(x))) for x in (0.11, 0.2, 0.29))
    assert not poisson_tail(3, arb.nan()).is_finite()


def test_a_symbol_gives_the_formula() -> None:
    x = sympy.Symbol("x", positive=True)
    expected = x * (1 + sympy.log(1 / x) + sympy.log(1 / x) ** 2 / 2)
    assert sympy.expand_log(sympy.expand(poisson_tail(3, x) - expected), force=True).expand() == 0


@settings(max_examples=40)
@given(st.integers(1, 12), st.fractions("1/1000000", "999/1000"))
def test_the_radius_inverts(m: int, level: Fraction) -> None:
    radius = poisson_tail_radius(m, level)
    low = midpoint(radius.ball().lower())
    assert (Real.of(poisson_tail(m, low)) <= level) is Outcome.HOLDS
    assert (Real.of(poisson_tail(m, low * Fraction(10**12 + 1, 10**12))) <= level) is Outcome.REFUTED


@settings(max_examples=40)
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=5), st.fractions("1/100000", 1))
def test_the_radius_of_a_sum(coefficients: list[int], part: Fraction) -> None:
    total = sum(coefficients)
    level = total * part
    radius = float(tail_radius(coefficients, level))
    if part == 1 or not total:
        assert radius == 1
        return
    root = brentq(lambda y: tail_sum([float(c) for c in coefficients], np.exp(-y)) - float(level), 0, 60, xtol=1e-13)
    assert radius == pytest.approx(np.exp(-root), rel=1e-9)


def test_radii_at_the_ends() -> None:
    assert tail_radius([1, 2], 3).exact == tail_radius([1, 2], 4).exact == tail_radius([], 1).exact == 1
    assert tail_radius([1, 2], 0).exact == 0
    assert tail_radius([4, 0], Fraction(1, 3)).exact == Fraction(1, 12)
    for wrong in (([1, -1], 1), ([1], -1)):
        with pytest.raises(InputError, match="negative"):
            tail_radius(*wrong)
    with pytest.raises(Undecided, match="undecided"):
        tail_radius([evaluate(sympy.sqrt(2)), 0], evaluate(2 / sympy.sqrt(2)))


def test_bad_positions() -> None:
    for positions, n, complaint in (((0,), 3, "outside 1, ..., 3"), ((4,), 3, "outside"), ((), 0, "below 1")):
        with pytest.raises(InputError, match=complaint):
            averaged(positions, n, 1)
    with pytest.raises(InputError, match="negative"):
        poisson_tail(-1, 0.5)


def test_quantities_and_their_limits() -> None:
    assert value("prefix-averages", times=2, changed=3, n=7) == averaged((1, 2, 3), 7, 2)
    assert value("prefix-averages", times=1, changed=3, n=10**30) == Fraction(3, 10**30)
    assert float(value("prefix-averages", times=3, changed=3, n=300)) == pytest.approx(
        float(averaged((1, 2, 3), 300, 3)), rel=1e-14
    )
    for arguments, complaint in (
        ({"times": 2, "changed": 8, "n": 7}, "exceeds the length"),
        ({"times": 2, "changed": 8, "n": 10**7}, "too long"),
    ):
        with pytest.raises(InputError, match=complaint):
            value("prefix-averages", **arguments)
    with pytest.raises(InputError, match="too long"):
        value("poisson-tail", m=10**6, x="1/2")
    assert float(value("poisson-tail-radius", m=3, level="1/7")) == pytest.approx(
        brentq(lambda x: gammaincc(3, -np.log(x)) - 1 / 7, 1e-9, 1), rel=1e-9
    )
