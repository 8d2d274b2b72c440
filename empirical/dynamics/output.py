"""A study as files: versioned JSON and a figure, each complete or not there."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from empirical.checkpoint import write_json
from empirical.dynamics.figure import draw
from empirical.dynamics.study import Study, carry_out
from empirical.dynamics.summary import as_data, summary
from empirical.dynamics.text import render
from empirical.held import refuse_others
from empirical.intervals import LEVEL
from empirical.lock import alone
from theory.progress import Progress, progress_bar

FORMAT = "headproof learning dynamics"
VERSION = 1


def report(study: Study, out: Path) -> tuple[dict[str, Any], str, list[Path]]:
    """Carry out a study in the folder; returns its data, its text and the files.

    InputError as `carry_out`, and where the folder holds the same trainings scored otherwise; seeds may be others.
    """
    path, scored = out / "dynamics.json", study.as_json()
    del scored["plan"], scored["seeds"]
    with alone(out), ExitStack() as bars:
        refuse_others(path, {"format": FORMAT, "version": VERSION, **scored})
        shown: dict[str, Progress | None] = {}

        def watch(what: str, done: int, total: int) -> None:
            if what not in shown:
                bars.close()  # one bar at a time
                shown[what] = bars.enter_context(progress_bar(what))
            if bar := shown[what]:
                bar(done, total)

        runs = carry_out(study, out, watch)
        bars.close()
        found = summary(runs)
        seeds = len(study.seeds)
        intervals = f"Student's t over {seeds} seeds, {LEVEL:.0%}" if seeds > 1 else "none, one seed"
        data = {
            "format": FORMAT,
            "version": VERSION,
            **study.as_json(),
            "settings_in_words": str(study.settings),
            "intervals": intervals,
            "summary": as_data(found),
            "runs": [vars(run) for run in runs],
        }
        write_json(path, data)
        task, layers = study.as_json()["plan"]["task"]["name"], study.plan.model.layers
        title = f"{task} task, {layers} layers, {study.plan.recipe.steps} steps of {study.plan.recipe.batch} sequences"
        note = f"Bands: {intervals}. Entropy: as a part of that of uniform attention. Scores: {study.settings}."
        return data, render(found, seeds), [path, *draw(found, title, note, out)]
