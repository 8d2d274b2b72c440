"""Training of autoencoders by squared errors, and of classifiers by cross-entropy."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from constructions.inference import frozen
from empirical.images.data import Images
from empirical.images.networks import Autoencoder, Classifier
from empirical.images.plan import Plan
from theory.errors import InputError

Look = Callable[[], object]


@dataclass(frozen=True, eq=False)
class Trained:
    """What a training leaves.

    Args:
        network: frozen.
        losses: mean of every epoch, per image: |x - o|^2 of autoencoders, nats of classifiers.
        cpu_seconds: of this process, for the training alone.
    """

    network: Autoencoder | Classifier
    losses: list[float]
    cpu_seconds: float


def train(plan: Plan, images: Images, look: Look = lambda: None) -> Trained:
    """Train a network on images that have labels; z is one-hot. Raises InputError if the loss ceases to be finite."""
    torch.set_num_threads(1)
    started = time.process_time()
    network, labels = plan.network(images).train(), plan.labels(images)
    order = torch.Generator().manual_seed(plan.seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=plan.rate, fused=True)
    losses = list[float]()
    for epoch in range(plan.epochs):
        total = torch.zeros(())
        for chosen in torch.randperm(len(images), generator=order).split(plan.batch):
            loss = _loss(network, images.pixels[chosen], labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach() * len(chosen)
            look()
        losses.append(float(total) / len(images))
        if not isfinite(losses[-1]):
            raise InputError(f"{plan.title}: the loss is {losses[-1]} in epoch {epoch}; train at a lower rate")
    return Trained(frozen(network), losses, time.process_time() - started)


def _loss(network: Autoencoder | Classifier, images: Tensor, labels: Tensor) -> Tensor:
    if isinstance(network, Classifier):
        return cross_entropy(network(images), labels)
    z = one_hot(labels, network.tasks).to(images.dtype)
    return (network(images, z) - images).square().sum(-1).mean()
