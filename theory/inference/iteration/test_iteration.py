"""Losses, limits and times of many steps against brute force, at numbers that no claim lists."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import root

from theory.errors import InputError
from theory.inference.iteration import square
from theory.inference.iteration.exponentiated import eg_losses
from theory.inference.iteration.line import eg_limit
from theory.inference.iteration.saturation import saturation_time
from theory.inference.linear_pool.test_linear_pool import ask, entries
from theory.quantities import Quantity

EXAMPLES = 8
TENTHS = st.integers(-20, 20).map(lambda n: n / 10)


@settings(max_examples=EXAMPLES)
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=2, max_size=4), TENTHS, TENTHS, st.integers(0, 6))
def test_losses(means: list[tuple[float, float]], x: float, y: float, steps: int) -> None:
    m, datum = np.array(means), np.array([x, y])
    hbar = max(((a - b) ** 2).sum() for a in m for b in m) / 2
    assume(hbar > 0)
    eta = round(1 / hbar, 6)
    arguments = {"means": json.dumps(means), "x": [x, y], "variance": 0.5, "eta": eta}
    z = np.full(len(m), 1 / len(m))
    for _ in range(steps):
        z = z * np.exp(eta * m @ (datum - z @ m) / 0.5)
        z /= z.sum()
    found = ask(eg_losses, **arguments, steps=steps)
    assert entries(found, "z") == pytest.approx(z, abs=1e-9)
    assert found["loss"] == pytest.approx(((datum - z @ m) ** 2).sum(), abs=1e-9)
    assert found["hbar"] == pytest.approx(hbar)
    if steps:
        assert found["bound"] == pytest.approx(np.log(len(m)) / (eta * steps))
        assert found["loss"] <= ask(eg_losses, **arguments, steps=steps - 1)["loss"] + 1e-5


@settings(max_examples=EXAMPLES)
@given(st.lists(st.integers(-6, 6), min_size=3, max_size=4, unique=True), st.integers(1, 7), st.data())
def test_the_limit_has_the_least_divergence(means: list[int], eighths: int, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 6), min_size=len(means), max_size=len(means)))
    m, start = np.array(means, dtype=float), np.array(weights) / sum(weights)
    y = min(means) + (max(means) - min(means)) * eighths / 8
    texts = json.dumps([f"{w}/{sum(weights)}" for w in weights])
    found = ask(eg_limit, M=means, y=y, start=texts)
    z = entries(found, "limit")
    assert z.sum() == pytest.approx(1) and z @ m == pytest.approx(y)
    assert np.log(z / start) - found["theta"] * m == pytest.approx(np.log(z / start)[0] - found["theta"] * m[0])
    best, *_ = np.linalg.lstsq(np.stack((np.ones(len(m)), m)), np.array([1, y]), rcond=None)
    assert entries(found, "least-norm") == pytest.approx(best, abs=1e-9)


@settings(max_examples=EXAMPLES)
@given(st.integers(1, 49), st.integers(1, 30), st.integers(1, 30))
def test_times_are_integrals_over_shares(hundredths: int, temperature: int, evidence: int) -> None:
    eps, T, gain = hundredths / 100, temperature / 10, evidence / 10
    found = ask(saturation_time, eps=eps, temperature=T, evidence=gain)
    # dz/dt is z (1 - z) times the speed of w.
    slow, _ = quad(lambda z: T**2 / (2 * (z * (1 - z)) ** 2 * gain), eps, 0.5)
    fast, _ = quad(lambda z: 1 / (z * (1 - z) * gain), eps, 0.5)
    assert (found["softmax"], found["exponentiated"]) == pytest.approx((slow, fast))


@pytest.mark.parametrize(
    ("quantity", "arguments"),
    [
        (eg_losses, {"means": "[[0],[1]]", "x": "[0]", "variance": "1", "eta": "1", "steps": "1000"}),
        (eg_losses, {"means": "[[0],[1]]", "x": "[0,1]", "variance": "1", "eta": "1"}),
        (eg_limit, {"M": "[0,1]", "y": "1"}),
        (eg_limit, {"M": "[0,1]", "y": "1/2", "start": "[1,1]"}),
        (eg_limit, {"M": "[0,1]", "y": "1/2", "start": "[1]"}),
        (eg_limit, {"M": "[0,1,2]", "y": "1e-100"}),
        (eg_limit, {"M": '["sqrt(2)",1]', "y": "1.2"}),
        (saturation_time, {"eps": "0.5", "temperature": "1", "evidence": "1"}),
    ],
)
def test_bad_input_is_refused(quantity: Quantity, arguments: dict[str, str]) -> None:
    with pytest.raises(InputError):
        quantity.evaluate(arguments)


@pytest.mark.parametrize(("y", "complaint"), [("0", "strictly between"), ("1", "strictly between"), ("1e-30", "tilt")])
def test_data_at_an_end_and_near_it(y: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        eg_limit.evaluate({"M": "[0,1]", "y": y})


def test_data_very_near_an_end_are_not_refused() -> None:
    found = ask(eg_limit, M=[0, 1], y="1e-10")
    assert (found["limit-2"], found["theta"]) == pytest.approx((1e-10, np.log(1e-10)))


@settings(max_examples=EXAMPLES)
@given(st.integers(1, 9), st.integers(1, 9))
def test_the_least_norm_on_a_square(a: int, b: int) -> None:
    y = Fraction(a, 10), Fraction(b, 10)
    rows = np.vstack((np.array(square.CORNERS, dtype=float).T, np.ones(4)))
    expected = np.linalg.pinv(rows) @ [*map(float, y), 1]
    assert [float(entry) for entry in square.least_norm(y)] == pytest.approx(list(expected), abs=1e-12)


def test_the_limit_in_the_plane() -> None:
    """The claim is of all linear Gaussian models; its numbers are of means on a line. No fewer dimensions here."""
    means = np.array([(0, 0), (3, 0), (0, 2), (2, 3), (1, 1), (4, 4)], dtype=float)
    start, datum = np.array([1, 2, 3, 4, 5, 6]) / 21, np.array([1.5, 1.5])
    eta = 4 / max(((a - b) ** 2).sum() for a in means for b in means)
    z = start
    for _ in range(3000):
        z = z * np.exp(eta * means @ (datum - z @ means))
        z /= z.sum()

    def tilted(theta: np.ndarray) -> np.ndarray:
        weights: np.ndarray = start * np.exp(means @ theta)
        return weights / weights.sum()

    def missed(theta: np.ndarray) -> np.ndarray:
        missing: np.ndarray = tilted(theta) @ means - datum
        return missing

    theta = root(missed, np.zeros(2), tol=1e-12).x
    assert z @ means == pytest.approx(datum, abs=1e-9)
    assert z == pytest.approx(tilted(theta), abs=1e-8)
    least = np.linalg.pinv(np.vstack((means.T, np.ones(6)))) @ np.append(datum, 1)
    assert abs(z - least).max() > 0.01
