"""Where letters of a word are changed, and into what: never the last, and never the length."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

PLACEMENTS = ("earliest", "latest", "random", "spread", "adversarial", "erase")


def places(kind: str, word: Tensor, k: int, influence: Tensor | None, generator: torch.Generator) -> Tensor | None:
    """Find k positions of a word (n,), from 0, without the last; None where the kind has no such positions.

    "adversarial" takes those of the largest influence, which must be given, and "erase" the earliest letters that are
    not the most frequent one.
    """
    n = len(word)
    if not 1 <= k <= n - 1:
        return None
    if kind == "earliest":
        return torch.arange(k)
    if kind == "latest":
        return torch.arange(n - 1 - k, n - 1)
    if kind == "random":
        return torch.randperm(n - 1, generator=generator)[:k].sort().values
    if kind == "spread":
        return ((2 * torch.arange(k) + 1) * (n - 1)) // (2 * k)  # the middles of k equal parts
    if kind == "adversarial":
        return None if influence is None else influence.argsort(descending=True, stable=True)[:k].sort().values
    usual = word.mode().values
    rare = (word[:-1] != usual).nonzero()[:, 0]
    return rare[:k] if len(rare) >= k else None


def changed(word: Tensor, where: Tensor, kind: str, letters: Sequence[int]) -> Tensor:
    """The word with other letters there: the other one of the two, or for "erase" the most frequent one."""
    found = word.clone()
    if kind == "erase":
        found[where] = word.mode().values
        return found
    first, second = letters
    found[where] = torch.where(word[where] == first, second, first)
    return found
