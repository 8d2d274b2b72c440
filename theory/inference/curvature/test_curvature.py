"""Remainders, their bounds and gated models against brute force, at numbers that no claim lists."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.errors import InputError
from theory.inference.curvature.argmax import curvature_gaussian
from theory.inference.curvature.distance import Distance, _verdict, curvature_network, tilt_distances, worst_tilt
from theory.inference.curvature.gating import gated_layers, gated_network
from theory.inference.curvature.network import TanhNetwork
from theory.inference.linear_pool.test_linear_pool import ask, entries
from theory.outcome import Outcome
from theory.quantities import Quantity

EXAMPLES = 8
TENTHS = st.integers(-15, 15).map(lambda n: n / 10)


def matrices(rows: int, columns: int) -> st.SearchStrategy[list[list[float]]]:
    return st.lists(st.lists(TENTHS, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@settings(max_examples=EXAMPLES)
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=2, max_size=5), TENTHS, TENTHS)
def test_remainders_of_gaussian_tasks(means: list[tuple[float, float]], x: float, y: float) -> None:
    found = ask(curvature_gaussian, means=json.dumps(means), x=[x, y], variance=0.5)
    m, datum = np.array(means), np.array([x, y])
    ell = -((datum - m) ** 2).sum(axis=1)
    half = ((m - m.mean(axis=0)) ** 2).sum(axis=1)
    assert entries(found, "half-curvature") == pytest.approx(half, abs=1e-9)
    assert entries(found, "remainder") == pytest.approx(-half, abs=1e-9)
    assert found["rho"] == pytest.approx(np.ptp(half), abs=1e-9)
    assert max(half) <= found["beta"] / 2 * (1 - 1 / len(m)) + 1e-9 and found["beta"] <= found["eigenvalue"] + 1e-9
    ranked = np.sort(ell)
    if found.get("lead", 0) > found["rho"]:
        assert found["lead"] == pytest.approx(ranked[-1] - ranked[-2])
        assert found["gradient-task"] == found["likelihood-task"] == ell.argmax() + 1


@settings(max_examples=EXAMPLES)
@given(matrices(2, 3), st.lists(TENTHS, min_size=2, max_size=2), TENTHS, TENTHS)
def test_gradients_and_bends_are_differences(inner: list[list[float]], outer: list[float], x: float, y: float) -> None:
    network = TanhNetwork(tuple(outer), tuple(map(tuple, inner)), (0.3, -0.7), x, y, 0.5)
    u, step = np.full(3, 1 / 3), 1e-4

    def ell(z: np.ndarray) -> float:
        units = np.tanh(np.array([0.3, -0.7]) * x + np.array(inner) @ z)
        return -float((y - np.array(outer) @ units) ** 2)

    slopes = [(ell(u + step * e) - ell(u - step * e)) / (2 * step) for e in np.eye(3)]
    assert network.gradient() == pytest.approx(slopes, abs=1e-6)
    v = np.array([0.5, -0.2, -0.3])
    second = (ell(u + step * v) + ell(u - step * v) - 2 * ell(u)) / step**2
    assert network.bend(tuple(u), tuple(v)) == pytest.approx(second, abs=1e-5)
    found = ask(curvature_network, outer=outer, inner=inner, weights=[0.3, -0.7], x=x, target=y, variance=0.5)
    exact = [ell(e) - ell(u) - g + np.mean(slopes) for e, g in zip(np.eye(3), slopes, strict=True)]
    assert entries(found, "remainder") == pytest.approx(exact, abs=1e-6)
    for name in ("KL", "KL-reversed"):
        assert -1e-12 <= found[name] <= found["KL-bound"] + 1e-12
    assert found["TV"] <= found["TV-bound"] + 1e-12


@settings(max_examples=EXAMPLES)
@given(st.lists(st.tuples(st.integers(1, 9), TENTHS), min_size=2, max_size=5))
def test_tilts(pairs: list[tuple[int, float]]) -> None:
    weights, R = map(list, zip(*pairs, strict=True))
    q = np.array(weights) / sum(weights)
    p = q * np.exp(R)
    p /= p.sum()
    found = ask(tilt_distances, q=weights, R=R)
    assert found["KL"] == pytest.approx((p * np.log(p / q)).sum(), abs=1e-12)
    assert found["KL-reversed"] == pytest.approx((q * np.log(q / p)).sum(), abs=1e-12)
    assert found["TV"] == pytest.approx(np.abs(p - q).sum() / 2, abs=1e-12)


@settings(max_examples=EXAMPLES)
@given(st.integers(1, 60).map(lambda n: n / 10))
def test_the_worst_tilt_is_that_of_a_fine_grid(rho: float) -> None:
    s = np.linspace(1e-6, 1 - 1e-6, 20001)
    total = 1 - s + s * np.exp(rho)
    found = ask(worst_tilt, rho=rho)
    assert found["KL"] == pytest.approx((s * np.exp(rho) / total * rho - np.log(total)).max(), abs=1e-5)
    assert found["KL"] <= found["KL-bound"]
    assert found["share"] == pytest.approx(s[(s * np.exp(rho) / total * rho - np.log(total)).argmax()], abs=1e-4)


@pytest.mark.parametrize("power", [30, 9, 3])
def test_a_small_tilt_keeps_its_digits(power: int) -> None:
    """Of T - 1 - log T = rho^2/8 - rho^4/576 + ..., which floats near 1 have lost."""
    rho = 10.0**-power
    found = ask(worst_tilt, rho=f"1/10**{power}")
    assert found["KL"] / found["KL-bound"] == pytest.approx(1 - rho**2 / 72, abs=rho**4 + 1e-15)
    assert found["share"] == pytest.approx(0.5 - rho / 6, abs=rho**2 + 1e-15)


@pytest.mark.parametrize("turned", [False, True])
def test_both_divergences_count(turned: bool) -> None:
    """At q_1 = 1/3 and R = (1, 0) one is .1233 and the other .1195, and from the posterior's side the reverse."""
    q, R = (Fraction(1, 3), Fraction(2, 3)), (Fraction(1), Fraction(0))
    if turned:  # as near as fractions come
        p = Fraction(1, 3) * Fraction("2.718281828459045")
        q, R = (p / (p + Fraction(2, 3)), Fraction(2, 3) / (p + Fraction(2, 3))), (Fraction(-1), Fraction(0))
    assert _verdict(Distance(), q, R) is Outcome.HOLDS
    assert _verdict(Distance(eight=Fraction(1) / Fraction("0.12")), q, R) is Outcome.REFUTED  # type: ignore[arg-type]


