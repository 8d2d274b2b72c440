"""Gaussian tasks by brute force: all paths of tasks, differences of losses, samples, other solvers."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm

from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.inference.gaussian.blindness import variance_blindness
from theory.inference.gaussian.consistency import sample_consistency
from theory.inference.gaussian.filter import predicted, two_task_filter
from theory.inference.gaussian.gauss_newton import gauss_newton_step, least_squares
from theory.inference.gaussian.high_dimension import random_means_accuracy, random_means_error
from theory.inference.gaussian.hull import hull_one_step
from theory.inference.gaussian.hulls import MOST_POINTS, affine_distance, affine_weights, in_hull, nearest
from theory.inference.gaussian.learning_rate import adam_step, latent_step, matching_learning_rate
from theory.inference.gaussian.log_ratio import log_ratio_remainder
from theory.inference.gaussian.pair_error import gradient_pair_error
from theory.quantities import Optimum, Quantity

unit = st.fractions(0, 1, max_denominator=20)
number = st.fractions(-2, 2, max_denominator=8)
point = st.tuples(number, number)


def ask(item: Quantity, **arguments: object) -> dict[str, float]:
    """All results as floats."""
    found = item.evaluate({name: str(value).replace("'", '"') for name, value in arguments.items()})
    return {name: float(Real.of(result.value)) for name, result in found.items() if not isinstance(result.value, list)}


def text(rows: Any) -> Any:
    """Fractions of a vector or matrix as text."""
    return [text(row) for row in rows] if isinstance(rows, list | tuple) else str(rows)


def by_paths(means: list[float], sigma: float, hazard: float, x: list[float]) -> float:
    """The posterior of task 1 at the end, summed over all paths of tasks."""
    weight = [0.0, 0.0]
    for path in product((0, 1), repeat=len(x)):
        chance = 0.5
        for step, (task, datum) in enumerate(zip(path, x, strict=True)):
            if step:
                chance *= hazard / 2 + (1 - hazard) * (task == path[step - 1])
            chance *= exp(-((datum - means[task]) ** 2) / (2 * sigma**2))
        weight[path[-1]] += chance
    return weight[0] / sum(weight)


@settings(max_examples=15)
@given(st.tuples(unit, unit), unit, st.lists(unit, min_size=1, max_size=5))
def test_filters_by_all_paths(means: tuple[Fraction, Fraction], hazard: Fraction, x: list[Fraction]) -> None:
    found = ask(two_task_filter, means=text(means), sigma="0.5", hazard=hazard, x=text(x))
    true = by_paths([*map(float, means)], 0.5, float(hazard), [*map(float, x)])
    for kind in ("bayes", "gradient"):
        assert found[f"{kind}-{len(x)}"] == pytest.approx(true, rel=1e-12)


def test_priors_add_up_to_one() -> None:
    assert predicted((Fraction(1, 4), Fraction(3, 4)), Fraction(1, 5)) == (Fraction(3, 10), Fraction(7, 10))


def stepped(means: np.ndarray, x: np.ndarray, heat: float, loss: Callable[[np.ndarray], float], rate: float) -> Any:
    """Softmax of logits after a step by central differences of a loss of the output."""
    a, h = np.zeros(len(means)), 1e-5

    def shares(logits: np.ndarray) -> np.ndarray:
        powers = np.exp(logits / heat)
        return powers / powers.sum()

    slope = [(loss(shares(a + d) @ means) - loss(shares(a - d) @ means)) / (2 * h) for d in h * np.eye(len(a))]
    return shares(a - rate * np.array(slope))


@pytest.mark.parametrize("means", [[[1, 0], [0, 2]], [[3, 0, 0], [0, 3, 0], [0, 0, 3]], [[-1], [2]]], ids=str)
def test_matching_rates_by_differences(means: list[list[int]]) -> None:
    sigma, heat, M = 1.5, 0.7, np.array(means, dtype=float)
    x = np.linspace(0.2, 0.9, M.shape[1])
    rates = ask(matching_learning_rate, tasks=len(means), sigma=sigma, temperature=heat, n=M.shape[1])
    ell = -((x - M) ** 2).sum(axis=1) / (2 * sigma**2)
    posterior = np.exp(ell) / np.exp(ell).sum()
    losses: dict[str, Callable[[np.ndarray], float]] = {
        "square": lambda f: float(((x - f) ** 2).sum()),
        "half": lambda f: float(((x - f) ** 2).sum() / 2),
        "mean": lambda f: float(((x - f) ** 2).mean()),
        "likelihood": lambda f: float(((x - f) ** 2).sum() / (2 * sigma**2)),
    }
    for name, loss in losses.items():
        assert stepped(M, x, heat, loss, rates[name]) == pytest.approx(posterior, rel=1e-6)
    found = ask(latent_step, means=means, x=x.tolist(), sigma=sigma, temperature=heat, rate=0.3)
    z = stepped(M, x, heat, losses["square"], 0.3)
    assert [found[f"z-{k + 1}"] for k in range(len(z))] == pytest.approx(z, rel=1e-6)
    assert [found[f"posterior-{k + 1}"] for k in range(len(z))] == pytest.approx(posterior, rel=1e-9)


def test_a_step_of_adam_is_two_signs() -> None:
    assert ask(adam_step, rate=0.3, temperature=2)["adam-step"] == pytest.approx(exp(0.15) / (exp(0.15) + exp(-0.15)))


@settings(max_examples=15)
@given(st.fractions(-20, 20, max_denominator=30))
def test_remainders(delta: Fraction) -> None:
    found = ask(log_ratio_remainder, delta=delta)
    assert found["posterior"] == pytest.approx(1 / (1 + exp(-float(delta))), rel=1e-12)
    assert found["posterior"] - found["first-order"] == pytest.approx(found["error"], abs=1e-12)
    assert abs(found["error"]) <= found["bound"] + 1e-15


@settings(max_examples=15)
@given(st.lists(point, min_size=3, max_size=4, unique=True), st.integers(1, 5))
def test_errors_of_pairs_by_projection(means: list[tuple[Fraction, Fraction]], n: int) -> None:
    M = np.array(means, dtype=float)
    found = ask(gradient_pair_error, means=text(means), sigma="0.8", c=1, j=2, n=n)
    # x on the axis of the difference: g_2 > g_1 on one side of the plane through mbar.
    axis = (M[0] - M[1]) / np.linalg.norm(M[0] - M[1])
    wrong = norm.cdf(axis @ M.mean(axis=0), loc=axis @ M[0], scale=0.8 / sqrt(n))
    assert found["gradient"] == pytest.approx(float(wrong), rel=1e-9)
    middle = norm.cdf(axis @ M[:2].mean(axis=0), loc=axis @ M[0], scale=0.8 / sqrt(n))
    assert found["bayes"] == pytest.approx(float(middle), rel=1e-9)
    limit = ask(sample_consistency, means=text(means), sigma="0.8", c=1, j=2, n=n)
    assert limit["wrong"] == pytest.approx(float(wrong), rel=1e-9)
    assert limit["right"] + limit["wrong"] == pytest.approx(1)
    assert np.sign(limit["drift"]) == np.sign(round(0.5 - float(wrong), 12))
    assert limit["kl"] == pytest.approx(float(((M[0] - M[1]) ** 2).sum() / (2 * 0.64)))


@settings(max_examples=15)
@given(st.lists(point, min_size=2, max_size=5, unique=True), point)
def test_nearest_points_by_another_solver(
    points: list[tuple[Fraction, Fraction]], target: tuple[Fraction, Fraction]
) -> None:
    squared, weights = nearest(points, target)
    M, y = np.array(points, dtype=float), np.array(target, dtype=float)
    assert sum(weights) == 1 and min(weights) >= 0
    assert ((np.array(weights, dtype=float) @ M - y) ** 2).sum() == pytest.approx(float(squared), abs=1e-12)
    start = np.full(len(points), 1 / len(points))
    solve: Any = minimize
    other = solve(
        lambda z: ((z @ M - y) ** 2).sum(),
        start,
        jac=lambda z: 2 * M @ (z @ M - y),
        bounds=[(0, 1)] * len(points),
        constraints={"type": "eq", "fun": lambda z: z.sum() - 1, "jac": lambda z: np.ones(len(z))},
        tol=1e-12,
    )
    assert float(squared) == pytest.approx(float(other.fun), abs=1e-6)
    assert in_hull(points, target) is (squared == 0)
    assert affine_distance(points, target) <= squared


@settings(max_examples=15)
@given(st.lists(st.tuples(number, number, number), min_size=2, max_size=4), st.tuples(number, number, number))
def test_affine_weights_by_least_squares(points: list[tuple[Fraction, ...]], target: tuple[Fraction, ...]) -> None:
    weights = affine_weights(points, target)
    M, y = np.array(points, dtype=float), np.array(target, dtype=float)
    rank = np.linalg.matrix_rank(M[1:] - M[0], tol=1e-9)
    assert (weights is None) is bool(rank < len(points) - 1)
    free, *_ = np.linalg.lstsq((M[1:] - M[0]).T, y - M[0], rcond=None)
    gap = y - M[0] - free @ (M[1:] - M[0])
    assert float(affine_distance(points, target)) == pytest.approx(float(gap @ gap), abs=1e-9)
    if weights is not None:
        assert [*map(float, weights[1:])] == pytest.approx([*free], rel=1e-6, abs=1e-6)
    assert (least_squares(points, target) is None) is bool(np.linalg.matrix_rank(M, tol=1e-9) < len(points))


@settings(max_examples=15)
@given(st.lists(st.integers(-3, 3), min_size=3, max_size=5, unique=True), st.integers(-3, 3))
def test_what_one_step_picks(means: list[int], x: int) -> None:
    found = hull_one_step.evaluate({"means": str([[m] for m in means]), "x": f"[{x}]", "sigma": "2"})
    nearer = sorted(abs(x - m) for m in means)
    likelihood = "tie" if nearer[0] == nearer[1] else 1 + min(range(len(means)), key=lambda k: abs(x - means[k]))
    assert found["picked-corrected"].value == likelihood
    extreme = {1 + means.index(min(means)), 1 + means.index(max(means))}
    assert found["picked"].value in (extreme if len(means) * x != sum(means) else {"tie"})
    hidden: Any = found["never-alone"].value
    assert set(hidden) == {*range(1, len(means) + 1)} - extreme


@pytest.mark.parametrize(("tasks", "d", "s"), [(2, 1, "1/2"), (2, 6, "2"), (10, 5, "1/2"), (10, 10, "1/2")])
def test_accuracies_among_random_means(tasks: int, d: int, s: str) -> None:
    """The right one of two is picked as often as the law says; of more, no pair errs more often than all of them."""
    pairs = ask(random_means_error, tasks=tasks, d=d, s=s)
    counted = random_means_accuracy.evaluate({"tasks": str(tasks), "d": str(d), "s": s})
    found = {name: result.value for name, result in counted.items() if isinstance(result, Optimum)}
    for name in ("gradient", "likelihood"):
        missed, error = 1 - found[name], 4 * sqrt(pairs[name] * (1 - pairs[name]) / 20_000)
        assert pairs[name] - error <= missed <= (tasks - 1) * (pairs[name] + error)
    assert found["gradient"] == found["likelihood"] if tasks == 2 else found["gradient"] < found["likelihood"]
    assert pairs["gradient"] <= pairs["bound"]


@pytest.mark.parametrize(("mean", "first", "second", "x"), [(0.2, 0.5, 2, 1), (-1, 3, 1, 0.5)])
def test_slopes_of_a_learned_variance(mean: float, first: float, second: float, x: float) -> None:
    def ell(z: float) -> float:
        v = (0.5 + z) * first**2 + (0.5 - z) * second**2
        return -log(v) / 2 - (x - mean) ** 2 / (2 * v)

    found = ask(variance_blindness, mean=mean, sigmas=[first, second], x=x)
    assert found["learned-variance"] == pytest.approx((ell(1e-6) - ell(-1e-6)) / 2e-6, rel=1e-6)
    assert found["log-ratio"] == pytest.approx(float(norm.logpdf(x, mean, first) - norm.logpdf(x, mean, second)))
    assert found["squared-error"] == 0


def test_pairs_at_irrational_means() -> None:
    """Two tasks: one step errs as likelihoods do, half the distance sqrt(2 + pi^2) away."""
    found = ask(gradient_pair_error, means='[["sqrt(2)",0],[0,"pi"]]', sigma="1", c=1, j=2, n=1)
    expected = float(norm.cdf(-sqrt(2 + np.pi**2) / 2))
    assert list(found.values()) == pytest.approx([expected] * 3, rel=1e-12)


@pytest.mark.parametrize(
    ("item", "arguments", "complaint"),
    [
        (two_task_filter, {"means": "[0]", "sigma": "1", "hazard": "0", "x": "[0]"}, "1 means"),
        (two_task_filter, {"means": "[0, 1]", "sigma": "1", "hazard": "2", "x": "[0]"}, "no probability"),
        (latent_step, {"means": "[[0],[1]]", "x": "[0, 1]", "sigma": "1", "temperature": "1", "rate": "1"}, "entries"),
        (gradient_pair_error, {"means": "[[0],[1]]", "sigma": "1", "c": "1", "j": "3"}, "j = 3 of 2 tasks"),
        (gradient_pair_error, {"means": "[[0],[0]]", "sigma": "1", "c": "1", "j": "2"}, "not known to differ"),
        (sample_consistency, {"means": "[[0],[1]]", "sigma": "1", "c": "1", "j": "1"}, "not known to differ"),
        (random_means_error, {"tasks": "1", "d": "1", "s": "1"}, "nothing to infer"),
        (random_means_error, {"tasks": "2", "d": "1", "s": "-1"}, ">= 0"),
        (random_means_accuracy, {"tasks": "1", "d": "1", "s": "1"}, "K = 1"),
        (random_means_accuracy, {"tasks": "2", "d": "65", "s": "1"}, "d = 65"),
        (random_means_accuracy, {"tasks": "2", "d": "1", "s": "-1"}, "from 0"),
        (random_means_accuracy, {"tasks": "2", "d": "1", "s": "10^7"}, "10.6"),
        (variance_blindness, {"mean": "0", "sigmas": "[1]", "x": "0"}, "give two"),
        (gauss_newton_step, {"means": "[[0],[1],[2]]", "x": "[0]"}, "affinely dependent"),
        (gauss_newton_step, {"means": '[["sqrt(2)"],[1]]', "x": "[0]"}, "rational"),
        (hull_one_step, {"means": str([[k] for k in range(MOST_POINTS + 2)]), "x": "[0]", "sigma": "1"}, "at most"),
    ],
)  # fmt: skip
def test_quantities_refuse(item: Quantity, arguments: dict[str, str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        item.evaluate(arguments)
