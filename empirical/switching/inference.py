"""The task of a window inferred by trained networks: gradients at u, likelihoods, offsets, several steps."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from constructions.inference import (
    exact_offsets,
    gaussian,
    gradient,
    iterate,
    likelihood_of_every_task,
    one_step,
)
from constructions.inference.gradients import LogLikelihood
from constructions.inference.offsets import Output
from empirical.switching.networks import Networks

AT_ONCE = 100  # windows of a network


def output(nets: Networks, x: Tensor) -> Output:
    """Predictions after inputs x (S, B, n) as a function of one z for each window, (S B, K) -> (S B, n)."""
    return lambda z: nets(x, z.view(*x.shape[:2], -1)).flatten(0, 1)


def evidence(nets: Networks, x: Tensor, sigma: float, *, newest: bool = False) -> LogLikelihood:
    """The log-likelihood of windows x (S, B, n + 1): n inputs, n targets, of which only the newest may count."""
    predict, targets = output(nets, x[..., :-1]), x[..., 1:].flatten(0, 1)
    if newest:
        return gaussian(lambda z: predict(z)[:, -1:], targets[:, -1:], sigma)
    return gaussian(predict, targets, sigma)


def gradients(nets: Networks, x: Tensor, sigma: float, *, newest: bool = False) -> Tensor:
    """The gradient at u of every window, (S, B, K)."""
    return _by_parts(lambda part, size: gradient(evidence(nets, part, sigma, newest=newest), size, nets.tasks), x)


def likelihoods(nets: Networks, x: Tensor, sigma: float) -> Tensor:
    """What the networks themselves give every task, (S, B, K), nats."""
    return _by_parts(lambda part, size: likelihood_of_every_task(evidence(nets, part, sigma), size, nets.tasks), x)


def context_offsets(nets: Networks, x: Tensor, sigma: float) -> Tensor:
    """B_k of every window from its inputs, (S, B, K); exact if the networks were linear in z."""
    return _by_parts(
        lambda part, size: exact_offsets(output(nets, part[..., :-1]), size, nets.tasks, variance=sigma**2), x
    )


def one_step_z(nets: Networks, x: Tensor, sigma: float) -> Tensor:
    """softmax(g) of every window, (S, B, K)."""
    return one_step(gradients(nets, x, sigma))


def iterative_z(nets: Networks, x: Tensor, sigma: float, steps: int, rate: float) -> Tensor:
    """What z is after so many steps of Adam on its logits, (S, B, K)."""

    def fit(part: Tensor, size: int) -> Tensor:
        return iterate(evidence(nets, part, sigma), size, nets.tasks, method="adam", steps=steps, rate=rate).z

    return _by_parts(fit, x)


def exponentiated_z(nets: Networks, x: Tensor, sigma: float, steps: int, rate: float) -> Tensor:
    """What z is after so many steps of exponentiated gradient from u, (S, B, K)."""

    def fit(part: Tensor, size: int) -> Tensor:
        return iterate(evidence(nets, part, sigma), size, nets.tasks, method="exponentiated", steps=steps, rate=rate).z

    return _by_parts(fit, x)


def _by_parts(found: Callable[[Tensor, int], Tensor], x: Tensor) -> Tensor:
    """Of windows (S, B, n): values (S b, K) of b windows of each network at a time, put together."""
    S = len(x)
    parts = x.split(AT_ONCE, dim=1)
    return torch.cat([found(part, S * part.shape[1]).view(S, part.shape[1], -1) for part in parts], dim=1)
