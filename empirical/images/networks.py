"""Autoencoders whose decoders are told the class, and classifiers."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from constructions.inference.gradients import entering
from theory.errors import InputError

MODES = ("concat", "gated", "free")


class Autoencoder(nn.Module):
    """Encoder D -> hidden -> d, which never sees z, and one of three decoders f(latent, z), all with linear outputs.

    Args:
        pixels: D.
        width: d, of the latent code; 0 where the decoder is "free".
        tasks: K, entries of z.
        mode: "concat": V ReLU(W [latent, z] + c) + b; "gated": V[(G z) * ReLU(W latent + c)] + b, linear in z for any
            latent; "free": V[(G z) * h] + b with h learned, linear in z and the same for every image.
        hidden: units of the one hidden layer of either part.

    Raises InputError for K < 2, an unknown mode, and sizes that it has not.
    """

    def __init__(self, pixels: int, width: int, tasks: int, mode: str, hidden: int) -> None:
        super().__init__()
        if tasks < 2:
            raise InputError(f"K = {tasks} classes leave nothing to infer; give at least 2")
        if mode not in MODES:
            raise InputError(f"mode = {mode!r} is unknown; give one of {', '.join(MODES)}")
        if min(pixels, hidden) < 1 or (width < 1) != (mode == "free") or width < 0:
            raise InputError(f"pixels={pixels}, hidden={hidden}, width={width} build no {mode} decoder; give sizes > 0")
        self.pixels, self.width, self.tasks, self.mode, self.hidden = pixels, width, tasks, mode, hidden
        if mode != "free":
            self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.ReLU(), nn.Linear(hidden, width))
            self.inner = nn.Linear(width + tasks * (mode == "concat"), hidden)
        else:
            self.level = nn.Parameter(torch.ones(hidden))
        if mode != "concat":
            self.gate = nn.Parameter(2 * torch.rand(hidden, tasks))
        self.outer = nn.Linear(hidden, pixels)

    def encode(self, images: Tensor) -> Tensor:
        """Latent codes of images (B, D): (B, d); (B, 0) where the decoder is "free"."""
        if self.mode == "free":
            return images.new_empty(len(images), 0)
        latent: Tensor = self.encoder(images)
        return latent

    def decode(self, latent: Tensor, z: Tensor) -> Tensor:
        """Images of latent (B, d) and z (B, K): (B, D). Raises InputError for z of another K or type."""
        entering(z, self.tasks, self.outer.weight)
        if self.mode == "concat":
            units = self.inner(torch.cat((latent, z), dim=-1)).relu()
        elif self.mode == "gated":
            units = (z @ self.gate.T) * self.inner(latent).relu()
        else:
            units = (z @ self.gate.T) * self.level
        found: Tensor = self.outer(units)
        return found

    def forward(self, images: Tensor, z: Tensor) -> Tensor:
        """The images decoded again, (B, D)."""
        return self.decode(self.encode(images), z)


class Classifier(nn.Module):
    """Two hidden layers of ReLU units: images (B, D) -> logits (B, K).

    Args:
        pixels: D.
        tasks: K.
        hidden: units of either layer.
    """

    def __init__(self, pixels: int, tasks: int, hidden: int) -> None:
        super().__init__()
        if tasks < 2:
            raise InputError(f"K = {tasks} classes leave nothing to infer; give at least 2")
        self.pixels, self.tasks, self.hidden = pixels, tasks, hidden
        self.layers = nn.Sequential(
            nn.Linear(pixels, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, tasks)
        )

    def forward(self, images: Tensor) -> Tensor:
        found: Tensor = self.layers(images)
        return found
