"""How scores are taken: stated once, and shown with every number."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from theory.errors import InputError

LEAST = 1e-100  # of a temperature: what is divided by it, and squares of that, stay finite


@dataclass(frozen=True)
class Settings:
    """What is scored; the defaults are those of arXiv 2605.31558, App. D, as far as it prints them.

    Args:
        query: position of the query, 1 for the first token, -1 for the last of the prompt.
        tau: temperature of the weights of swaps, in units of attention; the paper does not print it.
        temperature: of the attention; logits are divided by it.
        block: how many consecutive tokens are exchanged with as many others.
        gamma: a head is pure if one score is at least 1 - gamma and the other at most gamma.

    Raises InputError for values outside their range.
    """

    query: int = -1
    tau: float = 1e-4
    temperature: float = 1.0
    block: int = 1
    gamma: float = 0.1

    def __post_init__(self) -> None:
        if self.query == 0:
            raise InputError("query=0 is no position; give 1 for the first token, or -1 for the last")
        for name in ("tau", "temperature"):
            value = getattr(self, name)
            if not (isfinite(value) and value >= LEAST):
                raise InputError(f"{name}={value} is not finite and at least {LEAST:g}; give {name} such as 1e-4")
        if self.block < 1:
            raise InputError(f"block={self.block} tokens cannot be exchanged; give block >= 1")
        if not 0 < self.gamma < 0.5:
            raise InputError(f"gamma={self.gamma} separates nothing; give 0 < gamma < 1/2")

    def __str__(self) -> str:
        place = f"token {self.query}" if self.query > 0 else f"token {-self.query} from the end"
        query = "last token" if self.query == -1 else place
        unit = "single tokens" if self.block == 1 else f"blocks of {self.block} tokens"
        temperature = "" if self.temperature == 1 else f", attention at temperature {self.temperature:g}"
        return (
            f"{query} of the prompt as query, swaps of {unit} among earlier keys in its window, "
            f"the first token among them unless said, tau {self.tau:g}{temperature}, pure at gamma {self.gamma:g}"
        )

    def position(self, length: int) -> int:
        """The position of the query in prompts of this length, from 1. InputError unless it has earlier tokens."""
        at = self.query if self.query > 0 else length + 1 + self.query
        if not 1 <= at <= length:
            raise InputError(f"query={self.query} is outside prompts of {length} tokens; give 3..{length}, or -1")
        if at < 3:
            raise InputError(f"the query at token {at} has no two earlier tokens to swap; give longer prompts, n >= 3")
        return at

    def first_key(self, at: int, window: int | None) -> int:
        """The first position, from 1, that the query at `at` sees. InputError if the window leaves no swap."""
        if window is None:
            return 1
        if window < 3:
            raise InputError(
                f"a window of {window} tokens has no two earlier keys to swap; score layers with 3 or more"
            )
        return max(1, at - window + 1)
