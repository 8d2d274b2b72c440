"""Corrupted sequences are caught, by the checks of the generators and by the solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from constructions.tasks import parse_pairs, parse_symbols
from empirical.tasks.batch import Batch
from empirical.tasks.index import IndexTask
from empirical.tasks.induction import InductionTask
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.retrieval import RetrievalTask
from tests.task_definitions import TASKS, faults, same
from theory.errors import InputError

torch.set_num_threads(1)


def answer_one_further(task: Any, batch: Batch) -> Batch:
    """The answers stand one position further on."""
    at = batch.positions % (task.targets if hasattr(task, "targets") else task.length) + 1
    return replace(batch, positions=at, answers=batch.tokens.gather(1, at[:, None] - 1)[:, 0])


def one_hop_more(task: Any, batch: Batch) -> Batch:
    return replace(batch, hops=batch.hops + 1)


def shares_not_even(task: Any, batch: Batch) -> Batch:
    return batch[torch.cat((batch.hops.argmax()[None].repeat(3), torch.arange(len(batch))))]


def answers_of_half(task: Any, batch: Batch) -> Batch:
    """Only the smaller half of the answers."""
    rows = batch.answers.argsort()[: len(batch) // 2]
    return batch[rows]


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize(
    ("corrupt", "caught"),
    [
        (answer_one_further, "answer"),
        (one_hop_more, "answer"),
        (one_hop_more, "hops"),
        (shares_not_even, "pairs"),
        (answers_of_half, "marginals"),
    ],
)
def test_corrupted_batches_are_caught(kind: Any, corrupt: Callable[[Any, Batch], Batch], caught: str) -> None:
    task = kind()
    batch = task.generate(150, 3)
    assert caught in faults(task, corrupt(task, batch))


def test_a_second_copy_of_a_wanted_letter_is_caught() -> None:
    """Wherever it stands, behind the walk, on a target or in front; the vectorised solver refuses it as well."""
    task = LetterTask()
    batch = task.generate(30, 3, hops=1, prepended=2)
    wanted = batch.answers // 16
    for place in range(18):
        rows = batch.positions != place + 1
        tokens = batch.tokens.clone()
        tokens[:, place] = wanted * 16 + tokens[:, place] % 16
        spoiled = replace(batch, tokens=tokens)[rows]
        assert "valid" in faults(task, spoiled, 1, prepended=2)
        with pytest.raises(InputError, match=r"sequence \d+ has no answer: .* wants a left letter that 2 tokens have"):
            task.solve(spoiled.tokens)


def test_an_integer_that_points_before_the_input_is_caught() -> None:
    task = NumberTask(targets=2, links=3, hops=2)
    batch = task.generate(100, 3)
    tokens = batch.tokens.clone()
    off = batch.hops == 1
    tokens[off, 2] = task.letters - 1 + 3  # position 3, three places back
    spoiled = replace(batch, tokens=tokens)
    assert "valid" in faults(task, spoiled)
    assert same(task.solve(spoiled.tokens), spoiled)  # the walks are what they were


def numbered(task: Any, text: str) -> Tensor:
    """Text such as `a b 2` or `a1 ba b` as one sequence of token numbers."""
    read = [parse_symbols(word)[0] if len(word) == 1 else parse_pairs(word)[0] for word in text.split()]
    return torch.tensor([task.vocabulary.encode(read)])


NUMBER, LETTER, INDEX = NumberTask(3, 4, 1, 2, 1), LetterTask(3, 1, 1, 1, 1), IndexTask(2, 3, 3)
RETRIEVAL, INDUCTION = RetrievalTask(3, 1, 3), InductionTask(2, 1, 3)


@pytest.mark.parametrize(
    ("task", "valid", "text", "said"),
    [
        (NUMBER, "a 1 1", "a 1 4", "4 at position 3 points before position 1"),
        (NUMBER, "a 1 2", "a 3 1", "3 at position 2 points before position 1"),
        (LETTER, "b1 ca ab", "b1 ba ab", "ab at position 3 wants a left letter that 2 tokens have"),
        (LETTER, "b1 ca ab", "a1 a1 ab", "ab at position 3 wants a left letter that 0 tokens have"),
        (LETTER, "b1 ab ca", "b1 ac ca", "ac at position 2 wants a left letter that only the token at 3 has"),
        (LETTER, "b1 ca ab", "b1 b1 aa", "aa at position 3 wants a left letter that only the token at 3 has"),
        (INDEX, "a b 2", "a b 3", "3 at position 3 points before position 1"),
        (
            RETRIEVAL,
            "a1 a1 ca",
            "b1 b1 ca",
            "ca at position 3 wants a left letter that no token, or different",
        ),
        (
            RETRIEVAL,
            "a1 b1 cc",
            "a1 ab ca",
            "ca at position 3 wants a left letter that no token, or different",
        ),
        (INDUCTION, "a1 b1 a", "a1 a1 b", "b at position 3 is not the left letter of a pair before it"),
        (INDUCTION, "a1 b1 b", "a1 b1 b1", "b1 at position 3 is not the left letter of a pair before it"),
    ],
)
def test_solvers_say_what_is_wrong(task: Any, valid: str, text: str, said: str) -> None:
    right, wrong = numbered(task, valid), numbered(task, text)
    assert len(task.solve(right)) == 1
    for row, tokens in enumerate((wrong, torch.cat((right, wrong, wrong)))):
        with pytest.raises(InputError, match=rf"^sequence {row} has no answer: .*\Z") as error:
            task.solve(tokens)
        assert said in str(error.value)
