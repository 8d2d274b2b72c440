"""The files of a study: predictions, complete on the disk before anything is ablated, and then one outcome a line."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from empirical.checkpoint import write
from empirical.language import arms as rules
from empirical.language import planes as roles
from empirical.language.arms import Arm, Cut
from theory.errors import InputError

FORMAT = "headproof plane ablation"
VERSION = 1
PREDICTIONS, OUTCOMES = "predictions.json", "outcomes.jsonl"


def write_predictions(path: Path, arms: Sequence[Arm], about: dict[str, Any]) -> None:
    """Write what will be removed and what is predicted; `about` says of which model and prompts.

    InputError if there is a file with other content, or none but outcomes: these have been seen already.
    """
    data = {
        "format": FORMAT,
        "version": VERSION,
        **about,
        "roles": roles.__doc__,
        "rules": rules.__doc__,
        "tolerance": rules.TOLERANCE,
        "small": rules.SMALL,
        "arms": [
            {**asdict(arm), "predicted": {measure: arm.predicted(measure) for measure in arm.measures}} for arm in arms
        ],
    }
    content = (json.dumps(data, indent=1) + "\n").encode()
    if path.exists():
        if path.read_bytes() != content:
            raise InputError(f"{path} holds other predictions, and outcomes may be known; give --out another folder")
        return
    if (outcomes := path.with_name(OUTCOMES)).exists():
        raise InputError(f"{outcomes} is there without the predictions that came before it; give --out another folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, content)


def read_predictions(path: Path) -> list[Arm]:
    """The arms of a file of predictions. InputError for what is none."""
    try:
        data = json.loads(path.read_bytes())
        if (data["format"], data["version"]) != (FORMAT, VERSION):
            raise InputError(f"{path} has format {data['format']!r}, version {data['version']}; make it anew")
        return [
            Arm(arm["kind"], arm["role"], _cuts(arm["cuts"]), tuple(map(_cuts, arm["controls"])))
            for arm in data["arms"]
        ]
    except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} holds no predictions ({error}); give --out another folder") from error


def _cuts(cuts: Sequence[dict[str, Any]]) -> tuple[Cut, ...]:
    return tuple(Cut(cut["layer"], cut["head"], tuple(cut["planes"]), cut["size"], cut["variation"]) for cut in cuts)


class Outcomes:
    """What was measured: a line for each run, by its name; a run that is there is not made again.

    InputError for a file that holds something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[str, dict[str, list[float]]] = {}
        if path.exists():
            whole, _, _ = path.read_bytes().rpartition(b"\n")  # a line without an end was interrupted
            try:
                for line in whole.splitlines():
                    record = json.loads(line)
                    self.found[record.pop("run")] = record
            except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
                raise InputError(f"{path} holds no outcomes ({error}); give --out another folder") from error
            with path.open("r+b") as file:
                file.truncate(len(whole) + bool(whole))

    def put(self, run: str, measures: dict[str, list[float]]) -> None:
        """Keep what a run measured, on the disk too."""
        with self.path.open("ab") as file:
            file.write((json.dumps({"run": run, **measures}) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())
        self.found[run] = measures
