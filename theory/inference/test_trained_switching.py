"""Claims on inference of a task, on the LSTMs trained on switching tasks that come with the package.

LSTMs are not linear in z. What is asked of them is what holds of any smooth log-likelihood, with their own gradients
and likelihoods, and what a claim on linear models says once the offsets are allowed for that the networks have.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from constructions.inference import (
    BayesFilter,
    Diagnosis,
    GradientFilter,
    cost,
    curvature,
    diagnose,
    gaussian,
    gradient,
    likelihood_of_every_task,
    one_step,
)
from empirical import checkpoints
from empirical.switching.files import load
from empirical.switching.inference import evidence, output
from empirical.switching.networks import Networks
from empirical.switching.plan import WINDOW, Plan
from empirical.switching.stream import streams, windows
from theory.evidence import Case, Trained
from theory.inference.cost import Cost, Decoder
from theory.ledger import Submissions
from theory.outcome import Outcome

torch.set_num_threads(1)
FOLDER = Path(checkpoints.__file__).parent / "switching"
F64, UNIT = torch.float64, 2.0**-53
FRESH = 20  # number of the seeds of windows that no training and no measure has seen
NAMES = ("two-tasks", "three-tasks")
EACH = pytest.mark.parametrize("name", NAMES)


def trained(name: str) -> tuple[Networks, Plan, dict[str, Any]]:
    """Networks in float64, what they were trained on, and how evidence names them."""
    nets, plan, card = load(FOLDER / f"{name}.json")
    return nets.double(), plan, {"checkpoint": card["sha256"], "seeds": plan.seeds}


def fresh(plan: Plan, count: int) -> Tensor:
    """So many windows a task for every network, (S, K count, WINDOW + 1)."""
    keys = [[seed, FRESH] for seed in plan.seeds]
    return windows(keys, plan.means, plan.sigma, count, WINDOW + 1).flatten(1, 2).double()


def found(nets: Networks, plan: Plan, x: Tensor) -> Diagnosis:
    return diagnose(evidence(nets, x, plan.sigma), x.shape[0] * x.shape[1], nets.tasks, dtype=F64)


def within(smaller: Tensor, larger: Tensor, slack: Tensor | float) -> list[Any]:
    """Where one is no larger than the other, as nested lists."""
    held: list[Any] = (smaller <= larger + slack).tolist()
    return held


def test_cards() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == sorted(NAMES)
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 3e5
    for name in NAMES:
        _, plan, card = load(FOLDER / f"{name}.json")
        assert card["command"].startswith("python -m empirical switching --tier full --seeds 4 --seed 100 --units 40")
        assert plan.kind == "gbi" and plan.seeds == (100, 101, 102, 103)


@EACH
def test_curvature(name: str, ledger: Submissions) -> None:
    """The networks' own likelihoods: where the best task leads by more than rho the gradient picks it, and so on."""
    nets, plan, weights = trained(name)
    x = fresh(plan, 40)
    at = found(nets, plan, x)
    same = at.gradient.argmax(-1) == at.likelihoods.argmax(-1)
    said = at.decided.view(len(x), nets.tasks, -1).double().mean((0, 2))
    assert float(said[0]) > 0.3 and float(said[-1]) > 0.3  # of the outer tasks, and of what is between them nothing
    assert nets.tasks == 2 or float(said[1]) < 0.05

    def picks() -> Iterator[Case]:
        for window in at.decided.nonzero()[:, 0].tolist():
            yield ("window", window), Outcome.of(bool(same[window]))

    def remainders() -> Iterator[Case]:
        few = x[:, ::10]
        size = few.shape[0] * few.shape[1]
        bends = curvature(evidence(nets, few, plan.sigma), size, nets.tasks, points=9, dtype=F64)
        missed = found(nets, plan, few)
        sizes = within(missed.offsets.abs(), bends, missed.allowance[:, None])  # B_k = -R_k
        for window, entries in enumerate(sizes):
            yield ("window", window), Outcome.of(all(entries))

    def distances() -> Iterator[Case]:
        p, q = at.posterior, one_step(at.gradient)
        logs = at.likelihoods.log_softmax(-1) - at.gradient.log_softmax(-1)
        slack = 64 * at.allowance
        divergences = torch.stack(((p * logs).sum(-1), -(q * logs).sum(-1))).amax(0)
        near = within(divergences, at.divergence_bound, slack)
        close = within((p - q).abs().sum(-1) / 2, at.variation_bound, slack)
        for window, both in enumerate(zip(near, close, strict=True)):
            yield ("window", window), Outcome.of(all(both))

    ledger.submit("gbi-curvature-argmax", Trained(f"LSTMs, {name}, where a task leads by rho", picks(), **weights))
    ledger.submit(
        "gbi-curvature-argmax", Trained(f"LSTMs, {name}, curvature at 9 points a segment", remainders(), **weights)
    )
    ledger.submit("gbi-curvature-kl-tv", Trained(f"LSTMs, {name}, fresh windows", distances(), **weights))


