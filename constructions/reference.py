"""What Index, Retrieval, Reflexive and the two hop tasks compute, in plain Python.

The rest of the project is compared with this module, so it imports nothing but the standard library.
Positions are 1-based, as in the papers; letters are numbered from 0.
Source: arXiv 2605.31558, Definitions F.1 and F.2, Listing 1 and Appendix B.1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter, by its number in the alphabet (from 0). Printed a, b, ..., z, a', b', ..., z', a'', ..."""

    index: int

    def __post_init__(self) -> None:
        if self.index < 0:
            raise ValueError(f"letter number {self.index} is negative: number letters from 0")

    def __str__(self) -> str:
        return chr(ord("a") + self.index % 26) + "'" * (self.index // 26)


@dataclass(frozen=True, slots=True)
class Integer:
    """A positive integer token; in the number task, how many positions to step back."""

    value: int

    def __post_init__(self) -> None:
        if self.value < 1:
            raise ValueError(f"integer token {self.value} is not positive: count steps back from 1")

    def __str__(self) -> str:
        return str(self.value)


Symbol = Letter | Integer


@dataclass(frozen=True, slots=True)
class Pair:
    """A letter-task token: a left letter, and on the right a letter (LL token) or an integer (LI token)."""

    left: Letter
    right: Symbol

    @property
    def wanted(self) -> Letter | None:
        """The left letter that the next token of a walk must have; None for an LI token, where walks end."""
        return self.right if isinstance(self.right, Letter) else None

    def __str__(self) -> str:
        return f"{self.left}{self.right}"


@dataclass(frozen=True, slots=True)
class Walk:
    """The positions visited (1-based, the last position of the input first) and the token at the end."""

    path: tuple[int, ...]
    answer: Letter | Pair

    @property
    def hops(self) -> int:
        """How many steps the walk takes."""
        return len(self.path) - 1


class UndefinedError(ValueError):
    """A function or a walk has no value at `position` (1-based)."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"undefined at position {position}: {reason}")
        self.position = position


def _pointed_at(position: int, integer: Integer) -> int:
    source = position - integer.value
    if source < 1:
        raise UndefinedError(position, f"{integer} points to position {source}, but positions start at 1")
    return source


def _single_match(tokens: Sequence[Pair], asking: int, letter: Letter) -> Pair:
    matches = [token for token in tokens if token.left == letter]
    if not matches:
        raise UndefinedError(asking, f"no token up to here has the wanted left letter {letter}")
    if any(token != matches[0] for token in matches):
        names = ", ".join(sorted(set(map(str, matches))))
        raise UndefinedError(asking, f"different tokens have the wanted left letter {letter}: {names}")
    return matches[0]


def index_at(tokens: Sequence[Symbol], position: int) -> Symbol:
    """Index at one position: an integer v becomes the token v places back if it is a letter; all else stays.

    Raises UndefinedError if the integer points before position 1.
    """
    token = tokens[position - 1]
    if isinstance(token, Letter):
        return token
    found = tokens[_pointed_at(position, token) - 1]
    return found if isinstance(found, Letter) else token


def index(tokens: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """Index of a whole sequence (Def. F.1). Raises UndefinedError unless it is Index-valid."""
    return tuple(index_at(tokens, position) for position in range(1, len(tokens) + 1))


def retrieval_at(tokens: Sequence[Pair], position: int) -> Pair:
    """Retrieval at one position: the one token, here or earlier, with the wanted left letter; LI tokens stay.

    Raises UndefinedError if there is no such token, or two different ones.
    """
    token = tokens[position - 1]
    return token if token.wanted is None else _single_match(tokens[:position], position, token.wanted)


def retrieval(tokens: Sequence[Pair]) -> tuple[Pair, ...]:
    """Retrieval of a whole sequence (Def. F.2). Raises UndefinedError unless it is proper."""
    return tuple(retrieval_at(tokens, position) for position in range(1, len(tokens) + 1))


def first_match_retrieval(tokens: Sequence[Pair]) -> tuple[Pair, ...]:
    """Retrieval as in Listing 1, defined on every input.

    It looks at strictly earlier tokens only, the first match wins, and a token without a match stays.
    """
    return tuple(
        next((earlier for earlier in tokens[:place] if earlier.left == token.wanted), token)
        for place, token in enumerate(tokens)
    )


def reflexive(tokens: Sequence[T]) -> tuple[T, ...]:
    """Reflexive: the identity."""
    return tuple(tokens)


def _last_position(tokens: Sequence[object]) -> int:
    if not tokens:
        raise ValueError("an empty input has no last position to start from: give at least one token")
    return len(tokens)


def number_walk(tokens: Sequence[Symbol]) -> Walk:
    """Walk of the number task: from the last position, an integer v steps v places back, a letter ends it.

    Raises UndefinedError at the visited position that points before position 1.
    """
    path = [_last_position(tokens)]
    while isinstance(token := tokens[path[-1] - 1], Integer):
        path.append(_pointed_at(path[-1], token))
    return Walk(tuple(path), token)


def letter_walk(tokens: Sequence[Pair]) -> Walk:
    """Walk of the letter task: from the last position, step to an earlier token with the wanted left letter.

    Of several occurrences of that token it takes the latest: it reaches an LI token if any choice does.
    Raises UndefinedError at the visited position for which there is no such token, or two different ones.
    """
    path = [_last_position(tokens)]
    while (wanted := (token := tokens[path[-1] - 1]).wanted) is not None:
        earlier = tokens[: path[-1] - 1]
        match = _single_match(earlier, path[-1], wanted)
        path.append(max(position for position, token in enumerate(earlier, 1) if token == match))
    return Walk(tuple(path), token)


def _defined(function: Callable[[Sequence[T]], object], tokens: Sequence[T]) -> bool:
    try:
        function(tokens)
    except UndefinedError:
        return False
    return True


def is_index_valid(tokens: Sequence[Symbol]) -> bool:
    """Whether no integer of the sequence points before position 1."""
    return _defined(index, tokens)


def is_proper(tokens: Sequence[Pair]) -> bool:
    """Whether every wanted letter is the left letter of exactly one token type up to the wanting position."""
    return _defined(retrieval, tokens)


def is_strongly_proper(tokens: Sequence[Pair]) -> bool:
    """Whether the sequence is proper and stays so when tokens further on are looked at too."""
    letters = {token.wanted for token in tokens}
    return is_proper(tokens) and len({token for token in tokens if token.left in letters}) == len(
        {token.left for token in tokens if token.left in letters}
    )


def is_task_format(tokens: Sequence[Pair]) -> bool:
    """Whether all LI tokens precede all LL tokens."""
    wants = [token.wanted is not None for token in tokens]
    return wants == sorted(wants)


def is_number_task_input(tokens: Sequence[Symbol]) -> bool:
    """Whether the input is letters, then one or more integers, and its walk stays within it."""
    numeric = [isinstance(token, Integer) for token in tokens]
    return any(numeric) and numeric == sorted(numeric) and _defined(number_walk, tokens)


def is_letter_task_input(tokens: Sequence[Pair]) -> bool:
    """Whether the input is LI tokens, then one or more LL tokens, and its walk reaches an LI token."""
    return is_task_format(tokens) and any(token.wanted for token in tokens) and _defined(letter_walk, tokens)


def path_condition(tokens: Sequence[Pair]) -> bool:
    """Whether the walk is defined and each letter it wants is one token type's left letter in the whole input.

    Weaker than proper: tokens off the walk may want letters that are missing or ambiguous.
    """
    if not _defined(letter_walk, tokens):
        return False
    wanted = {tokens[position - 1].wanted for position in letter_walk(tokens).path[:-1]}
    return all(len({token for token in tokens if token.left == letter}) == 1 for letter in wanted)
