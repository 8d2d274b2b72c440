"""What is trained."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from empirical.images.data import Images
from empirical.images.networks import Autoencoder, Classifier

PERMUTED = 1  # number of the seeds of permuted labels


@dataclass(frozen=True)
class Plan:
    """One network on one set of images.

    Args:
        kind: the decoder of an autoencoder, "concat", "gated" or "free"; or "classifier".
        seed: of the first weights and of the order of images.
        width: of the latent code; 0 for "free" and "classifier".
        hidden: units of a hidden layer.
        epochs, batch, rate: of Adam.
        permuted: whether the labels are permuted at random before the training.
    """

    kind: str
    seed: int
    width: int
    hidden: int
    epochs: int
    batch: int = 64
    rate: float = 1e-3
    permuted: bool = False

    @property
    def title(self) -> str:
        width = f"-{self.width}" if self.width else ""
        return f"{self.kind}{width}{'-permuted' if self.permuted else ''}-seed-{self.seed}"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def network(self, images: Images) -> Autoencoder | Classifier:
        """The network before its training, with the first weights of the seed."""
        pixels, tasks = images.pixels.shape[1], images.classes
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            if self.kind == "classifier":
                return Classifier(pixels, tasks, self.hidden)
            return Autoencoder(pixels, self.width, tasks, self.kind, self.hidden)

    def labels(self, images: Images) -> Tensor:
        """Those that are trained on."""
        if not self.permuted:
            return images.known
        return images.known[torch.from_numpy(np.random.default_rng([self.seed, PERMUTED]).permutation(len(images)))]
