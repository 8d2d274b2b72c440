"""How far an inferred z follows the task of a fresh stream, and how soon after a switch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from constructions.inference import auroc, iterate
from empirical.switching.filtering import FRESH
from empirical.switching.inference import evidence
from empirical.switching.label_free import Rule
from empirical.switching.measures import log_ratio
from empirical.switching.networks import Networks
from empirical.switching.plan import WINDOW, Plan
from empirical.switching.stream import LOW, streams

ORDER = 15  # number of the seeds of orders
SHOWN = 300  # steps of the first stream
SMALLEST = 1e-12  # share of a task that is kept, so that none is lost for good
Found = dict[str, Any]


def named(z: Tensor, tasks: Tensor) -> tuple[Tensor, Tensor]:
    """What the entries of z (S, T, K) mean of tasks 0 and 1, (S, T): the part of task 1 in what each had, (S, K).

    And that in the whole stretch, (S, 1): an entry is called task 1 where its part is larger.
    """
    second = tasks.to(z)
    return torch.einsum("stk,st->sk", z, second) / z.sum(1), second.mean(1, keepdim=True)


def right(z: Tensor, tasks: Tensor, names: tuple[Tensor, Tensor]) -> Tensor:
    """Where the largest entry of z is called as the task is, (S, T)."""
    shares, base = names
    return (shares > base).gather(1, z.argmax(-1)) == (tasks == 1)


def follows(z: Tensor, tasks: Tensor, names: tuple[Tensor, Tensor]) -> Found:
    """How z (S, T, K) follows tasks (S, T); one number a seed.

    "right": the part of the steps. "auroc" and "brier", the mean squared error of a probability: of sum_k z_k shares_k.
    "information": mutual, of the largest entry and the task, in bits, not corrected for the length of the stream.
    "confidence": the mean largest entry. "since_switch": right by steps after a switch; "delay": wrong steps among the
    first LOW, the least length of a block. Windows that hold both tasks count, so nothing is right at once.
    """
    found = right(z, tasks, names)
    scores = torch.einsum("stk,sk->st", z, names[0])
    curves = torch.stack([since_switch(*each) for each in zip(found, tasks, strict=True)])
    return {
        "right": found.double().mean(1).tolist(),
        "auroc": [auroc(row[task == 1], row[task == 0]) for row, task in zip(scores, tasks, strict=True)],
        "brier": (scores - tasks).square().mean(1).tolist(),
        "information": [information(*each) for each in zip(z.argmax(-1), tasks, strict=True)],
        "confidence": z.amax(-1).mean(1).tolist(),
        "delay": (1 - curves).sum(1).tolist(),
        "since_switch": curves.tolist(),
    }


def since_switch(right: Tensor, tasks: Tensor) -> Tensor:
    """The part of right steps by their number since a switch, (LOW,), over the switches that have as many after them.

    Of a stretch without any, that of all its steps.
    """
    starts = (tasks.diff() != 0).nonzero()[:, 0] + 1
    starts = starts[starts + LOW <= len(tasks)]
    if not len(starts):
        return right.double().mean().expand(LOW)
    return right[starts[:, None] + torch.arange(LOW)].double().mean(0)


def information(entries: Tensor, tasks: Tensor) -> float:
    """Mutual information of two sequences of whole numbers, in bits, of their table."""
    table = np.zeros((int(entries.max()) + 1, int(tasks.max()) + 1))
    np.add.at(table, (entries.numpy(), tasks.numpy()), 1 / len(tasks))
    apart = table.sum(1, keepdims=True) * table.sum(0, keepdims=True)
    there = table > 0
    return max(0.0, float((table[there] * np.log2(table[there] / apart[there])).sum()))


def tracked(nets: Networks, plan: Plan, blocks: int, rules: Mapping[str, Rule]) -> Found:
    """What rules make of all windows of the fresh stream of `filtering`, weights frozen.

    Entries are named by what the first rule makes of the second half of the stream of the training.
    """
    past, before = streams(plan.seeds, plan.blocks, plan.means, plan.sigma)
    half = past.shape[1] // 2
    first = next(iter(rules.values()))
    names = named(first(nets, past[:, half:].unfold(1, WINDOW + 1, 1), plan.sigma), before[:, half + WINDOW :])
    x, labels = streams([seed + FRESH for seed in plan.seeds], blocks, plan.means, plan.sigma)
    views, tasks = x.unfold(1, WINDOW + 1, 1), labels[:, WINDOW:]
    found = {name: rule(nets, views, plan.sigma) for name, rule in rules.items()}
    shown = {name: [round(value, 4) for value in (z[0, :SHOWN] @ names[0][0]).tolist()] for name, z in found.items()}
    return {
        "tracking": {name: follows(z, tasks, names) for name, z in found.items()},
        "shown": {"task": tasks[0, :SHOWN].tolist(), **shown},
    }


def bayes(plan: Plan) -> Rule:
    """The exact posterior of the same windows, as if no switch were in them."""

    def rule(nets: Networks, x: Tensor, sigma: float) -> Tensor:
        ratio = log_ratio(x[..., 1:], plan).sum(-1)
        return torch.stack((ratio.sigmoid(), (-ratio).sigmoid()), dim=-1)

    return rule


def elsewhere(rule: Rule, plan: Plan) -> Rule:
    """The rule on windows in a random order: chance."""

    def misled(nets: Networks, x: Tensor, sigma: float) -> Tensor:
        order = [np.random.default_rng(key).permutation(x.shape[1]) for key in plan.keys(ORDER)]
        return rule(nets, torch.stack([row[at] for row, at in zip(x, order, strict=True)]), sigma)

    return misled


def kept(method: str) -> Rule:
    """One step a window, from where the last one ended: "softmax" goes along logits, "exponentiated" multiplies."""

    def rule(nets: Networks, x: Tensor, sigma: float) -> Tensor:
        z = torch.full((len(x), nets.tasks), 1 / nets.tasks)
        found = []
        for view in x.unbind(1):
            start = z.clamp(min=SMALLEST)
            ell = evidence(nets, view[:, None], sigma)
            z = iterate(ell, len(x), nets.tasks, method=method, steps=1, start=start / start.sum(-1, keepdim=True)).z
            found.append(z)
        return torch.stack(found, dim=1)

    return rule
