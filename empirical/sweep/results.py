"""What the runs of a sweep have found, in one file: every run once, in the order of the spec."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from empirical.checkpoint import write, write_json
from empirical.sweep.run import Run

JSON, CSV = "results.json", "results.csv"
FORMAT = "headproof sweep"
VERSION = 1


def merged(kind: str, runs: Iterable[Run], out: Path, failures: Mapping[str, str]) -> dict[str, Any]:
    """The results, read from the folders of the runs, and why a run has none. InputError if one is not its own."""
    done, failed = [], []
    for run in runs:
        # The file decides: a run may have been finished by a process that could not say so any more.
        result = run.result(out)
        if result is not None:
            done.append({"run": run.name, "grid": dict(run.point), "result": result, **run.work.as_json()})
        else:
            reason = failures.get(run.name, "no result in the folder; all workers have to share it")
            failed.append({"run": run.name, "grid": dict(run.point), "failure": reason})
    return {"format": FORMAT, "version": VERSION, "kind": kind, "runs": done, "failed": failed}


def save(data: Mapping[str, Any], out: Path) -> list[Path]:
    """Write results.json, and results.csv with a row for each run that has a result."""
    write_json(out / JSON, data)
    write(out / CSV, _csv(data["runs"]).encode())
    return [out / JSON, out / CSV]


def _csv(runs: Iterable[Mapping[str, Any]]) -> str:
    rows = [{"run": run["run"], **run["grid"], **run["result"]} for run in runs]
    stream = io.StringIO()
    names = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(stream, list(names), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
