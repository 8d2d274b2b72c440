"""Typed inputs against the independent reference semantics, and counts of sequences against all of them."""

from itertools import product
from random import Random

import pytest

from constructions import reference
from constructions.tasks import letter_task, number_task, parse_pairs, show
from tests.asked import value, values
from theory.errors import InputError
from theory.rope.sequences import pair_alphabet
from theory.rope.sequences import show as show_pairs


def test_number_walks_and_layers_on_the_task_inputs() -> None:
    rng = Random(7)
    for _ in range(25):
        tokens = number_task(rng, hops=rng.randint(1, 6), letters=rng.randint(1, 9), integers=8, largest=20)
        found, walk = values("number-task-walk", tokens=show(tokens)), reference.number_walk(tokens)
        assert tuple(found["path"]) == walk.path and found["answer"] == str(walk.answer)
        layers, state, last = rng.randint(0, 7), tokens, []
        for _ in range(layers + 1):
            last.append(str(state[-1]))
            state = reference.index(state)
        assert value("index-layers", tokens=show(tokens), layers=layers) == " ".join(last)


def test_printed_formulas() -> None:
    """n1 = 3, n2 = 5: the walk 8, 6, 4, 1 ends at integer 1 of value 3, in three hops."""
    found = values("number-task-walk", tokens="a b c 3 9 2 9 2")
    assert found["path"] == [8, 6, 4, 1]
    assert (found["printed condition"], found["printed answer index"]) == (3 - 3 + 1, 5 - 3 + 1)


def test_retrieval_layers_on_random_inputs() -> None:
    rng, improper = Random(8), 0
    for _ in range(80):
        tokens = letter_task(rng, hops=rng.randint(1, 4), targets=rng.randint(1, 5), links=rng.randint(4, 8))
        found = values("retrieval-layers", tokens=show(tokens), layers=3)
        listing, state = [], tokens
        for _ in range(4):
            listing.append(str(state[-1]))
            state = reference.first_match_retrieval(state)
        proper, state = [str(tokens[-1])], tokens
        while len(proper) < 4 and reference.is_proper(state):
            state = reference.retrieval(state)
            proper.append(str(state[-1]))
        improper += len(proper) < 4
        assert found == {"Def. F.2": " ".join(proper), "Listing 1": " ".join(listing)}
    assert 0 < improper < 80


@pytest.mark.parametrize(("letters", "integers", "longest"), [(2, 1, 4), (3, 2, 3), (2, 4, 3), (4, 1, 2)])
def test_counts_over_all_sequences(letters: int, integers: int, longest: int) -> None:
    alphabet = pair_alphabet(letters, integers)
    everything = [parse_pairs(show_pairs(row)) for n in range(1, longest + 1) for row in product(alphabet, repeat=n)]
    proper = [tokens for tokens in everything if reference.is_proper(tokens)]
    assert values("proper-sequence-count", letters=letters, integers=integers, n=longest) == {
        "proper": len(proper),
        "proper, with an improper image": sum(not reference.is_proper(reference.retrieval(row)) for row in proper),
        "strongly proper": sum(map(reference.is_strongly_proper, proper)),
        "proper and in task format": sum(map(reference.is_task_format, proper)),
    }


def test_capitals_and_numbers_of_several_digits() -> None:
    assert values("retrieval-layers", tokens="B12  CB\tDC", layers=2)["Def. F.2"] == "DC CB B12"
    assert value("index-layers", tokens="a' b c d e f g h i j k l 12", layers=1) == "12 a'"


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("number-task-walk", {"tokens": "a b"}, "walk .2.; give"),
        ("number-task-walk", {"tokens": "a 3"}, "walk .2, -1."),
        ("number-task-walk", {"tokens": "a 0"}, "'0' is no token"),
        ("number-task-walk", {"tokens": "a ab 1"}, "'ab' is no token"),
        ("number-task-walk", {"tokens": " "}, "no tokens"),
        ("index-layers", {"tokens": "a 9", "layers": 1}, "not Index-valid"),
        ("index-layers", {"tokens": "a ٣", "layers": 1}, "no token"),
        ("retrieval-layers", {"tokens": "a1 b", "layers": 1}, "'b' is no token"),
        ("retrieval-layers", {"tokens": "a1", "layers": -1}, "layers"),
        ("proper-sequence-count", {"letters": 27, "integers": 1, "n": 1}, "letters=27"),
        ("proper-sequence-count", {"letters": 8, "integers": 8, "n": 9}, "n=9"),
        ("proper-sequence-count", {"letters": 2, "integers": 1, "n": 10**18}, "10.6 sequences"),
    ],
)
def test_bad_input_is_named(name: str, arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        values(name, **arguments)
    assert "\n" not in str(error.value)
