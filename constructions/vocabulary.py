"""Tokens as numbers, in the order of the one-hot embeddings of theory."""

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from constructions.reference import Integer, Letter, Pair, Symbol
from theory.errors import InputError

T = TypeVar("T", bound=Hashable)


class Vocabulary(Generic[T]):
    """A list of token types, numbered from 0."""

    def __init__(self, tokens: Sequence[T], description: str) -> None:
        self.tokens = tuple(tokens)
        self.description = description
        self._numbers = {token: number for number, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[T]) -> list[int]:
        """The numbers of the tokens. Raises InputError for no tokens, or for one that is not in the vocabulary."""
        if not tokens:
            raise InputError("an input without tokens has no last position; give at least one token")
        for position, token in enumerate(tokens, 1):
            if token not in self._numbers:
                raise InputError(
                    f"token {token} at position {position} is not among {self.description}; "
                    "use such tokens, or build for a larger alphabet"
                )
        return [self._numbers[token] for token in tokens]

    def decode(self, numbers: Sequence[int]) -> tuple[T, ...]:
        """The tokens with these numbers."""
        return tuple(self.tokens[number] for number in numbers)


def symbols(letters: int, integers: int) -> list[Symbol]:
    """The letters, then the integers 1..I. Raises InputError for fewer than two letters or no integer."""
    if letters < 2:
        raise InputError(f"letters={letters} is below 2: one letter has no competitor; give letters >= 2")
    if integers < 1:
        raise InputError(f"integers={integers} is below 1: no integer token is left; give integers >= 1")
    return [*map(Letter, range(letters)), *map(Integer, range(1, integers + 1))]


def number_vocabulary(letters: int, integers: int) -> Vocabulary[Symbol]:
    """Tokens of Index and of the number task."""
    names = symbols(letters, integers)
    return Vocabulary(names, f"the letters {names[0]}..{names[letters - 1]} and the integers 1..{integers}")


def pair_vocabulary(letters: int, integers: int) -> Vocabulary[Pair]:
    """Tokens of Retrieval and of the letter task: a left letter with each right letter, then with each integer."""
    names = symbols(letters, integers)
    pairs = [Pair(Letter(left), right) for left in range(letters) for right in names]
    last = names[letters - 1]
    return Vocabulary(pairs, f"the pairs of a letter {names[0]}..{last} with such a letter or an integer 1..{integers}")
