"""Inference of z in several steps, under six rules for a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from constructions.inference.gradients import LogLikelihood, evaluated, latent, value_and_gradient
from constructions.inference.steps import positive, project
from theory.errors import InputError

Update = Callable[[Tensor, Tensor], Tensor]  # z and g(z), both (batch, K) -> the next z


@dataclass(frozen=True, eq=False)
class Trace:
    """What an iteration went through.

    Attributes:
        path: z before the first and after every step, (steps + 1, batch, K).
        history: ell(z) there, (steps + 1, batch), nats.
    """

    path: Tensor
    history: Tensor

    @property
    def z(self) -> Tensor:
        """The last z, (batch, K)."""
        return self.path[-1]


class _Logits:
    """Plain ascent on logits a, with z = softmax(a/T)."""

    def __init__(self, start: Tensor, rate: float, temperature: float) -> None:
        self.logits, self.rate, self.temperature = temperature * start.log(), rate, temperature

    def __call__(self, z: Tensor, slopes: Tensor) -> Tensor:
        uphill = z * (slopes - (z * slopes).sum(-1, keepdim=True)) / self.temperature
        self.logits = self.logits + self.rate * self.direction(uphill)
        return (self.logits / self.temperature).softmax(-1)

    def direction(self, uphill: Tensor) -> Tensor:
        """Where to go from a, given the slope there."""
        return uphill


class _Adam(_Logits):
    """Ascent by Adam, arXiv 1412.6980, with its usual constants; its moments begin anew with every inference.

    As torch.optim.Adam, whose import would cost more than all steps of most inferences.
    """

    decays, epsilon = (0.9, 0.999), 1e-8

    def __init__(self, start: Tensor, rate: float, temperature: float) -> None:
        super().__init__(start, rate, temperature)
        self.moments, self.steps = [torch.zeros_like(start), torch.zeros_like(start)], 0

    def direction(self, uphill: Tensor) -> Tensor:
        self.steps += 1
        powers = (uphill, uphill.square())
        for at, (decay, power) in enumerate(zip(self.decays, powers, strict=True)):
            self.moments[at] = decay * self.moments[at] + (1 - decay) * power
        first, second = (m / (1 - decay**self.steps) for m, decay in zip(self.moments, self.decays, strict=True))
        return first / (second.sqrt() + self.epsilon)


def _expectation(z: Tensor, slopes: Tensor) -> Tensor:
    if (slopes < 0).any():
        raise InputError("the gradient has negative entries, so this is no linear pool; use another method than 'em'")
    weights = z * slopes
    if not (weights.sum(-1) > 0).all():
        raise InputError("the gradient is 0 where z is not, so this is no linear pool; use another method than 'em'")
    return weights / weights.sum(-1, keepdim=True)


METHODS: dict[str, Callable[[Tensor, float, float], Update]] = {
    "softmax": _Logits,
    "adam": _Adam,
    "projected": lambda start, rate, temperature: lambda z, g: project(z + rate * g),
    "exponentiated": lambda start, rate, temperature: lambda z, g: (z.log() + rate * g).softmax(-1),
    "em": lambda start, rate, temperature: _expectation,
    "picard": lambda start, rate, temperature: lambda z, g: (g / temperature).softmax(-1),
}


def iterate(
    log_likelihood: LogLikelihood,
    batch: int,
    K: int,
    *,
    method: str = "softmax",
    steps: int,
    rate: float = 1.0,
    temperature: float = 1.0,
    start: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Trace:
    """Infer z by repeated steps, each of one forward and one backward pass.

    Every example goes its own way, as long as none depends on the z of another: see `gradient`.

    Args:
        log_likelihood: ell.
        batch, K: shape of z.
        method: "softmax": ascent at the rate on logits a, z = softmax(a/temperature); "adam": the same by Adam;
            "projected": z + rate g, projected; "exponentiated": z_k e^(rate g_k), normalised; "em": z_k g_k,
            normalised, for linear pools; "picard": softmax(g/temperature).
        steps: S >= 1.
        rate, temperature: where the method uses them.
        start: (K,) or (batch, K), u if not given. Only "projected" and "picard" leave a face of the simplex.
        dtype: of u; the default of torch if not given.

    Raises InputError for an unknown method, numbers out of range, and as `gradient` does.
    """
    if method not in METHODS:
        raise InputError(f"method = {method!r} is unknown; give one of {', '.join(METHODS)}")
    if steps < 1:
        raise InputError(f"steps = {steps} is too few; give at least 1")
    positive("rate", rate)
    positive("temperature", temperature)
    z = latent(batch, K, start, dtype)
    if (z < 0).any() or ((z.sum(-1) - 1).abs() > 1e-3).any():
        raise InputError(f"start = {z[0].tolist()} is not on the simplex; give entries >= 0 that add up to 1")
    update = METHODS[method](z, rate, temperature)
    path, history = [z], []
    for _ in range(steps):
        value, slopes = value_and_gradient(log_likelihood, path[-1])
        history.append(value)
        path.append(update(path[-1], slopes))
    with torch.no_grad():
        history.append(evaluated(log_likelihood, path[-1]))
    return Trace(torch.stack(path), torch.stack(history))
