"""A language model on constant strings with one token changed: how much of the change is left at the end.

Where positions are only scored, T(s^n) is the same for all n, by theory; with a token of another kind in front, as at
the beginning of a text, it need not be. By how much one changed token moves what the model says is to shrink with n,
once ln n is large against the range of its logits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

LENGTHS = (16, 64, 256)
SHARES = (0.0, 0.25, 0.5, 0.75)  # of the way through the string
LAGS = (1, 2, 4)  # tokens from the end
SYMBOLS = ((" a", " b"), (" 0", " 1"))
Logits = Callable[[Tensor], Tensor]  # tokens (b, n) to logits (b, n, vocabulary)


@dataclass(frozen=True)
class Changed:
    """s^N with the token at `place` (from 1) changed, `fronted` by a token that begins a text or by nothing.

    Attributes:
        gap: sup norm of the change of the next token's probabilities after the whole string.
        zeta: oscillation of the change of their logarithms, over tokens of probability above 1e-6 before.
        constant, changed: log-perplexity of the two strings, their first token left out, nats a token.
    """

    symbol: str
    fronted: bool
    length: int
    place: int
    gap: float
    zeta: float
    constant: float
    changed: float


def places(length: int) -> list[int]:
    """Where a token is changed: never the last one, which has to agree."""
    return sorted({1 + int(share * (length - 1)) for share in SHARES} | {length - lag for lag in LAGS})


@torch.no_grad()
def changes(
    logits: Logits, symbol: str, token: int, other: int, length: int, front: int | None = None
) -> Iterator[Changed]:
    """All places of one length, each string alone, so that no batch decides about rounding."""
    ahead = [] if front is None else [front]

    def logarithms(string: Tensor) -> Tensor:
        found = logits(torch.tensor([[*ahead, *string.tolist()]]))
        return found[0, len(ahead) :].double().log_softmax(-1)

    constant = torch.full((length,), token)
    plain = logarithms(constant)
    for place in places(length):
        string = constant.clone()
        string[place - 1] = other
        found = logarithms(string)
        moved = (found[-1] - plain[-1])[plain[-1].exp() > 1e-6]
        yield Changed(
            symbol,
            front is not None,
            length,
            place,
            float((found[-1].exp() - plain[-1].exp()).abs().max()),
            float(moved.max() - moved.min()),
            perplexity(plain, constant),
            perplexity(found, string),
        )


def perplexity(logs: Tensor, word: Tensor) -> float:
    """Mean of -ln T(w_i | w_1 .. w_(i-1)) over i = 2 .. n, for logarithms (n, letters) and a word (n,)."""
    return float(-logs[:-1].gather(-1, word[1:, None]).mean())


@torch.no_grad()
def spread(logits: Logits, token: int, length: int) -> float:
    """By how much the probabilities after s^n differ over n = 1 .. length."""
    found = logits(torch.full((1, length), token))[0].double().softmax(-1)
    return float((found.amax(0) - found.amin(0)).max())


def study(logits: Logits, tokens: Sequence[tuple[str, int, int]], front: int) -> dict[str, Any]:
    """Spread, and all changes without and with the token `front`, as plain data."""
    return {
        "spread": {symbol: spread(logits, token, max(LENGTHS)) for symbol, token, _ in tokens},
        "changes": [
            asdict(at)
            for symbol, token, other in tokens
            for ahead in (None, front)
            for length in LENGTHS
            for at in changes(logits, symbol, token, other, length, ahead)
        ],
    }
