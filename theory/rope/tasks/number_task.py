"""The number task: on which letter its walk ends.

Source: arXiv 2605.31558, Appendix B.1. An input is letters s_1..s_n1, then integers j_1..j_n2. A walk starts at the
last position, steps v places back at an integer v, and ends at a letter, the answer. HL is its number of hops, k_HL
the number of the integer that takes the last hop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

import sympy
from sympy import Expr

from theory.claims import Source, claim
from theory.evidence import Enumeration, Evidence, Identity, Search
from theory.outcome import Outcome
from theory.rope.rotation import PAPER
from theory.rope.sequences import Symbol, show
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
