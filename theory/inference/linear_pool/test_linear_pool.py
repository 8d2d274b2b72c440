"""Quantities of linear pools against brute force, at likelihoods that no claim lists."""

import math
from fractions import Fraction
from itertools import count, takewhile

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theory.claims import discover
from theory.errors import InputError
from theory.inference.linear_pool.calibration import pool_softmax_step
from theory.inference.linear_pool.expectation_maximisation import CLAIM, Ascent, em_gain, em_gap
from theory.inference.linear_pool.likelihood import pool_gradient, pool_posterior, pool_repeats
from theory.inference.linear_pool.natural import pool_natural
from theory.inference.linear_pool.observations import pool_several
from theory.inference.linear_pool.ood import pool_score
from theory.inference.linear_pool.plug_in import plug_in_gaussian, plug_in_pool
from theory.inference.linear_pool.search import maximiser
from theory.outcome import Outcome
from theory.quantities import Quantity

EXAMPLES = 8
VARIANCES = [Fraction(1, 2), Fraction(1), Fraction(9, 4)]
WEIGHTS = st.lists(st.integers(1, 30), min_size=2, max_size=5)


def ask(quantity: Quantity, **arguments: object) -> dict[str, float]:
    found = quantity.evaluate({key: str(text) for key, text in arguments.items()})
    return {name: float(result.value) for name, result in found.items() if not isinstance(result.value, str)}


def entries(found: dict[str, float], name: str) -> np.ndarray:
    keys = (f"{name}-{index}" for index in count(1))
    return np.array([found[key] for key in takewhile(found.__contains__, keys)])


@settings(max_examples=EXAMPLES)
@given(WEIGHTS, st.data())
def test_the_gradient_gives_any_posterior(p: list[int], data: st.DataObject) -> None:
    prior, z = (data.draw(st.lists(st.integers(1, 9), min_size=len(p), max_size=len(p))) for _ in range(2))
    texts = [str([f"{w}/{sum(ws)}" for w in ws]).replace("'", '"') for ws in (prior, z)]
    weights = np.array(prior) * np.array(p)
    found = ask(pool_posterior, p=p, prior=texts[0], z=texts[1])
    assert entries(found, "posterior") == pytest.approx(weights / weights.sum())
    found = ask(pool_gradient, p=p, z=texts[1])
    shares = np.array(z) / sum(z)
    assert entries(found, "gradient") == pytest.approx(np.array(p) / (shares @ np.array(p)))
    assert entries(found, "step") == pytest.approx(shares + (entries(found, "gradient") - 1) / len(p))
    for steps in (0, 1, 3):
        now = shares
        for _ in range(steps):
            now = now * p / (now @ np.array(p))
        assert entries(ask(pool_repeats, p=p, z=texts[1], steps=steps), "z") == pytest.approx(now)


@settings(max_examples=EXAMPLES)
@given(WEIGHTS, st.data())
def test_natural_gradient_is_the_metric_applied(p: list[int], data: st.DataObject) -> None:
    z = data.draw(st.lists(st.integers(1, 9), min_size=len(p), max_size=len(p)))
    shares, weights = np.array(z) / sum(z), np.array(p, dtype=float)
    found = ask(pool_natural, p=p, z=str([f"{w}/{sum(z)}" for w in z]).replace("'", '"'))
    g = weights / (shares @ weights)
    natural = (np.diag(shares) - np.outer(shares, shares)) @ g
    assert entries(found, "natural") == pytest.approx(natural, abs=1e-12)
    assert entries(found, "euclidean") == pytest.approx(g - g.mean(), abs=1e-12)
    assume(len(set(p)) > 1 and np.abs(natural).max() > 1e-9)
    cosine = natural @ (g - g.mean()) / np.linalg.norm(natural) / np.linalg.norm(g - g.mean())
    assert found["cosine"] == pytest.approx(cosine, abs=1e-9)


@settings(max_examples=EXAMPLES)
@given(WEIGHTS)
def test_softmax_step_stays_within_its_bounds(p: list[int]) -> None:
    found, weights = ask(pool_softmax_step, p=p), np.array(p, dtype=float)
    r = weights / weights.sum()
    step = np.exp(len(p) * r) / np.exp(len(p) * r).sum()
    assert entries(found, "step") == pytest.approx(step)
    assert found["total-variation"] == pytest.approx(np.abs(step - r).sum() / 2, abs=1e-12)
    for name in ("by-logits", "by-strength", "by-square"):
        assert found["total-variation"] <= found.get(name, 1) + 1e-12
    assert ask(pool_score, p=p)["score"] == pytest.approx(r.max())


