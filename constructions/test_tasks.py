"""Random inputs of the tasks are drawn as they say."""

from random import Random

from constructions.reference import Integer, letter_walk
from constructions.tasks import letter_task


def test_the_first_letter_of_the_query_is_drawn_on_its_own() -> None:
    draws = [letter_task(Random(seed), hops=2) for seed in range(40)]
    for position in range(8):
        others = [tokens for tokens in draws if letter_walk(tokens).path[-1] != position + 1]
        assert any(tokens[-1].left != tokens[position].left for tokens in others)


def test_by_default_letters_and_integers_are_eight_each() -> None:
    draws = [letter_task(Random(seed), hops=2) for seed in range(20)]
    assert {len(tokens) for tokens in draws} == {17}
    assert {token.left.index for tokens in draws for token in tokens} == set(range(8))
    rights = [token.right for tokens in draws for token in tokens]
    assert {right.value for right in rights if isinstance(right, Integer)} == set(range(1, 9))
