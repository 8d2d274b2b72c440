"""Every generated sequence of random tasks against the plain-Python semantics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from empirical.tasks.index import IndexTask
from empirical.tasks.induction import InductionTask
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.retrieval import RetrievalTask
from tests.task_definitions import TASKS, even, faults, possible, same
from theory.errors import InputError

torch.set_num_threads(1)
whole = st.integers


@st.composite
def number_tasks(draw: st.DrawFn) -> NumberTask:
    links = draw(whole(0, 6))
    return NumberTask(draw(whole(2, 6)), draw(whole(1, 9)), draw(whole(1, 6)), links, draw(whole(1, links + 1)))


@st.composite
def letter_tasks(draw: st.DrawFn) -> LetterTask:
    alphabet, links = draw(whole(2, 8)), draw(whole(0, 6))
    hops = draw(whole(1, min(links + 1, alphabet - 1)))
    return LetterTask(alphabet, draw(whole(1, 4)), draw(whole(1, 6)), links, hops)


KINDS: list[st.SearchStrategy[Any]] = [
    number_tasks(),
    letter_tasks(),
    st.builds(IndexTask, whole(2, 6), whole(1, 9), whole(2, 12)),
    st.builds(RetrievalTask, whole(3, 8), whole(1, 4), whole(3, 12)),
    st.builds(InductionTask, whole(2, 6), whole(1, 4), whole(2, 10)),
]
seeds = whole(0, 2**70)


@pytest.mark.parametrize("tasks", KINDS, ids=[kind.__name__ for kind in TASKS])
@given(data=st.data(), sequences=whole(1, 120), seed=seeds, prepended=whole(0, 5))
def test_generated_sequences(
    tasks: st.SearchStrategy[Any], data: st.DataObject, sequences: int, seed: int, prepended: int
) -> None:
    """Valid, balanced, and answered as by definition and by the vectorised solver; refused iff no walk exists."""
    task = data.draw(tasks)
    if not all(possible(task, hops)[0] for hops in task.all_hops):
        with pytest.raises(InputError, match="reach back"):
            task.generate(sequences, seed)
        return
    batch = task.generate(sequences, seed, prepended=prepended)
    assert len(batch) == sequences
    assert faults(task, batch, prepended=prepended) == set()
    assert same(task.solve(batch.tokens), batch)
    assert same(task.generate(sequences, seed, prepended=prepended), batch)


@given(st.one_of(number_tasks(), letter_tasks()), whole(1, 4), seeds)
def test_walks_of_one_length(task: Any, hops: int, seed: int) -> None:
    """Also of more hops than the task's batches have."""
    assume(hops <= task.links + 1 and possible(task, hops)[0])
    assume(isinstance(task, NumberTask) or hops < task.alphabet)
    batch = task.generate(60, seed, hops=hops)
    assert faults(task, batch, hops) == set()
    assert same(task.solve(batch.tokens), batch)


@pytest.mark.parametrize(
    ("kind", "letters", "types"), [*zip(TASKS, (120, 8, 8, 8, 8), (136, 128, 24, 128, 72), strict=True)]
)
def test_the_papers_sizes(kind: Callable[[], Any], letters: int, types: int) -> None:
    """With balance over all hops together, too, where all hops allow the same answers."""
    task = kind()
    batch = task.generate(1003, 5)
    assert task.length == 17
    assert task.vocabulary_size == len(task.vocabulary) == types
    assert letters in vars(task).values()
    assert faults(task, batch) == set()
    if isinstance(task, NumberTask | LetterTask):
        assert list(task.all_hops) == [1, 2, 3, 4]
        places, answers = possible(task, 1)
        assert even(batch.positions.tolist(), places)
        assert even(task.vocabulary.decode(batch.answers.tolist()), answers)


@given(st.sampled_from(TASKS), st.lists(seeds, min_size=2, max_size=2, unique=True))
def test_other_seeds_give_other_sequences(kind: Callable[[], Any], pair: list[int]) -> None:
    one, other = (kind().generate(20, seed) for seed in pair)
    assert not (one.tokens == other.tokens).all(-1).any()


def other_prefix(task: Any, prefix: Tensor, rng: np.random.Generator) -> Tensor:
    """Other irrelevant tokens: any letters, any pairs, or the same left letters in another order, with any integers."""
    if isinstance(task, NumberTask | IndexTask):
        return torch.from_numpy(rng.integers(task.letters, size=tuple(prefix.shape)))
    if isinstance(task, InductionTask):
        return torch.from_numpy(rng.integers(task.symbols * task.values, size=tuple(prefix.shape)))
    lefts = rng.permuted(prefix.numpy() // (task.alphabet + task.integers), axis=1)
    rights = task.alphabet + rng.integers(task.integers, size=tuple(prefix.shape))
    return torch.from_numpy(lefts * (task.alphabet + task.integers) + rights)


@given(st.one_of(KINDS), seeds, whole(1, 40))
def test_prepended_tokens_are_irrelevant(task: Any, seed: int, prepended: int) -> None:
    """The sequences are those without them, and any such tokens leave answers where they are."""
    assume(all(possible(task, hops)[0] for hops in task.all_hops))
    short, long = task.generate(25, seed), task.generate(25, seed, prepended=prepended)
    assert torch.equal(long.tokens[:, prepended:], short.tokens)
    changed = torch.cat((other_prefix(task, long.tokens[:, :prepended], np.random.default_rng(seed)), short.tokens), 1)
    found = task.solve(changed)
    assert torch.equal(found.answers, short.answers)
    assert torch.equal(found.positions, short.positions + prepended)
    assert torch.equal(found.hops, short.hops)
