"""What the heads are to compute: Index and Retrieval of a sequence, and where they are defined.

Source: arXiv 2605.31558, Def. F.1 and F.2. A letter is a one-character string, an integer an int >= 1, a
pair (left letter, right letter or integer). Positions are 1-based; Retrieval may point at its own position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from theory.errors import InputError

Symbol = str | int
Pair = tuple[str, Symbol]
ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def index(tokens: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """Index (Def. F.1): an integer v becomes the token v places back if that is a letter; all else stays.

    Raises InputError unless the sequence is Index-valid.
    """
    if not is_index_valid(tokens):
        raise InputError(f"{show(tokens)} is not Index-valid; let every integer v stand at a position above v")
    sources = [tokens[at - token] if isinstance(token, int) else token for at, token in enumerate(tokens)]
    return tuple(source if isinstance(source, str) else token for source, token in zip(sources, tokens, strict=True))


def is_index_valid(tokens: Sequence[Symbol]) -> bool:
    """Whether every integer v stands at a position above v."""
    return all(isinstance(token, str) or token <= at for at, token in enumerate(tokens))


def matches(tokens: Sequence[Pair], position: int) -> set[Pair]:
    """The tokens up to `position` whose left letter is wanted there; the token itself for a right integer."""
    token = tokens[position - 1]
    return {other for other in tokens[:position] if other[0] == token[1]} if isinstance(token[1], str) else {token}


def is_proper(tokens: Sequence[Pair]) -> bool:
    """Whether every position finds exactly one token (Def. F.2)."""
    return all(len(matches(tokens, position)) == 1 for position in range(1, len(tokens) + 1))


def retrieval(tokens: Sequence[Pair]) -> tuple[Pair, ...]:
    """Retrieval (Def. F.2): each position becomes the token it finds. InputError unless the sequence is proper."""
    found = [matches(tokens, position) for position in range(1, len(tokens) + 1)]
    if any(len(each) != 1 for each in found):
        raise InputError(f"{show(tokens)} is not proper; let a right letter be the left letter of one token so far")
    return tuple(token for (token,) in found)


def first_match_retrieval(tokens: Sequence[Pair]) -> tuple[Pair, ...]:
    """Retrieval as in Listing 1: the first match among earlier tokens wins, and a token without one stays."""
    return tuple(
        next((earlier for earlier in tokens[:place] if earlier[0] == token[1]), token)
        for place, token in enumerate(tokens)
    )


def pair_alphabet(letters: int, integers: int) -> list[Pair]:
    """All tokens over A <= 26 letters and I integers, in the order of the one-hot embedding."""
    rights: list[Symbol] = [*ALPHABET[:letters], *range(1, integers + 1)]
    return [(left, right) for left in ALPHABET[:letters] for right in rights]


def proper_sequences(letters: int, integers: int, up_to: int) -> Iterator[tuple[Pair, ...]]:
    """All proper sequences of lengths 1 to `up_to`, the shortest first, each length in the order of the embedding."""
    alphabet = pair_alphabet(letters, integers)
    shorter: list[tuple[Pair, ...]] = [()]
    for length in range(1, up_to + 1):
        # A prefix of a proper sequence is proper, so only the last position is new.
        longer = ((*prefix, token) for prefix in shorter for token in alphabet)
        shorter = [tokens for tokens in longer if len(matches(tokens, length)) == 1]
        yield from shorter


def check_count(letters: int, integers: int, n: int) -> None:
    """InputError where there are no names for all letters, or too many sequences of up to n pairs to try them all."""
    if letters > len(ALPHABET):
        raise InputError(f"letters={letters} is more than there are names for; give at most {len(ALPHABET)}")
    if n > 8 or (letters * (letters + integers)) ** n > 10**6:
        raise InputError(
            f"letters={letters}, integers={integers}, n={n} has over 10^6 sequences to try; give a shorter length"
        )


def show(tokens: Sequence[Symbol | Pair]) -> str:
    """A sequence as it is written in the papers: `a1 bb ba` for pairs, `a b 2` for symbols."""
    return " ".join("".join(map(str, token)) if isinstance(token, tuple) else str(token) for token in tokens)
