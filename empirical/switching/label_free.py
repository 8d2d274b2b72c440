"""Training that is told no task: z is inferred from the window just seen, and the weights learn with that z.

Inference is the E-step, the update the M-step. Every inference begins at u: logits that were kept would take a time
that grows with the exponential of their own confidence to leave a task (`gbi-saturation-time` of the theory).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from empirical.switching.inference import exponentiated_z, one_step_z
from empirical.switching.learning import Look, Updates
from empirical.switching.networks import Networks
from empirical.switching.plan import WINDOW, Plan
from empirical.switching.stream import streams

STRANGE = 2  # number of the seeds of the windows that z is taken from in the control
STEPS, RATE = 10, 1 / WINDOW  # the largest rate that is proved to converge, if the means are 2 sigma apart
Rule = Callable[[Networks, Tensor, float], Tensor]  # windows (S, B, n + 1) and sigma -> z, (S, B, K)


def iterated(nets: Networks, x: Tensor, sigma: float) -> Tensor:
    """Z after steps of exponentiated gradient from u, (S, B, K)."""
    return exponentiated_z(nets, x, sigma, STEPS, RATE)


RULES: dict[str, Rule] = {"label-free": one_step_z, "iterative": iterated, "strange": one_step_z}


@dataclass(frozen=True)
class Learned:
    """Frozen networks and what happened while they learned.

    Attributes:
        errors: squared ones of the newest target before its update, z inferred before it was seen, (S, steps).
        z: inferred with the newest target, (S, steps, K).
        tasks: of the newest target, (S, steps); nothing was told of them.
    """

    nets: Networks
    errors: Tensor
    z: Tensor
    tasks: Tensor


def learn(plan: Plan, look: Look = lambda: None) -> Learned:
    """Learn on one stream a seed without any label."""
    torch.set_num_threads(1)
    x, labels = streams(plan.seeds, plan.blocks, plan.means, plan.sigma)
    nets, rule = Networks(plan.seeds, plan.tasks, plan.hidden), RULES[plan.kind]
    updates = Updates(nets)
    steps = range(WINDOW, x.shape[1] - 1)
    sources = strangers(plan.keys(STRANGE), steps) if plan.kind == "strange" else None
    z = torch.full((len(x), 1, plan.tasks), 1 / plan.tasks)
    errors, followed = [], []
    for t in steps:
        window = x[:, t - WINDOW : t + 1]
        with torch.no_grad():
            errors.append((nets.last(window[:, None, :-1], z)[:, 0] - window[:, -1]).square())
        seen = window if sources is None else taken(x, sources[:, t - WINDOW])
        z = rule(nets, seen[:, None], plan.sigma)
        updates.step(window, z.expand(-1, WINDOW, -1))
        followed.append(z[:, 0])
        look()
    nets.eval().requires_grad_(False)
    return Learned(nets, torch.stack(errors, 1), torch.stack(followed, 1), labels[:, WINDOW:-1])


def strangers(keys: Sequence[Sequence[int]], steps: range) -> Tensor:
    """For every seed and step the end of a window from elsewhere in the stream, each used once, (S, steps)."""
    return torch.tensor(np.stack([np.random.default_rng(key).permutation(steps) for key in keys]))


def taken(x: Tensor, ends: Tensor) -> Tensor:
    """Of streams (S, T) the windows that end there, (S, WINDOW + 1)."""
    return torch.stack([row[end - WINDOW : end + 1] for row, end in zip(x, ends.tolist(), strict=True)])
