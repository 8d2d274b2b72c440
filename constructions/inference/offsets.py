"""The offsets B_k by which a gradient at u differs from log-likelihoods: exact ones, and their mean over data."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from constructions.inference.gradients import applied, max_entropy
from constructions.inference.steps import positive
from theory.errors import InputError

Output = Callable[[Tensor], Tensor]


def offsets(gradient: Tensor, likelihoods: Tensor) -> Tensor:
    """The constant estimate: the mean over training data of g_k - ell_k, (K,), from two tensors (batch, K).

    Of offsets that depend on the context it removes the average alone. Raises InputError for infinite values.
    """
    if gradient.shape != likelihoods.shape or not gradient.numel():
        raise InputError(
            f"gradients of shape {tuple(gradient.shape)} and log-likelihoods of {tuple(likelihoods.shape)}; "
            "give both of one batch that is not empty"
        )
    difference = gradient - likelihoods
    if not difference.isfinite().all():
        raise InputError("g - ell is not finite for some example; leave out data that a task excludes")
    return difference.mean(0)


@torch.no_grad()
def exact_offsets(
    output: Output, batch: int, K: int, *, variance: float | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    """B_k by K + 1 forward passes: exact for outputs that are linear in z, whatever the data turn out to be.

    Args:
        output: f(z), of shape (batch, ...): means of Gaussians of the variance, or logits of tokens, tokens last.
        batch, K: shape of z.
        variance: sigma^2 of Gaussian outputs; not given for logits.
        dtype: of z; the default of torch if not given.

    Returns (batch, K), nats: |f(e_k) - f(u)|^2/(2 sigma^2), or the sum over positions of KL(p_u||p_k).
    Raises InputError for K < 2, a variance <= 0, z that the model does not take, and outputs that are not finite.
    """
    u = max_entropy(batch, K, dtype)
    if variance is not None:
        positive("variance", variance)
    centre = applied(output, u)
    vertices = [applied(output, vertex.repeat(batch, 1)) for vertex in torch.eye(K, dtype=u.dtype)]
    for each in (centre, *vertices):
        if each.shape != centre.shape or each.shape[:1] != (batch,):
            raise InputError(
                f"an output of shape {tuple(each.shape)} for {batch} examples; give a row an example, whatever z is"
            )
        bad = ~each.isfinite()
        if bad.any():
            at = int(bad.nonzero()[0, 0])
            raise InputError(f"the output of example {at} holds NaN or inf; look for NaN in data and weights")
    return torch.stack([_divergence(centre, each, variance).reshape(batch, -1).sum(-1) for each in vertices], dim=-1)


def _divergence(centre: Tensor, output: Tensor, variance: float | None) -> Tensor:
    if variance is not None:
        return (output - centre).square() / (2 * variance)
    start, end = centre.log_softmax(-1), output.log_softmax(-1)
    return start.exp() * (start - end)
