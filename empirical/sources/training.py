"""Training on windows of all sources, each with its z."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from constructions.inference import frozen
from empirical.sources.networks import SourceModel, build
from empirical.sources.plan import BATCH, CLIP, PEAK, WARM_UP, WINDOW, Plan
from empirical.sources.texts import Text
from theory.errors import InputError

Look = Callable[[], object]
_WINDOWS, _LABELS = 1, 2  # numbers of the streams of random numbers of a seed


def windows(letters: Sequence[Tensor], sources: Tensor, length: int, random: torch.Generator) -> Tensor:
    """Windows (B, length + 1) that begin anywhere in the text of their source, sources (B,)."""
    found = []
    for source in sources.tolist():
        text = letters[source]
        start = int(torch.randint(len(text) - length, (), generator=random))
        found.append(text[start : start + length + 1])
    return torch.stack(found)


def labelled(labels: str, sources: Tensor, K: int, random: torch.Generator) -> Tensor:
    """The z of windows of these sources (B,): (B, K)."""
    if labels == "true":
        return one_hot(sources, K).float()
    if labels == "shuffled":
        return one_hot(torch.randint(K, sources.shape, generator=random), K).float()
    return torch.randn(len(sources), K, generator=random).softmax(-1)


def train(plan: Plan, texts: Sequence[Text], look: Look = lambda: None) -> tuple[SourceModel, list[float]]:
    """The trained model, frozen, and its loss before every update, nats a letter.

    Windows depend on the seed alone, so models of one seed see the same. Adam with torch's one-cycle rate, which also
    varies the first of Adam's decays. Raises InputError for losses that are not finite and for windows that do not fit.
    """
    torch.set_num_threads(1)
    letters = [text.train for text in texts]
    if plan.tasks != len(texts) or min(map(len, letters)) <= WINDOW:
        lengths = ", ".join(f"{text.name} {len(text.train)}" for text in texts)
        raise InputError(
            f"{plan.tasks} tasks and training parts {lengths}; give one for each, of more than {WINDOW} letters"
        )
    model = build(plan)
    drawn, named = (torch.Generator().manual_seed(1000 * plan.seed + number) for number in (_WINDOWS, _LABELS))
    optimizer = torch.optim.Adam(model.parameters(), lr=PEAK, fused=True)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, PEAK, total_steps=plan.steps, pct_start=WARM_UP)
    losses = []
    for step in range(plan.steps):
        sources = torch.randint(plan.tasks, (BATCH,), generator=drawn)
        batch = windows(letters, sources, WINDOW, drawn)
        z = None if plan.mode == "none" else labelled(plan.labels, sources, plan.tasks, named)
        loss = cross_entropy(model(batch[:, :-1], z).flatten(0, 1), batch[:, 1:].flatten())
        losses.append(loss.item())
        if not loss.isfinite():
            raise InputError(f"the loss is {losses[-1]} at step {step}; train another seed")
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        rate.step()
        look()
    return frozen(model), losses
