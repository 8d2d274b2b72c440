"""Kernels, tails and reaches against their definitions, at arguments that no claim lists."""

from fractions import Fraction
from itertools import product
from math import comb, exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc

from theory.arithmetic.ball import Real
from theory.compact.averaging.averages import poisson_tail
from theory.compact.continuity.constants import polynomial
from theory.compact.continuity.scalar_head import ScalarHead
from theory.compact.lag_kernels.alibi import alibi_gap, lag_one_weight
from theory.compact.lag_kernels.alibi_recency import alibi_far_mass, alibi_reach, far_mass, geometric_tail
from theory.compact.lag_kernels.kernels import FALLING, RISING, Kernel, random_biases, sink_and_window
from theory.compact.lag_kernels.lag_kernel_continuity import LagBound, density
from theory.compact.lag_kernels.nets import BiasedHead, Pair
from theory.compact.lag_kernels.sliding_window import window_letters
from theory.compact.words import one_sided_density
from theory.errors import InputError
from theory.outcome import Outcome

ratios = st.fractions(Fraction(1, 20), Fraction(19, 20))


@pytest.mark.parametrize("kernel", [*FALLING, RISING, sink_and_window(3)], ids=str)
def test_kernels_are_what_they_are_said_to_be(kernel: Kernel) -> None:
    falls = kernel in FALLING
    for i in range(1, 12):
        weights = kernel.at(i)
        assert len(weights) == i and sum(weights) == 1 and min(weights) >= 0
        assert not falls or weights == sorted(weights, reverse=True)
        assert kernel.mean([0] * (i - 1) + [1], i) == weights[0]
    assert falls or sorted(kernel.at(8), reverse=True) != kernel.at(8)


def test_random_biases_do_not_rise() -> None:
    biases = random_biases(np.random.default_rng(1), 20)
    for i, row in enumerate(biases):
        assert np.isfinite(row[i]) and (row[i + 1 :] == -np.inf).all()
        assert (row[1 : i + 1] >= row[:i]).all()


falling = st.lists(st.integers(0, 5), min_size=9, max_size=9).map(lambda x: sorted(x, reverse=True))


@given(st.lists(falling, max_size=3), st.sets(st.integers(1, 8), min_size=1))
def test_any_kernels_obey_the_tail(rows: list[list[int]], changed: set[int]) -> None:
    """Kernels that are one list of weights by lag for all queries, made from the definition."""
    n = 9
    values = [Fraction(i in changed) for i in range(1, n + 1)]
    for first, *later in rows:
        row = [first + 1, *later]
        values = [Fraction(sum(row[r] * values[i - 1 - r] for r in range(i)), sum(row[:i])) for i in range(1, n + 1)]
    limit = poisson_tail(len(rows), one_sided_density(sorted(changed), n))
    assert (values[-1] <= Real.of(limit)) is Outcome.HOLDS


@given(st.integers(1, 12), st.integers(1, 4), ratios)
def test_the_tail_of_a_sum_of_lags(far: int, m: int, q: Fraction) -> None:
    """From the definition, P[sum < R] by all the sums; and the incomplete beta function."""
    nearer = sum(comb(total + m - 1, m - 1) * (1 - q) ** m * q**total for total in range(far))
    assert geometric_tail(m, far, q) == 1 - nearer
    assert float(geometric_tail(m, far, q)) == pytest.approx(betainc(far, m, float(q)), rel=1e-10, abs=1e-300)


@given(ratios, st.integers(2, 30))
def test_gap_of_a_slope_by_softmax(q: Fraction, n: int) -> None:
    logits = np.log(float(q)) * np.arange(n)
    weights = np.exp(logits) / np.exp(logits).sum()
    assert float(lag_one_weight(q, n)) == pytest.approx(weights[1], rel=1e-12)


@given(st.fractions(1, 50), ratios)
def test_far_mass_is_a_weight(boost: Fraction, tail: Fraction) -> None:
    assert far_mass(boost, tail) == boost * tail / (boost * tail + 1 - tail)


@pytest.mark.parametrize(("layers", "q"), [(1, Fraction(1, 3)), (2, Fraction(7, 10)), (5, Fraction(1, 2))])
def test_reach_is_the_least(layers: int, q: Fraction) -> None:
    tolerance = Fraction(1, 500)
    found = alibi_reach(layers, Real.of(tolerance), Real.of(q)).value
    assert geometric_tail(layers, found, q) <= tolerance < geometric_tail(layers, found - 1, q)


def test_a_bias_takes_its_place_in_the_softmax() -> None:
    """One head from the definition, and its constants without the bias."""
    random = np.random.default_rng(7)
    biases = random_biases(random, 6)
    head = BiasedHead.biased(random, biases)
    plain = ScalarHead(head.product, head.linear, head.value, head.outer, head.turn)
    states = random.uniform(-1, 1, 6)
    for i, found in enumerate(head.output(states)):
        weights = np.array([exp(plain.logits(states)[i][j] + biases[i, j]) for j in range(i + 1)])
        assert found == pytest.approx(head.value * (weights @ states[: i + 1]) / weights.sum())
    assert head.constants() == plain.constants()


def test_pairs_are_what_they_are_said_to_be() -> None:
    flips = np.array([True, False, True, False])
    pair = Pair.drawn(np.random.default_rng(3), 4, lambda: np.triu(np.full((4, 4), -np.inf), 1), flips)
    assert pair.changed == (1, 3)
    assert 0 < pair.difference <= 1 and 0 < pair.allowance < 1e-6
    assert len(pair.coefficients) in {2, 3, 4} and min(pair.coefficients) >= 0


def test_the_bound_in_floats_is_the_bound() -> None:
    coefficients = polynomial([(0.5, 2.0), (1.5, 0.25)])
    expected = coefficients[1] * 0.2 + coefficients[2] * poisson_tail(2, 0.2)
    assert LagBound().modulus(coefficients, 0.2) == pytest.approx(expected)


def test_quantities_refuse() -> None:
    with pytest.raises(InputError, match="exactly one"):
        alibi_gap(5)
    with pytest.raises(InputError, match="not between 0 and 1"):
        alibi_gap.evaluate({"n": "5", "q": "3/2"})
    with pytest.raises(InputError, match="no position"):
        density.evaluate({"positions": "[0, 1]", "n": "3"})
    with pytest.raises(InputError, match="tolerance"):
        alibi_reach.evaluate({"layers": "1", "tolerance": "1e-9", "slope": "1e-12"})


def test_two_names_of_one_slope() -> None:
    halves = [
        alibi_far_mass.evaluate({"delta": "2", "R": "3", key: text}) for key, text in (("q", "1/2"), ("slope", "1"))
    ]
    first, second = (result["alibi-far-mass"].value for result in halves)
    assert float(first) == pytest.approx(np.exp(2) / 8 / (1 + (np.exp(2) - 1) / 8))
    assert float(second) == pytest.approx(np.exp(-1) / (1 + (np.exp(2) - 1) * np.exp(-3)))


@pytest.mark.parametrize(("layers", "size"), list(product((1, 2, 4), (1, 3))))
def test_reach_by_masks(layers: int, size: int) -> None:
    """Powers of the mask of a window."""
    n = 20
    lags = np.subtract.outer(np.arange(n), np.arange(n))
    mask = ((lags >= 0) & (lags < size)).astype(np.int64)
    seen = np.linalg.matrix_power(mask, layers)[-1] > 0
    assert window_letters(layers, size).value == seen.sum()
