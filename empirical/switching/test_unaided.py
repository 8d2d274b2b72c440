"""Training without labels, and how z is compared with the task, against definitions and linear networks."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from constructions.inference import iterate, one_step
from empirical.switching import label_free, tracking, unaided
from empirical.switching.inference import evidence, exponentiated_z, gradients, one_step_z
from empirical.switching.label_free import learn, strangers, taken
from empirical.switching.learning import Updates
from empirical.switching.measures import log_ratio
from empirical.switching.networks import Networks
from empirical.switching.plan import WINDOW, Plan
from empirical.switching.stream import LOW, streams, windows
from empirical.switching.test_parts import linear
from empirical.switching.tracking import bayes, elsewhere, follows, information, kept, named, right, since_switch

torch.set_num_threads(1)


@pytest.mark.parametrize("kind", ["label-free", "strange"])
def test_z_comes_before_the_update_and_after_the_error(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every error is that of the z before, every update has the z of the window that the kind asks for."""
    plan = Plan(kind, (5, 6), blocks=2, hidden=3)
    x, labels = streams(plan.seeds, 2, plan.means, plan.sigma)
    nets, inferred, updates = Networks(plan.seeds, 2, 3), list[tuple[Tensor, Tensor]](), list[tuple[Tensor, Tensor]]()

    def rule(nets: Networks, x: Tensor, sigma: float) -> Tensor:
        z = torch.rand(2, 1, 2)
        inferred.append((x, z))
        return z

    monkeypatch.setitem(label_free.RULES, kind, rule)
    monkeypatch.setattr(Updates, "step", lambda self, x, z: updates.append((x, z)))
    found = learn(plan)
    steps = x.shape[1] - WINDOW - 1
    ends = strangers(plan.keys(label_free.STRANGE), range(WINDOW, x.shape[1] - 1))
    assert len(inferred) == len(updates) == steps == found.errors.shape[1] == found.z.shape[1]
    before = torch.full((2, 1, 2), 0.5)
    for t, ((seen, z), (window, told)) in enumerate(zip(inferred, updates, strict=True)):
        assert torch.equal(window, x[:, t : t + WINDOW + 1])
        assert torch.equal(seen[:, 0], window if kind == "label-free" else taken(x, ends[:, t]))
        assert torch.equal(told, z.expand(2, WINDOW, 2)) and torch.equal(found.z[:, t], z[:, 0])
        last = nets.last(window[:, None, :-1], before)[:, 0]
        assert torch.allclose(found.errors[:, t], (last - window[:, -1]).square(), atol=1e-6)
        before = z
    assert torch.equal(found.tasks, labels[:, WINDOW:-1])


def test_windows_from_elsewhere() -> None:
    ends = strangers([[1, 2], [2, 2]], range(7, 40))
    assert ends.sort(dim=1).values.tolist() == [list(range(7, 40))] * 2 and not torch.equal(ends[0], ends[1])
    x = torch.arange(60.0).view(2, 30)
    assert taken(x, torch.tensor([7, 20])).tolist() == [list(range(8)), list(range(43, 51))]


def test_rules_are_those_of_the_constructions() -> None:
    nets, x = Networks([1, 2], 3, 4).requires_grad_(False), torch.randn(2, 4, 8)
    assert torch.equal(one_step_z(nets, x, 0.3), one_step(gradients(nets, x, 0.3)))
    ell = evidence(nets, x, 0.3)
    trace = iterate(ell, 8, 3, method="exponentiated", steps=5, rate=0.1)
    assert torch.allclose(exponentiated_z(nets, x, 0.3, 5, 0.1), trace.z.view(2, 4, 3), atol=1e-6)


def lagging(tasks: Tensor, lag: int, entries: int = 2) -> Tensor:
    """z whose largest entry says the task of so many steps before, by the entry of the highest number for task 0."""
    said = torch.cat((tasks[:, :1].expand(-1, lag), tasks), dim=1)[:, : tasks.shape[1]]
    chosen = torch.nn.functional.one_hot(entries - 1 - said, entries)
    return 0.9 * chosen + 0.1 / entries


