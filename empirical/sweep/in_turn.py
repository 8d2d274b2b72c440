"""All runs of a study in this process, one after the other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from empirical.checkpoint import write
from empirical.sweep.run import TURN, Run, carry_out
from theory.errors import InputError
from theory.progress import progress_bar


def carry_out_in_turn(runs: Sequence[Run], out: Path, noun: str) -> None:
    """Do the runs (called `noun`, in the plural) that are not finished in `out`, which the caller has locked.

    Raises InputError for the first that fails.
    """
    turn = uuid4().hex
    write(out / TURN, turn.encode())
    try:
        left = [run for run in runs if run.result(out) is None]
        if len(left) < len(runs):
            print(f"going on: {len(runs) - len(left)} of {len(runs)} {noun} are done", file=sys.stderr)
        with progress_bar(f"{len(runs)} {noun}") as show:
            for number, run in enumerate(left, len(runs) - len(left) + 1):
                ended = carry_out(run, out, turn)
                if ended.failure is not None:
                    raise InputError(f"{run.name}: {ended.failure}")
                if show:
                    show(number, len(runs))
    finally:
        (out / TURN).unlink(missing_ok=True)
