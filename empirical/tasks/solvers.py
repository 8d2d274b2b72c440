"""What the answer of a sequence is, from its tokens alone, many sequences at once; nothing here knows the generators.

Tokens are numbers, (sequences, n) int64. Each function raises InputError at the first sequence without an answer, and
says why it has none. Sources: arXiv 2605.31558, Def. F.1 and F.2, App. B.1; arXiv 2511.11579 (partial induction).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from constructions.reference import Pair, Symbol
from constructions.vocabulary import Vocabulary
from empirical.tasks.batch import Batch
from theory.errors import InputError


def _checked(tokens: Tensor, types: int) -> Tensor:
    """Places from 0 of the last tokens, after a look at shape and token numbers."""
    if tokens.ndim != 2 or tokens.dtype != torch.int64 or not tokens.shape[1]:
        raise InputError(f"tokens are {tokens.dtype} of shape {tuple(tokens.shape)}; give int64, sequences x length")
    if len(tokens) and not (int(tokens.min()) >= 0 and int(tokens.max()) < types):
        raise InputError(f"token numbers {int(tokens.min())}..{int(tokens.max())} are not all in 0..{types - 1}")
    return torch.full((len(tokens),), tokens.shape[1] - 1)


def _require(holds: Tensor, why: Callable[[int], str]) -> None:
    if not holds.all():
        row = int((~holds).nonzero()[0, 0])
        raise InputError(f"sequence {row} has no answer: {why(row)}")


def _take(values: Tensor, at: Tensor) -> Tensor:
    return values.gather(1, at[:, None])[:, 0]


def _answered(tokens: Tensor, at: Tensor, hops: Tensor) -> Batch:
    return Batch(tokens, _take(tokens, at), hops, at + 1)


def _name(vocabulary: Vocabulary[Any], tokens: Tensor, row: int, at: Tensor) -> str:
    return f"{vocabulary.tokens[int(tokens[row, at[row]])]} at position {int(at[row]) + 1}"


def _pointed_at(tokens: Tensor, at: Tensor, letters: int, vocabulary: Vocabulary[Symbol]) -> tuple[Tensor, Tensor]:
    """The places that the tokens at `at` point to, letters to themselves, and which are integers."""
    token = _take(tokens, at)
    integer = token >= letters
    to = torch.where(integer, at - (token - letters + 1), at)
    _require(to >= 0, lambda row: f"{_name(vocabulary, tokens, row, at)} points before position 1")
    return to, integer


def number_walks(tokens: Tensor, letters: int, vocabulary: Vocabulary[Symbol]) -> Batch:
    """The number task: from the last token, v places back at an integer v, until a letter."""
    at = _checked(tokens, len(vocabulary))
    hops = torch.zeros_like(at)
    while True:
        at, moved = _pointed_at(tokens, at, letters, vocabulary)
        if not moved.any():
            return _answered(tokens, at, hops)
        hops += moved


def index_outputs(tokens: Tensor, letters: int, vocabulary: Vocabulary[Symbol]) -> Batch:
    """Index at the last token: an integer v becomes the token v places back if that is a letter; all else stays."""
    last = _checked(tokens, len(vocabulary))
    to, integer = _pointed_at(tokens, last, letters, vocabulary)
    found = integer & (_take(tokens, to) < letters)
    return _answered(tokens, torch.where(found, to, last), found.long())


def letter_walks(tokens: Tensor, letters: int, vocabulary: Vocabulary[Pair]) -> Batch:
    """The letter task: from an LL token (x, y) to the one token of the sequence with left letter y, until an LI token.

    That token must come earlier.
    """
    at = _checked(tokens, len(vocabulary))
    hops = torch.zeros_like(at)
    while True:
        at, moved = _wanted(tokens, at, letters, vocabulary)
        if not moved.any():
            return _answered(tokens, at, hops)
        hops += moved


def _wanted(tokens: Tensor, at: Tensor, letters: int, vocabulary: Vocabulary[Pair]) -> tuple[Tensor, Tensor]:
    """The places of the tokens that those at `at` want, LI tokens themselves, and which are LL tokens."""
    rights = len(vocabulary) // letters
    wanted = _take(tokens, at) % rights
    wants = wanted < letters
    matches = tokens // rights == wanted[:, None]
    counts, to = matches.sum(-1), matches.long().argmax(-1)

    def why(row: int) -> str:
        found = f"{int(counts[row])} tokens have" if counts[row] != 1 else f"only the token at {int(to[row]) + 1} has"
        return f"{_name(vocabulary, tokens, row, at)} wants a left letter that {found}, not exactly one before it"

    _require(~wants | ((counts == 1) & (to < at)), why)
    return torch.where(wants, to, at), wants


def retrieval_outputs(tokens: Tensor, letters: int, vocabulary: Vocabulary[Pair]) -> Batch:
    """Retrieval at the last token: the one token type with the wanted left letter; an LI token stays.

    The position is that of its last occurrence.
    """
    last = _checked(tokens, len(vocabulary))
    rights = len(vocabulary) // letters
    wanted = tokens[:, -1] % rights
    wants = wanted < letters
    matches = tokens // rights == wanted[:, None]
    to = torch.where(wants, _latest(matches), last)
    same = (tokens == _take(tokens, to.clamp(min=0))[:, None]) | ~matches
    _require(
        ~wants | (matches.any(-1) & same.all(-1)),
        lambda row: f"{_name(vocabulary, tokens, row, last)} wants a left letter that no token, or different ones have",
    )
    return _answered(tokens, to, (to < last).long())


def latest_matches(tokens: Tensor, values: int, vocabulary: Vocabulary[Pair | Symbol]) -> Batch:
    """Partial induction: the latest pair whose left letter is the last token."""
    last = _checked(tokens, len(vocabulary))
    pairs = len(vocabulary) // (values + 1) * values
    matches = tokens // values == tokens[:, -1:] - pairs  # symbols, which come after the pairs, match nothing
    to = _latest(matches)
    _require(to >= 0, lambda row: f"{_name(vocabulary, tokens, row, last)} is not the left letter of a pair before it")
    return _answered(tokens, to, torch.ones_like(to))


def _latest(matches: Tensor) -> Tensor:
    """The last place where each row is true; -1 if there is none."""
    return torch.where(matches, torch.arange(matches.shape[1]), -1).amax(-1)
