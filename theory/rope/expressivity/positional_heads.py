"""Positional heads on one-hot tokens, and the margin with which they return what Retrieval returns.

Source: arXiv 2605.31558, Def. C.1. The output at the last position is W_R x_n + sum_j w_j W_V x_j with weights w_j that
no token changes. A token is decoded where its coordinate exceeds all others: the margin is the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

from theory.rope.sequences import Pair, matches

Weights = Callable[[int], Sequence[Fraction]]
# The coordinate of a token in W_V s, or in W_R s.
Map = Callable[[Pair, Pair], Fraction]


def uniform(length: int) -> list[Fraction]:
    """Equal weights, as of a head with W_Q = 0."""
    return [Fraction(1, length)] * length


def mostly_own(eps: Fraction) -> Weights:
    """Weight 1 - eps on the query's own token, equal ones on the others."""
    return lambda length: [eps / (length - 1)] * (length - 1) + [1 - eps] if length > 1 else [Fraction(1)]


def simplex(length: int, parts: int) -> Iterator[list[Fraction]]:
    """All weights of a length that are multiples of 1/parts and add up to 1."""
    for bars in combinations(range(parts + length - 1), length - 1):
        edges = (-1, *bars, parts + length - 1)
        yield [Fraction(b - a - 1, parts) for a, b in pairwise(edges)]


def identity(token: Pair, coordinate: Pair) -> Fraction:
    """The identity matrix."""
    return Fraction(token == coordinate)


def nothing(token: Pair, coordinate: Pair) -> Fraction:
    """The zero matrix."""
    return Fraction(0)


def candidates(gain: int | Fraction) -> Map:
    """`gain` on every token that a token may be looking for: those with its right letter on the left, or itself."""
    return lambda token, coordinate: (
        gain * Fraction(coordinate[0] == token[1] if isinstance(token[1], str) else coordinate == token)
    )


def hinting(gain: int) -> Map:
    """The identity, and for a token with a right letter also `gain` on every token that it may be looking for."""
    wanted = candidates(gain)
    return lambda token, coordinate: (
        identity(token, coordinate) + (wanted(token, coordinate) if isinstance(token[1], str) else 0)
    )


@dataclass(frozen=True)
class PositionalHead:
    """A positional head and what is read off it."""

    name: str
    weights: Weights = uniform
    values: Map = identity
    residual: Map = nothing

    def __str__(self) -> str:
        return self.name

    def margin(self, tokens: Sequence[Pair], alphabet: Sequence[Pair]) -> Fraction:
        """The coordinate of the token that Retrieval returns at the last position, minus the largest other one."""
        (target,) = matches(tokens, len(tokens))
        weights = self.weights(len(tokens))
        output = {
            coordinate: self.residual(tokens[-1], coordinate)
            + sum(
                weight * value
                for weight, token in zip(weights, tokens, strict=True)
                if (value := self.values(token, coordinate))  # most are 0
            )
            for coordinate in alphabet
        }
        return output.pop(target) - max(output.values())

    def least_margin(self, length: int, alphabet: Sequence[Pair]) -> Fraction:
        """A lower bound of the margin over all proper inputs of a length, for equal weights on the earlier tokens.

        A margin is linear in how often each token occurs. Apart from one target, if the query is none itself, the
        earlier tokens are free, but no other token may have the wanted left letter.
        """
        *_, earlier, own = [Fraction(0), *self.weights(length)]
        found = []
        for query in alphabet:
            wanted = query[1] if isinstance(query[1], str) else None
            targets = [query] if wanted in (None, query[0]) else [t for t in alphabet if t[0] == wanted]
            for target in targets if length > 1 else targets[: targets == [query]]:
                free = [token for token in alphabet if token[0] != wanted or token == target]
                must = int(target != query)
                for other in alphabet:
                    if other != target:
                        gains = {s: self.values(s, target) - self.values(s, other) for s in (*free, query)}
                        fixed = self.residual(query, target) - self.residual(query, other) + own * gains[query]
                        rest = (length - 1 - must) * min(gains[token] for token in free)
                        found.append(fixed + earlier * (must * gains[target] + rest))
        return min(found)
