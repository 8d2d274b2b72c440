"""What repeated steps converge to, and how fast."""

from math import log

import numpy as np
import pytest
import torch
from torch import Tensor

from constructions.inference import METHODS, gaussian, gradient, iterate, linear, one_step, pool

F64 = torch.float64


def tensor(*rows: object) -> Tensor:
    return torch.tensor(rows, dtype=F64)


ROWS = tensor((0.9, 0.1, 0.2), (0.8, 0.3, 0.1), (0.2, 0.7, 0.3), (0.1, 0.6, 0.4))[None]


def test_expectation_maximisation() -> None:
    trace = iterate(pool(ROWS), 1, 3, method="em", steps=400, dtype=F64)
    gains = trace.history.diff(dim=0)[:, 0]
    assert gains[:3].tolist() == pytest.approx([0.2421755607, 0.1404235441, 0.0861004854], abs=1e-9)
    assert float(gains.min()) >= -1e-14
    # The maximiser has a third entry of 0 to first order: the rest of it falls like a power of the number of steps.
    assert trace.z[0].tolist() == pytest.approx([0.4954098836, 0.5045901164, 0], abs=1e-3)
    best = -3.139243782
    for steps, gap in ((1, 0.3707549618), (5, 0.0551034590)):
        assert best - float(trace.history[steps]) == pytest.approx(gap, abs=1e-8)
    for steps in range(401):
        assert best - float(trace.history[steps]) <= 4 * log(3) / (steps + 1)


def test_repeated_on_one_datum_it_is_a_power_of_the_likelihood() -> None:
    p = tensor((0.2, 0.5, 0.1, 0.9))
    for steps in (1, 2, 5):
        z = iterate(pool(p), 1, 4, method="em", steps=steps, dtype=F64).z
        torch.testing.assert_close(z, p**steps / (p**steps).sum(), rtol=1e-12, atol=0)


def test_exponentiated_steps_end_at_the_minimiser_of_most_entropy() -> None:
    ell = gaussian(linear(tensor((0, 1, 2, 4))), tensor((1.5,)), 1)
    trace = iterate(ell, 1, 4, method="exponentiated", steps=100, rate=0.25, dtype=F64)
    assert (-trace.history[[0, 1, 5], 0]).tolist() == pytest.approx([0.03125, 0.0067557804, 2.40523452e-5], abs=1e-10)
    assert trace.z[0].tolist() == pytest.approx([0.3035140893, 0.2693241479, 0.2389855996, 0.1881761632], abs=1e-9)
    assert float(trace.history.diff(dim=0).min()) >= -1e-15
    other = iterate(ell, 1, 4, method="exponentiated", steps=200, rate=0.25, start=tensor(0.7, 0.1, 0.1, 0.1))
    expected = [0.4820446135, 0.0978725942, 0.1391018817, 0.2809809106]
    assert other.z[0].tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("method", ["softmax", "adam"])
def test_logits_begin_at_the_start_that_is_given(method: str) -> None:
    start = tensor(0.7, 0.2, 0.1)
    ell = gaussian(linear(tensor((0, 1, 2))), tensor((1.5,)), 1)
    near = iterate(ell, 1, 3, method=method, steps=1, rate=1e-9, temperature=0.5, start=start)
    torch.testing.assert_close(near.path[1, 0], start, rtol=0, atol=1e-7)


def test_too_large_a_rate_is_not_monotone() -> None:
    ell = gaussian(linear(tensor((0, 1))), tensor((0.7,)), 0.5)
    losses = -iterate(ell, 1, 2, method="exponentiated", steps=2, rate=3, dtype=F64).history[:, 0]
    assert losses.tolist() == pytest.approx([0.08, 0.0940281591, 0.1253112682], abs=1e-9)


def test_fixed_points_of_the_entropic_objective() -> None:
    ell = gaussian(linear(tensor((0, 1))), tensor((0.7,)), 0.5)
    trace = iterate(ell, 1, 2, method="picard", steps=60, temperature=2, dtype=F64)
    assert float(trace.path[1, 0, 0]) == pytest.approx(0.4013123399, abs=1e-10)
    assert float(trace.z[0, 0]) == pytest.approx(0.4335963919, abs=1e-10)
    cycle = iterate(ell, 1, 2, method="picard", steps=201, temperature=0.5, dtype=F64).path[-2:, 0, 0]
    assert sorted(cycle.tolist()) == pytest.approx([0.0074095191, 0.9121940798], abs=1e-9)


