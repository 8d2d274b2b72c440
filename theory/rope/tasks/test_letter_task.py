"""Worked letter-task inputs, and the module's classes, walks and layers against the independent reference semantics."""

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions import reference
from constructions.tasks import letter_task, parse_pairs
from constructions.tasks import show as show_reference
from theory.evidence import Search, Trial
from theory.ledger import Submissions
from theory.rope.sequences import Pair, is_proper, pair_alphabet, retrieval, show
from theory.rope.tasks.letter_path import (
    NOTHING,
    Promise,
    after_a_layer,
    average,
    everything_held,
    only,
    up_to_renaming,
    wholly_on,
)
from theory.rope.tasks.letter_task import (
    COMPOSABLE,
    ORDERED,
    PROPER,
    STRONG,
    is_strongly_proper,
    is_task_format,
    own_letter_queries,
)

FIGURE_1 = "c2 b1 a3 fa ec de hf gd ig"
FIGURE_3 = "e1 b2 e1 g6 a2 b2 e1 g6 be db ca ge eb hc dg fh eh"


def pairs(text: str) -> tuple[Pair, ...]:
    return tuple((word[0], int(word[1:]) if word[1:].isdigit() else word[1]) for word in text.split())


def as_reference(tokens: Sequence[Pair]) -> tuple[reference.Pair, ...]:
    return parse_pairs(show(tokens))


@pytest.mark.parametrize(("letters", "integers", "longest"), [(2, 1, 4), (3, 1, 3), (2, 2, 4)])
def test_classes_and_retrieval_agree_with_the_reference(letters: int, integers: int, longest: int) -> None:
    for length in range(1, longest + 1):
        for tokens in product(pair_alphabet(letters, integers), repeat=length):
            twin = as_reference(tokens)
            assert is_proper(tokens) is reference.is_proper(twin)
            assert is_task_format(tokens) is reference.is_task_format(twin)
            assert is_strongly_proper(tokens) is reference.is_strongly_proper(twin)
            if is_proper(tokens):
                assert show(retrieval(tokens)) == show_reference(reference.retrieval(twin))
            path = Promise().walk(tokens)
            assert (path is not None) is reference.path_condition(twin)
            if path is not None:
                assert tuple(path) == reference.letter_walk(twin).path


def test_members_are_all_members() -> None:
    """Growth token by token finds every member: prefixes of members are members."""
    for members in (PROPER, STRONG, ORDERED, COMPOSABLE):
        everything = (row for n in range(1, 5) for row in product(pair_alphabet(2, 1), repeat=n))
        assert list(members.up_to(2, 1, 4)) == [row for row in everything if members.contains(row)]
        assert all(members.contains(tokens) for tokens in members.random(count=20, longest=12))


def test_worked_inputs() -> None:
    assert Promise().walk(pairs(FIGURE_3)) == [17, 14, 11, 5]
    held = everything_held(Promise(), pairs(FIGURE_1), [9, 8, 6, 5, 1])
    assert next(held) == {only(("i", "g"))}
    assert show(own_letter_queries(pairs("a1 ba a2"))) == "a1 a1 a1"


def test_mixtures() -> None:
    a1, a2, ba, cb = pairs("a1 a2 ba cb")
    half = average([only(a1), NOTHING])
    assert sum(weight for _, weight in half) * 2 == 1
    assert average([only(a1), only(a1)]) == only(a1)
    assert [wholly_on(mixture) for mixture in (NOTHING, half, only(ba))] == [None, None, "b"]
    both = average([only(a1), only(a2)])
    assert wholly_on(both) == "a"
    assert wholly_on(average([only(a1), only(ba)])) is None
    assert after_a_layer([only(a1), both, only(ba)], 3) == average([only(a1), both])
    assert after_a_layer([half, only(ba), only(a1)], 2) is None
    assert after_a_layer([half, NOTHING], 2) is None
    assert after_a_layer([only(a1), only(a2)], 2) == only(a2)
    assert after_a_layer([only(cb), only(ba), only(cb)], 3) == only(ba)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_up_to_renaming_names_each_input_once(length: int) -> None:
    """Against all inputs over as many letters and integers as there are places, renamed by first appearance."""

    def renamed(tokens: Sequence[Pair]) -> tuple[Pair, ...]:
        letters: dict[str, str] = {}
        values: dict[int, int] = {}

        def name(symbol: str | int) -> str | int:
            if isinstance(symbol, str):
                return letters.setdefault(symbol, "abcdefgh"[len(letters)])
            return values.setdefault(symbol, len(values) + 1)

        return tuple((str(name(left)), name(right)) for left, right in tokens)

    found = list(up_to_renaming(length))
    assert len(found) == len(set(found))
    small = 2 * length if length < 3 else 4
    everything = {renamed(tokens) for tokens in product(pair_alphabet(small, length), repeat=length)}
    assert everything == {tokens for tokens in found if len(_letters(tokens)) <= small}


def _letters(tokens: Sequence[Pair]) -> set[str]:
    return {symbol for token in tokens for symbol in token if isinstance(symbol, str)}


def test_listing_1_follows_the_walk_on_the_task_inputs(ledger: Submissions) -> None:
    """Listing 1 keeps or copies tokens of the input, so it is one of the behaviours that the claim allows."""
    rng, trials = Random(31558), []
    for _ in range(400):
        tokens = letter_task(rng, hops=rng.randint(1, 5), targets=rng.randint(1, 10), links=rng.randint(5, 12))
        assert Promise().walk(pairs(show_reference(tokens))) == list(reference.letter_walk(tokens).path)
        trials.append(Trial(show_reference(tokens), float(_listing_1_errors(tokens)), 0.0))
    evidence = Search("the task's inputs under Listing 1, reference semantics", trials, seed=31558)
    ledger.submit("letter-path-condition", evidence)


def _listing_1_errors(tokens: tuple[reference.Pair, ...]) -> int:
    path, state, wrong = reference.letter_walk(tokens).path, tokens, 0
    for t in range(len(path) + 1):
        wrong += state[-1] != tokens[path[min(t, len(path) - 1)] - 1]
        state = reference.first_match_retrieval(state)
    return wrong


letters = st.sampled_from("abcd")
rows = st.lists(st.tuples(letters, st.one_of(letters, st.integers(1, 2))), min_size=1, max_size=7)


@given(rows)
def test_listing_1_follows_every_walk_with_the_path_condition(tokens: list[Pair]) -> None:
    twin = as_reference(tokens)
    if reference.path_condition(twin):
        assert _listing_1_errors(twin) == 0
