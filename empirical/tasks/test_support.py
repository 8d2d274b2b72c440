"""Which sequences are generated, and how often: against all sequences of small tasks, by brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise, product
from typing import Any

import pytest
import torch
from scipy.stats import chisquare

from constructions import reference as ref
from constructions.reference import Integer, Letter, Pair
from empirical.tasks.index import IndexTask
from empirical.tasks.induction import InductionTask
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.retrieval import RetrievalTask
from tests.task_definitions import is_valid

torch.set_num_threads(1)
IMPROBABLE = 1e-6  # seeds are fixed, so this is no matter of luck from run to run


def is_planted(tokens: Sequence[Pair]) -> bool:
    """Whether a proper sequence has one token with the wanted left letter, with support of its own, and a spare letter.

    The alphabet is a, b, c.
    """
    *others, last = tokens
    wanted = {token.wanted for token in tokens}
    if not ref.is_proper(tokens) or len(wanted - {None}) == 3:
        return False
    if last.wanted is None:
        return True
    found = [token for token in others if token.left == last.wanted]
    if len(found) != 1 or found[0] == others[0] or last.left == last.wanted:
        return False
    support = [token for token in tokens if token.left == found[0].wanted]
    return found[0].wanted in (None, last.wanted) or (len(support) == 1 and support[0].wanted is None)


def has_latest_match(tokens: Sequence[Any]) -> bool:
    *others, last = tokens
    pairs = all(isinstance(token, Pair) for token in others)
    return pairs and isinstance(last, Letter) and any(token.left == last for token in others)


def walks_within(hops: int) -> Callable[[Any, Any], bool]:
    walk: Any = {NumberTask: ref.number_walk, LetterTask: ref.letter_walk}
    return lambda task, tokens: is_valid(task, tokens, 0) and walk[type(task)](tokens).hops <= hops


@pytest.mark.parametrize(
    ("task", "sequences", "belongs"),
    [
        (NumberTask(2, 2, 2, 1, 2), 1_000, walks_within(2)),
        (NumberTask(2, 3, 1, 2, 2), 2_000, walks_within(2)),
        (LetterTask(3, 1, 2, 1, 2), 8_000, walks_within(2)),
        (LetterTask(3, 2, 1, 1, 1), 4_000, walks_within(1)),
        (IndexTask(2, 2, 4), 3_000, lambda _, tokens: ref.is_index_valid(tokens)),
        (IndexTask(2, 3, 3), 1_000, lambda _, tokens: ref.is_index_valid(tokens)),
        (RetrievalTask(3, 1, 3), 20_000, lambda _, tokens: is_planted(tokens)),
        (InductionTask(2, 2, 3), 1_000, lambda _, tokens: has_latest_match(tokens)),
    ],
)
def test_every_sequence_of_a_small_task_is_generated(task: Any, sequences: int, belongs: Callable[..., bool]) -> None:
    """And no other: fillers take all values that they may take."""
    found = {task.vocabulary.decode(row) for row in task.generate(sequences, 1).tokens.unique(dim=0).tolist()}
    everything = product(task.vocabulary.tokens, repeat=task.length)
    assert found == {tokens for tokens in everything if belongs(task, tokens)}


def improbable(found: Sequence[Any], possible: Sequence[Any]) -> bool:
    """Whether counts are not those of equally likely values."""
    counts = Counter(found)
    assert set(counts) <= set(possible)
    return bool(chisquare([counts[value] for value in possible]).pvalue < IMPROBABLE)


@pytest.mark.parametrize("integers", [3, 5, 9])
@pytest.mark.parametrize("hops", [2, 3, 4])
def test_all_walks_to_a_position_are_equally_likely(integers: int, hops: int) -> None:
    task = NumberTask(2, integers, 3, 5, 1)
    batch = task.generate(6_000, 2, hops=hops)
    walks = [ref.number_walk(task.vocabulary.decode(row)).path for row in batch.tokens.tolist()]
    for end in range(1, 4):
        stops = combinations(range(task.length - 1, 3, -1), hops - 1)
        paths = [(task.length, *inner, end) for inner in stops]
        possible = [path for path in paths if max(a - b for a, b in pairwise(path)) <= integers]
        found = [walk for walk in walks if walk[-1] == end]
        assert bool(found) == bool(possible)
        assert not found or not improbable(found, possible)


def test_the_number_tasks_fillers_are_uniform() -> None:
    """Integers off the walk, and letters that are not the answer."""
    task = NumberTask(3, 4, 2, 3, 1)
    batch = task.generate(4_000, 3)
    rows = [task.vocabulary.decode(row) for row in batch.tokens.tolist()]
    for at in range(3, 6):
        values: list[Any] = [Integer(v) for v in range(1, min(4, at - 1) + 1)]
        assert not improbable([row[at - 1] for row in rows], values)
    others = [row[2 - position] for row, position in zip(rows, batch.positions.tolist(), strict=True)]
    assert not improbable(others, [Letter(0), Letter(1), Letter(2)])


@pytest.mark.parametrize(
    ("task", "hops"),
    [(LetterTask(3, 1, 1, 2, 1), 2), (IndexTask(2, 2, 4), 1), (IndexTask(2, 2, 4), 0), (InductionTask(2, 2, 3), 1)],
)
def test_sequences_with_one_answer_are_equally_likely(task: Any, hops: int) -> None:
    batch = task.generate(6_000, 4, hops=hops)
    answer, position = int(batch.answers[0]), int(batch.positions[0])
    chosen = (batch.answers == answer) & (batch.positions == position)
    found = [task.vocabulary.decode(row) for row in batch.tokens[chosen].tolist()]
    everything = torch.tensor(list(product(range(task.vocabulary_size), repeat=task.length)))
    if isinstance(task, LetterTask):
        everything = everything[[is_valid(task, task.vocabulary.decode(row), 0) for row in everything.tolist()]]
    elif isinstance(task, InductionTask):
        everything = everything[[has_latest_match(task.vocabulary.decode(row)) for row in everything.tolist()]]
    else:
        everything = everything[[ref.is_index_valid(task.vocabulary.decode(row)) for row in everything.tolist()]]
    solved = task.solve(everything)
    cell = (solved.answers == answer) & (solved.positions == position) & (solved.hops == hops)
    possible = [task.vocabulary.decode(row) for row in everything[cell].tolist()]
    assert len(possible) > 1
    assert not improbable(found, possible)


def test_guessing_the_letter_task() -> None:
    """How often a guess among the targets whose left letter occurs once is right, without any walk.

    The answer is always one of them. At the paper's sizes that says most of it; once many targets are prepended it says
    all of it, because every letter that the walk does not want is repeated. A larger alphabet takes the hint away.
    """

    def rate(task: LetterTask, hops: int, prepended: int = 0) -> float:
        batch = task.generate(4_000 if prepended == 0 else 400, 1, hops=hops, prepended=prepended)
        lefts = batch.tokens // (task.alphabet + task.integers)
        counts = torch.zeros(len(batch), task.alphabet, dtype=torch.int64).scatter_add_(
            1, lefts, torch.ones_like(lefts)
        )
        single = counts.gather(1, lefts[:, : task.targets + prepended]) == 1
        assert single.gather(1, batch.positions[:, None] - 1).all()
        return float((1 / single.sum(1)).mean())

    assert abs(rate(LetterTask(), 1) - 0.70) < 0.01 and abs(rate(LetterTask(), 4) - 0.89) < 0.01
    assert all(rate(LetterTask(), hops, prepended=100) > 0.999 for hops in (1, 4))
    assert all(0.15 < rate(LetterTask(alphabet=64), hops) < 0.17 for hops in (1, 4))