@EACH
def test_slopes_bound_the_gradient(name: str, ledger: Submissions) -> None:
    nets, plan, weights = trained(name)
    x = fresh(plan, 20)
    size, K = x.shape[0] * x.shape[1], nets.tasks
    predict, targets = output(nets, x[..., :-1]), x[..., 1:].flatten(0, 1)
    slopes = torch.stack([gradient(lambda z, t=t: predict(z)[:, t], size, K, dtype=F64) for t in range(WINDOW)], 1)  # type: ignore[misc]
    g = gradient(gaussian(predict, targets, plan.sigma), size, K, dtype=F64)
    along = slopes - slopes.mean(-1, keepdim=True)
    missed = (targets - predict(torch.full((size, K), 1 / K, dtype=F64))).norm(dim=-1)
    bound = torch.linalg.matrix_norm(along, ord=2) * missed / plan.sigma**2
    held = within((g - g.mean(-1, keepdim=True)).norm(dim=-1), bound, 1024 * UNIT * (1 + bound))

    def cases() -> Iterator[Case]:
        for window, right in enumerate(held):
            yield ("window", window), Outcome.of(right)

    ledger.submit("gbi-variance-only-blindness", Trained(f"LSTMs, {name}, the bound by slopes", cases(), **weights))


HAZARD, STEPS = 1 / 30, 120


def test_filters(ledger: Submissions) -> None:
    """Bayes' filter of the networks' own two Gaussians, whose means depend on the past, and the one by gradients.

    A prior's log-odds forget by the factor 1 - h at least: with q = (1 - h) p + h/2, which is between p and 1/2, their
    slope (1 - h) p (1 - p)/(q (1 - q)) is at most 1 - h. So they differ by e_t <= (1 - h) e_(t-1) + rho_t, where rho_t
    is what the gradient of datum t misses of its log-ratio, and posteriors by tanh(e_t/4): nothing where rho = 0, which
    is the claim.
    """
    nets, plan, weights = trained("two-tasks")
    x, _ = streams([[seed, FRESH] for seed in plan.seeds], 8, plan.means, plan.sigma)
    views = x.double().unfold(1, WINDOW + 1, 1)[:, :STEPS]
    ell, shape = evidence(nets, views, plan.sigma, newest=True), (*views.shape[:2], 2)
    g = gradient(ell, shape[0] * shape[1], 2, dtype=F64).view(shape)
    likelihoods = likelihood_of_every_task(ell, shape[0] * shape[1], 2, dtype=F64).view(shape)
    rho = (g - likelihoods).diff(dim=-1)[..., 0].abs()

    def posteriors() -> Iterator[Case]:
        exact, by_gradient = BayesFilter(HAZARD, 2), GradientFilter(HAZARD, 2)
        apart = torch.zeros(len(x), dtype=F64)
        slack = 64 * UNIT * float(1 + likelihoods.abs().max() + g.abs().max()) / HAZARD
        for t in range(shape[1]):
            apart = (1 - HAZARD) * apart + rho[:, t]
            differ = (exact.step(likelihoods[:, t]) - by_gradient.step(g[:, t]))[:, 0].abs()
            for seed, right in zip(plan.seeds, within(differ, (apart / 4).tanh(), slack), strict=True):
                yield (seed, t), Outcome.of(right)

    def shares() -> Iterator[Case]:
        """As for a linear model, and a quarter of what the gradient misses: the largest slope of a share."""
        delta = -g.diff(dim=-1)[..., 0]
        error = (one_step(likelihoods.flatten(0, 1))[:, 0].view(delta.shape) - 0.5 - delta / 4).abs()
        held = within(error, delta.abs() ** 3 / 48 + rho / 4, 64 * UNIT * (1 + delta.abs()))
        for seed, row in zip(plan.seeds, held, strict=True):
            for t, right in enumerate(row):
                yield (seed, t), Outcome.of(right)

    name = "LSTMs, their own likelihoods: posteriors apart by what gradients miss"
    ledger.submit("gbi-two-task-bayes-filter", Trained(name, posteriors(), **weights))
    name = "LSTMs, newest datum: the bound, and a quarter of what gradients miss"
    ledger.submit("gbi-log-ratio-not-likelihood", Trained(name, shares(), **weights))


