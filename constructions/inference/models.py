"""Models of a task variable z: linear pools, log-linear families, Gaussians, tokens; nets that z gates or enters.

Each builder fixes the data and returns ell as a function of z (batch, K). Source: derived in theory.inference.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from constructions.inference.gradients import LogLikelihood, entering
from constructions.inference.offsets import Output
from constructions.inference.steps import positive
from theory.errors import InputError

Partition = Callable[[Tensor], Tensor]  # A: (..., d) -> (...)


def bernoulli(eta: Tensor) -> Tensor:
    """A of independent bits with log-odds eta (..., d); t(x) = x."""
    return softplus(eta).sum(-1)


def poisson(eta: Tensor) -> Tensor:
    """A of independent counts with log-rates eta (..., d); t(x) = x, and log h = -log x! is left out."""
    return eta.exp().sum(-1)


def categorical(eta: Tensor) -> Tensor:
    """A of one of d letters with logits eta (..., d); t(x) is one-hot."""
    return eta.logsumexp(-1)


def pool(likelihoods: Tensor) -> LogLikelihood:
    """Embedding (A): log sum_k z_k p_k, of one observation (batch, K), or summed over several (batch, n, K).

    Raises InputError for negative likelihoods, NaN, and an observation that all tasks exclude.
    """
    if likelihoods.dim() not in (2, 3):
        raise InputError(f"likelihoods of shape {tuple(likelihoods.shape)}; give (batch, K) or (batch, n, K)")
    bad = ~((likelihoods >= 0).all(-1) & (likelihoods.sum(-1) > 0))
    if bad.any():
        at = tuple(bad.nonzero()[0].tolist())
        raise InputError(
            f"likelihoods {likelihoods[at].tolist()} of observation {at} must be >= 0, and not all 0; "
            "give no logarithms and no NaN"
        )
    return lambda z: _pooled(likelihoods, z)


def _pooled(likelihoods: Tensor, z: Tensor) -> Tensor:
    entering(z, likelihoods.shape[-1], likelihoods)
    rows = likelihoods if likelihoods.dim() == 3 else likelihoods[:, None]
    return (rows @ z[..., None]).squeeze(-1).log().sum(-1)


def log_linear(natural: Tensor, partition: Partition, statistic: Tensor) -> LogLikelihood:
    """Embedding (B) without log h: <eta(z), t> - A(eta(z)), eta(z) = sum_k z_k eta_k.

    Args:
        natural: eta_k, (K, d).
        partition: A, (batch, d) -> (batch,).
        statistic: t(x), (batch, d).
    """
    _finite(statistic)

    def ell(z: Tensor) -> Tensor:
        eta = entering(z, len(natural), natural) @ natural
        return (eta * statistic).sum(-1) - partition(eta)

    return ell


def gaussian(output: Output, x: Tensor, sigma: float) -> LogLikelihood:
    """Embedding (C): -|x - f(z)|^2/(2 sigma^2) for observations x (batch, ...), each summed, not averaged.

    Raises InputError for sigma <= 0, NaN in x, and outputs of another shape.
    """
    positive("sigma", sigma)
    _finite(x)

    def ell(z: Tensor) -> Tensor:
        found = output(z)
        if found.shape != x.shape:
            raise InputError(f"outputs of shape {tuple(found.shape)} for data {tuple(x.shape)}; they must agree")
        return -(x - found).square().flatten(1).sum(-1) / (2 * sigma**2)

    return ell


def tokens(logits: Output, words: Tensor) -> LogLikelihood:
    """The log-probability of the tokens (batch, n) under logits (batch, n, V), summed over positions.

    Raises InputError for tokens that are no integers, and for one that the logits do not have.
    """
    if words.is_floating_point():
        raise InputError(f"tokens in {words.dtype} are no indices; give integers")

    def ell(z: Tensor) -> Tensor:
        found = logits(z)
        if found.shape[:-1] != words.shape:
            raise InputError(
                f"logits of shape {tuple(found.shape)} for tokens {tuple(words.shape)}; give (batch, n, V), (batch, n)"
            )
        V = found.shape[-1]
        bad = (words < 0) | (words >= V)
        if bad.any():
            at = tuple(bad.nonzero()[0].tolist())
            raise InputError(
                f"the token at {at} is {int(words[at])} and logits have {V} tokens; give 0 to {V - 1}, without padding"
            )
        return found.log_softmax(-1).gather(-1, words[..., None]).flatten(1).sum(-1)

    return ell


def linear(means: Tensor) -> Output:
    """f(z) = M z, with M of shape (D, K)."""
    return lambda z: entering(z, means.shape[1], means) @ means.T


class GatedNet(nn.Module):
    """f(x, z) = V[(G z) * phi(W x)], linear in z whatever phi is; with further layers of the same gate it is not.

    Args:
        V: (D, H).
        G: (H, K), shared by all layers.
        weights: W (H, d), then (H, H) of every further layer: h <- (G z) * phi(W h).
        phi: elementwise.
    """

    def __init__(self, V: Tensor, G: Tensor, *weights: Tensor, phi: Callable[[Tensor], Tensor] = torch.tanh) -> None:
        super().__init__()
        self.V, self.G, self.phi = nn.Parameter(V), nn.Parameter(G), phi
        self.weights = nn.ParameterList(weights)

    def forward(self, x: Tensor, z: Tensor) -> Tensor:
        """Of x (batch, d) and z (batch, K): (batch, D)."""
        gate = entering(z, self.G.shape[1], self.G) @ self.G.T
        for weight in self.weights:
            x = gate * self.phi(x @ weight.T)
        return x @ self.V.T


class AdditiveNet(nn.Module):
    """f(x, z) = V phi(W x + U z): z enters as an input among others, and f is not linear in it.

    Args:
        V: (D, H).
        U: (H, K).
        W: (H, d).
        phi: elementwise.
    """

    def __init__(self, V: Tensor, U: Tensor, W: Tensor, phi: Callable[[Tensor], Tensor] = torch.tanh) -> None:
        super().__init__()
        self.V, self.U, self.W, self.phi = nn.Parameter(V), nn.Parameter(U), nn.Parameter(W), phi

    def forward(self, x: Tensor, z: Tensor) -> Tensor:
        """Of x (batch, d) and z (batch, K): (batch, D)."""
        return self.phi(x @ self.W.T + entering(z, self.U.shape[1], self.U) @ self.U.T) @ self.V.T


def circumcentre_start(means: Tensor) -> Tensor | None:
    """The z0 with entries that add up to 1 at which M z0 is equally far from all means, (K,); M is (D, K).

    Where the gradient is taken at z0, its softmax is the posterior of the linear Gaussian model. The entries may be
    negative. Of several z0 (means on a sphere, affinely dependent) it is that of least norm; None if there is none.
    Raises InputError for means that are no such matrix, or not finite.
    """
    if means.dim() != 2 or means.shape[1] < 2 or not means.is_floating_point() or not means.isfinite().all():
        raise InputError(f"means = {means.tolist()} are no points; give finite floating-point numbers, (D, K), K >= 2")
    D, K = means.shape
    centred = means - means.mean(-1, keepdim=True)
    scale = centred.abs().amax()
    if scale == 0:
        return torch.full((K,), 1 / K, dtype=means.dtype)
    centred = centred / scale
    differences = centred[:, 1:] - centred[:, :1]
    squares = centred.square().sum(0)
    rows = torch.cat((2 * differences.T @ centred, torch.ones(1, K, dtype=means.dtype)))
    right = torch.cat((squares[1:] - squares[0], torch.ones(1, dtype=means.dtype)))
    rounding = prod(rows.shape) * D * torch.finfo(means.dtype).eps
    inverse = torch.linalg.pinv(rows, rtol=rounding)
    found = inverse @ right
    found = found + inverse @ (right - rows @ found)
    residual = (rows @ found - right).abs().amax()
    return found if residual <= rounding * (1 + rows.norm() * found.norm()) else None


def _finite(data: Tensor) -> None:
    bad = ~data.isfinite()
    if bad.any():
        at = tuple(bad.nonzero()[0].tolist())
        raise InputError(f"the observation at {at} is {float(data[at])}; leave out or fill in what was not measured")
