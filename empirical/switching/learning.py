"""Training on a stream as it comes, and what is forgotten by going on with one task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from empirical.switching.networks import Networks
from empirical.switching.plan import RATE, WINDOW, Plan
from empirical.switching.stream import relabelled, streams

LABELS = 1  # number of the seeds of random labels
Look = Callable[[], object]


def learn(plan: Plan, look: Look = lambda: None) -> tuple[Networks, Tensor]:
    """The trained networks, frozen, and squared errors of the newest target before each update, (S, steps)."""
    torch.set_num_threads(1)
    x, labels = streams(plan.seeds, plan.blocks, plan.means, plan.sigma)
    nets = Networks(plan.seeds, plan.tasks, plan.hidden)
    if plan.kind == "shuffled":
        labels = relabelled(labels, plan.keys(LABELS), plan.tasks)
    z = one_hot(labels, plan.tasks).float() if plan.tasks else None
    updates = Updates(nets)
    errors = []
    for t in range(WINDOW, x.shape[1] - 1):
        errors.append(updates.step(x[:, t - WINDOW : t + 1], None if z is None else z[:, t - WINDOW + 1 : t + 1]))
        look()
    return nets.eval().requires_grad_(False), torch.stack(errors, dim=1)


class Updates:
    """Adam on windows, one after the other; every network has its own loss."""

    def __init__(self, nets: Networks) -> None:
        self.nets = nets.train().requires_grad_()
        self.optimizer = torch.optim.Adam(nets.parameters(), lr=RATE, fused=True)

    def step(self, x: Tensor, z: Tensor | None) -> Tensor:
        """Update on windows x (S, n + 1), z (S, n, K) of the targets; returns the last squared errors before, (S,)."""
        found = self.nets(x[:, None, :-1], None if z is None else z[:, None])
        squares = (found[:, 0] - x[:, 1:]).square()
        self.optimizer.zero_grad()
        squares.mean(1).sum().backward()
        self.optimizer.step()
        return squares[:, -1].detach()


def go_on(
    nets: Networks,
    x: Tensor,
    counts: Sequence[int],
    measure: Callable[[Networks], dict[str, Tensor]],
    infer: Callable[[Networks, Tensor], Tensor] | None = None,
) -> list[dict[str, Tensor]]:
    """What is measured after so many updates, counts in rising order, on a stream x (S, T) of the first task alone.

    z is told, or inferred from every window, (S, 1, n + 1) -> (S, 1, K).
    """
    ours = deepcopy(nets)
    updates, found, done = Updates(ours), list[dict[str, Tensor]](), 0
    z = torch.eye(ours.tasks)[0].expand(len(x), WINDOW, ours.tasks) if ours.tasks else None
    for count in counts:
        for t in range(done, count):
            window = x[:, t : t + WINDOW + 1]
            updates.step(window, z if infer is None else infer(ours, window[:, None]).expand(-1, WINDOW, -1))
        done = count
        found.append(measure(ours.requires_grad_(False)))
        ours.requires_grad_()
    return found


def running(errors: Tensor, length: int = 100) -> Tensor:
    """Means over the next so many steps, (S, steps - length + 1), fewer where there are not so many."""
    return errors.unfold(1, min(length, errors.shape[1]), 1).mean(-1)


def first_below(errors: Tensor, level: float = 0.125) -> list[int | None]:
    """The first step of every seed at which the running mean is below the level, None if it never is."""
    found = list[int | None]()
    for below in running(errors) < level:
        steps = below.nonzero()
        found.append(int(steps[0]) if len(steps) else None)
    return found


def eighths(errors: Tensor) -> Tensor:
    """Mean errors of the eight parts of a training, (S, 8)."""
    return torch.stack([part.mean(1) for part in errors.tensor_split(8, dim=1)], dim=1)
