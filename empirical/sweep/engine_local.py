"""Runs in processes of this machine, through joblib: one thread each."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Generator, Iterable
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from pathlib import Path

from empirical.sweep.run import Ended, Run, carry_out
from theory.command_line import ignore_interruptions

RETRIES = 3  # of runs whose process was killed
_SECONDS = 0.2  # between two looks at the parent


def run_locally(runs: Iterable[Run], out: Path, turn: str, jobs: int) -> Generator[Ended, None, None]:
    """Do the runs, `jobs` at a time, and tell of each when it ends.

    Where the iterator is left, by an interruption say, all processes are killed at once; and so they end by themselves
    where this process was killed: nothing of a run is lost but the steps after its last checkpoint.
    """
    left = {run.name: run for run in runs}
    for _ in range(1 + RETRIES):
        try:
            for ended in _round(list(left.values()), out, turn, jobs):
                del left[ended.name]
                yield ended
        except BrokenProcessPool:  # a process was killed, and joblib has ended the others
            continue
        return
    for name in left:
        yield Ended(name, "processes were killed, perhaps for want of memory; sweep again with fewer --jobs")


def _round(runs: list[Run], out: Path, turn: str, jobs: int) -> Generator[Ended, None, None]:
    from joblib import Parallel, delayed, parallel_config

    task = delayed(_in_child)
    with parallel_config("loky", inner_max_num_threads=1):
        # One run a batch, and no arguments in shared memory, which would be files outside the folder.
        parallel = Parallel(
            max(1, min(jobs, len(runs))), return_as="generator_unordered", batch_size=1, max_nbytes=None
        )
        ended = parallel(task(run, out, turn, os.getpid()) for run in runs)
        try:
            yield from ended
        finally:
            with warnings.catch_warnings(action="ignore"):  # that runs were left, where they are meant to be
                ended.close()


def _in_child(run: Run, out: Path, turn: str, parent: int) -> Ended:
    if os.getpid() != parent:  # joblib does a single job in the process itself
        _leave_with(parent)
    return carry_out(run, out, turn)


@cache
def _leave_with(parent: int) -> None:
    """Have this process end when its parent has, even if that was killed; a terminal interrupts the parent alone."""
    ignore_interruptions()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
