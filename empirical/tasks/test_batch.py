"""Batches, their balance, and their split into parts without a common sequence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from empirical.tasks.balance import Deck, shares
from empirical.tasks.batch import Batch, split
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from theory.errors import InputError

torch.set_num_threads(1)
seeds = st.integers(0, 2**32)


def spread(values: list[int], among: range) -> int:
    counts = Counter(values)
    assert set(counts) <= set(among)
    return max(counts[value] for value in among) - min(counts[value] for value in among)


@given(st.integers(0, 200), st.integers(1, 20), seeds)
def test_shares(total: int, parts: int, seed: int) -> None:
    found = shares(total, parts, np.random.default_rng(seed))
    assert (len(found), sum(found)) == (parts, total)
    assert max(found) - min(found) <= 1


def test_larger_shares_are_random() -> None:
    assert {tuple(shares(4, 3, np.random.default_rng(seed))) for seed in range(40)} == {(2, 1, 1), (1, 2, 1), (1, 1, 2)}


@given(st.integers(1, 12), st.integers(1, 12), st.lists(st.integers(0, 200), min_size=1, max_size=4), seeds)
def test_a_deck_deals_evenly(first: int, second: int, counts: list[int], seed: int) -> None:
    """Each deal by itself in both values and in pairs, and all deals together in both values."""
    deck = Deck(np.random.default_rng(seed), first, second)
    pairs = range(first * second)
    lefts, rights = list[int](), list[int]()
    for count in counts:
        left, right = (dealt.tolist() for dealt in deck.deal(count, np.arange(first), np.arange(second)))
        assert len(left) == len(right) == count
        assert spread(left, range(first)) <= 1 and spread(right, range(second)) <= 1
        assert spread([a * second + b for a, b in zip(left, right, strict=True)], pairs) <= 1
        lefts += left
        rights += right
    assert spread(lefts, range(first)) <= 1 and spread(rights, range(second)) <= 1


@given(st.sets(st.integers(0, 8), min_size=1), st.sets(st.integers(0, 8), min_size=1), st.integers(1, 60), seeds)
def test_a_deck_deals_what_is_offered(first: set[int], second: set[int], count: int, seed: int) -> None:
    deck = Deck(np.random.default_rng(seed), 9, 9)
    for _ in range(2):
        left, right = deck.deal(count, np.array(sorted(first)), np.array(sorted(second)))
        assert set(left) <= first and set(right) <= second
        assert count < len(first) or set(left) == first


def batch_of(rows: list[list[int]], hops: list[int] | None = None) -> Batch:
    tokens = torch.tensor(rows)
    return Batch(tokens, tokens[:, 0], torch.tensor(hops or [1] * len(rows)), torch.ones(len(rows), dtype=torch.int64))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda b: Batch(b.tokens[0], b.answers, b.hops, b.positions), "give sequences x length"),
        (lambda b: Batch(b.tokens.int(), b.answers, b.hops, b.positions), "tokens are torch.int32; give int64"),
        (lambda b: Batch(b.tokens, b.answers, b.hops.double(), b.positions), "hops are torch.float64; give int64"),
        (lambda b: Batch(b.tokens, b.answers[1:], b.hops, b.positions), "answers have shape"),
        (lambda b: Batch(b.tokens, b.answers, b.hops[:, None], b.positions), "hops have shape"),
        (lambda b: Batch(b.tokens, b.answers, b.hops, b.positions - 1), "outside 1..17"),
        (lambda b: Batch(b.tokens, b.answers, b.hops, b.positions + 16), "outside 1..17"),
        (lambda b: Batch(b.tokens, b.answers + 1, b.hops, b.positions), "the answer of sequence 0 does not stand"),
        (lambda b: split(b, ()), "are no sizes of parts"),
        (lambda b: split(b, (3, 0)), "are no sizes of parts"),
        (lambda b: split(b, (5, 4)), "but only 8 of 8 are different"),
        (lambda b: split(b, (10**12,)), "but only 8 of 8 are different"),
    ],
)
def test_bad_batches_are_refused(change: Callable[[Batch], object], said: str) -> None:
    batch = NumberTask().generate(8, 0)
    assert len(batch) == 8
    with pytest.raises(InputError, match=said) as error:
        change(batch)
    assert "\n" not in str(error.value)


def test_rows_of_a_batch() -> None:
    batch = LetterTask().generate(6, 0)
    for rows in (torch.tensor([4, 1]), slice(1, 4), batch.hops > 2):
        part = batch[rows]
        assert torch.equal(part.tokens, batch.tokens[rows]) and torch.equal(part.answers, batch.answers[rows])
        assert torch.equal(part.hops, batch.hops[rows]) and torch.equal(part.positions, batch.positions[rows])


@given(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=4, max_size=30), seeds)
def test_parts_share_no_sequence(rows: list[list[int]], seed: int) -> None:
    """Repeated sequences are taken once; parts are as large as asked, out of the batch, and the same each time."""
    hops = np.random.default_rng(seed).integers(1, 3, len(rows)).tolist()
    batch, different = batch_of(rows, hops), len({tuple(row) for row in rows})
    sizes = [1, different - 1] if different > 1 else [1]
    parts = split(batch, sizes)
    assert [len(part) for part in parts] == sizes
    found = [tuple(row) for part in parts for row in part.tokens.tolist()]
    assert len(set(found)) == different
    assert set(found) == {tuple(row) for row in rows}
    for part in parts:
        for row, took in zip(part.tokens.tolist(), part.hops.tolist(), strict=True):
            assert took == hops[rows.index(row)]
    assert all(torch.equal(a.tokens, b.tokens) for a, b in zip(parts, split(batch, sizes), strict=True))
    with pytest.raises(InputError, match="are different"):
        split(batch, [different + 1])


@pytest.mark.parametrize("task", [NumberTask(), LetterTask()])
def test_parts_are_balanced(task: NumberTask | LetterTask) -> None:
    """The paper's proportions; whole batches of distinct sequences."""
    batch = task.generate(4_000, 7)
    parts = split(batch, (3_600, 20, 380))
    for part in parts:
        assert spread(part.hops.tolist(), range(1, 5)) <= 1
    for size in (1, 2, 3, 5, 6, 7):
        assert spread(split(batch, (11, size))[1].hops.tolist(), range(1, 5)) <= 1
    solved = task.solve(parts[1].tokens)
    assert torch.equal(solved.answers, parts[1].answers) and torch.equal(solved.positions, parts[1].positions)
