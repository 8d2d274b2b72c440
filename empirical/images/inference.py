"""The class of an image inferred by a trained decoder: gradients at u, offsets, several steps, likelihoods.

x is the image, f(z) what the decoder makes of its latent code and z, ell(z) = -|x - f(z)|^2/2 with sigma = 1. The
encoder does not see z, so codes are computed once and no gradient goes through them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

import torch
from torch import Tensor
from torch.nn import functional

from constructions.inference import (
    TIED,
    classes,
    exact_offsets,
    gaussian,
    gradient,
    iterate,
    likelihood_of_every_task,
    max_entropy,
    negative_pixel_entropy,
    squared_norm,
)
from constructions.inference.offsets import Output
from empirical.correlation import centred
from empirical.images.networks import Autoencoder

AT_ONCE = 1000  # images
STEPS, RATE = 50, 0.5  # of Adam on softmax logits
CLOSE = 1e-4  # nats: scores that near are tied, as float32 sums of some hundred squares have no more digits
Look = Callable[[], object]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a decoder says of N images.

    Attributes:
        gradient: g at u, (N, K), nats per unit of z.
        likelihoods: ell_k, (N, K), nats.
        offsets: B_k of every image from its code alone, (N, K), nats.
        distance: |x - f(u)|, (N,), in standard deviations of a pixel.
        entropy, norm: gradients at u of minus the entropy and of the squared norm of the output, (N, K).
    """

    gradient: Tensor
    likelihoods: Tensor
    offsets: Tensor
    distance: Tensor
    entropy: Tensor
    norm: Tensor

    @property
    def identity(self) -> Tensor:
        """G - B - ell with its mean over the classes removed, (N, K): 0 for decoders that are linear in z."""
        return centred(self.gradient - self.offsets - self.likelihoods)


def output(model: Autoencoder, codes: Tensor) -> Output:
    """What the decoder makes of codes (N, d), as a function of z (N, K)."""
    return lambda z: model.decode(codes, z)


def encoded(model: Autoencoder, pixels: Tensor) -> Tensor:
    """Codes (N, d) that bear no gradient."""
    with torch.no_grad():
        return model.encode(pixels)


def evidence(model: Autoencoder, pixels: Tensor, look: Look = lambda: None) -> Evidence:
    """Of images (N, D), by a frozen model, in the model's own precision; `look` is called every now and then."""
    parts = [_evidence(model, part, look) for part in pixels.split(AT_ONCE)]
    names = [field.name for field in fields(Evidence)]
    return Evidence(**{name: torch.cat([getattr(part, name) for part in parts]) for name in names})


def _evidence(model: Autoencoder, pixels: Tensor, look: Look) -> Evidence:
    look()
    f = output(model, encoded(model, pixels))
    ell, N, K, dtype = gaussian(f, pixels, 1.0), len(pixels), model.tasks, pixels.dtype
    return Evidence(
        gradient(ell, N, K, dtype=dtype),
        likelihood_of_every_task(ell, N, K, dtype=dtype),
        exact_offsets(f, N, K, variance=1.0, dtype=dtype),
        (pixels - f(max_entropy(N, K, dtype))).norm(dim=-1),
        gradient(lambda z: negative_pixel_entropy(f(z)), N, K, dtype=dtype),
        gradient(lambda z: squared_norm(f(z)), N, K, dtype=dtype),
    )


def iterated(model: Autoencoder, pixels: Tensor, look: Look = lambda: None, steps: int = STEPS) -> Tensor:
    """The z of images (N, D) after so many steps of Adam on logits from 0, (N, K)."""
    found = []
    for part in pixels.split(AT_ONCE):
        look()
        ell = gaussian(output(model, encoded(model, part)), part, 1.0)
        found.append(iterate(ell, len(part), model.tasks, method="adam", steps=steps, rate=RATE, dtype=part.dtype).z)
    return torch.cat(found)


def scores(found: Evidence, constant: Tensor, single: Tensor, z: Tensor) -> dict[str, Tensor]:
    """What each rule gives to the classes of N images, (N, K) each; the largest is its guess.

    Args:
        found: of these images.
        constant: the offsets estimated from training images, (K,).
        single: the exact offsets of one training image, (K,), which are those of all if f does not depend on the code.
        z: after several steps.
    """
    g = found.gradient
    return {
        "one-step": g,
        "constant offsets": g - constant,
        "offsets of one image": g - single,
        "offsets of the image": g - found.offsets,
        "iterative": z.log(),
        "likelihoods": found.likelihoods,
        "entropy": found.entropy,
        "norm": found.norm,
    }


def accuracies(scores: Mapping[str, Tensor], labels: Tensor) -> dict[str, float]:
    """The share of images that each rule gives to its class; where two classes have one largest score, to none."""
    return {name: float((classes(each) == labels).double().mean()) for name, each in scores.items()}


def ties(scores: Mapping[str, Tensor]) -> dict[str, float]:
    """The share of images on which the two largest scores of a rule are within CLOSE of each other."""
    return {name: float((classes(each, allowance=CLOSE) == TIED).double().mean()) for name, each in scores.items()}


def unlike(found: Tensor, likelihoods: Tensor) -> int:
    """On how many images the scores choose another class than likelihoods do, where these are not tied.

    Scores that are likelihoods up to CLOSE can differ from them only where two are within 2 CLOSE: those are tied.
    """
    sure = classes(likelihoods, allowance=2 * CLOSE)
    return int(((sure != TIED) & (classes(found) != sure)).sum())


def agreement(found: Tensor, likelihoods: Tensor) -> float:
    """The share of images to which both give the same class."""
    ours, theirs = classes(found), classes(likelihoods)
    return float(((ours == theirs) & (ours != TIED)).double().mean())


def spread(model: Autoencoder, pixels: Tensor) -> float:
    """How far the K decodings of an image are from their mean: squared, mean over pixels, classes and images."""
    total = 0.0
    for part in pixels.split(AT_ONCE):
        found = decodings(model, part)
        total += float((found - found.mean(1, keepdim=True)).square().mean((1, 2)).double().sum())
    return total / len(pixels)


@torch.no_grad()
def decodings(model: Autoencoder, pixels: Tensor) -> Tensor:
    """What the decoder makes of every image as each of the classes, (N, K, D)."""
    f, K = output(model, encoded(model, pixels)), model.tasks
    vertices = torch.eye(K, dtype=pixels.dtype)
    return torch.stack([f(vertex.repeat(len(pixels), 1)) for vertex in vertices], dim=1)


@torch.no_grad()
def reconstruction(model: Autoencoder, pixels: Tensor, labels: Tensor) -> float:
    """The squared error of a pixel, mean over pixels and images, where z is the true class."""
    z = functional.one_hot(labels, model.tasks).to(pixels.dtype)
    return float((output(model, encoded(model, pixels))(z) - pixels).square().mean())


def variation(offsets: Tensor) -> dict[str, float]:
    """How much offsets (N, K) differ over images, and over classes: variances of B less its mean over classes."""
    B = centred(offsets)
    return {
        "over images": float(B.var(0, correction=0).mean()),
        "over classes": float(B.mean(0).var(correction=0)),
    }
