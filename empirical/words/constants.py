"""A language model on constant strings with one token changed: how much of the change is left at the end.

A model with RoPE and without a begin-of-text token says the same after n equal tokens for every n, by theory; and by
how much one changed token moves what it says is to shrink with n, once ln n is large against the range of its logits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

LENGTHS = (16, 32, 64, 128, 256)
SHARES = (0.0, 0.25, 0.5, 0.75)  # of the way through the string
LAGS = (1, 2, 4)  # tokens from the end
SYMBOLS = ((" a", " b"), (" 0", " 1"))
Logits = Callable[[Tensor], Tensor]  # tokens (b, n) to logits (b, n, vocabulary)


@dataclass(frozen=True)
class Changed:
    """s^N with the token at `place` (from 1) changed.

    Attributes:
        gap: sup norm of the change of the next token's probabilities after the whole string.
        zeta: oscillation of the change of their logarithms, over tokens of probability above 1e-6 before.
        constant, changed: log-perplexity of the two strings, their first token left out, nats a token.
        surprise: -ln T of the changed token where it stands, and of the first one behind it.
    """

    symbol: str
    length: int
    place: int
    gap: float
    zeta: float
    constant: float
    changed: float
    surprise: list[float]


def places(length: int) -> list[int]:
    """Where a token is changed: never the last one, which has to agree."""
    return sorted({1 + int(share * (length - 1)) for share in SHARES} | {length - lag for lag in LAGS})


@torch.no_grad()
def changes(logits: Logits, symbol: str, token: int, other: int, length: int) -> Iterator[Changed]:
    """All places of one length, each string alone, so that no batch decides about rounding."""
    constant = torch.full((1, length), token)
    plain = logits(constant)[0].double().log_softmax(-1)
    before = perplexity(plain, constant[0])
    for place in places(length):
        words = constant.clone()
        words[0, place - 1] = other
        found = logits(words)[0].double().log_softmax(-1)
        moved = (found[-1] - plain[-1])[plain[-1].exp() > 1e-6]
        surprise = [-float(found[at - 2, words[0, at - 1]]) for at in (place, place + 1) if at >= 2]
        yield Changed(
            symbol,
            length,
            place,
            float((found[-1].exp() - plain[-1].exp()).abs().max()),
            float(moved.max() - moved.min()),
            before,
            perplexity(found, words[0]),
            surprise,
        )


def perplexity(logs: Tensor, word: Tensor) -> float:
    """Mean of -ln T(w_i | w_1 .. w_(i-1)) over i = 2 .. n, for logarithms (n, letters) and a word (n,)."""
    return float(-logs[:-1].gather(-1, word[1:, None]).mean())


@torch.no_grad()
def spread(logits: Logits, token: int, length: int) -> float:
    """By how much the probabilities after s^n differ over n = 1 .. length."""
    found = logits(torch.full((1, length), token))[0].double().softmax(-1)
    return float((found.amax(0) - found.amin(0)).max())


def study(logits: Logits, tokens: Sequence[tuple[str, int, int]]) -> dict[str, Any]:
    """Spread, and all changes, as plain data."""
    return {
        "spread": {symbol: spread(logits, token, max(LENGTHS)) for symbol, token, _ in tokens},
        "changes": [
            asdict(at)
            for symbol, token, other in tokens
            for length in LENGTHS
            for at in changes(logits, symbol, token, other, length)
        ],
    }
