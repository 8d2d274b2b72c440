"""Inputs of the tasks as they are typed: where their walks end, what layers make of them, how many there are.

Source: arXiv 2605.31558, App. B.1, Def. F.1, Def. F.2 and Listing 1. The number task is typed `c b a 1 4 1`, the letter
task `c2 b1 fa ec`: a pair is a left letter and a right letter or integer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, TypeVar

from theory.errors import InputError
from theory.quantities import Count, Exact, Letters, Offset, Parameter, quantity
from theory.rope.sequences import (
    Pair,
    Symbol,
    check_count,
    first_match_retrieval,
    index,
    is_proper,
    proper_sequences,
    retrieval,
    show,
)
from theory.rope.tasks.letter_task import is_strongly_proper, is_task_format
from theory.rope.tasks.number_task import PRINTED, walk

Token = TypeVar("Token", Symbol, Pair)
_SYMBOL = "[A-Za-z]'*|[1-9][0-9]{0,5}"  # with more than 26 letters, a' comes after z


def _symbol(text: str) -> Symbol:
    return int(text) if text.isdigit() else text


def read_symbols(text: str) -> tuple[Symbol, ...]:
    """The letters and integers of `a b 2 1`; InputError for anything else."""
    return tuple(
        _symbol(found[0]) for found in _words(text, f"({_SYMBOL})", "a letter or an integer >= 1, as in a b 2")
    )


def read_pairs(text: str) -> tuple[Pair, ...]:
    """The pairs of `a1 ba b12`; InputError for anything else."""
    found = _words(text, f"([A-Za-z]'*)({_SYMBOL})", "a letter with a letter or an integer >= 1, as in a1 ba")
    return tuple((left, _symbol(right)) for left, right in found)


def _words(text: str, pattern: str, wanted: str) -> list[tuple[str, ...]]:
    words = [(word, re.fullmatch(pattern, word, re.ASCII)) for word in text.split()]
    if bad := [word for word, match in words if match is None]:
        raise InputError(f"{bad[0][:40]!r} is no token; give {wanted}")
    if not words:
        raise InputError(f"there are no tokens; give {wanted}")
    return [match.groups() for _, match in words if match]


NumberTokens = Annotated[tuple[Symbol, ...], Parameter("input of the number task, as in 'c b a 1 4 1'", read_symbols)]
LetterTokens = Annotated[tuple[Pair, ...], Parameter("input of the letter task, as in 'c2 b1 fa ec'", read_pairs)]


@quantity("number-task-walk", unit="positions; letters; indices", claim="number-task-index-slips")
def number_task_walk(tokens: NumberTokens) -> dict[str, Exact]:
    """The walk to the answer (positions from 1), and the printed condition 2 and answer index of its last hop.

    Raises InputError where the walk leaves the input, or takes no hop.
    """
    path = walk(tokens)
    if len(path) == 1 or path[-1] < 1:
        raise InputError(
            f"{show(tokens)!r} has the walk {path}; give an input that ends on an integer and leads to a letter"
        )
    letters, (last, end) = sum(isinstance(token, str) for token in tokens), path[-2:]
    numbers = (letters, len(tokens) - letters, last - letters, last - end)
    return {
        "path": Exact(path),
        "answer": Exact(tokens[end - 1]),
        "printed condition": Exact(PRINTED.condition(*numbers)),
        "printed answer index": Exact(PRINTED.answer(*numbers)),
    }


@quantity("index-layers", unit="tokens", claim="number-composition")
def index_layers(tokens: NumberTokens, layers: Offset) -> Exact:
    """The last token after 0, 1, ... applications of Index, up to `layers`."""
    return Exact(_last_tokens(index, tokens, layers))


@quantity("retrieval-layers", unit="tokens", claim="letter-composition")
def retrieval_layers(tokens: LetterTokens, layers: Offset) -> dict[str, Exact]:
    """The last token after 0, 1, ... applications of Retrieval up to `layers`; Def. F.2 needs proper sequences."""
    return {
        "Def. F.2": Exact(_last_tokens(lambda state: retrieval(state) if is_proper(state) else (), tokens, layers)),
        "Listing 1": Exact(_last_tokens(first_match_retrieval, tokens, layers)),
    }


def _last_tokens(
    layer: Callable[[tuple[Token, ...]], tuple[Token, ...]], tokens: tuple[Token, ...], layers: int
) -> str:
    """The last tokens, until the layers end or a layer gives nothing."""
    last = list[Token]()
    while tokens and len(last) <= layers:
        last.append(tokens[-1])
        tokens = layer(tokens)
    return show(last)


@quantity("proper-sequence-count", unit="sequences", claim="retrieval-proper-not-closed")
def proper_sequence_count(letters: Letters, integers: Count, n: Count) -> dict[str, Exact]:
    """Of all sequences of up to n pairs: the proper ones, those of them whose Retrieval is not, and the subclasses."""
    check_count(letters, integers, n)
    sequences = list(proper_sequences(letters, integers, n))
    return {
        "proper": Exact(len(sequences)),
        "proper, with an improper image": Exact(sum(not is_proper(retrieval(tokens)) for tokens in sequences)),
        "strongly proper": Exact(sum(map(is_strongly_proper, sequences))),
        "proper and in task format": Exact(sum(map(is_task_format, sequences))),
    }
