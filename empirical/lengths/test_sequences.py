"""Groups behind one prefix are sequences of the task; shortcuts and severed walks are what they say."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from empirical.lengths.sequences import Group, groups, severed, shortcut
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.walks import places
from theory.errors import InputError

torch.set_num_threads(1)
TASKS = (NumberTask(), LetterTask(), LetterTask(alphabet=26), NumberTask(9, 9, 3, 6, 3), LetterTask(5, 2, 3, 4, 3))


def some(task: Any, prepended: int = 30, apart: bool = False) -> list[Group]:
    return list(groups(task, prefixes=2, sequences=5, prepended=prepended, seed=3, apart=apart))


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_groups_are_of_the_task(task: Any) -> None:
    """Behind any first part of the prefix, by the definition of the task; the walks are those of the solver."""
    found = some(task)
    assert [group.hops for group in found] == [hops for hops in task.all_hops for _ in range(2)]
    for group in found:
        for m in (0, 1, 30):
            tokens = torch.cat((group.prefix[:m].expand(5, -1), group.batch.tokens), dim=1)
            solved = task.solve(tokens)
            assert torch.equal(solved.answers, group.batch.answers)
            assert (solved.hops == group.hops).all()
        assert torch.equal(group.walks[:, -1] + 1, group.batch.positions)
        assert all((after < before).all() for before, after in pairwise(group.walks.T))
        assert torch.equal(places(task, group.batch.tokens, group.hops), group.walks)
    again = some(task)
    assert all(torch.equal(one.prefix, two.prefix) for one, two in zip(found, again, strict=True))


def test_prefixes_apart_share_no_letter() -> None:
    task = LetterTask(alphabet=26)
    for group in some(task, 200, apart=True):
        lefts = set((group.batch.tokens // 34).flatten().tolist())
        assert not lefts & set((group.prefix // 34).tolist())
        assert (group.prefix % 34 >= 26).all()
        assert shortcut(task, group, 200) == shortcut(task, group, 0)
    for impossible in (LetterTask(), NumberTask()):
        with pytest.raises(InputError, match="no letters left over"):
            some(impossible, apart=True)


def test_a_renamed_letter_is_as_likely_as_any_other() -> None:
    """Left letters on the walk are those of the group, and which of them the first step wants is random."""
    task = LetterTask()
    group = next(g for g in groups(task, prefixes=1, sequences=400, prepended=8, seed=1) if g.hops == 2)
    lefts = group.batch.tokens // 16
    wanted = lefts.gather(1, group.walks[:, 1:])
    assert {frozenset(row) for row in wanted.tolist()} == {frozenset(wanted[0].tolist())}
    counts = torch.bincount(wanted[:, 0])
    assert counts[counts > 0].tolist() == pytest.approx([200, 200], abs=5 * np.sqrt(100))


def test_the_shortcut_by_hand() -> None:
    """Left letters 0 0 1 2 3 of targets: three occur once, and a prefix that repeats one of them leaves two."""
    task = LetterTask(5, 2, 5, 0, 1)
    tokens = torch.tensor([[left * 7 + 5 for left in (0, 0, 1, 2, 3)] + [4 * 7 + 1]])
    batch = task.solve(tokens)
    group = Group(1, batch, torch.tensor([0 * 7 + 6, 2 * 7 + 6]), places(task, tokens, 1))
    assert [shortcut(task, group, m) for m in (0, 1, 2)] == pytest.approx([1 / 3, 1 / 3, 1 / 2])
    assert [shortcut(task, group, m, pointed=True) for m in (0, 1, 2)] == [1, 1, 1]


def test_severed_walks_want_another_letter() -> None:
    task = LetterTask()
    for group in some(task):
        cut = severed(task, group, 0)
        assert torch.equal(cut[:, :-1], group.batch.tokens[:, :-1])
        assert torch.equal(cut[:, -1] // 16, group.batch.tokens[:, -1] // 16)
        walked = group.batch.tokens.gather(1, group.walks[:, 1:]) // 16
        assert not (cut[:, -1:] % 16 == walked).any() and (cut[:, -1] % 16 < 8).all()
