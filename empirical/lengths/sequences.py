"""Sequences of a task behind one long run of irrelevant targets, which many of them share.

Tokens in front know nothing of those behind them, so a decoder reads a shared prefix once. A prefix of the letter task
must avoid the letters that the walk wants. Renaming the letters of a sequence changes nothing about the task, so all
sequences of a group are renamed, at random, to want the same ones: each then has the distribution that
`LetterTask.generate` gives it, and only sequences of one group depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from empirical.tasks.balance import Numbers
from empirical.tasks.batch import Batch
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.walks import places
from theory.errors import InputError


@dataclass(frozen=True, eq=False)
class Group:
    """Sequences of one number of hops, and the irrelevant targets to put in front of any of them.

    Args:
        hops: of all walks.
        batch: the sequences without prefix, (s, n).
        prefix: (prepended,) tokens; any first part of it is a prefix as well.
        walks: for each sequence the places of its walk, from 0, query first, answer last, (s, hops + 1).
    """

    hops: int
    batch: Batch
    prefix: Tensor
    walks: Tensor


def groups(
    task: NumberTask | LetterTask, *, prefixes: int, sequences: int, prepended: int, seed: int, apart: bool = False
) -> Iterator[Group]:
    """For each number of hops, `prefixes` groups of so many sequences; equal arguments give equal ones.

    Args:
        task: of the sequences.
        prefixes: groups for each number of hops.
        sequences: of a group.
        prepended: tokens of a prefix.
        seed: of all.
        apart: the left letters of the prefix are none of those of the sequences. Then prepended targets do not repeat
            letters of the sequence, and a guess among targets whose letter occurs once gains nothing by them.

    Raises InputError for `apart` where a task has no letters left over.
    """
    if apart and (isinstance(task, NumberTask) or task.alphabet <= task.length):
        raise InputError(f"{task} has no letters left over for a prefix apart; use a letter task with more letters")
    for hops in task.all_hops:
        for number in range(prefixes):
            rng = np.random.default_rng((seed, hops, number))
            yield _group(task, hops, sequences, prepended, rng, apart)


def _group(
    task: NumberTask | LetterTask, hops: int, sequences: int, prepended: int, rng: np.random.Generator, apart: bool
) -> Group:
    # The first sequence brings the prefix with it, the others are renamed to fit in.
    first, others = (int(seed) for seed in rng.integers(2**62, size=2))
    model = task.generate(1, first, hops=hops, prepended=prepended)
    batch = task.generate(sequences, others, hops=hops)
    prefix, tokens = model.tokens[0, :prepended], batch.tokens
    if isinstance(task, LetterTask):
        if apart:
            free = rng.permutation(task.alphabet)
            used, rest = free[: task.length], free[task.length :]
            lefts = rest[rng.integers(len(rest), size=prepended)]
            rights = task.alphabet + rng.integers(task.integers, size=prepended)
            prefix = torch.from_numpy(lefts * (task.alphabet + task.integers) + rights)
        else:
            used = _lefts(task, model.tokens[0, prepended:], places(task, model.tokens[:, prepended:], hops)[0, 1:])
        stops = places(task, tokens, hops)[:, 1:]
        rows = [
            _renamed(task, row, _lefts(task, row, None if apart else stop), used, rng)
            for row, stop in zip(tokens, stops, strict=True)
        ]
        tokens = torch.stack(rows)
    return Group(hops, task.solve(tokens), prefix, places(task, tokens, hops))


def severed(task: LetterTask, group: Group, seed: int) -> Tensor:
    """The sequences of a group with another letter in the place of the one that the query wants, (s, n).

    The new letter is at random one that no step of the walk wants. So the walk goes elsewhere, while all that can be
    guessed without it stays: a model that still gives the old answer did not walk to it.
    """
    rng = np.random.default_rng((seed, group.hops, int(group.batch.tokens.sum())))
    rights, tokens = task.alphabet + task.integers, group.batch.tokens.clone()
    for row, stops in zip(tokens, group.walks[:, 1:], strict=True):
        free = np.setdiff1d(np.arange(task.alphabet), _lefts(task, row, stops))
        row[-1] = int(row[-1]) // rights * rights + int(rng.choice(free))
    return tokens


def shortcut(task: LetterTask, group: Group, m: int, *, pointed: bool = False) -> float:
    """How often a guess among the targets whose left letter occurs once is right behind m tokens of the prefix.

    With `pointed` the guess is among those of them whose letter some link wants; the answer is always among these too.
    """
    rights = task.alphabet + task.integers
    front = torch.bincount(group.prefix[:m] // rights, minlength=task.alphabet)
    shares = []
    for tokens in group.batch.tokens:
        lefts, right = tokens // rights, tokens % rights
        possible = front + torch.bincount(lefts, minlength=task.alphabet) == 1
        if pointed:
            possible &= torch.bincount(right[right < task.alphabet], minlength=task.alphabet) > 0
        targets = torch.cat((group.prefix[:m], tokens[right >= task.alphabet]))
        shares.append(1 / int(possible[targets // rights].sum()))
    return sum(shares) / len(shares)


def _lefts(task: LetterTask, tokens: Tensor, places: Tensor | None) -> Numbers:
    """The different left letters of tokens (n,), at all places or at some."""
    chosen = tokens if places is None else tokens[places]
    found: Numbers = np.unique(chosen.numpy() // (task.alphabet + task.integers))
    return found


def _renamed(task: LetterTask, tokens: Tensor, letters: Numbers, into: Numbers, rng: np.random.Generator) -> Tensor:
    """Tokens (n,) with all letters renamed at random, `letters` to some of `into`."""
    name = np.empty(task.alphabet, dtype=np.int64)
    name[letters] = rng.permutation(into)[: len(letters)]
    others = np.setdiff1d(np.arange(task.alphabet), letters)
    name[others] = rng.permutation(np.setdiff1d(np.arange(task.alphabet), name[letters]))
    rights = task.alphabet + task.integers
    left, right = tokens.numpy() // rights, tokens.numpy() % rights
    right = np.where(right < task.alphabet, name[right % task.alphabet], right)
    return torch.from_numpy(name[left] * rights + right)
