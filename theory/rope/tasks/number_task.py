"""The number task: on which letter its walk ends, and how many Index layers follow it there.

Source: arXiv 2605.31558, Section 3.2 and Appendix B.1. An input is letters s_1..s_n1, then integers j_1..j_n2. A walk
starts at the last position, steps v places back at an integer v, and ends at a letter, the answer. HL is its number of
hops, k_HL the number of the integer that takes the last hop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

import sympy
from sympy import Expr

from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Identity, Search
from theory.outcome import Outcome
from theory.rope.rotation import PAPER
from theory.rope.sequences import Symbol, index, is_index_valid, show
from theory.symbols import j

Formula = Callable[[Expr, Expr, Expr, Expr], Expr]
n1, n2, k = sympy.symbols("n1 n2 k", integer=True, positive=True)
SEED = 2605


def walk(tokens: Sequence[Symbol], start: int | None = None) -> list[int]:
    """The positions visited from `start` (1-based; the last by default) to a letter, or to one below 1."""
    path = [len(tokens) if start is None else start]
    while path[-1] >= 1 and isinstance(token := tokens[path[-1] - 1], int):
        path.append(path[-1] - token)
    return path


@dataclass(frozen=True)
class Ending:
    """Formulas in (n1, n2, k_HL, j_kHL): one is in 1..n1 iff the walk reaches a letter, one is that letter's number."""

    condition: Formula
    answer: Formula
    from_first_integer: bool = False

    def __str__(self) -> str:
        condition, answer = self.condition(n1, n2, k, j), self.answer(n1, n2, k, j)
        start = "first" if self.from_first_integer else "last"
        return (
            f"the walk from the {start} integer, with its last hop j at integer k, ends on a letter "
            f"iff {condition} is in 1..n1, and then on s_({answer})"
        )


def landing(n1: Expr, n2: Expr, k: Expr, j: Expr) -> Expr:
    """Integer number k stands at position n1 + k and steps j places back."""
    return (n1 + k) - j


PRINTED = Ending(lambda n1, n2, k, j: n1 - j + 1, lambda n1, n2, k, j: n2 - j + 1)
CORRECTED = Ending(landing, landing)


def check_ending(ending: Ending, thorough: bool) -> Iterator[Evidence]:
    """The definition of a hop as an identity, then walks over all short and many long inputs."""
    longest = 8 if thorough else 7
    name = f"all inputs of up to {longest} tokens over 2 letters and 3 integers"

    def cases(inputs: Iterable[Sequence[Symbol]]) -> Iterator[tuple[str, bool]]:
        return ((show(tokens), _ends_as(ending, tokens)) for tokens in inputs)

    yield Enumeration(name, cases(_inputs(longest)))
    formulas = {"condition": ending.condition, "answer": ending.answer}
    places = [(name, formula(n1, n2, k, j), landing(n1, n2, k, j)) for name, formula in formulas.items()]
    yield Identity("where the last hop lands", places, sympy.expand)
    yield Search.decided("random inputs of up to 64 tokens, as wrong answers", cases(_long_inputs(200)), seed=SEED)


def _ends_as(ending: Ending, tokens: Sequence[Symbol]) -> bool:
    letters = sum(isinstance(token, str) for token in tokens)
    *_, last, end = walk(tokens, letters + 1 if ending.from_first_integer else None)
    numbers = (letters, len(tokens) - letters, last - letters, last - end)
    stop = walk(tokens)[-1]
    if (1 <= ending.condition(*numbers) <= letters) != (stop >= 1):
        return False
    return stop < 1 or (1 <= (answer := ending.answer(*numbers)) <= letters and tokens[answer - 1] == tokens[stop - 1])


def _inputs(longest: int) -> Iterator[tuple[Symbol, ...]]:
    for length in range(2, longest + 1):
        for letters in range(1, length):
            yield from product(*["ab"] * letters, *[(1, 2, 3)] * (length - letters))


def _long_inputs(count: int) -> Iterator[tuple[Symbol, ...]]:
    rng = Random(SEED)
    for _ in range(count):
        letters, integers = rng.randint(1, 32), rng.randint(1, 32)
        heads = [rng.choice("abcdefgh") for _ in range(letters)]
        yield (*heads, *(rng.randint(1, rng.randint(1, letters + at)) for at in range(1, integers + 1)))


number_task_index_slips = claim(
    "number-task-index-slips",
    source=Source(PAPER, "App. B.1"),
    quantifiers="for all inputs of n1 >= 1 letters and n2 >= 1 integers",
    statement=str,
    variant=PRINTED,
    printed="condition 2: n1 - j + 1 is in {1..n1}; answer s_(n2 - j + 1), for the last integer j on the walk",
    expected=Outcome.REFUTED,
    counterexample="a 1 1",
    near_miss=("where a hop lands by definition", CORRECTED),
    repaired_by="number-task-last-hop",
    controls={
        "printed condition, right answer": Ending(PRINTED.condition, landing),
        "right condition, printed answer": Ending(landing, PRINTED.answer),
    },
    does_not_show="that the paper's data are wrong: only that these formulas do not describe its figures",
)(check_ending)

number_task_last_hop = claim(
    "number-task-last-hop",
    source=Source(PAPER, "App. B.1", "derived"),
    quantifiers="for all inputs of n1 >= 1 letters and n2 >= 1 integers",
    statement=str,
    variant=CORRECTED,
    controls={
        "one position further": Ending(landing, lambda n1, n2, k, j: n1 + k - j + 1),
        "counted from 0": Ending(lambda n1, n2, k, j: n1 + k - j - 1, lambda n1, n2, k, j: n1 + k - j - 1),
        "a walk from the first integer": Ending(landing, landing, from_first_integer=True),
    },
    does_not_show="anything about a model: it says what the answer is",
)(check_ending)


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
