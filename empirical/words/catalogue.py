"""The words that decoders are trained on, by name, and as tensors."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from theory.compact.words import NAMES, ZEROS, Infinite, altered, named
from theory.errors import InputError

_SHORT = {"0": ZEROS, "1+0": altered((1,), ZEROS)}
_MOST = 64  # zeros in a period

# Sets of words that one decoder is to learn together.
ENTRIES: dict[str, tuple[str, ...]] = {
    "chi": ("chi",),
    "0, chi": ("0", "chi"),
    "0, sq": ("0", "sq"),
    "0, 1+0": ("0", "1+0"),
    "0, per1": ("0", "per1"),
    "per1, per2": ("per1", "per2"),
    "0, per1..6": ("0", *(f"per{m}" for m in range(1, 7))),
}


def word(name: str) -> Infinite:
    """0 (0^w), 1+0 (1 0^w), or what `theory.compact.words` names, with short periods. InputError else."""
    found = _SHORT.get(name) or named(name)
    # Of perM, the first 65 letters have no 1 where M > 64, and nothing else where M = 0.
    if found is None or (name.startswith("per") and not 0 < found.nonzero(_MOST + 1) <= _MOST):
        raise InputError(f"no word is called {name!r}; give 0, 1+0 or one of {NAMES}, per1 to per{_MOST}")
    return found


def letters(names: Sequence[str], length: int) -> Tensor:
    """The first `length` letters of each word, (words, length) int64."""
    return torch.tensor([word(name).prefix(length) for name in names])


def same_prefix(words: Tensor) -> Tensor:
    """Whether words share their first n letters, (words, words, n) for words (words, n)."""
    return (words[:, None] == words[None]).long().cummin(-1).values.bool()


def undetermined(words: Tensor) -> Tensor:
    """(words, n) for words (words, n + 1): whether another one has the same first n letters, and then another one.

    No model can predict both; which lengths these are does not depend on it.
    """
    return (same_prefix(words[:, :-1]) & (words[:, None, 1:] != words[None, :, 1:])).any(1)


def informative(words: Tensor) -> Tensor:
    """(words, n) for words (words, n + 1): whether another one ends alike, goes on otherwise, and is another prefix.

    Here the last letter does not give the next one away, and the rest of the word has to.
    """
    last, following = words[:, :-1], words[:, 1:]
    pairs = (last[:, None] == last[None]) & (following[:, None] != following[None]) & ~same_prefix(last)
    return pairs.any(1) & ~undetermined(words)
