"""Inputs of the number task and the letter task: from text, and at random with a requested number of hops.

Source of the two generators: arXiv 2605.31558, Section 3.1 and Appendix B.1.
"""

import re
from collections.abc import Sequence
from functools import cache
from random import Random

from constructions.reference import Integer, Letter, Pair, Symbol
from theory.errors import InputError

_SYMBOL = re.compile(r"(?P<letter>[A-Za-z])(?P<primes>'*)|(?P<value>0*[1-9][0-9]*)")


def show(tokens: Sequence[Symbol] | Sequence[Pair]) -> str:
    """The sequence as text that `parse_symbols` or `parse_pairs` reads back."""
    return " ".join(map(str, tokens))


def _symbols(word: str) -> list[Symbol]:
    matches = list(_SYMBOL.finditer(word))
    if "".join(match[0] for match in matches) != word:
        return []
    return [
        Integer(int(match["value"]))
        if match["value"]
        else Letter(ord(match["letter"].lower()) - ord("a") + 26 * len(match["primes"]))
        for match in matches
    ]


def parse_symbols(text: str) -> tuple[Symbol, ...]:
    """Number-task tokens from text such as `n h n v 6 3 2`; capitals mean the same letters.

    Raises InputError for a word that is neither a letter nor a positive integer.
    """
    tokens: list[Symbol] = []
    for position, word in enumerate(text.split(), 1):
        match _symbols(word):
            case [symbol]:
                tokens.append(symbol)
            case _:
                raise InputError(
                    f"{word!r} at position {position} is not a number-task token; "
                    "write a letter such as n or a positive integer such as 6"
                )
    return tuple(tokens)


def parse_pairs(text: str) -> tuple[Pair, ...]:
    """Letter-task tokens from text such as `C2 B1 FA`; capitals mean the same letters.

    Raises InputError for a word that is not a letter followed by a letter or a positive integer.
    """
    tokens: list[Pair] = []
    for position, word in enumerate(text.split(), 1):
        match _symbols(word):
            case [Letter() as left, right]:
                tokens.append(Pair(left, right))
            case _:
                raise InputError(
                    f"{word!r} at position {position} is not a letter-task token; "
                    "write a letter and a letter, such as fa, or a letter and a positive integer, such as c2"
                )
    return tuple(tokens)


def _require_positive(**sizes: int) -> None:
    for name, size in sizes.items():
        if size < 1:
            raise InputError(f"{name}={size} is below 1; ask for at least one")


def number_task(
    rng: Random, *, hops: int, letters: int = 8, integers: int = 9, alphabet: int = 120, largest: int = 16
) -> tuple[Symbol, ...]:
    """A number-task input of `letters` + `integers` tokens whose walk has exactly `hops` hops.

    The integer positions on the walk are uniform among all that integers 1..`largest` can link. Every integer
    off the walk is uniform among those that stay within the input, so the sequence is Index-valid.
    Raises InputError if no such input exists.
    """
    _require_positive(hops=hops, letters=letters, integers=integers, alphabet=alphabet, largest=largest)
    if hops > integers:
        raise InputError(f"hops={hops} needs as many integers, but integers={integers}; raise integers")
    if hops * largest < integers:
        raise InputError(
            f"hops={hops} with integers up to largest={largest} reach back {hops * largest} tokens, "
            f"not past integers={integers}; raise hops or largest, or lower integers"
        )

    @cache
    def walks(start: int, hops: int) -> int:
        """How many walks of `hops` hops lead from integer number `start` to the letters."""
        if hops == 1:
            return int(start <= largest)
        return sum(walks(stop, hops - 1) for stop in range(max(1, start - largest), start))

    values = {place: rng.randint(1, min(largest, letters + place - 1)) for place in range(1, integers + 1)}
    place = integers
    for left in range(hops - 1, 0, -1):
        stops = range(max(1, place - largest), place)
        stop = rng.choices(stops, [walks(stop, left) for stop in stops])[0]
        values[place], place = place - stop, stop
    values[place] = rng.randint(place, min(largest, letters + place - 1))
    return (
        *(Letter(rng.randrange(alphabet)) for _ in range(letters)),
        *(Integer(values[place]) for place in range(1, integers + 1)),
    )


def letter_task(
    rng: Random, *, hops: int, targets: int = 8, links: int = 9, alphabet: int = 8, largest: int = 8
) -> tuple[Pair, ...]:
    """A letter-task input of `targets` LI and then `links` LL tokens whose walk has exactly `hops` hops.

    Each of the `hops` letters wanted on the walk is the left letter of just one token; the rest is uniform.
    The input meets the path condition, but mostly it is not proper. Raises InputError if there is none.
    """
    _require_positive(hops=hops, targets=targets, links=links, alphabet=alphabet, largest=largest)
    if hops > links:
        raise InputError(f"hops={hops} needs as many LL tokens, but links={links}; raise links")
    if hops >= alphabet:
        raise InputError(
            f"hops={hops} wants as many letters, and the last token needs one more as its left letter, "
            f"but alphabet={alphabet}; raise alphabet"
        )
    shuffled = [Letter(number) for number in rng.sample(range(alphabet), alphabet)]
    wanted, free = shuffled[:hops], shuffled[hops:]

    def number() -> Integer:
        return Integer(rng.randint(1, largest))

    tokens = [Pair(rng.choice(free), number()) for _ in range(targets)]
    tokens += [Pair(rng.choice(free), Letter(rng.randrange(alphabet))) for _ in range(links)]
    stops = sorted(rng.sample(range(targets, targets + links - 1), hops - 1), reverse=True)
    lefts = [tokens[-1].left, *wanted]
    for place, left, right in zip([len(tokens) - 1, *stops], lefts, wanted, strict=False):
        tokens[place] = Pair(left, right)
    tokens[rng.randrange(targets)] = Pair(wanted[-1], number())
    return tuple(tokens)
