"""One-layer decoders with flags, at any length: keys with the same letter and the same flags are one key, counted.

Without any other position data the state of a key depends on its letter and its row of the table alone, so attention
after n letters is a softmax over a few kinds of keys, each with the logarithm of its number added to its logit. In
float64 this is the decoder itself, also at n = 2^200.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from math import inf, isqrt, log

import torch
from torch import Tensor

from constructions.compact.decoder import CompactDecoder
from empirical.words.catalogue import word
from empirical.words.plan import Plan
from theory.compact.words import SQUARES, Infinite
from theory.errors import InputError

_NEIGHBOURS = 16  # beyond, chi and the squares have no two ones side by side


@dataclass(frozen=True)
class At:
    """What a decoder says at a flagged length n = 2^j - 1 or k^2 - 1, of 0^w and of the other word.

    `zeros` and `ones` are margins of the right letter, 0 and 1; `gap` is |T(0^n)(1) - T(beta_1 .. beta_n)(1)|.
    """

    length: int
    zeros: float
    ones: float
    gap: float


class Counted:
    """A one-layer decoder trained with flags on 0^w and another word. InputError for any other.

    It is left as it was: a copy computes, in `dtype`.
    """

    def __init__(self, plan: Plan, model: CompactDecoder, dtype: torch.dtype = torch.float64) -> None:
        if not plan.flags or plan.model.layers != 1 or len(plan.words) != 2 or plan.words[0] != "0":
            raise InputError(
                f"a decoder of {plan.model.layers} layers with {plan.encoding} on {', '.join(plan.words)} cannot be "
                "counted; give one layer, flags, and 0 with another word"
            )
        self.model, self.beta, self.dtype = deepcopy(model).to(dtype).eval(), word(plan.words[1]), dtype
        table = self.model.positions.weight
        rows: dict[tuple[int, int], Tensor] = {}
        for i in range(1, len(table)):
            rows.setdefault((self.beta.letter(i), self.beta.letter(i + 1)), table[i - 1])
        self.rows = rows

    @torch.no_grad()
    def outputs(self, length: int) -> Tensor:
        """T after `length` letters of 0^w and of beta, (2, 2). InputError unless beta goes from 0 to 1 there."""
        if self.beta.letter(length) or not self.beta.letter(length + 1):
            raise InputError(f"length {length} is not flagged: {self.beta} does not go from 0 to 1 there")
        return torch.stack([self._after(length, zero) for zero in (True, False)])

    def at(self, length: int) -> At:
        """Both words after `length` letters. InputError as `outputs`."""
        zeros, ones = self.outputs(length)
        return At(length, float(zeros[0] - zeros[1]), float(ones[1] - ones[0]), float((zeros[1] - ones[1]).abs()))

    @torch.no_grad()
    def oscillations(self, length: int) -> list[float]:
        """Largest difference of the logits of each head at a flagged query, over both words, length factor included."""
        states = torch.cat([self._keys(length, zero)[0] for zero in (False, True)])
        return [float(row.max() - row.min()) for row in self._logits(states, length)[0]]

    def exponents(self, length: int) -> list[float]:
        """The exponent c of each head: its oscillation over ln n."""
        return [found / log(length) for found in self.oscillations(length)]

    def _keys(self, length: int, zero: bool) -> tuple[Tensor, Tensor]:
        """Distinct states before attention, (kinds, width), the query's first, and the logarithms of their numbers."""
        embedding, states, numbers = self.model.embedding.weight, [], []
        counts = adjacent(self.beta, length)
        for kind in sorted(self.rows, key=lambda kind: kind != (0, 1)):  # the last position, at which the query stands
            letter = 0 if zero else kind[0]
            states.append(embedding[letter] + self.rows[kind])
            numbers.append(log(counts[kind]) if counts[kind] else -inf)
        return torch.stack(states), torch.tensor(numbers, dtype=self.dtype)

    def _logits(self, states: Tensor, length: int) -> tuple[Tensor, Tensor]:
        """Logits (heads, kinds) of the query, and values (heads, kinds, head width)."""
        config, block = self.model.config, self.model.layers[0]
        q, k, v = (z[0] for z in block.heads(states[None]))
        scores = (q[:, :1] @ k.mT)[:, 0] * config.head_width**-0.5
        if config.softcap is not None:
            scores = config.softcap * torch.tanh(scores / config.softcap)
        if config.log_scaling is not None:
            scores = scores * config.log_scaling * log(length)
        return scores, v

    def _after(self, length: int, zero: bool) -> Tensor:
        """T after `length` letters of 0^w, or of beta."""
        states, numbers = self._keys(length, zero)
        scores, values = self._logits(states, length)
        mixed = (scores + numbers).softmax(-1)[:, None] @ values
        block = self.model.layers[0]
        x = states[:1] + block.output(mixed.flatten()[None])
        y = block.norm2(x)
        x = x + block.down(torch.nn.functional.silu(block.gate(y)) * block.up(y))
        logits: Tensor = self.model.unembedding(self.model.norm(x))[0] / self.model.config.output_temperature
        return logits.softmax(-1)


def adjacent(beta: Infinite, length: int) -> dict[tuple[int, int], int]:
    """How many positions i <= length have each pair (beta_i, beta_i+1), for a word of isolated ones from 16 on."""
    both = sum(beta.letter(i) and beta.letter(i + 1) for i in range(1, min(length, _NEIGHBOURS) + 1))
    first, second = beta.nonzero(length), beta.nonzero(length + 1) - beta.letter(1)
    return {(1, 1): both, (1, 0): first - both, (0, 1): second - both, (0, 0): length - first - second + both}


def flagged(beta: Infinite, doublings: int) -> list[int]:
    """Lengths n >= 4 at which 0^w and beta are to be told apart: all up to 2^12, then about one in each doubling.

    Of the powers of two these are all up to 2^doublings; of the squares those after the root of each power of two.
    """
    few = range(4, 2 ** min(doublings, 12) + 1)
    many = (isqrt(2**j - 1) ** 2 if beta is SQUARES else 2**j for j in range(13, doublings + 1))
    return [n for n in (*few, *(place - 1 for place in many)) if not beta.letter(n) and beta.letter(n + 1)]
