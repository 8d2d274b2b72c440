"""Decoders on letters 0 and 1 whose modulus of continuity is known, to try what is said of every decoder.

A decoder is a function of a finite word, with the probability of letter 1 after it as a fraction. Its modulus bounds by
how much two outputs differ whose words have one length and last letter and are at a given distance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from theory.compact.words import ZEROS, Infinite, Word, disagreements, one_sided_density, running_distance

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Decoder:
    """A next-letter map and what it has learned.

    Args:
        name: as it is printed.
        one: the probability of letter 1 after a word.
        word, margin, start: a word that is learned, with this margin, from this length on.
        modulus: by how much outputs differ at most, for a distance.
        density: which distance that is, of the positions that differ and the length.
    """

    name: str
    one: Callable[[Sequence[int]], Fraction]
    word: Infinite
    margin: Fraction
    modulus: Callable[[Fraction], Fraction]
    start: int = 1
    density: Callable[[Sequence[int], int], Fraction] = running_distance

    def lead(self, word: Sequence[int], letter: int) -> Fraction:
        """T(letter) - T(the other letter) after the word; positive where the letter is predicted."""
        return (2 * self.one(word) - 1) * (1 if letter else -1)

    def distance(self, u: Sequence[int], w: Sequence[int]) -> Fraction:
        return self.density(disagreements(u, w), len(u))

    def __str__(self) -> str:
        return self.name


def matching(word: Infinite, margin: Fraction, slope: Fraction, *, start: int = 1, one_sided: bool = False) -> Decoder:
    """Says the next letter of a word with probability (1 + margin)/2 - slope d, d the distance from the word so far.

    Before length `start` it says the other letter. The modulus at d is slope d, and this is attained.
    """
    density = one_sided_density if one_sided else running_distance

    def one(u: Sequence[int]) -> Fraction:
        n = len(u)
        said = max(Fraction(0), (1 + margin) / 2 - slope * density(disagreements(u, word.prefix(n)), n))
        return said if (word.letter(n + 1) == 1) is (n >= start) else 1 - said

    kind = "M_D" if one_sided else "d_H"
    return Decoder(
        f"{word} by {kind}, slope {slope}, from {start}", one, word, margin, lambda x: slope * x, start, density
    )


def constant_decoder(one: Fraction) -> Decoder:
    """Blind to the word: it has learned what it always says."""
    said = ZEROS if one < HALF else Infinite("1^w", lambda i: 1, lambda n: n)
    return Decoder(f"T(1) = {one}", lambda u: one, said, abs(2 * one - 1), lambda x: Fraction(0))


# The last letter once more: continuous where last letters agree, and has learned both constant words.
REPEAT = Decoder("last letter", lambda u: Fraction(u[-1]), ZEROS, Fraction(1), lambda x: Fraction(0))


def averaging(least: Fraction, slope: Fraction) -> Decoder:
    """T(1) = least + slope a, a the share of ones: one layer of uniform attention, which has learned 0^w."""
    return Decoder(
        f"T(1) = {least} + {slope} a",
        lambda u: least + slope * Fraction(sum(u), len(u)),
        ZEROS,
        1 - 2 * least,
        lambda x: slope * x,
    )


def greedy(decoder: Decoder, prompt: Word, steps: int) -> list[tuple[int, Fraction]]:
    """The letters that greedy decoding adds, with their margins; at a tie the letter 1, with margin 0."""
    word, added = list(prompt), []
    for _ in range(steps):
        lead = decoder.lead(word, 1)
        word.append(int(lead >= 0))
        added.append((word[-1], abs(lead)))
    return added
