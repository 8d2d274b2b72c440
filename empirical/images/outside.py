"""Scores that tell images of the classes from other images, and how well each does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from constructions.inference import auroc, gaussian, ood_scores
from empirical.images.inference import AT_ONCE, Evidence, encoded, output
from empirical.images.networks import Autoencoder, Classifier

STEPS, RATE = 50, 0.05  # of Adam on the code, for the regret
Look = Callable[[], object]


def scores(
    model: Autoencoder, classifiers: Sequence[Classifier], pixels: Tensor, found: Evidence, look: Look = lambda: None
) -> dict[str, Tensor]:
    """Scores by name, (N,) each and high for images of the classes.

    Those of `ood_scores`, "soft" as log-odds; "confidence": the largest posterior of likelihoods, as log-odds;
    "classifier", "ensemble": the largest probability, of the first classifier and of the mean of all; "regret":
    `regret` with its sign changed, of decoders that see a code.
    """
    each = probabilities(classifiers, pixels)
    chosen = {
        **ood_scores(found.gradient, found.likelihoods, found.distance),
        "soft": log_odds(found.gradient),
        "confidence": log_odds(found.likelihoods),
        "classifier": each[0].amax(-1),
        "ensemble": each.mean(0).amax(-1),
    }
    if model.width:
        chosen["regret"] = -regret(model, pixels, found.likelihoods, look)
    return chosen


def log_odds(evidence: Tensor) -> Tensor:
    """Of the largest entry p of softmax(evidence): log(p / (1 - p)), (N,).

    They order images as p does, and tell them apart where p is rounded to 1, as it is of clothes by the hundred.
    """
    best = evidence.argmax(-1, keepdim=True)
    return evidence.amax(-1) - evidence.scatter(-1, best, -torch.inf).logsumexp(-1)


@torch.no_grad()
def probabilities(classifiers: Sequence[Classifier], pixels: Tensor) -> Tensor:
    """Of every classifier: (classifiers, N, K), in float64, where those near 1 stay apart."""
    return torch.stack([classifier(pixels).double().softmax(-1) for classifier in classifiers])


def regret(
    model: Autoencoder, pixels: Tensor, likelihoods: Tensor, look: Look = lambda: None, steps: int = STEPS
) -> Tensor:
    """How much likelier than by its encoded code an image gets by the best code, (N,), nats: the likelihood regret.

    That of arXiv 2003.02977, which optimises the encoder's distribution of codes; here there is one code, optimised by
    Adam from the encoded one, and z stays the likeliest class.
    """
    found = []
    for part, ell in zip(pixels.split(AT_ONCE), likelihoods.split(AT_ONCE), strict=True):
        look()
        z = torch.eye(model.tasks, dtype=part.dtype)[ell.argmax(-1)]
        found.append(_best(model, part, z, steps) - ell.amax(-1))
    return torch.cat(found)


def _best(model: Autoencoder, pixels: Tensor, z: Tensor, steps: int) -> Tensor:
    """The largest ell on the way, (N,)."""
    codes = encoded(model, pixels).requires_grad_()
    optimiser = torch.optim.Adam([codes], lr=RATE)
    best = torch.full((len(pixels),), -torch.inf, dtype=pixels.dtype)
    for step in range(steps + 1):
        ell = gaussian(output(model, codes), pixels, 1.0)(z)
        best = best.maximum(ell.detach())
        if step < steps:
            (codes.grad,) = torch.autograd.grad(-ell.sum(), codes)
            optimiser.step()
    return best


def areas(inside: Mapping[str, Tensor], outside: Mapping[str, Mapping[str, Tensor]]) -> dict[str, dict[str, float]]:
    """The AUROC of every score, on every set of other images."""
    return {set_: {name: auroc(inside[name], each) for name, each in found.items()} for set_, found in outside.items()}
