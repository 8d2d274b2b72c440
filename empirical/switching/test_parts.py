"""Networks, streams and measures against their definitions, and against a network that is linear in z."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from constructions.inference import BayesFilter
from empirical.switching import measures
from empirical.switching.bands import theory
from empirical.switching.filtering import followed, online
from empirical.switching.inference import evidence, gradients, likelihoods
from empirical.switching.learning import Updates, eighths, first_below, go_on, learn, running
from empirical.switching.networks import Networks
from empirical.switching.plan import Plan
from empirical.switching.stream import HIGH, LOW, relabelled, stream, streams, windows

torch.set_num_threads(1)


class Linear:
    """Predicts sum_k z_k m_k whatever came before: what the theory is about."""

    def __init__(self, means: tuple[float, ...]) -> None:
        self.tasks, self.means = len(means), torch.tensor(means)

    def __call__(self, x: Tensor, z: Tensor) -> Tensor:
        return (z @ self.means)[..., None].expand(x.shape)

    def last(self, x: Tensor, z: Tensor) -> Tensor:
        return self(x, z)[..., -1]


def linear(*means: float) -> Networks:
    return cast(Networks, Linear(means))


@pytest.mark.parametrize("varying", [True, False])
def test_an_lstm_of_torch(varying: bool) -> None:
    nets = Networks([3, 4], 2, 5)
    x, z = torch.randn(2, 6, 4), torch.rand(2, 6, 4, 2) if varying else torch.rand(2, 6, 2)
    every = z if varying else z[:, :, None].expand(-1, -1, 4, -1)
    # torch has the gates in the order input, forget, new, output, and ours are input, forget, output, new.
    order = torch.cat([torch.arange(5) + 5 * gate for gate in (0, 1, 3, 2)])
    for s in range(2):
        theirs = nn.LSTM(3, 5, batch_first=True)
        weights = {
            "weight_ih_l0": nets.inputs[s].T[order],
            "weight_hh_l0": nets.recurrent[s].T[order],
            "bias_ih_l0": nets.bias[s, 0, order],
            "bias_hh_l0": torch.zeros(20),
        }
        theirs.load_state_dict(weights)
        states, _ = theirs(torch.cat((x[s, ..., None], every[s]), dim=-1))
        assert torch.allclose(nets.states(x, z)[s], states, atol=1e-6)
        read = states @ nets.readout[s] + nets.level[s]
        assert torch.allclose(nets(x, z)[s], read[..., 0], atol=1e-6)
        assert torch.allclose(nets.last(x, z)[s], read[:, -1, 0], atol=1e-6)


def test_networks_learn_apart() -> None:
    """Trained together, every network becomes what it becomes alone."""
    x, z = torch.randn(2, 6, 8), torch.rand(2, 6, 7, 2)
    together = Networks([1, 2], 2, 5)
    updates = Updates(together)
    errors = torch.stack([updates.step(x[:, t], z[:, t]) for t in range(6)], dim=1)
    for s, seed in enumerate((1, 2)):
        alone = Networks([seed], 2, 5)
        single = Updates(alone)
        theirs = [single.step(x[s : s + 1, t], z[s : s + 1, t]) for t in range(6)]
        assert torch.allclose(errors[s], torch.cat(theirs), atol=1e-6)
        assert torch.allclose(together.recurrent[s], alone.recurrent[0], atol=1e-5)


def test_streams() -> None:
    x, labels = stream(7, 30, (0.0, 10.0, 20.0), 0.1)
    edges = np.flatnonzero(np.diff(labels)) + 1
    lengths = np.diff([0, *edges, len(labels)])
    assert len(lengths) == 30 and lengths.min() >= LOW and lengths.max() <= HIGH
    assert np.array_equal(labels[edges], (labels[edges - 1] + 1) % 3)
    assert np.abs(x - 10 * labels).max() < 1
    data, tasks = streams([7, 8, 9], 30, (0.0, 10.0, 20.0), 0.1)
    assert data.shape == tasks.shape and data.shape[1] <= len(x)
    assert torch.equal(data[0], torch.tensor(x[: data.shape[1]], dtype=torch.float32))
    new = relabelled(tasks, [1, 2, 3], 3)
    for row, old in zip(new, tasks, strict=True):
        assert not bool(((row[1:] != row[:-1]) & (old[1:] == old[:-1])).any())
    assert not torch.equal(new, tasks)


def test_the_label_is_that_of_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan("gbi", (5,), blocks=2, hidden=3)
    x, labels = streams(plan.seeds, 2, plan.means, plan.sigma)
    seen = list[tuple[Tensor, Tensor]]()

    def sees(self: Updates, x: Tensor, z: Tensor) -> Tensor:
        seen.append((x, z))
        return torch.zeros(1)

    monkeypatch.setattr(Updates, "step", sees)
    _, errors = learn(plan)
    assert errors.shape[1] == len(seen) == x.shape[1] - 8
    for t, (window, z) in enumerate(seen, 7):
        assert torch.equal(window[0], x[0, t - 7 : t + 1])
        assert torch.equal(z[0].argmax(-1), labels[0, t - 6 : t + 1])


def test_running_means_and_levels() -> None:
    errors = torch.tensor([[4.0, 0.0, 0.0, 1.0, 3.0, 5.0, 7.0, 9.0], [1.0] * 8])
    assert running(errors, 2)[0].tolist() == [2.0, 0.0, 0.5, 2.0, 4.0, 6.0, 8.0]
    assert eighths(errors).tolist() == errors.tolist()
    long = torch.ones(2, 300)
    long[0, 120:] = 0.0
    assert first_below(long) == [108, None]  # of 100 steps 12 are 1


def test_going_on_leaves_the_networks_alone() -> None:
    nets = Networks([1], 2, 4).requires_grad_(False)
    before = nets.recurrent.clone()
    found = go_on(nets, torch.randn(1, 30), (0, 3, 9), lambda now: {"w": now.recurrent.detach().clone()})
    assert torch.equal(nets.recurrent, before) and torch.equal(found[0]["w"], before)
    assert not torch.equal(found[1]["w"], found[2]["w"])


def test_shares_by_counting() -> None:
    activity = torch.tensor([[[1.0, 0.5, 0.05, 0.15]], [[0.9, 0.05, 0.02, 0.25]]])
    assert measures.shares(activity) == [[pytest.approx(2 / 3)], [pytest.approx(1 / 3)], [pytest.approx(1 / 2)]]


def test_evidence_of_windows() -> None:
    nets, x = Networks([1, 2], 2, 4).double().requires_grad_(False), torch.randn(2, 3, 6, dtype=torch.float64)
    z = torch.rand(6, 2, dtype=torch.float64)
    squares = (nets(x[..., :-1], z.view(2, 3, 2)) - x[..., 1:]).square()
    assert torch.allclose(evidence(nets, x, 0.3)(z), -squares.sum(-1).flatten() / 0.18)
    assert torch.allclose(evidence(nets, x, 0.3, newest=True)(z), -squares[..., -1].flatten() / 0.18)
    step = torch.tensor([[1e-6, 0.0]], dtype=torch.float64)
    half = torch.full((6, 2), 0.5, dtype=torch.float64)
    slope = (evidence(nets, x, 0.3)(half + step) - evidence(nets, x, 0.3)(half - step)) / 2e-6
    assert torch.allclose(gradients(nets.float(), x.float(), 0.3)[..., 0].flatten().double(), slope, atol=1e-3)


def test_a_linear_network_infers_as_proved() -> None:
    plan, nets = Plan("gbi", (0, 1, 2)), linear(0.2, 0.8)
    found = measures.agreement(nets, plan, 50)
    for name in ("correlation_single", "correlation_window", "slope_single", "slope_window", "correlation_own"):
        assert found[name] == pytest.approx([1.0] * 3, abs=1e-5)
    assert found["right_one_step"] == found["right_bayes"]
    assert max(found["correlation_normalised"]) < 0.999
    filtered = online(nets, plan, 6)
    assert max(filtered["posterior_difference"]) < 1e-6
    assert filtered["online"]["filter"] == pytest.approx(filtered["online"]["bayes"], abs=1e-6)
    means = (0.0, 0.2, 0.5, 0.9)
    errors = measures.new_means(nets, plan, means, 400, 60, 0.2)["new_means"]
    for mean, best in zip(means, errors["iterative"], strict=True):
        assert best == pytest.approx([theory(mean)] * 3, abs=2e-3)
    assert min(errors["one-step"][2]) > max(errors["iterative"][2])


def test_a_linear_network_fails_in_the_middle_of_three() -> None:
    plan, nets = Plan("gbi", (0, 1), means=(0.2, 0.5, 0.8), sigma=0.1), linear(0.2, 0.5, 0.8)
    found = measures.hull(nets, plan, 60)["hull"]
    assert all(seed[1][1] == 0 for seed in found["one-step"])
    for rule in ("constant offsets", "offsets of the context"):
        assert found[rule] == found["likelihoods"]
    assert all(seed[task][task] > 0.9 for seed in found["likelihoods"] for task in range(3))
    fresh = windows([1], plan.means, plan.sigma, 4, 8).flatten(1, 2)
    exact = -(fresh[..., 1:, None] - torch.tensor(plan.means)).square().sum(2) / 0.02
    assert torch.allclose(likelihoods(nets, fresh, 0.1), exact, atol=1e-3)


def test_a_filter_step_by_step() -> None:
    ell = torch.randn(2, 20, 2).double()
    priors, posteriors = followed(BayesFilter(0.1, 2), ell)
    now = np.full((2, 2), 0.5)
    for t in range(20):
        prior = 0.9 * now + 0.05
        assert priors[:, t].numpy() == pytest.approx(prior, abs=1e-6)
        now = prior * np.exp(ell[:, t].numpy())
        now /= now.sum(1, keepdims=True)
        assert posteriors[:, t].numpy() == pytest.approx(now, abs=1e-6)