@settings(max_examples=EXAMPLES)
@given(st.lists(st.lists(st.integers(1, 20), min_size=3, max_size=3), min_size=1, max_size=4))
def test_several_observations_and_em(p: list[list[int]]) -> None:
    rows = np.array(p, dtype=float)
    responsibilities = rows / rows.sum(-1, keepdims=True)
    found = ask(pool_several, p=p)
    assert entries(found, "posteriors") == pytest.approx(responsibilities.sum(0))
    assert entries(found, "gradient") == pytest.approx(3 * responsibilities.sum(0))
    assert entries(found, "log-likelihood") == pytest.approx(np.log(rows).sum(0), abs=1e-9)
    z = responsibilities.mean(0)
    found = ask(em_gain, p=p)
    assert entries(found, "z") == pytest.approx(z)
    assert found["gain"] == pytest.approx(np.log(rows @ z).sum() - np.log(rows.mean(-1)).sum(), abs=1e-9)
    assert found["gain"] >= found["divergence"] - 1e-9


@settings(max_examples=EXAMPLES)
@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), min_size=1, max_size=4))
def test_the_maximum_is_the_best_of_a_fine_grid(p: list[list[int]]) -> None:
    assume(all(any(row) for row in p))
    rows, grid = np.array(p, dtype=float), np.linspace(0, 1, 2001)
    with np.errstate(divide="ignore"):
        levels = np.log(rows[:, :1] * grid + rows[:, 1:] * (1 - grid)).sum(0)
    best, top = maximiser(rows, 3000)
    assert best.sum() == pytest.approx(1) and (best >= 0).all()
    assert levels.max() - 1e-4 <= top <= levels.max() + 1e-3
    found = ask(em_gap, p=p, steps=3)
    assert -1e-9 <= found["gap"] <= found["bound"] + 1e-9


@settings(max_examples=EXAMPLES)
@given(st.integers(1, 40), st.integers(1, 40))
def test_the_largest_plug_in_is_that_of_a_fine_grid(p: int, q: int) -> None:
    grid = np.linspace(1e-6, 1 - 1e-6, 20001)
    entropy = -(grid * np.log(grid) + (1 - grid) * np.log(1 - grid))
    levels = np.log(grid * p + (1 - grid) * q) + entropy - math.log(2)
    found = ask(plug_in_pool, p=[p, q])
    assert found["maximum"] == pytest.approx(levels.max(), abs=1e-6)
    assert found["z-1"] == pytest.approx(grid[levels.argmax()], abs=1e-3)
    assert found["maximum"] >= found["log-evidence"] - 1e-12


@settings(max_examples=EXAMPLES)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=4), st.integers(-3, 3), st.sampled_from(VARIANCES))
def test_the_gap_is_that_of_the_definition(means: list[int], x: int, variance: Fraction) -> None:
    found = ask(plug_in_gaussian, means=[[m] for m in means], x=[x], variance=variance)
    m, v = np.array(means, dtype=float), float(variance)
    ell = -((x - m) ** 2) / (2 * v)
    plug_in = -((x - m.mean()) ** 2) / (2 * v)
    assert found["plug-in"] == pytest.approx(plug_in, abs=1e-9)
    assert found["gap"] == pytest.approx(plug_in - ell.mean(), abs=1e-9)
    assert found["log-evidence"] == pytest.approx(float(np.log(np.exp(ell).mean())), abs=1e-9)


def test_a_tied_vertex_alone_refutes_the_faster_rate() -> None:
    """Other pieces of the claim refute it before: all of its evidence is looked at here."""
    tied = [
        piece.outcome
        for variant in (Ascent(), Ascent(power=2))
        for piece in discover()[CLAIM].check(variant, False)
        if piece.name == "a vertex tied to first order"
    ]
    assert tied == [Outcome.HOLDS, Outcome.REFUTED]


@pytest.mark.parametrize("quantity", [pool_natural, pool_score, pool_softmax_step])
def test_irrational_likelihoods_are_those_of_floats(quantity: Quantity) -> None:
    found = ask(quantity, p='["sqrt(2)", "pi/2"]')
    expected = ask(quantity, p=[math.sqrt(2), math.pi / 2])
    assert found.keys() == expected.keys() and len(found) > 1
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("quantity", "arguments"),
    [
        (pool_gradient, {"p": "[1,0]"}),
        (pool_gradient, {"p": "[1]"}),
        (pool_gradient, {"p": "[1,2]", "z": "[0.5,0.6]"}),
        (pool_gradient, {"p": "[1,2]", "z": "[0.5,0.25,0.25]"}),
        (pool_posterior, {"p": "[1,2]", "prior": "[1]"}),
        (pool_repeats, {"p": "[1,2]", "steps": "100000"}),
        (em_gain, {"p": "[[0,0]]"}),
        (em_gain, {"p": "[[1,-1]]"}),
        (em_gain, {"p": "[[1,2]]", "step": "40"}),
        (em_gap, {"p": "[[1,2]]", "steps": "1000000"}),
        (plug_in_pool, {"p": "[1,2,3]"}),
        (pool_softmax_step, {"p": "[1,2]", "constant": "0"}),
    ],
)
def test_bad_input_is_refused(quantity: Quantity, arguments: dict[str, str]) -> None:
    with pytest.raises(InputError):
        quantity.evaluate(arguments)