def test_between_two_tasks(ledger: Submissions) -> None:
    """One datum of three tasks: g_k is the slope of the prediction along z_k, times one number for all k."""
    nets, plan, weights = trained("three-tasks")
    x = fresh(plan, 40)
    size = x.shape[0] * x.shape[1]
    predict = output(nets, x[..., :-1])
    slopes = gradient(lambda z: predict(z)[:, -1], size, 3, dtype=F64)
    between = slopes.argsort(dim=-1)[:, 1:2]
    assert float((between == 1).double().mean()) > 0.95  # it is the middle task, by what was learned
    g = gradient(evidence(nets, x, plan.sigma, newest=True), size, 3, dtype=F64)
    others = g.scatter(-1, between, -torch.inf).amax(-1)
    slack = 64 * WINDOW * UNIT * (1 + g.abs().amax(-1))
    held = within(g.gather(-1, between)[:, 0], others, slack)
    there = predict(torch.eye(3, dtype=F64).gather(0, between.expand(-1, 3)))[:, -1:]
    at = gaussian(lambda z: predict(z)[:, -1:], there, plan.sigma)
    likeliest = likelihood_of_every_task(at, size, 3, dtype=F64).argmax(-1, keepdim=True) == between

    def cases() -> Iterator[Case]:
        for window, (right, own) in enumerate(zip(held, likeliest[:, 0].tolist(), strict=True)):
            yield ("window", window), Outcome.every((Outcome.of(right), Outcome.of(own)))

    name = "LSTMs, one datum, slopes at u as means: the one between, and at its own prediction"
    ledger.submit("gbi-hull-failure", Trained(name, cases(), **weights))


def test_costs(ledger: Submissions) -> None:
    """z enters every step by one product, the state of H units 4 H gates, and the read-out each of the predictions."""
    nets, plan, weights = trained("three-tasks")
    counted = cost(evidence(nets, fresh(plan, 1)[:, :1], plan.sigma), len(plan.seeds), 3, dtype=F64)
    H = plan.hidden

    def cases() -> Iterator[Case]:
        forward = len(plan.seeds) * (3 * 4 * H + (WINDOW - 1) * H * 4 * H + WINDOW * H)
        yield ("F", H), Outcome.of(counted.forward == forward)
        # As of a decoder without a latent code whose layers have these products.
        one = Cost().step(Decoder(0, 1, (forward,)))
        yield ("a gradient in z", H), Outcome.of(counted.one_step == one)
        yield ("all tasks", H), Outcome.of(counted.every_task == 3 * forward)

    ledger.submit("gbi-cost-model", Trained("LSTMs, a gradient through all steps of a window", cases(), **weights))
