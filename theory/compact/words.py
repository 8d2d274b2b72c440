"""Words, how far apart two of them are, and the infinite words that the theorems are tried on.

Positions are 1-based, letters are the integers 0, 1, ..., and every number is exact. Source of the relative distance:
arXiv 2505.10606; the one-sided density is derived here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from theory.errors import InputError

Word = tuple[int, ...]


def disagreements(u: Sequence[int], w: Sequence[int]) -> tuple[int, ...]:
    """The positions at which two words of one length differ, ascending. Raises InputError on different lengths."""
    if len(u) != len(w):
        raise InputError(f"lengths {len(u)} and {len(w)} differ: distances compare equal lengths; give equal lengths")
    return tuple(i for i, (a, b) in enumerate(zip(u, w, strict=True), 1) if a != b)


def hamming(u: Sequence[int], w: Sequence[int]) -> Fraction:
    """d_H: the share of positions that differ. Raises InputError on different lengths and on empty words."""
    return running_distance(disagreements(u, w), len(u))


def running_distance(positions: Sequence[int], i: int) -> Fraction:
    """d_i = |D cap [1, i]| / i of an ascending set D of positions. Raises InputError for i < 1."""
    if i < 1:
        raise InputError(f"length {i} is below 1: an empty word is at no distance; give a whole number >= 1")
    return Fraction(bisect_right(positions, i), i)


def one_sided_density(positions: Sequence[int], i: int) -> Fraction:
    """M_D(i): the largest share of an ascending set D in a window (i - r, i], 1 <= r <= i."""
    if i < 1:
        raise InputError(f"length {i} is below 1: it has no window; give a whole number >= 1")
    inside = positions[: bisect_right(positions, i)]
    # A window that starts between two members of D grows shorter, and no poorer, up to the next member.
    return max(
        (Fraction(len(inside) - before, i - first + 1) for before, first in enumerate(inside)), default=Fraction(0)
    )


@dataclass(frozen=True)
class Infinite:
    """An infinite word: its letter at each position, and how many letters up to a position are not 0.

    Args:
        name: as it is printed.
        letter: letter at position i >= 1.
        nonzero: how many of the letters 1, ..., n are not 0, in closed form, so that n may be astronomical.
    """

    name: str
    letter: Callable[[int], int]
    nonzero: Callable[[int], int]

    def prefix(self, length: int) -> Word:
        return tuple(self.letter(i) for i in range(1, length + 1))

    def __str__(self) -> str:
        return self.name


def constant(letter: int) -> Infinite:
    """s^w: one letter for ever."""
    return Infinite(f"{letter}^w", lambda i: letter, lambda length: length if letter else 0)


def periodic(m: int) -> Infinite:
    """per_m = (0^m 1)^w: 1 exactly at the multiples of m + 1. Raises InputError for m < 0."""
    if m < 0:
        raise InputError(f"m = {m} is negative: per_m has m zeros in a period; give a whole number >= 0")
    return Infinite(f"per_{m}", lambda i: int(i % (m + 1) == 0), lambda length: length // (m + 1))


def altered(start: Sequence[int], word: Infinite) -> Infinite:
    """The word with its first letters replaced by `start`: eventually equal to it."""
    head, length = tuple(start), len(start)
    own = [0]
    for letter in head:
        own.append(own[-1] + (letter != 0))

    def letter_at(i: int) -> int:
        return head[i - 1] if i <= length else word.letter(i)

    def nonzero(n: int) -> int:
        return own[n] if n <= length else own[-1] + word.nonzero(n) - word.nonzero(length)

    return Infinite("".join(map(str, head)) + "+" + word.name, letter_at, nonzero)


def power_of_two(i: int) -> bool:
    """Whether i >= 1 is 1, 2, 4, 8, ..."""
    return i & (i - 1) == 0


ZEROS = constant(0)
POWERS = Infinite("chi", lambda i: int(power_of_two(i)), int.bit_length)
SQUARES = Infinite("sq", lambda i: int(isqrt(i) ** 2 == i), isqrt)
ONES = constant(1)
_NAMED = {"zeros": ZEROS, "ones": ONES, "powers": POWERS, "squares": SQUARES}
_NAMED |= {word.name: word for word in _NAMED.values()}
NAMES = "0^w or zeros, 1^w or ones, chi or powers (of two), sq or squares, per_3 or per3 (any number)"


def named(text: str) -> Infinite | None:
    """The infinite word that is called so, as NAMES lists them; None where no word is."""
    if match := re.fullmatch(r"per_?([0-9]{1,6})", text):
        return periodic(int(match[1]))
    return _NAMED.get(text)


def count(alpha: Infinite, beta: Infinite, length: int) -> int:
    """K(n): how many of the positions 1, ..., n differ; at once where a word is `ZEROS`, else letter by letter."""
    if alpha is ZEROS or beta is ZEROS:
        return (beta if alpha is ZEROS else alpha).nonzero(length)
    return sum(alpha.letter(i) != beta.letter(i) for i in range(1, length + 1))
