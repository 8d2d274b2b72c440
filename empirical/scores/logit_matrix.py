"""M[c, p], the logit of content c at position p against one query, for many heads at once.

Source: arXiv 2605.31558, Def. D.1. Rotary positions enter through i - p alone, so with the query turned by i - p in
place of the keys by p, all of M is one product of the keys with N turned queries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from empirical.capture.heads import LayerHeads
from empirical.scores.settings import Settings
from theory.errors import InputError

# Bytes of M in one chunk, or one head where that has more. Some 20 arrays of that size are alive at once at most; small
# chunks stay in the cache of a core.
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, eq=False)
class View:
    """What the queries of some (prompt, head) pairs see: N earlier keys and their own.

    Args:
        keys: (units, N + 1, d), before rotation, in float64.
        seen: (units, N + 1, d), the query times the logit scale, as it meets a key that is not turned.
        softcap: of the logits.
        temperature: that they are divided by.
    """

    keys: Tensor
    seen: Tensor
    softcap: float | None
    temperature: float

    def logits(self, coordinates: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """M (units, N, N) and the logit of the query's own token (units,); or those of some coordinates alone."""
        keys, seen = self.keys, self.seen
        if coordinates is not None:
            keys, seen = keys[..., coordinates], seen[..., coordinates]
        M = keys[:, :-1] @ seen[:, :-1].mT
        own = (keys[:, -1] * seen[:, -1]).sum(-1)
        return self._finished(M), self._finished(own)

    def _finished(self, logits: Tensor) -> Tensor:
        if self.softcap is not None:
            logits = self.softcap * torch.tanh(logits / self.softcap)
        return logits if self.temperature == 1.0 else logits / self.temperature


def views(heads: LayerHeads, settings: Settings) -> Iterator[View]:
    """All (prompt, head) pairs of a layer, prompts first, some at a time, so that memory stays bounded.

    Raises InputError if the query has no two earlier keys, or a query or key that it needs is not finite.
    """
    prompts, count, length, width = heads.queries.shape
    groups = heads.keys.shape[1]
    if count % groups or heads.keys.shape != (prompts, groups, length, width):
        raise InputError(
            f"layer {heads.layer}: queries {tuple(heads.queries.shape)} and keys {tuple(heads.keys.shape)} do not "
            "belong together; give (prompts, heads, n, d) of each, with key heads that divide the heads"
        )
    at = settings.position(length)
    first = settings.first_key(at, heads.window)
    queries, keys = heads.queries[:, :, at - 1], heads.keys[:, :, first - 1 : at]
    _check_finite(heads.layer, queries, keys)
    cos, sin = heads.rotary.relative().waves(torch.arange(at - first, -1, -1, device=queries.device), width)
    for units in _chunks(prompts * count, at - first + 1):
        number = torch.arange(units.start, units.stop, device=queries.device)
        prompt, head = number // count, number % count
        asked = heads.scale * queries[prompt, head].to(torch.float64)
        seen = heads.rotary.turn(asked[:, None], cos, sin)
        met = keys[prompt, head // (count // groups)].to(torch.float64)
        yield View(met, seen, heads.softcap, settings.temperature)


def _chunks(total: int, tokens: int) -> Iterator[slice]:
    size = max(1, CHUNK_BYTES // (8 * tokens * tokens))
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))


def _check_finite(layer: int, queries: Tensor, keys: Tensor) -> None:
    for name, vectors in (("query", queries), ("key", keys)):
        finite = vectors.isfinite()
        if not finite.all():
            prompt, head, *_ = (~finite).nonzero()[0].tolist()
            raise InputError(
                f"layer {layer}, {name} head {head}, prompt {prompt}: the {name} is not finite; "
                "look for overflow in the model, or leave this prompt out"
            )
