"""The scores of all heads of a layer, with what they are to be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from empirical.scores.frequency_use import FrequencyUse
from empirical.scores.nulls import Nulls
from empirical.scores.settings import Settings


@dataclass(frozen=True, eq=False)
class Scores:
    """s_POS and s_SYM, the exclusion inequality for the same tokens, and the nulls.

    Args:
        positional, symbolic: the two scores; NaN where there is no swap.
        variance: of the logits of the N earlier tokens.
        bound: what Thm 1 of arXiv 2511.11579, in its sharp form, has it at most: (sqrt P + sqrt S)^2/(2 N^2).
        nulls: the scores of heads to compare with.
    """

    positional: Tensor
    symbolic: Tensor
    variance: Tensor
    bound: Tensor
    nulls: Nulls

    def exclusion(self) -> Tensor:
        """Variance over bound: at most 1 up to rounding, and 1 for pure heads; NaN where all logits agree."""
        return self.variance / self.bound

    def purity(self, gamma: float) -> list[str]:
        """For each head "positional", "symbolic" or "", by its scores averaged over the prompts."""
        pairs = zip(self.positional.mean(0).tolist(), self.symbolic.mean(0).tolist(), strict=True)
        return [pure(positional, symbolic, gamma) for positional, symbolic in pairs]


@dataclass(frozen=True, eq=False)
class PlaneScores:
    """s_POS and s_SYM of heads of which one plane is kept, (..., planes + 1), the unrotated coordinates last."""

    positional: Tensor
    symbolic: Tensor


@dataclass(frozen=True, eq=False)
class HeadScores:
    """Scores of one layer; all tensors are float64 and of shape (prompts, heads), unless said otherwise.

    Args:
        layer: its number.
        settings: what was scored.
        frequencies: of the planes, radians a position, (planes,).
        query: the position of the query, from 1.
        keys: how many keys it sees, its own among them.
        counted: the scores over all swaps.
        without_first: the scores over the swaps that leave the first token of the prompt in its place.
        entropy: of the attention, in nats; log(keys) for uniform attention.
        first_weight: attention to the first key that is seen.
        use: how much of the logits each plane carries, (prompts, heads, planes + 1).
        planes: scores of each plane alone, (prompts, heads, planes + 1), if asked for.
    """

    layer: int
    settings: Settings
    frequencies: Tensor
    query: int
    keys: int
    counted: Scores
    without_first: Scores
    entropy: Tensor
    first_weight: Tensor
    use: FrequencyUse
    planes: PlaneScores | None = None

    @property
    def positional(self) -> Tensor:
        """s_POS over all swaps."""
        return self.counted.positional

    @property
    def symbolic(self) -> Tensor:
        """s_SYM over all swaps."""
        return self.counted.symbolic

    def relative_entropy(self) -> Tensor:
        """Entropy over that of uniform attention: 0 for one key, 1 for all alike."""
        return self.entropy / torch.tensor(self.keys, dtype=self.entropy.dtype).log()


def pure(positional: float, symbolic: float, gamma: float) -> str:
    """Which of its two scores a head is pure in; "" if in none.

    That is one score of at least 1 - gamma and the other of at most gamma. The source, arXiv 2605.31558, App. D, gives
    thresholds and no formula; by `score-sum-bounds` the second condition implies the first.
    """
    if positional >= 1 - gamma and symbolic <= gamma:
        return "positional"
    return "symbolic" if symbolic >= 1 - gamma and positional <= gamma else ""


def joined(parts: Sequence[Any]) -> Any:
    """Records of tensors (units, ...) with equal fields, one after the other."""
    first = parts[0]
    if isinstance(first, Tensor):
        return torch.cat(list(parts))
    if first is None:
        return None
    return type(first)(**{f.name: joined([getattr(part, f.name) for part in parts]) for f in fields(first)})


def folded(record: Any, prompts: int) -> Any:
    """A record of tensors (prompts * heads, ...) as one of tensors (prompts, heads, ...)."""
    if isinstance(record, Tensor):
        return record.unflatten(0, (prompts, -1))
    if record is None:
        return None
    return type(record)(**{f.name: folded(getattr(record, f.name), prompts) for f in fields(record)})
