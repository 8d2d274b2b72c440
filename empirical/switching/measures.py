"""What is measured on trained networks; every number once for each of the S seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from constructions.inference import classes
from empirical.correlation import correlation
from empirical.switching.inference import (
    context_offsets,
    gradients,
    iterative_z,
    likelihoods,
    one_step_z,
)
from empirical.switching.learning import go_on
from empirical.switching.networks import Networks
from empirical.switching.plan import WINDOW, Plan
from empirical.switching.stream import windows

THRESHOLDS = (0.1, 0.2, 0.3)
OTHER_SIGMA = 0.1  # of the new means
EXPECTED, UNITS, INFERRED, STREAM, NEW = range(10, 15)  # numbers of the seeds of fresh data
Found = dict[str, Any]


def told(nets: Networks, task: int, x: Tensor) -> Tensor | None:
    """The z of windows x (S, B, n) that says which task it is, None for networks that take no z."""
    return torch.eye(nets.tasks)[task].expand(*x.shape[:2], nets.tasks) if nets.tasks else None


@torch.no_grad()
def squared(nets: Networks, x: Tensor, z: Tensor | None, mean: float, sigma: float) -> Tensor:
    """The expected error (S,) of the last prediction on fresh data of that mean: the noise of the target is known."""
    return (nets.last(x, z) - mean).square().mean(1) + sigma**2


def expected(nets: Networks, plan: Plan, count: int) -> Found:
    """Expected errors by task."""
    fresh = windows(plan.keys(EXPECTED), plan.means, plan.sigma, count, WINDOW)
    return {
        "expected_error": [
            squared(nets, fresh[:, k], told(nets, k, fresh[:, k]), mean, plan.sigma).tolist()
            for k, mean in enumerate(plan.means)
        ]
    }


def forgetting(nets: Networks, plan: Plan, count: int, steps: Sequence[int]) -> Found:
    """The expected error on task 2 after so many further updates on task 1 only, with z told and inferred."""
    stream = windows(plan.keys(STREAM), plan.means[:1], plan.sigma, 1, steps[-1] + WINDOW)[:, 0, 0]
    fresh = windows(plan.keys(INFERRED), plan.means, plan.sigma, count, WINDOW + 1)[:, 1]
    inputs, mean = fresh[..., :-1], plan.means[1]

    def measure(now: Networks) -> dict[str, Tensor]:
        found = {"told": squared(now, inputs, told(now, 1, inputs), mean, plan.sigma)}
        if now.tasks:
            found["inferred"] = squared(now, inputs, one_step_z(now, fresh, plan.sigma), mean, plan.sigma)
        return found

    found = go_on(nets, stream, steps, measure)
    curves = {name: [each[name].tolist() for each in found] for name in found[0]}
    return {"forgetting": curves, "forgetting_steps": list(steps)}


@torch.no_grad()
def shared_units(nets: Networks, plan: Plan, count: int) -> Found:
    """How many of the units that are active in some task are active in all, by threshold."""
    fresh = windows(plan.keys(UNITS), plan.means, plan.sigma, count, WINDOW)
    rows = []
    for k in range(len(plan.means)):
        rows.append(nets.states(fresh[:, k], told(nets, k, fresh[:, k]))[:, :, -1].abs().mean(1))
    return {"shared_units": shares(torch.stack(rows))}


def shares(activity: Tensor) -> list[list[float]]:
    """Of mean absolute activities (K, S, units): for every threshold and seed, #active in all / #active in any."""
    largest = activity.amax((0, 2))[:, None]
    found = []
    for threshold in THRESHOLDS:
        active = activity > threshold * largest
        found.append((active.all(0).sum(1) / active.any(0).sum(1)).tolist())
    return found


