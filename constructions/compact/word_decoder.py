"""Causal decoders of any scores, values, updates and readout: the class that the theorems on compact encodings are of.

Everything is a function of states and 1-based positions, so that what a theorem assumes can be broken one at a time. A
head is evaluated at chosen queries, n numbers each, never as a whole n x n pattern. Arithmetic is float64.
Source: arXiv 2505.10606; the general form is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import torch
from torch import Tensor

from theory.compact.words import Infinite
from theory.errors import InputError

CELLS = 2**21  # logits at a time
ZERO = torch.zeros((), dtype=torch.float64)

Embed = Callable[[Tensor, Tensor], Tensor]
Score = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
Value = Callable[[Tensor, Tensor], Tensor]
Weigh = Callable[[Tensor], Tensor]


class Attention(Protocol):
    """What gathers values: states (n, ...) at positions 1..n, and the positions (m,) of queries, to (m, ...)."""

    def __call__(self, states: Tensor, queries: Tensor) -> Tensor: ...


def softmax(logits: Tensor) -> Tensor:
    """Weights of keys, rows sum to 1."""
    return logits.softmax(-1)


def exactly(logits: Tensor) -> Tensor:
    """The logits, which must not have been rounded: a Python number times whole numbers is a float32 tensor."""
    if logits.dtype != torch.float64:
        raise TypeError(f"logits are {logits.dtype}; compute them in torch.float64")
    return logits


def head(logits: Tensor, values: Tensor) -> Tensor:
    """Causal attention from a whole pattern of logits (n, n), query and key, and values (n,) or (n, r)."""
    return softmax(logits.masked_fill(torch.ones_like(logits, dtype=torch.bool).triu(1), -torch.inf)) @ values


@dataclass(frozen=True)
class Head:
    """One head, by a pass over all keys for each query.

    Args:
        score: the logits (m, n) of x_i (m, 1, ...), x_j (1, n, ...), i (m, 1) and j (n,); anything that broadcasts.
        value: the values (n,) or (n, r) of x_j (n, ...) and j (n,).
        weigh: logits (m, n), -inf for later keys, to weights (m, n).
    """

    score: Score
    value: Value
    weigh: Weigh = softmax

    def __call__(self, states: Tensor, queries: Tensor) -> Tensor:
        n = len(states)
        keys = torch.arange(1, n + 1)
        values, received = self.value(states, keys), list[Tensor]()
        for some in queries.split(max(1, CELLS // n)):
            logits = exactly(self.score(states[some - 1, None], states[None], some[:, None], keys))
            later = keys > some[:, None]
            received.append(self.weigh(logits.expand(len(some), n).masked_fill(later, -torch.inf)) @ values)
        return torch.cat(received)


@dataclass(frozen=True)
class MarkedHead:
    """A head whose logits are a factor of the query on marked keys and 0 elsewhere: all queries in one pass.

    Args:
        factor: the logit of a marked key for the queries i (m,).
        mark: 0 or 1 for every key, of x_j (n, ...) and j (n,).
        value: the values (n,) or (n, r) of x_j and j.
    """

    factor: Callable[[Tensor], Tensor]
    mark: Value
    value: Value

    def __call__(self, states: Tensor, queries: Tensor) -> Tensor:
        keys = torch.arange(1, len(states) + 1)
        values, marked = self.value(states, keys), self.mark(states, keys)
        more = torch.expm1(exactly(self.factor(queries)).expand(len(queries)))
        total = queries + more * marked.cumsum(0)[queries - 1]
        if values.ndim == 2:
            marked, more, total = marked[:, None], more[:, None], total[:, None]
        return (values.cumsum(0)[queries - 1] + more * (marked * values).cumsum(0)[queries - 1]) / total


def averaging(value: Value) -> MarkedHead:
    """Uniform attention: the mean of the values so far."""
    return MarkedHead(lambda i: ZERO, lambda x, j: ZERO.expand(len(j)), value)


@dataclass(frozen=True)
class Layer:
    """Heads that read the same states, and the new states (m, ...) of x_i, what the heads gathered, and i (m,)."""

    heads: tuple[Attention, ...]
    update: Callable[..., Tensor]


@dataclass(frozen=True)
class WordDecoder:
    """Words to the distribution of the next letter.

    Args:
        embed: the states (n, ...) of letters (n,), int64, and positions (n,).
        layers: in their order.
        output: the probabilities (m, V) of states (m, ...) and positions (m,).
    """

    embed: Embed
    layers: tuple[Layer, ...]
    output: Value

    def states(self, word: Tensor, lengths: Tensor | None = None) -> Tensor:
        """The states after the last layer at positions `lengths` (m,), all of them by default.

        Raises InputError for a word that is no row of letters, lengths outside it, and states that are no numbers.
        """
        if word.ndim != 1 or not len(word) or word.dtype != torch.int64:
            kind = f"{str(word.dtype).removeprefix('torch.')} of shape {tuple(word.shape)}"
            raise InputError(f"the word is {kind}; give int64 letters of shape (length,), at least one")
        positions = torch.arange(1, len(word) + 1)
        wanted = positions if lengths is None else lengths
        outside = wanted[(wanted < 1) | (wanted > len(word))]
        if len(outside):
            raise InputError(f"length {int(outside[0])} is outside 1, ..., {len(word)}; give lengths of prefixes")
        x = self.embed(word, positions)
        if not self.layers:
            x = x[wanted - 1]
        for number, layer in enumerate(self.layers, start=1):
            queries = wanted if number == len(self.layers) else positions
            x = layer.update(x[queries - 1], *(each(x, queries) for each in layer.heads), queries)
        if not x.isfinite().all():
            raise InputError("a state is NaN or infinite: a layer divides by 0 or overflows; change the word or layer")
        return x

    def __call__(self, word: Tensor, lengths: Tensor | None = None) -> Tensor:
        """The probabilities (m, V) of the next letter after prefixes of these lengths (m,), all by default."""
        positions = torch.arange(1, len(word) + 1) if lengths is None else lengths
        return self.output(self.states(word, lengths), positions)

    def margins(self, word: Tensor, lengths: Tensor | None = None) -> Tensor:
        """By how much the next letter of the word leads the most probable other one, (m,); negative where it is wrong.

        Lengths are all below that of the word by default.
        """
        lengths = torch.arange(1, len(word)) if lengths is None else lengths
        if len(lengths) and int(lengths.max()) >= len(word):
            raise InputError(f"the word has no letter after {int(lengths.max())}; give shorter lengths")
        probabilities, right = self(word[: int(lengths.max())], lengths), word[lengths][:, None]
        others = probabilities.scatter(-1, right, -torch.inf)
        return probabilities.gather(-1, right)[:, 0] - others.amax(-1)

    def errors(self, word: Tensor, lengths: Tensor | None = None) -> list[int]:
        """The lengths after which the next letter is not the only most probable one."""
        lengths = torch.arange(1, len(word)) if lengths is None else lengths
        return lengths[self.margins(word, lengths) <= 0].tolist()


def letters_of(word: Infinite | Iterable[int], length: int) -> Tensor:
    """The first letters of a word, (length,) int64."""
    if isinstance(word, Infinite):
        return _prefix(word, length).clone()  # whoever writes into it spoils no other
    return torch.tensor(list(word)[:length], dtype=torch.int64)


@lru_cache(maxsize=32)  # many models read the same few words, which are long and spelt letter by letter
def _prefix(word: Infinite, length: int) -> Tensor:
    return torch.tensor(word.prefix(length), dtype=torch.int64)


def two_letters(p: Tensor) -> Tensor:
    """The distribution (m, 2) in which letter 1 has probability p (m,)."""
    return torch.stack((1 - p, p), dim=-1)
