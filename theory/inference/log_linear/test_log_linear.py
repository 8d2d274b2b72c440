"""One gradient at u against Bayes' rule, and starts against circumcentres, at numbers that no claim lists."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theory.errors import InputError
from theory.inference.embeddings import Gaussian
from theory.inference.linear_pool.test_linear_pool import EXAMPLES, VARIANCES, ask, entries
from theory.inference.log_linear.circumcentre import circumcentre, circumcentre_start
from theory.inference.log_linear.exactness import picked, wrong_datum, wrong_datum_of
from theory.inference.log_linear.families import (
    one_step_bernoulli,
    one_step_categorical,
    one_step_gaussian,
    one_step_poisson,
)
from theory.quantities import Quantity

POINTS = st.tuples(st.integers(-4, 4), st.integers(-4, 4))
MEANS = st.lists(POINTS, min_size=3, max_size=3)


@settings(max_examples=EXAMPLES)
@given(MEANS, POINTS, st.sampled_from(VARIANCES))
def test_gaussian_report(means: list[tuple[int, int]], x: tuple[int, int], variance: Fraction) -> None:
    found = ask(one_step_gaussian, means=list(map(list, means)), x=list(x), variance=variance, prior="[0.2,0.3,0.5]")
    m, point, v = np.array(means, dtype=float), np.array(x, dtype=float), float(variance)
    prior = np.array([0.2, 0.3, 0.5])
    ell = -((m - point) ** 2).sum(-1) / (2 * v)
    posterior = prior * np.exp(ell - ell.max())
    posterior /= posterior.sum()
    g = m @ (point - m.mean(0)) / v
    assert entries(found, "gradient") == pytest.approx(g, abs=1e-9)
    assert entries(found, "log-likelihood") == pytest.approx(ell, abs=1e-9)
    assert entries(found, "offset") == pytest.approx(((m - m.mean(0)) ** 2).sum(-1) / (2 * v), abs=1e-9)
    assert entries(found, "posterior") == pytest.approx(posterior, abs=1e-9)
    assert entries(found, "corrected") == pytest.approx(posterior, abs=1e-9)
    assert np.ptp(entries(found, "left")) <= 1e-9


@settings(max_examples=EXAMPLES)
@given(st.lists(st.integers(1, 12), min_size=2, max_size=4), st.integers(0, 8))
def test_poisson_report(rates: list[int], x: int) -> None:
    found, values = ask(one_step_poisson, rates=rates, x=x), np.array(rates, dtype=float)
    centre = np.exp(np.log(values).mean())
    likelihoods = values**x * np.exp(-values)
    assert found["mean-1"] == pytest.approx(centre)
    assert entries(found, "gradient") == pytest.approx(np.log(values) * (x - centre), abs=1e-9)
    assert entries(found, "posterior") == pytest.approx(likelihoods / likelihoods.sum())
    assert entries(found, "corrected") == pytest.approx(likelihoods / likelihoods.sum())


@settings(max_examples=EXAMPLES)
@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=2, max_size=3), st.integers(0, 2))
def test_categorical_report(rows: list[list[int]], letter: int) -> None:
    found, logits = ask(one_step_categorical, logits=rows, letter=letter), np.array(rows, dtype=float)
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    centre = np.exp(logits.mean(0))
    centre /= centre.sum()
    assert entries(found, "mean") == pytest.approx(centre)
    assert entries(found, "gradient") == pytest.approx(logits[:, letter] - logits @ centre, abs=1e-9)
    assert entries(found, "offset") == pytest.approx((centre * np.log(centre / p)).sum(-1), abs=1e-9)
    assert entries(found, "corrected") == pytest.approx(p[:, letter] / p[:, letter].sum())


@settings(max_examples=EXAMPLES)
@given(MEANS)
def test_a_datum_on_the_wrong_side_is_one(means: list[tuple[int, int]]) -> None:
    assume(len(set(means)) == 3)
    gaussian = Gaussian(tuple(means), Fraction(1, 2))
    found = wrong_datum(gaussian, 40)
    if found is None:
        assert len(set(gaussian.offsets())) == 1
    else:
        assert picked(gaussian.log_likelihoods(found)) not in (None, picked(gaussian.gradient(found)))


@settings(max_examples=EXAMPLES)
@given(MEANS)
def test_the_start_is_the_circumcentre(means: list[tuple[int, int]]) -> None:
    (a, b), (c, d), (e, f) = means
    area = 2 * (a * (d - f) + c * (f - b) + e * (b - d))
    if area == 0:
        with pytest.raises(InputError):
            circumcentre_start(tuple(means))
        return
    squares = a * a + b * b, c * c + d * d, e * e + f * f
    x = Fraction(squares[0] * (d - f) + squares[1] * (f - b) + squares[2] * (b - d), area)
    y = Fraction(squares[0] * (e - c) + squares[1] * (a - e) + squares[2] * (c - a), area)
    found = circumcentre.evaluate({"means": str(list(map(list, means)))})
    assert (found["centre-1"].value, found["centre-2"].value) == (x, y)
    assert found["start-1"].value + found["start-2"].value + found["start-3"].value == 1


def test_the_lean_is_to_the_far_task_at_a_found_datum() -> None:
    found = wrong_datum_of.evaluate({"means": "[[0],[1],[5]]", "variance": "1"})["wrong-datum"].value
    gaussian, x = Gaussian(((0,), (1,), (5,))), (Fraction(str(found)),)
    chosen, likely = picked(gaussian.gradient(x)), picked(gaussian.log_likelihoods(x))
    assert chosen is not None and likely is not None
    assert gaussian.offsets()[chosen] > gaussian.offsets()[likely]


def test_an_irrational_start_that_adds_up_to_one() -> None:
    known = {"means": "[[0],[1]]", "x": "[1]", "variance": "1"}
    found = one_step_gaussian.evaluate({**known, "start": '["sqrt(2)-1","2-sqrt(2)"]'})
    near = one_step_gaussian.evaluate({**known, "start": "[0.414213562373,0.585786437627]"})
    for name in ("gradient-1", "offset-2", "corrected-1", "squared-radius-2"):
        assert float(found[name].value) == pytest.approx(float(near[name].value), abs=1e-9)
    with pytest.raises(InputError, match="does not add up to 1"):
        one_step_gaussian.evaluate({**known, "start": '["sqrt(2)","pi"]'})


@pytest.mark.parametrize(
    ("quantity", "arguments"),
    [
        (one_step_poisson, {"rates": "[1,0]", "x": "1"}),
        (one_step_poisson, {"rates": "[1]", "x": "1"}),
        (one_step_bernoulli, {"p": "[0.5,1]", "x": "1"}),
        (one_step_bernoulli, {"p": "[0.5,0.25]", "x": "2"}),
        (one_step_gaussian, {"means": "[[0],[1]]", "x": "[1,2]", "variance": "1"}),
        (one_step_gaussian, {"means": "[[0],[1]]", "x": "[1]", "variance": "1", "start": "[0.5,0.25]"}),
        (one_step_gaussian, {"means": "[[0],[1]]", "x": "[1]", "variance": "1", "prior": "[1,1]"}),
        (one_step_categorical, {"logits": "[[0,1],[1,0]]", "letter": "2"}),
        (circumcentre, {"means": "[[0],[1],[2]]"}),
        (circumcentre, {"means": '[[0],["sqrt(2)"]]'}),
        (wrong_datum_of, {"means": "[[0,0,0],[1,1,1]]", "variance": "1"}),
    ],
)
def test_bad_input_is_refused(quantity: Quantity, arguments: dict[str, str]) -> None:
    with pytest.raises(InputError):
        quantity.evaluate(arguments)
