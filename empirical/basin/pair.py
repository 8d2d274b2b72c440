"""The two words that are compared, as they are typed: FIRST:SECOND."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from empirical.basin.subject import Subject
from theory.compact.words import NAMES, Infinite, disagreements, named
from theory.errors import InputError

USAGE = f"write FIRST:SECOND, each {NAMES}, or token numbers as '4 8 15'"


@dataclass(frozen=True)
class Pair:
    """Two infinite words of letters 0 and 1, or two finite words of tokens."""

    first: Infinite | tuple[int, ...]
    second: Infinite | tuple[int, ...]

    @property
    def infinite(self) -> tuple[Infinite, Infinite] | None:
        if isinstance(self.first, Infinite) and isinstance(self.second, Infinite):
            return self.first, self.second
        return None

    @property
    def places(self) -> tuple[int, ...]:
        """Where two finite words differ."""
        assert isinstance(self.first, tuple) and isinstance(self.second, tuple)
        return disagreements(self.first, self.second)

    @property
    def length(self) -> int:
        """Of two finite words."""
        assert isinstance(self.first, tuple)
        return len(self.first)


def parse(text: str) -> Pair:
    """The words of --words. InputError, one line, for anything that is not two words that can be compared."""
    parts = text.split(":")
    if len(parts) != 2:
        raise InputError(f"--words {text!r} is not two words; {USAGE}")
    first, second = (_word(part.strip()) for part in parts)
    if isinstance(first, Infinite) != isinstance(second, Infinite):
        raise InputError(f"--words {text!r} has one infinite and one finite word; give two of one kind")
    if name(first) == name(second):
        raise InputError(f"--words {text!r} is the same word twice; give two that differ somewhere")
    return Pair(first, second)


def _word(text: str) -> Infinite | tuple[int, ...]:
    if (infinite := named(text)) is not None:
        return infinite
    if not text:
        raise InputError(f"--words has an empty word, and an empty word has no last letter; {USAGE}")
    numbers = text.replace(",", " ").split()
    if not all(number.isascii() and number.isdigit() and len(number) < 10 for number in numbers):
        raise InputError(f"--words has {text!r}, which is no word; {USAGE}")
    return tuple(map(int, numbers))


def fit(pair: Pair, subject: Subject, letters: tuple[int, int]) -> None:
    """InputError for letters that the model does not have, and words that the theorem does not speak of."""
    if not pair.infinite and (one := len(_finite(pair.first))) != (other := len(_finite(pair.second))):
        raise InputError(f"the words have {one} and {other} letters, but the theorem is of words of one length")
    vocabulary = len(subject.weights.embedding)
    used = letters if pair.infinite else (*letters, *_finite(pair.first), *_finite(pair.second))
    if outside := [letter for letter in used if not 0 <= letter < vocabulary]:
        raise InputError(f"token {outside[0]} is not one of the {vocabulary} of {subject.name}; give tokens below that")
    if letters[0] == letters[1]:
        raise InputError(f"--letters {letters[0]},{letters[1]} are one token; give two")
    if pair.infinite:
        return
    u, w = _finite(pair.first), _finite(pair.second)
    if u[-1] != w[-1]:
        raise InputError(
            f"the words end in {u[-1]} and {w[-1]}, but the theorem is of words that share the last letter: "
            "a model answers that one directly"
        )
    if subject.context is not None and len(u) > subject.context:
        raise InputError(f"words of {len(u)} letters exceed the {subject.context} of {subject.name}; give shorter ones")


def _finite(word: Infinite | tuple[int, ...]) -> tuple[int, ...]:
    assert isinstance(word, tuple)
    return word


def prefix(word: Infinite | tuple[int, ...], n: int, letters: tuple[int, int]) -> Tensor:
    """The first n letters as tokens, (n,) int64."""
    if isinstance(word, tuple):
        return torch.tensor(word[:n])
    return torch.tensor([letters[letter] for letter in word.prefix(n)])


def name(word: Infinite | tuple[int, ...]) -> str:
    """As it is called in text."""
    return str(word) if isinstance(word, Infinite) else " ".join(map(str, word))


def shortened(text: str, most: int) -> str:
    """A name of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."