@settings(max_examples=EXAMPLES)
@given(matrices(2, 2), matrices(2, 3), matrices(2, 2), TENTHS)
def test_gated_models(V: list[list[float]], G: list[list[float]], W2: list[list[float]], x: float) -> None:
    gates, outer, first = np.array(G), np.array(V), np.array([0.6, -0.8])
    found = ask(gated_network, V=V, G=G, W=[0.6, -0.8], x=x)
    tasks = [outer @ (gate * np.tanh(first * x)) for gate in gates.T]
    assert entries(found, "task-3") == pytest.approx(tasks[2], abs=1e-12)
    assert entries(found, "at-u") == pytest.approx(np.mean(tasks, axis=0), abs=1e-12)
    found = ask(gated_layers, V=V, G=G, W=[0.6, -0.8], W2=W2, x=x, scale=3)
    gate = gates.mean(axis=1)
    inner = gate * np.maximum(first * x, 0)
    expected = outer @ (gate * np.maximum(np.array(W2) @ inner, 0))
    assert entries(found, "at-u") == pytest.approx(expected, abs=1e-12)
    assert entries(found, "at-scaled") == pytest.approx(9 * expected, abs=1e-9)


@pytest.mark.parametrize(
    ("quantity", "arguments"),
    [
        (curvature_gaussian, {"means": "[[1]]", "x": "[0]", "variance": "1"}),
        (curvature_gaussian, {"means": "[[1],[2]]", "x": "[0,1]", "variance": "1"}),
        (tilt_distances, {"q": "[1,0]", "R": "[0,1]"}),
        (tilt_distances, {"q": "[1,1]", "R": "[0]"}),
        (gated_network, {"V": "[[1]]", "G": "[[1,2],[1,2]]", "W": "[1,2]", "x": "1"}),
        (gated_layers, {"V": "[[1]]", "G": "[[1,2]]", "W": "[1]", "W2": "[[1,2]]", "x": "1", "scale": "2"}),
    ],
)
def test_bad_input_is_refused(quantity: Quantity, arguments: dict[str, str]) -> None:
    with pytest.raises(InputError):
        quantity.evaluate(arguments)
