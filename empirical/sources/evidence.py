"""What a trained model says of windows of text: losses, gradients at u, likelihoods of every source, offsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from constructions.inference import exact_offsets, gradient, iterate, likelihood_of_every_task, max_entropy, tokens
from constructions.inference.gradients import LogLikelihood, value_and_gradient
from constructions.inference.offsets import Output
from empirical.sources.networks import SourceModel
from theory.errors import InputError

AT_ONCE = 100  # windows


def drawn(text: Tensor, count: int, length: int, key: Sequence[int]) -> Tensor:
    """Windows (count, length + 1) of a text (N,) at random places: inputs, and targets one further.

    Raises InputError for a text that has no such window.
    """
    if len(text) <= length:
        raise InputError(f"a part of {len(text)} characters has no window of {length + 1}; give a longer text")
    starts = np.random.default_rng(list(key)).integers(0, len(text) - length, count)
    return text[torch.from_numpy(starts)[:, None] + torch.arange(length + 1)]


def output(model: SourceModel, letters: Tensor) -> Output:
    """Logits after letters (B, n) as a function of one z for each row, (B, K) -> (B, n, 96).

    Where z enters the head alone, the body is gone through once.
    """
    if model.mode != "head":
        return lambda z: model(letters, z)
    with torch.no_grad():
        states = model.states(letters)
    return lambda z: model.logits(states, z)


def evidence(model: SourceModel, windows: Tensor) -> LogLikelihood:
    """The log-probability of windows (B, n + 1), nats, summed over the n targets."""
    return tokens(output(model, windows[:, :-1]), windows[:, 1:])


@torch.no_grad()
def losses(model: SourceModel, windows: Tensor, z: Tensor | None) -> Tensor:
    """Nats a letter of every window (B, n + 1), (B,), with one z (K,) for all, None for a model that takes none."""

    def found(part: Tensor) -> Tensor:
        if z is None:
            return tokens(lambda none: model(none, None), part[:, 1:])(part[:, :-1])
        return evidence(model, part)(z.expand(len(part), -1))

    return -_by_parts(found, windows) / (windows.shape[1] - 1)


def gradients(model: SourceModel, windows: Tensor) -> tuple[Tensor, Tensor]:
    """ell(u), (B,), and g(u), (B, K)."""

    def found(part: Tensor) -> Tensor:
        value, slopes = value_and_gradient(evidence(model, part), max_entropy(len(part), model.K))
        return torch.cat((value[:, None], slopes), dim=-1)

    both = _by_parts(found, windows)
    return both[:, 0], both[:, 1:]


def likelihoods(model: SourceModel, windows: Tensor) -> Tensor:
    """ell_k of every window, (B, K)."""
    return _by_parts(lambda part: likelihood_of_every_task(evidence(model, part), len(part), model.K), windows)


def context_offsets(model: SourceModel, windows: Tensor) -> Tensor:
    """B_k of every window from its inputs, (B, K); exact where the logits are linear in z."""
    return _by_parts(lambda part: exact_offsets(output(model, part[:, :-1]), len(part), model.K), windows)


def scalar_gradients(model: SourceModel, windows: Tensor, scalar: Callable[[Tensor], Tensor]) -> Tensor:
    """The gradient at u of a scalar of the logits, (B, K)."""

    def found(part: Tensor) -> Tensor:
        logits = output(model, part[:, :-1])
        return gradient(lambda z: scalar(logits(z)), len(part), model.K)

    return _by_parts(found, windows)


def several_steps(model: SourceModel, windows: Tensor, steps: int, rate: float) -> Tensor:
    """What z is after so many steps of Adam on its logits, from u, (B, K)."""

    def found(part: Tensor) -> Tensor:
        return iterate(evidence(model, part), len(part), model.K, method="adam", steps=steps, rate=rate).z

    return _by_parts(found, windows)


def _by_parts(found: Callable[[Tensor], Tensor], windows: Tensor) -> Tensor:
    """Values of all windows, computed for some at a time."""
    return torch.cat([found(part) for part in windows.split(AT_ONCE)])
