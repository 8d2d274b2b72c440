"""How many Index layers follow the walk of the number task to its answer.

Source: arXiv 2605.31558, Section 3.2. `theory.rope.tasks.number_task` has the walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Search
from theory.rope.rotation import PAPER
from theory.rope.sequences import Symbol, index, is_index_valid, show
from theory.rope.tasks.number_task import SEED, walk


@dataclass(frozen=True)
class Layers:
    """That position n keeps its token for fewer than `needed(HL)` layers, and from then on holds the answer."""

    layer: Callable[[Sequence[Symbol]], tuple[Symbol, ...]] = index
    needed: Callable[[int], int] = lambda hops: hops
    domain: Callable[[Sequence[Symbol]], bool] = is_index_valid
    text: str = "[Index^t(sigma)]_n is sigma_n for t < HL and the answer for t >= HL, also under Reflexive"

    def __str__(self) -> str:
        return self.text


def copy_whatever(tokens: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """Index without the test for a letter: an integer v becomes the token v places back, whatever it is."""
    return tuple(tokens[at - token] if isinstance(token, int) else token for at, token in enumerate(tokens))


def wrapping_index(tokens: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """Index where places before the first are counted from the end, as Python's negative subscripts are."""
    found = copy_whatever(tokens)
    return tuple(new if isinstance(new, str) else old for new, old in zip(found, tokens, strict=True))


def above_all_integers(tokens: Sequence[Symbol]) -> bool:
    """The printed hypothesis n > m, which protects the last position only."""
    return all(isinstance(token, str) or token < len(tokens) for token in tokens)


@claim(
    "number-composition",
    source=Source(PAPER, "Sec. 3.2"),
    quantifiers="for all Index-valid sequences and all t; a sequence whose walk leaves it keeps its last token",
    statement=str,
    variant=Layers(),
    hypotheses=(
        Hypothesis(
            "Index-validity",
            "every integer v stands at a position above v; n > m alone protects only position n",
            dropped=Layers(domain=above_all_integers, text="Index^t is defined and follows the walk if n > m"),
        ),
    ),
    controls={
        "HL - 1 layers": Layers(needed=lambda hops: hops - 1, text="HL - 1 layers suffice"),
        "a layer that also copies integers": Layers(copy_whatever, text="copying any token follows the walk"),
        "negative positions wrap": Layers(
            wrapping_index, domain=above_all_integers, text="Index with wrapping follows the walk if n > m"
        ),
    },
    does_not_show="that HL layers are necessary for every head: one that adds pointers takes several hops at once",
)
def number_composition(layers: Layers, thorough: bool) -> Iterator[Evidence]:
    """All short sequences, letters and integers in any order, and long random ones, layer by layer.

    The proof is by induction on t: Index changes an integer only when the token it points to is a letter, and letters
    stay; so the i-th of the HL + 1 positions of the walk is a letter after exactly HL + 1 - i layers.
    """
    longest = 8 if thorough else 7
    symbols: tuple[Symbol, ...] = ("a", "b", 1, 2, 3)

    def cases(sequences: Iterable[Sequence[Symbol]]) -> Iterator[tuple[str, bool]]:
        return ((show(tokens), _follows(layers, tokens)) for tokens in sequences if layers.domain(tokens))

    short = (tokens for length in range(1, longest + 1) for tokens in product(symbols, repeat=length))
    yield Enumeration(f"all sequences of up to {longest} tokens over 2 letters and 3 integers", cases(short))
    large = _long_valid_sequences(100)
    yield Search.decided("random sequences of up to 64 tokens, as wrong walks", cases(large), seed=SEED)


def _follows(layers: Layers, tokens: Sequence[Symbol]) -> bool:
    path, state = walk(tokens), tuple(tokens)
    for t in range(len(path) + 1):
        arrived = path[-1] >= 1 and t >= layers.needed(len(path) - 1)
        if state[-1] != tokens[path[-1] - 1 if arrived else -1]:
            return False
        try:
            state = layers.layer(state)
        except InputError:
            return False
    return True


def _long_valid_sequences(count: int) -> Iterator[tuple[Symbol, ...]]:
    rng = Random(SEED)
    for _ in range(count):
        letters = rng.random()
        yield tuple(
            rng.choice("abcdefgh") if at == 0 or rng.random() < letters else rng.randint(1, rng.randint(1, at))
            for at in range(rng.randint(2, 64))
        )
