"""Every generated sequence of random tasks against the plain-Python semantics; corrupted sequences are caught."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import Tensor

from constructions import reference as ref
from constructions.reference import Integer, Letter, Pair
from constructions.tasks import parse_pairs, parse_symbols
from empirical.tasks.batch import Batch
from empirical.tasks.index import IndexTask
from empirical.tasks.induction import InductionTask
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.retrieval import RetrievalTask
from empirical.tasks.task import Task
from theory.errors import InputError

torch.set_num_threads(1)
Answer = tuple[Any, int, int]  # token, hops, position
TASKS: list[Any] = [NumberTask, LetterTask, IndexTask, RetrievalTask, InductionTask]
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


tasks = st.one_of(
    number_tasks(),
    letter_tasks(),
    st.builds(IndexTask, whole(2, 6), whole(1, 9), whole(2, 12)),
    st.builds(RetrievalTask, whole(3, 8), whole(1, 4), whole(3, 12)),
    st.builds(InductionTask, whole(2, 6), whole(1, 4), whole(2, 10)),
)
seeds = whole(0, 2**70)


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


@given(tasks, whole(1, 120), seeds, whole(0, 5))
@settings(max_examples=150)
def test_generated_sequences(task: Any, sequences: int, seed: int, prepended: int) -> None:
    """Valid, balanced, and answered as by definition and by the vectorised solver; refused iff no walk exists."""
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


@pytest.mark.parametrize("kind", TASKS)
def test_the_papers_sizes(kind: Callable[[], Any]) -> None:
    """With balance over all hops together, too, where all hops allow the same answers."""
    task = kind()
    batch = task.generate(1003, 5)
    assert task.length == 17
    assert task.vocabulary_size == len(task.vocabulary)
    assert faults(task, batch) == set()
    if isinstance(task, NumberTask | LetterTask):
        assert list(task.all_hops) == [1, 2, 3, 4]
        places, answers = possible(task, 1)
        assert even(batch.positions.tolist(), places)
        assert even(task.vocabulary.decode(batch.answers.tolist()), answers)
    if isinstance(task, NumberTask):
        assert (task.vocabulary_size, task.letters, task.integers) == (136, 120, 16)
    if isinstance(task, LetterTask):
        assert (task.vocabulary_size, task.alphabet, task.integers) == (128, 8, 8)


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


@given(tasks, seeds, whole(1, 40))
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


@pytest.mark.parametrize("kind", TASKS)
def test_solvers_refuse_what_are_no_tokens(kind: Callable[[], Any]) -> None:
    task = kind()
    tokens = task.generate(3, 0).tokens
    for wrong, said in (
        (tokens - task.vocabulary_size, "are not all in 0.."),
        (tokens + task.vocabulary_size, "are not all in 0.."),
        (tokens.int(), "int64"),
        (tokens[0], "sequences x length"),
        (tokens[:, :0], "sequences x length"),
    ):
        with pytest.raises(InputError, match=said):
            task.solve(wrong)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: NumberTask(hops=10), "hops=10 needs as many integers, but links=8 and the last token are 9"),
        (lambda: NumberTask().generate(5, 0, hops=10), "hops=10 needs as many integers"),
        (lambda: NumberTask(hops=10**12), "hops=1000000000000 needs as many integers"),
        (lambda: NumberTask(links=10**12), "at most 1048576"),
        (lambda: NumberTask(links=256), "links=256: at most 255"),
        (lambda: NumberTask(links=250, hops=60), "more walks than 64 bits can count"),
        (lambda: NumberTask(letters=10**12), "at most 1048576"),
        (lambda: NumberTask(letters=1), "letters=1 is below 2"),
        (lambda: NumberTask(integers=0), "integers=0 is below 1"),
        (lambda: NumberTask(targets=0), "targets=0 is below 1"),
        (lambda: NumberTask(targets=2.5), "targets=2.5 is no whole number"),  # type: ignore[arg-type]
        (lambda: NumberTask(links=-1), "links=-1 is below 0"),
        (lambda: NumberTask(hops=True), "hops=True is no whole number"),
        (lambda: NumberTask(integers=2).generate(8, 0), "hops=1 of at most integers=2 places reach back 2 tokens"),
        (lambda: NumberTask().generate(0, 0), "sequences=0 is below 1"),
        (lambda: NumberTask().generate(10**12, 0), "sequences=1000000000000 of length 17 are more than can be held"),
        (lambda: NumberTask().generate(4, -1), "seed=-1 is below 0"),
        (lambda: NumberTask().generate(4, 0, hops=0), "hops=0 is below 1"),
        (lambda: NumberTask().generate(4, 0, prepended=-3), "prepended=-3 is below 0"),
        (lambda: NumberTask().generate(4, 0, prepended=10**12), "at once; prepend fewer"),
        (lambda: LetterTask(hops=9), "hops=9 wants as many letters"),
        (lambda: LetterTask(hops=10), "hops=10 needs as many LL tokens, but links=8 and the last token are 9"),
        (lambda: LetterTask(hops=8), "hops=8 wants as many letters, .* but alphabet=8; give alphabet >= 9"),
        (lambda: LetterTask().generate(8, 0, hops=8), "hops=8 wants as many letters"),
        (lambda: LetterTask(alphabet=10**6), "at most 1048576"),
        (lambda: LetterTask(alphabet=1), "alphabet=1 is below 2"),
        (lambda: LetterTask(targets=0), "targets=0 is below 1"),
        (lambda: IndexTask().generate(4, 0, hops=2), "hops=2 is not the task's; give 0 or 1"),
        (lambda: IndexTask(length=1), "length=1 is below 2"),
        (lambda: IndexTask(length=10**12), "at most 1048576"),
        (lambda: RetrievalTask(alphabet=2), "alphabet=2 is below 3"),
        (lambda: RetrievalTask(length=2), "length=2 is below 3"),
        (lambda: RetrievalTask().generate(4, 0, hops=-1), "hops=-1 is below 0"),
        (lambda: InductionTask(symbols=1), "symbols=1 is below 2"),
        (lambda: InductionTask().generate(4, 0, hops=2), "hops=2 is not the task's; give 1"),
    ],
)
def test_bad_input_is_one_line(call: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        call()
    assert "\n" not in str(error.value)
