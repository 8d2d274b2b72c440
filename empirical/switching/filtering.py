"""A fresh stream predicted as it comes, the task followed by filters."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from constructions.inference import BayesFilter, GradientFilter
from empirical.switching.inference import gradients, one_step_z
from empirical.switching.measures import correlations
from empirical.switching.networks import Networks
from empirical.switching.plan import WINDOW, Plan
from empirical.switching.stream import streams

FRESH = 4900  # added to the seeds
HAZARD = 1 / 30  # of a redraw: of two tasks, a switch has half of that, which is too low for the streams
MATCHED = 1 / 15
SHOWN = 300  # steps of the first stream


def online(nets: Networks, plan: Plan, blocks: int) -> dict[str, Any]:
    """Realised squared errors of the predictions, (S,) each, and the filters' posteriors beside each other."""
    x, labels = streams([seed + FRESH for seed in plan.seeds], blocks, plan.means, plan.sigma)
    views = x.unfold(1, WINDOW + 2, 1)  # the observation, the seven before it, and one more for their targets
    now, tasks = views[..., -1], labels[:, WINDOW + 1 :]
    inputs = views[..., 1:-1]

    def errors(predictions: Tensor) -> list[float]:
        found: list[float] = (predictions - now).square().mean(1).tolist()
        return found

    if not nets.tasks:
        return {"online": {"lstm": errors(_predict(nets, inputs, None))}}
    means = torch.tensor(plan.means)
    ell = -(now[..., None] - means).square() / (2 * plan.sigma**2)
    prior, posterior = followed(BayesFilter(HAZARD, 2), ell)
    matched, _ = followed(BayesFilter(MATCHED, 2), ell)
    by_gradient, theirs = followed(GradientFilter(HAZARD, 2), gradients(nets, views[..., 1:], plan.sigma, newest=True))
    found = {
        "oracle": errors(means[tasks]),
        "bayes": errors(prior @ means),
        "bayes, matched hazard": errors(matched @ means),
        "filter": errors(_predict(nets, inputs, by_gradient)),
        "one-step": errors(_predict(nets, inputs, one_step_z(nets, views[..., :-1], plan.sigma))),
    }
    a, b = posterior[..., 0], theirs[..., 0]
    return {
        "online": found,
        "posterior_correlation": correlations(a, b),
        "posterior_difference": (a - b).abs().mean(1).tolist(),
        "posteriors": {
            "bayes": [round(value, 4) for value in a[0, :SHOWN].tolist()],
            "filter": [round(value, 4) for value in b[0, :SHOWN].tolist()],
            "task": tasks[0, :SHOWN].tolist(),
        },
    }


def followed(follower: BayesFilter, evidence: Tensor) -> tuple[Tensor, Tensor]:
    """Priors and posteriors (S, T, K) of a filter that goes through evidence (S, T, K)."""
    priors, posteriors = list[Tensor](), list[Tensor]()
    for each in evidence.double().unbind(1):
        priors.append(follower.prior.expand(each.shape))
        posteriors.append(follower.step(each))
    return torch.stack(priors, 1).float(), torch.stack(posteriors, 1).float()


@torch.no_grad()
def _predict(nets: Networks, x: Tensor, z: Tensor | None) -> Tensor:
    return nets.last(x, z)
