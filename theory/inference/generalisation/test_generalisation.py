"""Recombination, forgetting and strange data by brute force: integrals, automatic slopes, samples."""

from fractions import Fraction
from itertools import pairwise, product
from math import erfc, exp, pi, sqrt

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import multivariate_normal

from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.inference.generalisation.auroc import Auroc, two_task_auroc
from theory.inference.generalisation.forgetting import gate_leak, mask_overlap
from theory.inference.generalisation.recomposition import hull_distance, recomposition_error
from theory.inference.generalisation.training import Optimiser, Training, ramps
from theory.quantities import Quantity

deviation = st.fractions(Fraction(1, 10), 2, max_denominator=10)
place = st.fractions(-2, 2, max_denominator=10)


def bell(x: float, mean: float, s: float) -> float:
    """The normal density."""
    return exp(-(((x - mean) / s) ** 2) / 2) / (s * sqrt(2 * pi))


def ask(item: Quantity, **arguments: object) -> dict[str, float]:
    found = item.evaluate({name: str(value) for name, value in arguments.items()})
    return {name: float(Real.of(result.value)) for name, result in found.items()}


@settings(max_examples=12)
@given(place, place, place, deviation, st.integers(1, 30))
def test_errors_of_windows_by_quadrature(a: Fraction, b: Fraction, mu: Fraction, sigma: Fraction, n: int) -> None:
    low, high = min(a, b), max(a, b)
    found = ask(recomposition_error, low=low, high=high, mu=mu, sigma=sigma, n=n)
    s = float(sigma) / sqrt(n)

    def loss(x: float) -> float:
        return (min(max(x, float(low)), float(high)) - float(mu)) ** 2 * bell(x, float(mu), s)

    first, last = float(mu) - 12 * s, float(mu) + 12 * s
    ends = sorted({first, last, *(min(max(float(end), first), last) for end in (low, high, mu))})
    total = sum(quad(loss, *pair)[0] for pair in pairwise(ends))
    assert found["error"] == pytest.approx(float(sigma) ** 2 + total, abs=1e-7)
    outside = max(float(low - mu), float(mu - high), 0.0)
    assert found["limit"] == pytest.approx(float(sigma) ** 2 + outside**2)


@settings(max_examples=12)
@given(st.lists(st.tuples(place, place), min_size=2, max_size=3, unique=True), st.tuples(place, place))
def test_distances_from_hulls_by_a_grid(means: list[tuple[Fraction, Fraction]], y: tuple[Fraction, Fraction]) -> None:
    rows = str([[str(entry) for entry in mean] for mean in means]).replace("'", '"')
    target = str([*map(str, y)]).replace("'", '"')
    found = ask(hull_distance, means=rows, y=target, sigma="1/2")
    M, steps = np.array(means, dtype=float), 60
    grid = [z for z in product(range(steps + 1), repeat=len(means)) if sum(z) == steps]
    squares = (((np.array(grid) / steps) @ M - np.array(y, dtype=float)) ** 2).sum(axis=1)
    size = float(np.abs(M).max()) * 4 / steps
    nearest = sqrt(found["squared-distance"])
    assert nearest - 1e-12 <= sqrt(float(squares.min())) <= nearest + size
    assert found["error"] == pytest.approx(0.5 + found["squared-distance"])
    z = np.array([found[f"z-{k + 1}"] for k in range(len(means))])
    assert ((z @ M - np.array(y, dtype=float)) ** 2).sum() == pytest.approx(found["squared-distance"], abs=1e-12)


@pytest.mark.parametrize(("sigma", "tau"), [(0.2, 0.2), (0.2, 0.5)])
def test_one_of_two_terms_is_a_normal_probability(sigma: float, tau: float) -> None:
    """What the control leaves is P(U - V > 0, U + V > 0), so that it is refuted for the term that it lacks."""
    a, b, square = 0.3, 0.1, sigma**2 + tau**2
    means, covariance = (a - b, a + b), ((square, sigma**2 - tau**2), (sigma**2 - tau**2, square))
    expected = float(multivariate_normal.cdf((0, 0), mean=[-m for m in means], cov=covariance))
    fractions = (Fraction(str(value)) for value in (a, b, sigma, tau))
    assert float(Auroc(both=False).value(*fractions)) == pytest.approx(expected, abs=1e-6)


def test_the_sign_of_rho_matters() -> None:
    """What the turned sign gives where both deviations differ, and that it hides where they do not."""
    values = [Fraction(3, 10), Fraction(1, 10), Fraction(1, 5), Fraction(1, 2)]
    assert float(Auroc(covariance=-1).value(*values)) == pytest.approx(0.7707, abs=5e-5)
    equal = [Fraction(3, 10), Fraction(1, 10), Fraction(1, 5), Fraction(1, 5)]
    assert float(Auroc(covariance=-1).value(*equal)) == pytest.approx(float(Auroc().value(*equal)))


@settings(max_examples=12)
@given(place, place, deviation, deviation)
def test_areas_by_quadrature(a: Fraction, b: Fraction, sigma: Fraction, tau: Fraction) -> None:
    found = ask(two_task_auroc, a=a, b=b, sigma=sigma, tau=tau)["auroc"]

    def above(v: float) -> float:
        larger = (erfc((abs(v) - float(a)) / root) + erfc((abs(v) + float(a)) / root)) / 2
        return larger * bell(v, float(b), float(tau))

    root = sqrt(2) * float(sigma)
    far = 10 * float(tau)
    ends = sorted({float(b) - far, float(b), float(b) + far, *([0.0] if abs(b) < far else [])})
    true = sum(quad(above, *pair)[0] for pair in pairwise(ends))
    assert found == pytest.approx(true, abs=1e-7)