@pytest.mark.parametrize(("sigma", "T"), [(0.2, 0.1), (0.3, 0.1), (0.3, 1.0), (0.7, 2.0)])
def test_one_logit_step_at_the_right_rate_is_the_posterior(sigma: float, T: float) -> None:
    """On log-likelihoods the rate is K T^2, whatever sigma is; at another it is not."""
    ell = gaussian(linear(tensor((0.2, 0.8))), tensor((0.31,)), sigma)
    posterior = one_step(gradient(ell, 1, 2, dtype=F64))
    step = iterate(ell, 1, 2, steps=1, rate=2 * T**2, temperature=T, dtype=F64).z
    torch.testing.assert_close(step, posterior, rtol=1e-12, atol=0)
    faster = iterate(ell, 1, 2, steps=1, rate=2.4 * T**2, temperature=T, dtype=F64).z
    assert float(faster[0, 0] - posterior[0, 0]) > 1e-3
    if (sigma, T) == (0.2, 0.1):
        assert float(step[0, 0]) == pytest.approx(0.9453186828, abs=1e-10)
        assert float(faster[0, 0]) == pytest.approx(0.9683237716, abs=1e-10)


def test_the_first_step_of_adam_knows_no_strength() -> None:
    for x in (0.31, 0.45, -3.0):
        ell = gaussian(linear(tensor((0.2, 0.8))), tensor((x,)), 0.3)
        z = iterate(ell, 1, 2, method="adam", steps=1, rate=0.1, temperature=0.1, dtype=F64).z
        assert float(z[0, 0]) == pytest.approx(0.880797078, abs=1e-6)


@pytest.mark.parametrize(("method", "optimiser"), [("softmax", torch.optim.SGD), ("adam", torch.optim.Adam)])
def test_ascent_on_logits_is_that_of_torch(method: str, optimiser: type[torch.optim.Optimizer]) -> None:
    ell = gaussian(linear(tensor((0, 1, 3), (1, 0, 1))), tensor((0.7, 0.2), (2, -1)), 0.5)
    trace = iterate(ell, 2, 3, method=method, steps=20, rate=0.3, temperature=0.5, dtype=F64)
    logits = torch.zeros(2, 3, dtype=F64, requires_grad=True)
    steps = optimiser([logits], lr=0.3)  # type: ignore[call-arg]
    for _ in range(20):
        steps.zero_grad()
        (-ell((logits / 0.5).softmax(-1)).sum()).backward()
        steps.step()
    torch.testing.assert_close(trace.z, (logits.detach() / 0.5).softmax(-1), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", ["softmax", "adam", "projected", "exponentiated"])
def test_all_ascend_to_a_maximiser(method: str) -> None:
    random = np.random.default_rng(7)
    means, inside = torch.tensor(random.normal(size=(3, 4))), torch.tensor(random.dirichlet(np.ones(4), size=5))
    x = inside @ means.T
    trace = iterate(gaussian(linear(means), x, 1), 5, 4, method=method, steps=400, rate=0.3, dtype=F64)
    assert trace.path.shape == (401, 5, 4) and trace.history.shape == (401, 5)
    assert float(trace.history[-1].min()) > -2e-3
    torch.testing.assert_close(trace.z.sum(-1), torch.ones(5, dtype=F64))
    assert float(trace.path.min()) >= 0


def test_every_inference_begins_anew() -> None:
    ell = gaussian(linear(tensor((0, 1, 3))), tensor((0.7,)), 0.5)
    for method in METHODS:
        if method != "em":
            first, again = (iterate(ell, 1, 3, method=method, steps=5, rate=0.1, dtype=F64) for _ in range(2))
            assert torch.equal(first.path, again.path) and first.path[0].tolist() == [[1 / 3] * 3]
