"""Worked number-task inputs, and the module's walks and layers against the independent reference semantics."""

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

import pytest
import sympy

from constructions import reference
from constructions.reference import Integer, Letter
from constructions.tasks import number_task, parse_symbols, show
from theory.evidence import Search, Trial
from theory.ledger import Submissions
from theory.rope.sequences import Symbol, index, is_index_valid
from theory.rope.tasks.number_composition import copy_whatever, wrapping_index
from theory.rope.tasks.number_task import CORRECTED, PRINTED, k, n1, n2, walk
from theory.symbols import j


def symbols(text: str) -> tuple[Symbol, ...]:
    return tuple(int(word) if word.isdigit() else word for word in text.split())


def as_reference(tokens: Sequence[Symbol]) -> tuple[reference.Symbol, ...]:
    return parse_symbols(" ".join(map(str, tokens)))


def as_theory(tokens: Sequence[reference.Symbol]) -> tuple[Symbol, ...]:
    return symbols(show(tokens))


@pytest.mark.parametrize(
    ("text", "path", "condition", "printed_answer", "answer"),
    [
        ("a b c 3 9 2 9 2", [8, 6, 4, 1], 1, 3, 1),
        ("a 1 1", [3, 2, 1], 1, 2, 1),
        ("a b 2 2", [4, 2], 1, 1, 2),
    ],
)
def test_worked_inputs(text: str, path: list[int], condition: int, printed_answer: int, answer: int) -> None:
    """The printed condition's value and answer index, and the right index, where the walk really ends."""
    tokens = symbols(text)
    assert walk(tokens) == path
    letters = sum(isinstance(token, str) for token in tokens)
    numbers = (letters, len(tokens) - letters, path[-2] - letters, tokens[path[-2] - 1])
    assert (PRINTED.condition(*numbers), PRINTED.answer(*numbers)) == (condition, printed_answer)
    assert CORRECTED.condition(*numbers) == CORRECTED.answer(*numbers) == answer == path[-1]


def test_where_the_printed_formulas_are_right() -> None:
    """The printed condition is the case k_HL = 1, the printed answer index the case n2 = n1 + k_HL - 1."""
    right = CORRECTED.answer(n1, n2, k, j)
    assert sympy.solve(PRINTED.condition(n1, n2, k, j) - right, k) == [1]
    assert sympy.solve(PRINTED.answer(n1, n2, k, j) - right, n2) == [k + n1 - 1]


def all_sequences(longest: int) -> Iterator[tuple[Symbol, ...]]:
    tokens: tuple[Symbol, ...] = ("a", "b", 1, 2, 3)
    for length in range(1, longest + 1):
        yield from product(tokens, repeat=length)


def test_index_and_walk_agree_with_the_reference() -> None:
    for tokens in all_sequences(5):
        given = as_reference(tokens)
        assert is_index_valid(tokens) is reference.is_index_valid(given)
        if is_index_valid(tokens):
            assert index(tokens) == as_theory(reference.index(given))
        path = walk(tokens)
        if path[-1] < 1:
            with pytest.raises(reference.UndefinedError) as error:
                reference.number_walk(given)
            assert error.value.position == path[-2]
        else:
            assert tuple(path) == reference.number_walk(given).path


@pytest.mark.parametrize(
    ("layer", "text", "expected"),
    [
        (copy_whatever, "a b 2 1", "a b a 2"),
        (copy_whatever, "a 1 1", "a a 1"),
        (wrapping_index, "a 3 b 2", "a b b 2"),
        (wrapping_index, "a 2 1", "a 2 1"),
        (wrapping_index, "a b 1 2", "a b b b"),
    ],
)
def test_faulty_layers_are_what_they_say(layer: object, text: str, expected: str) -> None:
    assert callable(layer)
    assert layer(symbols(text)) == symbols(expected)


def test_reference_layers_follow_random_walks(ledger: Submissions) -> None:
    """On the task's own inputs, with the reference's Index, walks and letters: 1 to 8 hops, up to 120 letters."""
    rng, trials = Random(31558), []
    for _ in range(400):
        tokens = number_task(
            rng, hops=rng.randint(1, 8), letters=rng.randint(1, 12), integers=rng.randint(8, 20), largest=24
        )
        found, state, wrong = reference.number_walk(tokens), tokens, 0
        for t in range(found.hops + 2):
            wrong += state[-1] != (tokens[-1] if t < found.hops else found.answer)
            state = reference.index(state)
        trials.append(Trial(show(tokens), float(wrong), 0.0))
    ledger.submit("number-composition", Search("the task's inputs, reference semantics", trials, seed=31558))


def test_reference_walks_end_as_the_corrected_formulas_say(ledger: Submissions) -> None:
    rng, trials = Random(31559), []
    for _ in range(400):
        tokens = number_task(
            rng, hops=rng.randint(1, 4), letters=rng.randint(1, 12), integers=rng.randint(4, 20), largest=24
        )
        found = reference.number_walk(tokens)
        letters = sum(isinstance(token, Letter) for token in tokens)
        last = tokens[found.path[-2] - 1]
        assert isinstance(last, Integer)
        number = CORRECTED.answer(letters, len(tokens) - letters, found.path[-2] - letters, last.value)
        trials.append(Trial(show(tokens), float(tokens[number - 1] != found.answer), 0.0))
    ledger.submit("number-task-last-hop", Search("the task's inputs, reference semantics", trials, seed=31559))