@pytest.mark.parametrize("optimiser", ["SGD", "decay", "Adam"])
@pytest.mark.parametrize("biased", [False, True])
def test_training_by_autograd(optimiser: Optimiser, biased: bool) -> None:
    """Slopes by torch, steps as the optimisers' papers have them; the bias takes plain steps."""
    start, rate = [(Fraction(1, 2), Fraction(-1)), (Fraction(1, 3), Fraction(2))], Fraction(1, 8)
    training = Training(list(start), optimiser, biased)
    weights, bias = np.array(start, dtype=float), 0.0
    first = second = np.zeros((2, 2))
    data = (((1, 0), (1, 2), 3), ((0, 1), (-1, 1), 0), ((0.25, 0.75), (2, 1), 1))
    for step, (z, x, t) in enumerate(data, start=1):
        training.step(tuple(map(Fraction, z)), tuple(map(Fraction, x)), Fraction(t), rate)
        free = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in (weights, bias)]
        output = torch.tensor(z, dtype=torch.float64) @ free[0] @ torch.tensor(x, dtype=torch.float64) + free[1]
        slope, own = (g.numpy() for g in torch.autograd.grad((t - output) ** 2 / 2, free))
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        scaled = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        moves = {"SGD": slope, "decay": slope + weights / 2, "Adam": scaled}
        weights, bias = weights - moves[optimiser] / 8, bias - biased * float(own) / 8
    found = [[float(Real.of(w)) for w in row] for row in training.weights]
    assert np.array(found) == pytest.approx(weights, rel=1e-9)
    assert float(Real.of(training.bias)) == pytest.approx(bias)


def test_momentum_remembers() -> None:
    training = Training([(Fraction(0),), (Fraction(0),)], "momentum")
    training.step((Fraction(1), Fraction(0)), (Fraction(1),), 1, Fraction(1))
    assert training.weights[0] == (Fraction(1, 10),)
    training.step((Fraction(0), Fraction(1)), (Fraction(1),), 0, Fraction(1))
    assert training.weights[0] == (Fraction(19, 100),)


def test_ramps_by_torch() -> None:
    random = np.random.default_rng(7)
    for _ in range(10):
        mask, inner, outer = (
            random.integers(0, 2, size=4),
            random.integers(-3, 4, size=4),
            random.integers(-3, 4, size=4),
        )
        x = int(random.integers(-2, 3))
        true = float((torch.tensor(mask * outer) * torch.relu(torch.tensor(inner * x))).sum())
        to, back = ([Fraction(int(w)) for w in weights] for weights in (inner, outer))
        assert ramps([*map(int, mask)], to, back, Fraction(x)) == true


def test_leaks_by_differences() -> None:
    found = ask(gate_leak, weights="[[1,2],[3,4],[5,6]]", z="[0.2,0.3,0.5]", x="[1,-1]", target=2, rate=0.1, task=3)
    weights, z, x = np.arange(1.0, 7.0).reshape(3, 2), np.array([0.2, 0.3, 0.5]), np.array([1.0, -1.0])

    def loss(table: np.ndarray) -> float:
        return float((2 - z @ table @ x) ** 2 / 2)

    h = 1e-6
    steps = [h * np.outer(np.eye(3)[2], axis) for axis in np.eye(2)]
    change = [-0.1 * (loss(weights + d) - loss(weights - d)) / (2 * h) for d in steps]
    assert [found["change-1"], found["change-2"]] == pytest.approx(change, rel=1e-6)
    assert found["length"] == pytest.approx(float(np.linalg.norm(change)), rel=1e-6)


def test_masks_by_draws() -> None:
    random, draws = np.random.default_rng(8), 20_000
    masks = random.random((2, draws)) < 0.3
    both, either = (masks[0] & masks[1]).mean(), (masks[0] | masks[1]).mean()
    found = ask(mask_overlap, p="0.3")
    shares = (both, both / masks[0].mean(), both / either)
    # Four standard errors of a count, over the share of what it is divided by.
    for share, name, base in zip(shares, ("of-all", "of-active", "of-either"), (1, 0.3, 0.51), strict=True):
        assert abs(share - found[name]) <= 4 * 0.5 / sqrt(draws) / base


@pytest.mark.parametrize(
    ("item", "arguments", "complaint"),
    [
        (recomposition_error, {"low": "1", "high": "0", "mu": "0", "sigma": "1", "n": "1"}, "in order"),
        (hull_distance, {"means": '[["sqrt(2)"]]', "y": "[0]", "sigma": "1"}, "rational"),
        (hull_distance, {"means": "[[1], [2]]", "y": "[0, 1]", "sigma": "1"}, "entries"),
        (gate_leak, {"weights": "[[1]]", "z": "[1]", "x": "[1]", "target": "1", "rate": "1", "task": "2"}, "of 1"),
        (mask_overlap, {"p": "0"}, "no probability"),
    ],
)  # fmt: skip
def test_quantities_refuse(item: Quantity, arguments: dict[str, str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        item.evaluate(arguments)
