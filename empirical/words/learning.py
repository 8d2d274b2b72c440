"""Training on words: every prefix of every word in every step."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils import parametrize

from constructions.compact.decoder import CompactDecoder
from empirical.words.catalogue import informative, letters, undetermined
from empirical.words.plan import Plan

BETAS = (0.9, 0.99)


def learn(plan: Plan, watch: Callable[[int], object] = lambda step: None) -> tuple[CompactDecoder, float]:
    """The trained decoder, in evaluation mode, and its last loss in nats. `watch` is told of every step.

    Half of the loss is the mean over prefixes on which the words are to be told apart, which are few.
    """
    torch.set_num_threads(1)
    model = plan.decoder().train()
    words = letters(plan.words, plan.length + 1)
    weights = importance(words)
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.rate, betas=BETAS, weight_decay=0.0)
    loss = torch.tensor(torch.nan)
    for step in range(plan.steps):
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * plan.schedule(step)
        losses = F.cross_entropy(model(words[:, :-1]).transpose(1, 2), words[:, 1:], reduction="none")
        loss = (losses * weights).sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        watch(step + 1)
    if plan.flags:
        parametrize.remove_parametrizations(model.positions, "weight")
    return model.eval(), loss.item()


def importance(words: Tensor) -> Tensor:
    """Weights (words, n) of the prefixes of words (words, n + 1), of sum 1; 0 where no model can be right on all."""
    known = ~undetermined(words)
    told = informative(words)
    rest = known & ~told
    parts = [part / part.sum() for part in (told, rest) if part.any()]
    return torch.stack(parts).mean(0)
