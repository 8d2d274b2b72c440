"""Bad input to generators and solvers is refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from empirical.tasks.index import IndexTask
from empirical.tasks.induction import InductionTask
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.retrieval import RetrievalTask
from tests.task_definitions import TASKS
from theory.errors import InputError

torch.set_num_threads(1)


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


def test_limits_are_met() -> None:
    """What is just not too large is handled."""
    batch = NumberTask(letters=2**20 - 300, integers=300, links=255, hops=11).generate(22, 0)
    assert torch.bincount(batch.hops).tolist() == [0, *[2] * 11]
    assert len(LetterTask(targets=2**20 - 9).generate(1, 0)) == 1
    with pytest.raises(InputError, match="at most 1048576"):
        NumberTask(letters=2**20 - 15)
    with pytest.raises(InputError, match="at most 1048576"):
        LetterTask(targets=2**20 - 8)
