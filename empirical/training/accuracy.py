"""How often a model gives the right answer, in all and by the number of hops."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional as F

from empirical.decoder import Decoder
from empirical.tasks.batch import Batch

_AT_ONCE = 512


@torch.no_grad()
def measure(model: Decoder, batch: Batch) -> dict[str, Any]:
    """`accuracy`, `by_hops` (accuracy for each number of hops) and `loss` (nats a sequence) on a batch.

    The answer of a model is its largest logit at the last token. The model is left in evaluation mode.
    """
    model.eval()
    logits = torch.cat([model(tokens).float() for tokens in batch.tokens.split(_AT_ONCE)])
    right = (logits.argmax(-1) == batch.answers).double()
    return {
        "accuracy": right.mean().item(),
        "by_hops": {str(int(hops)): right[batch.hops == hops].mean().item() for hops in batch.hops.unique()},
        "loss": F.cross_entropy(logits.double(), batch.answers).item(),
    }
