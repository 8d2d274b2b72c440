"""A whole study: its trainings one after the other in a folder where it goes on, and all results in one file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from empirical.checkpoint import write, write_json
from empirical.intervals import LEVEL
from empirical.lock import alone
from empirical.sweep.run import TURN, Run, carry_out
from empirical.switching.bands import rows, theory
from empirical.switching.works import EVERY, Training, works
from theory.errors import InputError
from theory.progress import progress_bar

FORMAT = "headproof switching"
VERSION = 1
RESULTS = "switching.json"


def study(tier: str, seeds: Sequence[int], out: Path) -> tuple[dict[str, Any], list[Path]]:
    """Do what is not done yet, and return all results and the files they are in, figures included.

    A training that was killed begins anew with its measures; finished ones are not touched. Raises InputError for a
    folder that is in use, and for a training that fails.
    """
    from empirical.switching.figures import draw

    chosen = works(tier, seeds)
    runs = {name: Run(work, {}) for name, work in chosen.items()}
    with alone(out):
        turn = uuid4().hex
        write(out / TURN, turn.encode())
        try:
            _carry_out(list(runs.values()), out, turn)
        finally:
            (out / TURN).unlink(missing_ok=True)
        results = {name: run.result(out) or {} for name, run in runs.items()}
        data = gathered(chosen, results, tier)
        write_json(out / RESULTS, data)
        return data, [out / RESULTS, *draw(data, out)]


def _carry_out(runs: Sequence[Run], out: Path, turn: str) -> None:
    left = [run for run in runs if run.result(out) is None]
    if len(left) < len(runs):
        print(f"going on: {len(runs) - len(left)} of {len(runs)} trainings are done", file=sys.stderr)
    with progress_bar(f"{len(runs)} trainings") as show:
        for number, run in enumerate(left, len(runs) - len(left) + 1):
            ended = carry_out(run, out, turn)
            if ended.failure is not None:
                raise InputError(f"{run.name}: {ended.failure}")
            if show:
                show(number, len(runs))


def gathered(chosen: Mapping[str, Training], results: Mapping[str, dict[str, Any]], tier: str) -> dict[str, Any]:
    """What all trainings have found, and every band with whether it is met."""
    gbi = chosen["gbi"]
    found = rows(results)
    return {
        "format": FORMAT,
        "version": VERSION,
        "tier": tier,
        "seeds": list(gbi.plan.seeds),
        "intervals": f"Student's t over seeds, {LEVEL:.0%}; of medians the least and largest value",
        "every": EVERY,
        "bands": [each.as_json() for each in found],
        "met": sum(each.met for each in found),
        "theory": {"means": list(gbi.sizes.means), "error": [theory(mean) for mean in gbi.sizes.means]},
        "trainings": {name: {**work.as_json(), "result": results[name]} for name, work in chosen.items()},
    }
