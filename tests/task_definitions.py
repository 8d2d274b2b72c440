"""The tasks by definition, one sequence at a time: what answers are, what is valid, and what is wrong with a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import torch

from constructions import reference as ref
from constructions.reference import Integer, Letter, Pair
from empirical.tasks.batch import Batch
from empirical.tasks.index import IndexTask
from empirical.tasks.induction import InductionTask
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.retrieval import RetrievalTask
from empirical.tasks.task import Task

TASKS: list[Any] = [NumberTask, LetterTask, IndexTask, RetrievalTask, InductionTask]
Answer = tuple[Any, int, int]  # token, hops, position


def solve(task: Task, tokens: Sequence[Any]) -> Answer:
    """The answer by definition. Raises UndefinedError where there is none."""
    last = len(tokens)
    match task:
        case NumberTask() | LetterTask():
            walk = ref.number_walk(tokens) if isinstance(task, NumberTask) else ref.letter_walk(tokens)
            return walk.answer, walk.hops, walk.path[-1]
        case IndexTask():
            answer = ref.index_at(tokens, last)
            return (answer, 0, last) if answer == tokens[-1] else (answer, 1, last - tokens[-1].value)
        case RetrievalTask():
            found = ref.retrieval_at(tokens, last)
            return found, int(found != tokens[-1]), max(at for at, token in enumerate(tokens, 1) if token == found)
    at = max(at for at, token in enumerate(tokens[:-1], 1) if token.left == tokens[-1])
    return tokens[at - 1], 1, at


def is_valid(task: Task, tokens: Sequence[Any], prepended: int) -> bool:
    """Whether a sequence is one of the task's, with the path that it must have."""
    match task:
        case NumberTask():
            targets = sum(isinstance(token, Letter) for token in tokens)
            right = ref.is_number_task_input(tokens) and ref.is_index_valid(tokens)
            return right and targets == task.targets + prepended
        case LetterTask():
            if not ref.is_letter_task_input(tokens):
                return False
            wanted = [tokens[at - 1].wanted for at in ref.letter_walk(tokens).path[:-1]]
            targets = sum(token.wanted is None for token in tokens)
            return targets == task.targets + prepended and all(
                [token.left for token in tokens].count(letter) == 1 for letter in wanted
            )
        case IndexTask():
            return ref.is_index_valid(tokens)
        case RetrievalTask():
            return ref.is_proper(tokens)
    return isinstance(tokens[-1], Letter) and all(isinstance(token, Pair) for token in tokens[:-1])


def possible(task: Any, hops: int) -> tuple[list[int], list[Any]]:
    """The positions and the tokens of answers, by enumeration of walks."""
    types, n = task.vocabulary.tokens, task.length
    match task:
        case NumberTask():
            reached = {n}
            for _ in range(hops - 1):
                reached = {at - v for at in reached for v in range(1, task.integers + 1) if at - v > task.targets}
            ends = {at - v for at in reached for v in range(1, task.integers + 1)}
            return [at for at in range(1, task.targets + 1) if at in ends], list(types[: task.letters])
        case LetterTask():
            return list(range(1, task.targets + 1)), [t for t in types if isinstance(t.right, Integer)]
        case IndexTask() if hops:
            return [n - v for v in range(1, task.integers + 1) if n - v >= 1], [
                t for t in types if isinstance(t, Letter)
            ]
        case IndexTask():
            return [n], [t for t in types if isinstance(t, Letter) or t.value <= n - 2]
        case RetrievalTask() if hops:
            return list(range(2, n)), list(types)
        case RetrievalTask():
            return [n], [t for t in types if isinstance(t.right, Integer)]
    return list(range(1, n)), [t for t in types if isinstance(t, Pair)]


def even(found: Iterable[Hashable], among: Sequence[Hashable]) -> bool:
    """Whether only these values are found, and the counts of all differ by at most one."""
    counts = Counter(found)
    numbers = [counts[value] for value in among]
    return set(counts) <= set(among) and max(numbers) - min(numbers) <= 1


def faults(task: Any, batch: Batch, hops: int | None = None, prepended: int = 0) -> set[str]:
    """The names of all that is wrong with a batch."""
    found, wanted = set(), list(task.all_hops) if hops is None else [hops]
    rows = [task.vocabulary.decode(row) for row in batch.tokens.tolist()]
    answers = task.vocabulary.decode(batch.answers.tolist())
    given = list(zip(answers, batch.hops.tolist(), batch.positions.tolist(), strict=True))
    for tokens, answer in zip(rows, given, strict=True):
        if len(tokens) != task.length + prepended or not is_valid(task, tokens, prepended):
            found.add("valid")
        try:
            if solve(task, tokens) != answer:
                found.add("answer")
        except (ref.UndefinedError, ValueError):
            found.add("answer")
    if not even(batch.hops.tolist(), wanted):
        found.add("hops")
    for number in wanted:
        places, tokens = possible(task, number)
        cells = [(token, at - prepended) for token, took, at in given if took == number]
        if not even([token for token, _ in cells], tokens) or not even([at for _, at in cells], places):
            found.add("marginals")
        if not even(cells, [(token, at) for token in tokens for at in places]):
            found.add("pairs")
    return found


def same(one: Batch, other: Batch) -> bool:
    return all(torch.equal(getattr(one, name), getattr(other, name)) for name in vars(one))