def agreement(nets: Networks, plan: Plan, count: int) -> Found:
    """The gradient at u beside exact log-ratios, normalised likelihoods, and the networks' own log-likelihoods."""
    fresh = windows(plan.keys(INFERRED), plan.means, plan.sigma, count, WINDOW + 1).flatten(1, 2)
    single, whole = (_difference(gradients(nets, fresh, plan.sigma, newest=newest)) for newest in (True, False))
    ratios = log_ratio(fresh[..., 1:], plan)
    newest, total = ratios[..., -1], ratios.sum(-1)
    normalised = newest.sigmoid()
    first = torch.arange(fresh.shape[1]) < count
    return {
        "correlation_single": correlations(single, newest),
        "correlation_window": correlations(whole, total),
        "slope_single": slope(newest, single),
        "slope_window": slope(total, whole),
        "correlation_normalised": correlations(single, normalised),
        "correlation_own": correlations(whole, _difference(likelihoods(nets, fresh, plan.sigma))),
        "right_one_step": ((whole > 0) == first).double().mean(1).tolist(),
        "right_bayes": ((total > 0) == first).double().mean(1).tolist(),
        "points": {
            "gradient": _rounded(single[0]),
            "log_ratio": _rounded(newest[0]),
            "likelihood": _rounded(normalised[0]),
        },
    }


def log_ratio(x: Tensor, plan: Plan) -> Tensor:
    """The logarithm of p_1(x)/p_2(x) under the two true tasks."""
    first, second = plan.means
    return ((x - second).square() - (x - first).square()) / (2 * plan.sigma**2)


def new_means(nets: Networks, plan: Plan, means: Sequence[float], count: int, steps: int, rate: float) -> Found:
    """Expected errors at means that were not learned, weights frozen, z from the window before the last target."""
    found: dict[str, list[list[float]]] = {}
    for number, mean in enumerate(means):
        x = windows(plan.keys(NEW + number), [mean], OTHER_SIGMA, count, WINDOW + 2)[:, 0]
        ways: dict[str, Tensor | None] = {"none": None}
        if nets.tasks:
            before = x[..., :-1]
            ways = {
                "one-step": one_step_z(nets, before, plan.sigma),
                "iterative": iterative_z(nets, before, plan.sigma, steps, rate),
            }
        for name, z in ways.items():
            found.setdefault(name, []).append(squared(nets, x[..., 1:-1], z, mean, OTHER_SIGMA).tolist())
    return {"new_means": {"means": list(means), **found}}


def hull(nets: Networks, plan: Plan, count: int) -> Found:
    """The share of windows of each true task that each rule gives to each task: rules x S x true x given."""
    K = len(plan.means)
    fresh = windows(plan.keys(INFERRED), plan.means, plan.sigma, count, WINDOW + 1).flatten(1, 2)
    g = gradients(nets, fresh, plan.sigma)
    middle = sum(plan.means) / K
    constant = torch.tensor([WINDOW * (mean - middle) ** 2 / (2 * plan.sigma**2) for mean in plan.means])
    scores = {
        "one-step": g,
        "constant offsets": g - constant,
        "offsets of the context": g - context_offsets(nets, fresh, plan.sigma),
        "likelihoods": likelihoods(nets, fresh, plan.sigma),
    }
    return {"hull": {name: _given(score, K, count) for name, score in scores.items()}}


def _given(scores: Tensor, K: int, count: int) -> list[list[list[float]]]:
    given = classes(scores.flatten(0, 1)).view(-1, K, count, 1) == torch.arange(K)
    found: list[list[list[float]]] = given.double().mean(2).tolist()
    return found


def correlations(a: Tensor, b: Tensor) -> list[float]:
    """Pearson's, of every row."""
    return [correlation(x, y) for x, y in zip(a, b, strict=True)]


def slope(x: Tensor, y: Tensor) -> list[float]:
    """Of the least-squares line of y on x, of every row."""
    return [float(np.polyfit(a, b, 1)[0]) for a, b in zip(x.double().numpy(), y.double().numpy(), strict=True)]


def _difference(g: Tensor) -> Tensor:
    return g[..., 0] - g[..., 1]


def _rounded(values: Tensor) -> list[float]:
    return [round(value, 4) for value in values.tolist()]
