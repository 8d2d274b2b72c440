"""A sweep from its spec to its results, in a folder where it goes on after whatever stopped it."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from empirical.checkpoint import write
from empirical.sweep.grid import runs_of
from empirical.sweep.results import merged, save
from empirical.sweep.run import TURN, Ended, Run
from empirical.sweep.spec import read_spec
from theory.errors import InputError
from theory.progress import progress_bar

Engine = Callable[[list[Run], Path, str], Generator[Ended, None, None]]  # runs, folder, turn


def sweep(path: Path, out: Path, engine: Engine) -> tuple[dict[str, Any], list[Path]]:
    """Do all runs of a spec that are not done yet. Returns the results of all, and the files they were written to.

    Raises InputError for a spec that is none, and for a folder in which another sweep is at work.
    """
    spec = read_spec(path)
    runs = runs_of(spec)
    out = out.resolve()  # workers have other working directories
    out.mkdir(parents=True, exist_ok=True)
    failures: dict[str, str] = {}
    with _turn(out) as turn:
        left = [run for run in runs if run.result(out) is None]
        if len(left) < len(runs):
            print(f"going on: {len(runs) - len(left)} of {len(runs)} runs are done", file=sys.stderr)
        with progress_bar(f"{len(runs)} runs") as show:
            if show:
                show(len(runs) - len(left), len(runs))
            # Closed at once where something is raised, an interruption say: then nothing is left at work.
            with closing(engine(left, out, turn)) as ends:
                for number, ended in enumerate(ends, len(runs) - len(left) + 1):
                    if ended.failure is not None:
                        failures[ended.name] = ended.failure
                    if show:
                        show(number, len(runs))
        data = merged(spec.kind, runs, out, failures)
        return data, save(data, out)


@contextmanager
def _turn(out: Path) -> Iterator[str]:
    """Keep a second sweep out of the folder; yields a word that stands in it until the sweep ends.

    A run stops once another word stands there, or none: a sweep that was killed leaves nothing at work for long.
    """
    with (out / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{out} is in use by another sweep; wait for it, or sweep in another folder") from None
        turn = uuid4().hex
        write(out / TURN, turn.encode())
        try:
            yield turn
        finally:
            (out / TURN).unlink(missing_ok=True)
