"""How long the paper's 480,000 sequences of each task take, against generators of one sequence at a time, in one run.

    python -m tests.task_benchmark

All run on one core. The time of the other generators is that of 2,000 sequences, in proportion; they exist for the
number task and the letter task.
"""

import os

# Before numpy and torch are imported, which read them.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import click
import torch

from constructions.tasks import letter_task, number_task
from empirical.tasks.batch import split
from empirical.tasks.index import IndexTask
from empirical.tasks.induction import InductionTask
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.tasks.retrieval import RetrievalTask

SAMPLE = 2_000
TASKS: dict[str, Callable[[], Any]] = {
    "number": NumberTask,
    "letter": LetterTask,
    "index": IndexTask,
    "retrieval": RetrievalTask,
    "induction": InductionTask,
}
ONE_BY_ONE: dict[str, Callable[..., Any]] = {"number": number_task, "letter": letter_task}


def seconds(function: Callable[[], Any]) -> float:
    """Computing time of one call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def one_by_one(generator: Callable[..., object], rng: Random) -> None:
    """A sample of sequences of 1 to 4 hops in turn."""
    for i in range(SAMPLE):
        generator(rng, hops=1 + i % 4)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--sequences", default=480_000, show_default=True, type=click.IntRange(200), help="Of each task.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
def main(sequences: int, seed: int) -> None:
    """Time the generators of all tasks, their solvers and the split into parts.

    Example: python -m tests.task_benchmark --sequences 48000
    """
    torch.set_num_threads(1)
    for name, kind in TASKS.items():
        task = kind()
        generated = seconds(partial(task.generate, sequences, seed))
        batch = task.generate(sequences, seed)
        solved = seconds(partial(task.solve, batch.tokens))
        parts = seconds(partial(split, batch, (sequences * 9 // 10, sequences // 200)))
        line = f"{name}: {sequences:,} sequences in {generated:.2f} s, solved in {solved:.2f} s, split in {parts:.2f} s"
        if name in ONE_BY_ONE:
            each = seconds(partial(one_by_one, ONE_BY_ONE[name], Random(seed))) / SAMPLE
            line += f"; one at a time {each * sequences:.0f} s, {each * sequences / generated:.0f} times as long"
        click.echo(line)


if __name__ == "__main__":
    main()
