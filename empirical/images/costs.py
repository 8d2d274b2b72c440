"""What the ways of inferring a class cost: counted in multiply-accumulates, and timed.

All downstream of the code, which is computed once in every way. Weights are random: neither count nor time sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import process_time
from typing import Any

import torch
from torch import Tensor

from constructions.inference import (
    cost,
    counted,
    exact_offsets,
    frozen,
    gaussian,
    gradient,
    iterate,
    likelihood_of_every_task,
)
from empirical.images.inference import RATE, STEPS, encoded, output
from empirical.images.networks import Autoencoder

TASKS, BATCHES = (10, 100), (1, 64)
Look = Callable[[], object]
Found = dict[str, Any]


def counts(pixels: int, width: int, hidden: int) -> Found:
    """Multiply-accumulates of one image in units of one forward pass, by mode and K.

    "forward": how many one pass is; "one-step": also with offsets that are there already; "offsets of the image": with
    those of its own code; "iterative": STEPS steps; "likelihoods": K passes; "likelihoods, code once": K passes that
    share what does not depend on z.
    """
    found: Found = {}
    for (mode, K), model in _models(pixels, width, hidden):
        codes, x = _example(model, 1)
        f = output(model, codes)
        amounts = cost(gaussian(f, x, 1.0), 1, K)
        own = counted(partial(exact_offsets, f, 1, K, variance=1.0))
        amount = {
            "one-step": amounts.one_step,
            "offsets of the image": amounts.one_step + own,
            "iterative": amounts.iterative(STEPS),
            "likelihoods": amounts.every_task,
            "likelihoods, code once": amounts.every_task - (K - 1) * model.width * hidden,
        }
        forwards = {name: amounts.in_forwards(each) for name, each in amount.items()}
        found.setdefault(mode, {})[str(K)] = {"forward": amounts.forward, **forwards}
    return found


def times(pixels: int, width: int, hidden: int, repeats: int, look: Look = lambda: None) -> Found:
    """Medians over repeats of microseconds an image, by mode, K and size of the batch.

    Of processor time, which on one thread is the time that passes if the machine does nothing else. The ways take turns
    within a repeat, so that what the machine does meets all of them; each runs twice and the second run counts, so that
    none pays for memory that the one before it gave back. "one pass" is f(u) alone;
    "likelihoods, at once" has the K passes in one batch of K times the size.
    """
    found: Found = {}
    for (mode, K), model in _models(pixels, width, hidden):
        for size in BATCHES:
            look()
            seconds: dict[str, list[float]] = {}
            ways = _ways(model, size)
            for _ in range(repeats):
                for name, way in ways.items():
                    way()
                    start = process_time()
                    way()
                    seconds.setdefault(name, []).append(process_time() - start)
            each = {name: round(1e6 * median(all_) / size, 2) for name, all_ in seconds.items()}
            found.setdefault(mode, {}).setdefault(str(K), {})[str(size)] = each
    return found


def _models(pixels: int, width: int, hidden: int) -> Iterator[tuple[tuple[str, int], Autoencoder]]:
    for mode in ("concat", "gated", "free"):
        for K in TASKS:
            with torch.random.fork_rng():
                torch.manual_seed(K)
                yield (mode, K), frozen(Autoencoder(pixels, 0 if mode == "free" else width, K, mode, hidden))


def _example(model: Autoencoder, size: int) -> tuple[Tensor, Tensor]:
    """Codes of as many random images, and the images."""
    x = torch.randn(size, model.pixels, generator=torch.Generator().manual_seed(size))
    return encoded(model, x), x


def _ways(model: Autoencoder, size: int) -> dict[str, Callable[[], object]]:
    codes, x = _example(model, size)
    K, f = model.tasks, output(model, codes)
    ell = gaussian(f, x, 1.0)
    u = torch.full((size, K), 1 / K)

    @torch.no_grad()
    def one_pass() -> Tensor:
        return ell(u)

    return {
        "one pass": one_pass,
        "one-step": partial(gradient, ell, size, K),
        "offsets of the image": lambda: gradient(ell, size, K) - exact_offsets(f, size, K, variance=1.0),
        "iterative": partial(iterate, ell, size, K, method="adam", steps=STEPS, rate=RATE),
        "likelihoods": partial(likelihood_of_every_task, ell, size, K),
        "likelihoods, at once": partial(at_once, model, codes, x),
    }


@torch.no_grad()
def at_once(model: Autoencoder, codes: Tensor, x: Tensor) -> Tensor:
    """ell_k of all classes in one pass over a batch K times as large, (N, K)."""
    N, K = len(x), model.tasks
    vertices = torch.eye(K).repeat(N, 1)
    decoded = model.decode(codes.repeat_interleave(K, dim=0), vertices).view(N, K, -1)
    return -(decoded - x[:, None]).square().sum(-1) / 2
