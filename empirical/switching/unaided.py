"""What is measured on networks that were never told a task: every z is inferred by the rule they learned with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from constructions.inference import GradientFilter
from empirical.switching.filtering import FRESH, HAZARD, followed
from empirical.switching.inference import gradients
from empirical.switching.label_free import RULES, Learned
from empirical.switching.learning import eighths, go_on
from empirical.switching.measures import EXPECTED, INFERRED, STREAM, UNITS, shares, squared
from empirical.switching.networks import Networks
from empirical.switching.plan import WINDOW, Plan
from empirical.switching.stream import streams, windows
from empirical.switching.tracking import elsewhere, kept, named, right, tracked

Found = dict[str, Any]


def inferring(plan: Plan) -> Callable[[Networks, Tensor], Tensor]:
    """The rule of a training: windows (S, B, n + 1) -> z, (S, B, K). The control's is the one that it misuses."""
    return lambda nets, x: RULES[plan.kind](nets, x, plan.sigma)


def while_learning(learned: Learned) -> Found:
    """How often z was right, by eighths of the training, and how sure it was; named by the second half."""
    half = learned.z.shape[1] // 2
    found = right(learned.z, learned.tasks, named(learned.z[:, half:], learned.tasks[:, half:]))
    return {
        "right_eighths": eighths(found.double()).T.tolist(),
        "confidence_eighths": eighths(learned.z.amax(-1)).T.tolist(),
    }


def following(nets: Networks, plan: Plan, blocks: int) -> Found:
    """On a fresh stream: the rule from u on each window, on others for chance, and steps that go on from the last z.

    Beside them the same rule with networks that have learned nothing: what random weights follow.
    """
    rule = RULES[plan.kind]
    rules = {"restarted": rule, "elsewhere": elsewhere(rule, plan)}
    if plan.kind == "label-free" and plan.latent is None:
        rules |= {"kept, logits": kept("softmax"), "kept, exponentiated": kept("exponentiated")}
    found = tracked(nets, plan, blocks, rules)
    untrained = Networks(plan.seeds, plan.tasks, plan.hidden).requires_grad_(False)
    found["tracking"]["untrained"] = tracked(untrained, plan, blocks, {"restarted": rule})["tracking"]["restarted"]
    return found


@torch.no_grad()
def vertices(nets: Networks, plan: Plan, count: int) -> Found:
    """The mean prediction under every e_k after windows of both tasks, K x S."""
    fresh = windows(plan.keys(UNITS), plan.means, plan.sigma, count, WINDOW).flatten(1, 2)
    each = [nets.last(fresh, e.expand(*fresh.shape[:2], -1)).mean(1).tolist() for e in torch.eye(nets.tasks)]
    return {"vertices": each}


def expected(nets: Networks, plan: Plan, count: int) -> Found:
    """Expected errors by task, z inferred before the target."""
    fresh = windows(plan.keys(EXPECTED), plan.means, plan.sigma, count, WINDOW + 2)
    return {"expected_error": [_error(nets, plan, fresh[:, k], mean).tolist() for k, mean in enumerate(plan.means)]}


def _error(nets: Networks, plan: Plan, x: Tensor, mean: float) -> Tensor:
    """The expected error (S,) at the last of windows (S, B, WINDOW + 2), z inferred from what is before it."""
    return squared(nets, x[..., 1:-1], inferring(plan)(nets, x[..., :-1]), mean, plan.sigma)


def forgetting(nets: Networks, plan: Plan, count: int, steps: Sequence[int]) -> Found:
    """The expected error on task 2 after further updates on task 1 only, nothing told; what e_k predict in the end."""
    stream = windows(plan.keys(STREAM), plan.means[:1], plan.sigma, 1, steps[-1] + WINDOW)[:, 0, 0]
    fresh = windows(plan.keys(INFERRED), plan.means, plan.sigma, count, WINDOW + 2)[:, 1]

    def measure(now: Networks) -> dict[str, Tensor]:
        after = torch.tensor(vertices(now, plan, count)["vertices"])
        return {"inferred": _error(now, plan, fresh, plan.means[1]), "vertices": after}

    found = go_on(nets, stream, steps, measure, inferring(plan))
    return {
        "forgetting": {"inferred": [each["inferred"].tolist() for each in found]},
        "forgetting_steps": list(steps),
        "vertices_after": found[-1]["vertices"].tolist(),
    }


def shared_units(nets: Networks, plan: Plan, count: int) -> Found:
    """How many of the units that are active in some task are active in all, by threshold."""
    fresh = windows(plan.keys(UNITS), plan.means, plan.sigma, count, WINDOW + 1)
    rows = []
    for k in range(len(plan.means)):
        z = inferring(plan)(nets, fresh[:, k])
        with torch.no_grad():
            rows.append(nets.states(fresh[:, k, :, :-1], z)[:, :, -1].abs().mean(1))
    return {"shared_units": shares(torch.stack(rows))}


def online(nets: Networks, plan: Plan, blocks: int) -> Found:
    """Realised errors on a fresh stream, z from the window before, and from the filter of `filtering`."""
    x, _ = streams([seed + FRESH for seed in plan.seeds], blocks, plan.means, plan.sigma)
    views = x.unfold(1, WINDOW + 2, 1)
    prior, _ = followed(GradientFilter(HAZARD, nets.tasks), gradients(nets, views[..., 1:], plan.sigma, newest=True))
    ways = {"rule": inferring(plan)(nets, views[..., :-1]), "filter": prior}
    with torch.no_grad():
        return {
            "online": {
                name: (nets.last(views[..., 1:-1], z) - views[..., -1]).square().mean(1).tolist()
                for name, z in ways.items()
            }
        }
