"""Surveys as files: versioned JSON, CSV and maps, each complete or not there."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import Any

from torch import Tensor

from empirical.checkpoint import write, write_json
from empirical.scores.bootstrap import Resampling
from empirical.scores.random_weights import RandomWeights
from empirical.scores.records import Row
from empirical.survey.survey import Survey
from theory.errors import InputError

FORMAT = "headproof head scores"
VERSION = 1
JSON, CSV, PLANES = "scores.json", "scores.csv", "planes.csv"


@dataclass(frozen=True)
class Report:
    """Some surveys, by a label each, with their rows.

    `differences` are rows of the second minus the first; `null` is the spread of random weights.
    """

    surveys: dict[str, Survey]
    rows: dict[str, list[Row]]
    differences: list[Row]
    resampling: Resampling
    null: RandomWeights | None = None


def difference_rows(first: Survey, second: Survey, resampling: Resampling) -> list[Row]:
    """Second minus first, prompt by prompt: a row a head. InputError for models of different shapes."""
    shapes = [[found.positional.shape for found in survey.layers] for survey in (first, second)]
    if shapes[0] != shapes[1]:
        counts = [f"{len(shape)} layers of {shape[0][1]} heads on {shape[0][0]} prompts" for shape in shapes]
        raise InputError(f"{counts[0]} and {counts[1]} have no heads in common; compare models of one shape")
    rows: list[Row] = []
    for before, after in zip(first.layers, second.layers, strict=True):
        columns: dict[str, Tensor] = {}
        for name, kind in (("s_pos", "positional"), ("s_sym", "symbolic")):
            change = getattr(after, kind) - getattr(before, kind)
            low, high = resampling.interval(change)
            columns |= {name: change.mean(0), f"{name}_low": low, f"{name}_high": high}
        for head in range(before.positional.shape[1]):
            values = {name: float(column[head]) for name, column in columns.items()}
            rows.append({"layer": before.layer, "head": head, **values})
    return rows


def as_data(report: Report) -> dict[str, Any]:
    """The report for JSON; a number that is not there is null."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "intervals": str(report.resampling),
        "runs": [
            {
                "label": label,
                **asdict(survey.subject),
                "prompts": len(survey.prompts),
                "tokens": survey.length,
                "prompts_sha256": hashlib.sha256(json.dumps(survey.prompts).encode()).hexdigest(),
                "settings": str(survey.settings),
                "self_test": asdict(survey.self_test),
                "heads": [_finite(row) for row in report.rows[label]],
                "planes": [_finite(row) for row in survey.plane_rows()],
            }
            for label, survey in report.surveys.items()
        ],
        "differences": [_finite(row) for row in report.differences],
    }


def save(report: Report, folder: Path) -> list[Path]:
    """Write scores.json, scores.csv, planes.csv if there are any, maps of scores and, of two surveys, differences."""
    from empirical.scores.figure import draw
    from empirical.survey.difference_figure import draw_differences

    planes = {label: survey.plane_rows() for label, survey in report.surveys.items()}
    tables = {CSV: report.rows, **({PLANES: planes} if any(planes.values()) else {})}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in tables.items():
            write(folder / name, _csv(rows).encode())
        write_json(folder / JSON, as_data(report))
    except OSError as error:
        raise InputError(f"{folder} cannot be written to: {error.strerror}; give --out another folder") from error
    paths = draw({label: survey.layers for label, survey in report.surveys.items()}, folder)
    if report.differences:
        paths += draw_differences(report.differences, " minus ".join(list(report.surveys)[1::-1]), folder)
    return [folder / JSON, *(folder / name for name in tables), *paths]


def _csv(tables: Mapping[str, Sequence[Row]]) -> str:
    stream = io.StringIO()
    names = dict.fromkeys(name for rows in tables.values() for row in rows for name in row)
    writer = csv.DictWriter(stream, ["run", *names], restval="", lineterminator="\n")
    writer.writeheader()
    for label, rows in tables.items():
        writer.writerows({"run": label, **row} for row in rows)
    return stream.getvalue()


def _finite(row: Row) -> Row:
    return {name: None if isinstance(value, float) and isnan(value) else value for name, value in row.items()}