@pytest.mark.parametrize("entries", [2, 4])
def test_a_z_that_lags(entries: int) -> None:
    tasks = (torch.arange(400) // 25 % 2).expand(3, -1)
    z = lagging(tasks, 3, entries)
    names = named(z[:, :200], tasks[:, :200])
    found = follows(z, tasks, names)
    assert found["delay"] == pytest.approx([3.0] * 3)
    assert found["since_switch"][0] == [0.0] * 3 + [1.0] * (LOW - 3)
    assert found["right"] == pytest.approx([1 - 3 * 15 / 400] * 3)
    assert found["confidence"] == pytest.approx([0.9 + 0.1 / entries] * 3)
    assert 0.7 < found["auroc"][0] < 1 and 0.4 < found["information"][0] < 1 and found["brier"][0] < 0.2
    perfect = follows(lagging(tasks, 0, entries), tasks, named(lagging(tasks, 0, entries), tasks))
    assert perfect["auroc"] == [1.0] * 3 and perfect["delay"] == [0.0] * 3
    assert perfect["information"] == pytest.approx([1.0] * 3)


def test_names_are_fixed_beforehand() -> None:
    """An entry that means another task later is wrong, and nothing is named anew."""
    tasks = (torch.arange(200) // 25 % 2)[None]
    z = lagging(tasks, 0)
    names = named(z, tasks)
    assert bool(right(z, tasks, names).all())
    found = follows(z.flip(-1), tasks, names)
    assert found["right"] == [0.0] and found["auroc"] == [0.0] and found["information"] == pytest.approx([1.0])


def test_information_in_bits() -> None:
    assert information(torch.tensor([0, 0, 1, 1]), torch.tensor([0, 1, 0, 1])) == pytest.approx(0, abs=1e-12)
    assert information(torch.tensor([3, 3, 1, 2]), torch.tensor([0, 0, 1, 1])) == pytest.approx(1)
    table = information(torch.tensor([0, 0, 0, 1]), torch.tensor([0, 0, 1, 1]))
    assert table == pytest.approx(0.5 * log2(0.5 / 0.375) + 0.25 * log2(0.25 / 0.375) + 0.25 * log2(0.25 / 0.125))


def test_since_a_switch_that_is_not_there() -> None:
    tasks = torch.zeros(30, dtype=torch.int64)
    assert since_switch(torch.arange(30) < 15, tasks).tolist() == [0.5] * LOW
    tasks[25:] = 1  # too near the end to be followed for LOW steps
    assert since_switch(torch.arange(30) < 15, tasks).tolist() == [0.5] * LOW


@pytest.mark.parametrize("method", ["softmax", "exponentiated"])
def test_steps_that_go_on(method: str) -> None:
    """On a linear network of two tasks, where g is known; the exact z log-odds step by step."""
    nets, plan = linear(0.2, 0.8), Plan("label-free", (0, 1), sigma=1.0)
    x, _ = streams(plan.seeds, 3, plan.means, plan.sigma)
    views = x.unfold(1, WINDOW + 1, 1)
    found = kept(method)(nets, views, plan.sigma).double().numpy()
    odds = np.zeros(2)
    for t, view in enumerate(views.double().unbind(1)):
        z = 1 / (1 + np.exp(-odds))
        apart = -0.6 * (view[:, 1:].numpy() - (0.8 - 0.6 * z)[:, None]).sum(1) / plan.sigma**2
        odds = odds + apart * (2 * z * (1 - z) if method == "softmax" else 1)
        least = np.log((1 - tracking.SMALLEST) / tracking.SMALLEST)
        odds = odds.clip(-least, least)
        assert found[:, t, 0] == pytest.approx(1 / (1 + np.exp(-odds)), abs=2e-3)


def test_controls_of_a_linear_network() -> None:
    plan = Plan("label-free", (3, 4), blocks=10, sigma=0.1)
    rules = {"restarted": one_step_z, "elsewhere": elsewhere(one_step_z, plan)}
    exact = tracking.tracked(linear(0.2, 0.8), plan, 30, {"exact": bayes(plan)})["tracking"]["exact"]
    nets = linear(0.8, 0.2)  # its first entry is the second task
    found = tracking.tracked(nets, plan, 30, rules)["tracking"]
    assert found["restarted"]["right"] == pytest.approx(exact["right"], abs=0.01)
    assert min(found["restarted"]["right"]) > 0.85 and max(found["restarted"]["delay"]) < 6
    assert found["restarted"]["confidence"] == pytest.approx(found["elsewhere"]["confidence"], abs=1e-4)
    assert max(found["elsewhere"]["information"]) < 0.05
    assert all(0.35 < auroc < 0.65 for auroc in found["elsewhere"]["auroc"])
    x = windows([1, 2], plan.means, plan.sigma, 5, 8).flatten(1, 2)
    odds = bayes(plan)(nets, x, plan.sigma)[..., 0].logit()
    assert torch.allclose(odds.clamp(-9, 9), log_ratio(x[..., 1:], plan).sum(-1).clamp(-9, 9), atol=2e-2)


def test_measures_of_a_linear_network() -> None:
    nets, plan = linear(0.2, 0.8), Plan("label-free", (0, 1, 2), sigma=0.1)
    assert np.array(unaided.vertices(nets, plan, 5)["vertices"]) == pytest.approx(np.repeat([[0.2], [0.8]], 3, 1))
    errors = unaided.expected(nets, plan, 50)["expected_error"]
    assert np.array(errors) == pytest.approx(np.full((2, 3), 0.01), abs=1e-5)
    online = unaided.online(nets, plan, 20)["online"]
    assert all(0.01 < error < 0.1 for way in online.values() for error in way)


def test_tasks_are_found() -> None:
    """Tasks 12 sigma apart: after eight blocks z says them, in networks that were told nothing."""
    plan = Plan("label-free", (100, 101), blocks=8, sigma=0.05, hidden=16)
    learned = learn(plan)
    found = unaided.following(learned.nets, plan, 6)["tracking"]
    assert min(found["restarted"]["right"]) > 0.8 > 0.65 > max(found["elsewhere"]["right"])
    assert max(found["restarted"]["brier"]) < min(found["untrained"]["brier"])


def test_forgetting_infers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, seen = Plan("label-free", (1,), hidden=3), list[Any]()
    nets = Networks(plan.seeds, 2, 3).requires_grad_(False)
    monkeypatch.setattr(Updates, "step", lambda self, x, z: seen.append((x, z)))
    found = unaided.forgetting(nets, plan, 4, (0, 2))
    assert np.array(found["forgetting"]["inferred"]).shape == (2, 1) and found["forgetting_steps"] == [0, 2]
    assert found["vertices_after"] == unaided.vertices(nets, plan, 4)["vertices"]  # nothing was updated
    for x, z in seen:
        assert torch.allclose(z, one_step_z(nets, x[:, None], plan.sigma).expand(1, WINDOW, 2))
