"""What accuracy is left when heads say nothing, or the same for all sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import torch
from torch import Tensor, nn

from empirical.decoder import Attention, Block, Decoder
from empirical.scores.bootstrap import Resampling
from empirical.scores.records import Row
from empirical.tasks.batch import Batch

NAMES = {"all": "all tokens", "last": "last token", "earlier": "earlier tokens"}
_AT_ONCE = 256


@dataclass(frozen=True)
class Arm:
    """One removal: of a head (None for all of them) in some layers, what stands in its place, and at which tokens.

    `by` is "zero", or "mean": the mean of the head's output over the sequences, for each position. `tokens` is "all",
    "last" (the last token, where the model answers) or "earlier" (all but the last, which the last layer does not use).
    """

    layers: tuple[int, ...] = ()
    head: int | None = None
    by: str = "mean"
    tokens: str = "all"


def arms(model: Decoder) -> Iterator[Arm]:
    """The model as it is, removals of every head, and of all heads from some layer on."""
    yield Arm()
    layers = range(model.config.layers)
    for layer in layers:
        for head in range(model.config.heads):
            for by, tokens in (("zero", "all"), ("mean", "all"), ("mean", "last"), ("mean", "earlier")):
                yield Arm((layer,), head, by, tokens)
    for layer in layers:
        yield Arm(tuple(layers[layer:]))


class Removals:
    """A model and the sequences that it answers with some heads removed."""

    def __init__(self, model: Decoder, batch: Batch) -> None:
        self.model, self.batch = model, batch

    def rows(self, arm: Arm) -> list[Row]:
        """A row for each number of hops: accuracy with the removal, with its interval over sequences."""
        right = (self.answers(arm) == self.batch.answers).double()
        rows = []
        for hops in self.batch.hops.unique().tolist():
            some = right[self.batch.hops == hops]
            low, high = Resampling().interval(some[:, None])
            what = {**vars(arm), "layers": list(arm.layers), "hops": hops}
            rows.append({**what, "accuracy": float(some.mean()), "low": float(low), "high": float(high)})
        return rows

    @torch.no_grad()
    def answers(self, arm: Arm) -> Tensor:
        """What the model answers with the removal, (sequences,)."""
        with ExitStack() as stack:
            for layer in arm.layers:
                stack.enter_context(_shown(_attention(self.model, layer).output, self._removal(arm, layer)))
            return torch.cat([self.model(part).argmax(-1) for part in self.batch.tokens.split(_AT_ONCE)])

    @cached_property
    @torch.no_grad()
    def means(self) -> list[Tensor]:
        """What all heads of each layer find at each position, (n, width), on average; of the last, (1, width)."""
        sums: list[Tensor | float] = [0.0] * self.model.config.layers

        def adding(layer: int) -> Callable[[Tensor], None]:
            def add(mixed: Tensor) -> None:
                sums[layer] = sums[layer] + mixed.sum(0)

            return add

        with ExitStack() as stack:
            for layer in range(len(sums)):
                stack.enter_context(_shown(_attention(self.model, layer).output, adding(layer)))
            for part in self.batch.tokens.split(_AT_ONCE):
                self.model(part)
        return [cast(Tensor, total) / len(self.batch) for total in sums]

    def _removal(self, arm: Arm, layer: int) -> Callable[[Tensor], Tensor]:
        n, width = self.batch.tokens.shape[1], self.model.config.head_width
        mean = self.means[layer]  # taken before the hook is there
        own = slice(None) if arm.head is None else slice(arm.head * width, (arm.head + 1) * width)
        chosen = torch.full((n, 1), arm.tokens in ("all", "earlier"))
        chosen[-1] = arm.tokens in ("all", "last")

        def removed(mixed: Tensor) -> Tensor:
            instead = torch.zeros_like(mean) if arm.by == "zero" else mean
            changed = mixed.clone()
            # In the last layer there is the last token alone.
            changed[..., own] = torch.where(chosen[-mixed.shape[1] :], instead[..., own], mixed[..., own])
            return changed

        return removed


def _attention(model: Decoder, layer: int) -> Attention:
    return cast(Block, model.blocks[layer]).attention


@contextmanager
def _shown(output: nn.Module, look: Callable[[Tensor], Tensor | None]) -> Iterator[None]:
    """What all heads of a layer found, (sequences, rows, width), is shown to `look`, which may put something else."""

    def hook(_: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor] | None:
        changed = look(inputs[0])
        return None if changed is None else (changed,)

    handle = output.register_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()
