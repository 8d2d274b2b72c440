"""Simplex arithmetic and embeddings against their definitions, at numbers that no claim lists."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.inference.arguments import distribution, largest_task, positive, results, same_length
from theory.inference.embeddings import Gaussian, LinearPool, LogLinear
from theory.inference.log_linear.families import bernoulli, categorical, one_hot, poisson
from theory.inference.simplex import (
    argmax,
    centred,
    combined,
    dot,
    entropy,
    kullback_leibler,
    normalised,
    oscillation,
    softmax,
    total_variation,
    uniform,
)
from theory.quantities import Enclosure, Exact

FRACTIONS = st.fractions(-3, 3, max_denominator=12)
SHARES = st.lists(st.integers(1, 20), min_size=2, max_size=5).map(normalised)


@settings(max_examples=10)
@given(SHARES, st.data())
def test_distances_are_sums(p: tuple[Fraction, ...], data: st.DataObject) -> None:
    q = normalised(data.draw(st.lists(st.integers(1, 20), min_size=len(p), max_size=len(p))))
    assert sum(p) == 1 and total_variation(p, q) == max(
        sum((p[k] - q[k] for k in range(len(p)) if (mask >> k) & 1), Fraction(0)) for mask in range(2 ** len(p))
    )
    a, b = np.array(list(map(float, p))), np.array(list(map(float, q)))
    assert float(Real.of(kullback_leibler(p, q))) == pytest.approx(float((a * np.log(a / b)).sum()), abs=1e-12)
    assert float(Real.of(entropy(p))) == pytest.approx(float(-(a * np.log(a)).sum()), abs=1e-12)


@settings(max_examples=10)
@given(st.lists(FRACTIONS, min_size=2, max_size=5))
def test_centring_oscillation_and_softmax(a: list[Fraction]) -> None:
    assert sum(centred(a)) == 0 and oscillation(a) == max(a) - min(a) == oscillation(centred(a))
    floats = np.array(list(map(float, a)))
    expected = np.exp(floats) / np.exp(floats).sum()
    assert np.allclose([float(share) for share in softmax(a)], expected, atol=1e-13)
    assert np.allclose(softmax(tuple(map(float, a))), expected, atol=1e-13)
    assert a[argmax(a)] == max(a)


def test_softmax_of_large_floats_does_not_overflow() -> None:
    assert softmax((1e4, 0.0)) == (1.0, 0.0)


def numerical(ell: object, z: tuple[float, ...], k: int, step: float = 1e-5) -> float:
    assert callable(ell)
    high, low = (tuple(a + sign * step * (j == k) for j, a in enumerate(z)) for sign in (1, -1))
    return (ell(high) - ell(low)) / (2 * step)


@settings(max_examples=10)
@given(SHARES, st.data())
def test_gradient_of_a_pool_is_the_slope(z: tuple[Fraction, ...], data: st.DataObject) -> None:
    p = data.draw(st.lists(st.fractions(Fraction(1, 10), 2, max_denominator=20), min_size=len(z), max_size=len(z)))
    pool, start = LinearPool(tuple(p)), tuple(map(float, z))
    floats = np.array(list(map(float, p)))
    for k, slope in enumerate(pool.gradient(z)):
        found = numerical(lambda at: math.log(float(np.dot(at, floats))), start, k)
        assert float(slope) == pytest.approx(found, rel=1e-6, abs=1e-6)


@settings(max_examples=10)
@given(st.integers(2, 4), st.integers(1, 3), st.data())
def test_gradients_of_gaussians_are_slopes_and_likelihoods_those_of_the_density(
    tasks: int, dimension: int, data: st.DataObject
) -> None:
    points = st.lists(FRACTIONS, min_size=dimension, max_size=dimension)
    rows, x = data.draw(st.lists(points, min_size=tasks, max_size=tasks)), tuple(data.draw(points))
    variance = data.draw(st.fractions(Fraction(1, 4), 3, max_denominator=8))
    z = normalised(data.draw(st.lists(st.integers(1, 9), min_size=tasks, max_size=tasks)))
    gaussian = Gaussian(tuple(map(tuple, rows)), variance)
    means, point = np.array(rows, dtype=float), np.array(x, dtype=float)

    def ell(at: object) -> float:
        return -float(((point - np.array(at, dtype=float) @ means) ** 2).sum()) / (2 * float(variance))

    assert float(gaussian.log_likelihood(x, z)) == pytest.approx(ell(z), abs=1e-9)
    found = [float(value) for value in gaussian.log_likelihoods(x)]
    assert found == pytest.approx(list(map(ell, np.eye(tasks))), abs=1e-9)
    for k, slope in enumerate(gaussian.gradient(x, z)):
        assert float(slope) == pytest.approx(numerical(ell, tuple(map(float, z)), k), rel=1e-6, abs=1e-6)
    gaps = ((means - means.mean(0)) ** 2).sum(-1)
    assert [float(value) for value in gaussian.squared_distances()] == pytest.approx(list(gaps), abs=1e-9)
    assert [float(b) for b in gaussian.offsets()] == pytest.approx(list(gaps / (2 * float(variance))), abs=1e-9)


@settings(max_examples=10)
@given(st.lists(st.fractions(Fraction(1, 5), 6, max_denominator=9), min_size=2, max_size=4), st.integers(0, 9))
def test_poisson_offsets_are_divergences_of_series(rates: list[Fraction], x: int) -> None:
    family = poisson(rates)
    values = np.array(list(map(float, rates)))
    centre = math.exp(float(np.log(values).mean()))
    counts = np.arange(80)
    logs = np.array([math.lgamma(count + 1) for count in counts])
    pu = np.exp(counts * math.log(centre) - centre - logs)
    for k, rate in enumerate(values):
        ratio = counts * math.log(centre / rate) - centre + rate
        assert float(Real.of(family.offsets()[k])) == pytest.approx(float((pu * ratio).sum()), abs=1e-9)
        expected = x * math.log(rate) - rate
        assert float(Real.of(family.log_likelihoods((x,))[k])) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=10)
@given(st.lists(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=40), min_size=2, max_size=4))
def test_a_bernoulli_variable_is_a_categorical_one_of_two_letters(probabilities: list[Fraction]) -> None:
    bits = bernoulli(probabilities)
    letters = categorical([(0, eta[0]) for eta in bits.natural])
    for x in (0, 1):
        pairs = zip(bits.posterior((x,)), letters.posterior(one_hot(x, 2)), strict=True)
        assert all(float(Real.of(a)) == pytest.approx(float(Real.of(b)), abs=1e-12) for a, b in pairs)
        weights = [float(p if x else 1 - p) for p in probabilities]
        assert [float(share) for share in bits.posterior((x,))] == pytest.approx([w / sum(weights) for w in weights])
    gaps = zip(bits.offsets(), letters.offsets(), strict=True)
    assert all(float(Real.of(a)) == pytest.approx(float(Real.of(b)), abs=1e-12) for a, b in gaps)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: uniform(1),
        lambda: LinearPool((1,)),
        lambda: LinearPool((0, 0)),
        lambda: LinearPool((Fraction(0), 0.0)),
        lambda: Gaussian(((0, 1), (2,))),
        lambda: LogLinear(((0,),), lambda eta: 0, lambda eta: eta),
        lambda: normalised((0, 0)),
        lambda: normalised((Fraction(1, 2), Fraction(-1, 2))),
        lambda: normalised((0.0, 0.0)),
        lambda: dot((1, 2), (1,)),
        lambda: positive("p", (1, 0)),
        lambda: distribution("z", (Fraction(1, 2), Fraction(1, 3))),
        lambda: same_length("z", (1, 2), 3),
    ],
)
def test_bad_input_is_refused(bad: object) -> None:
    assert callable(bad)
    with pytest.raises(InputError):
        bad()


def test_results_by_index_and_kind() -> None:
    found = results(a=(Fraction(1, 2), Real.of(sympy.sqrt(2))), left_over=True)
    assert [type(value) for value in found.values()] == [Exact, Enclosure, Exact]
    assert list(found) == ["a-1", "a-2", "left-over"]
    assert [largest_task(values) for values in ((1, 3, 2), (1, 1), (Real.of(sympy.sqrt(2)), 1))] == [2, "tie", 1]
    assert combined((Fraction(1, 2), Fraction(1, 2)), ((0, 2), (4, 0))) == (2, 1)
