"""Curvatures, fixed points and projections against brute force, at numbers that no claim lists."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.errors import InputError
from theory.inference.entropy.concavity import entropy_curvature, entropy_curvature_sample, is_semidefinite
from theory.inference.entropy.contraction import entropy_fixed_point, picard_iterates
from theory.inference.entropy.projection import is_optimal, projected
from theory.inference.entropy.sparsemax import entropy_expansion, sparsemax
from theory.inference.linear_pool.test_linear_pool import ask, entries
from theory.quantities import Quantity

EXAMPLES = 8
TENTHS = st.integers(-20, 20).map(lambda n: n / 10)


@settings(max_examples=EXAMPLES)
@given(st.lists(st.integers(1, 30), min_size=2, max_size=3))
def test_eigenvalues_along_sum_0(weights: list[int]) -> None:
    z, K = np.array(weights) / sum(weights), len(weights)
    basis = np.linalg.svd(np.ones((1, K)))[2][1:].T
    values = np.linalg.eigvalsh(basis.T @ np.diag(1 / z) @ basis)
    found = ask(entropy_curvature, z=json.dumps([f"{w}/{sum(weights)}" for w in weights]))
    assert (found["least"], found["largest"]) == pytest.approx((values[0], values[-1]))
    assert found["least"] >= 2 - 1e-12


@settings(max_examples=EXAMPLES)
@given(st.lists(st.integers(-5, 9), min_size=2, max_size=4))
def test_forms_by_eigenvalues(diagonal: list[int]) -> None:
    matrix, K = np.diag(diagonal).astype(float), len(diagonal)
    basis = np.linalg.svd(np.ones((1, K)))[2][1:].T
    least = np.linalg.eigvalsh(basis.T @ matrix @ basis)[0]
    if abs(least) > 1e-9:
        assert is_semidefinite(list(map(Fraction, diagonal)), tangent=True) == (least > 0)
    assert is_semidefinite(list(map(Fraction, diagonal)), tangent=False) == (min(diagonal) >= 0)


def test_a_sample_stays_above_two() -> None:
    assert 2 < ask(entropy_curvature_sample, points=20_000)["least"] < 2.001


@settings(max_examples=EXAMPLES)
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=2, max_size=4), TENTHS, TENTHS, st.integers(1, 8))
def test_fixed_points(means: list[tuple[float, float]], x: float, y: float, eighths: int) -> None:
    m, datum, alpha = np.array(means), np.array([x, y]), eighths / 2
    arguments = {"means": json.dumps(means), "x": [x, y], "variance": 0.5, "alpha": alpha}
    found = ask(entropy_fixed_point, **arguments)

    def phi(z: np.ndarray) -> np.ndarray:
        logits = m @ (datum - z @ m) / (0.5 * alpha)
        powers = np.exp(logits - logits.max())
        return np.array(powers / powers.sum())

    u = np.full(len(m), 1 / len(m))
    diameter = max(np.linalg.norm(a - b) for a in m for b in m)
    assert found["q"] == pytest.approx(diameter**2 / (2 * alpha))
    assert entries(found, "step") == pytest.approx(phi(u), abs=1e-12)
    before, z = u, phi(u)
    for _ in range(29):
        before, z = z, phi(z)
    iterates = ask(picard_iterates, **arguments, steps=30)
    assert entries(iterates, "last") == pytest.approx(z, abs=1e-6)
    assert entries(iterates, "before") == pytest.approx(before, abs=1e-6)
    if len(m) == 2:
        fixed = entries(found, "fixed")
        assert phi(fixed) == pytest.approx(fixed, abs=1e-9)
        assert found["error"] == pytest.approx(np.abs(phi(u) - fixed).sum(), abs=1e-9)
        assert found["error"] <= found.get("bound", 2) + 1e-12


@settings(max_examples=EXAMPLES)
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=5), st.integers(1, 6))
def test_projections_are_the_best_of_many_points(g: list[int], quarters: int) -> None:
    weight = quarters / 4
    z = entries(ask(sparsemax, g=g, weight=weight), "z")
    points = np.concatenate((np.random.default_rng(0).dirichlet(np.ones(len(g)), size=200), np.eye(len(g))))
    levels = points @ np.array(g) - weight * (points**2).sum(axis=1)
    assert z @ np.array(g) - weight * z @ z >= levels.max() - 1e-12
    assert z.sum() == pytest.approx(1) and z.min() >= 0
    v = tuple(Fraction(entry) for entry in g)
    exact = projected(v)
    assert is_optimal([a - b for a, b in zip(v, exact, strict=True)], exact)
    assert exact == projected([entry + 100 for entry in v])
    moved = (exact[0] + Fraction(1, 10), exact[1] - Fraction(1, 10), *exact[2:])
    assert not is_optimal([a - b for a, b in zip(v, moved, strict=True)], moved)
    # All slopes are equal, but it is outside the simplex.
    assert not is_optimal((1, 1), (2, -1)) and not is_optimal((1, 1), (1, 1)) and is_optimal((1, 1), (1, 0))


@settings(max_examples=EXAMPLES)
@given(st.lists(TENTHS, min_size=2, max_size=5))
def test_expansions(a: list[float]) -> None:
    logits, K = np.array(a), len(a)
    z = np.exp(logits) / np.exp(logits).sum()
    found = ask(entropy_expansion, a=a)
    assert found["entropy"] == pytest.approx(-(z * np.log(z)).sum())
    assert found["by-logits"] == pytest.approx(np.log(K) - logits.var() / 2)
    assert found["by-shares"] == pytest.approx(np.log(K) - K / 2 * ((z - 1 / K) ** 2).sum())


@pytest.mark.parametrize(
    ("quantity", "arguments"),
    [
        (entropy_curvature, {"z": "[0.5,0.6]"}),
        (entropy_curvature, {"z": "[0.25,0.25,0.25,0.25]"}),
        (entropy_curvature, {"z": "[1,0]"}),
        (entropy_curvature_sample, {"points": "10000000"}),
        (entropy_fixed_point, {"means": "[[0],[1]]", "x": "[0,1]", "variance": "1", "alpha": "1"}),
        (picard_iterates, {"means": "[[0],[1]]", "x": "[0]", "variance": "1", "alpha": "1", "steps": "100000"}),
        (sparsemax, {"g": '["sqrt(2)",1]', "weight": "1"}),
        (sparsemax, {"g": "[1,2]", "weight": "0"}),
        (sparsemax, {"g": "[1]", "weight": "1"}),
        (entropy_expansion, {"a": "[1]"}),
    ],
)
def test_bad_input_is_refused(quantity: Quantity, arguments: dict[str, str]) -> None:
    with pytest.raises(InputError):
        quantity.evaluate(arguments)
