"""Prediction, then measurement, of some models: files, figures and text."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from empirical.checkpoint import write_json
from empirical.intervals import OverSeeds
from empirical.lengths.foretold import FILE, RESULTS, prediction
from empirical.lengths.measure import Request, half_length, kinds_of_prefix, measure
from empirical.subjects import Subject
from theory.progress import progress_bar

FORMAT = "headproof lengths"
VERSION = 1
PARTS = ".parts"


def run(subjects: Sequence[Subject], request: Request, out: Path) -> tuple[dict[str, Any], list[Path]]:
    """Predict and measure; goes on with what `out` holds. InputError where that is of another request."""
    from empirical.lengths.figure import draw

    runs = [(subject, prefixes) for subject in subjects for prefixes in kinds_of_prefix(subject)]
    with progress_bar("predicting") as show:
        done = 0

        def predicted() -> None:
            nonlocal done
            done += 1
            if show:
                show(done, len(runs))

        predictions, digest = prediction(list(subjects), request, out, predicted)
    found: dict[str, dict[str, Any]] = {subject.name: {} for subject in subjects}
    with progress_bar("measuring") as show:
        done = 0
        total = sum(request.prefixes * len(subject.task.all_hops) for subject, _ in runs)

        def measured() -> None:
            nonlocal done
            done += 1
            if show:
                show(done, total)

        for subject, prefixes in runs:
            found[subject.name][prefixes] = measure(subject, request, prefixes, out / PARTS, measured)
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "request": asdict(request),
        "prediction_sha256": digest,
        "models": [
            {
                "name": subject.name,
                "kind": subject.kind,
                "seed": subject.card["plan"]["seed"],
                "weights_sha256": subject.card["sha256"],
                "runs": [
                    {
                        **measured_run,
                        "fall": half_length(measured_run["by_length"]),
                        "predicted": predictions[subject.name][prefixes],
                    }
                    for prefixes, measured_run in found[subject.name].items()
                ],
            }
            for subject in subjects
        ],
    }
    data["over_seeds"] = over_seeds(data["models"])
    write_json(out / RESULTS, data)
    paths = [out / FILE, out / RESULTS, *draw(data, out)]
    shutil.rmtree(out / PARTS, ignore_errors=True)
    return data, paths


def over_seeds(models: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each kind with several models and each kind of prefix: accuracy and lengths of the fall over the seeds.

    There is none of the latter if accuracy of one model does not fall within the lengths.
    """
    found = []
    kinds = dict.fromkeys((model["kind"], run["prefixes"]) for model in models for run in model["runs"])
    for kind, prefixes in kinds:
        runs = [
            run for model in models if model["kind"] == kind for run in model["runs"] if run["prefixes"] == prefixes
        ]
        if len(runs) > 1:
            falls = {"foreseen": [run["predicted"]["fall"] for run in runs], "found": [run["fall"] for run in runs]}
            found.append(
                {
                    "kind": kind,
                    "prefixes": prefixes,
                    "models": len(runs),
                    "accuracy": [
                        {"length": rows[0]["length"], **asdict(OverSeeds.of([row["accuracy"] for row in rows]))}
                        for rows in zip(*(run["by_length"] for run in runs), strict=True)
                    ],
                    **{name: _over(some, runs[0]["by_length"][-1]["length"]) for name, some in falls.items()},
                }
            )
    return found


def _over(falls: Sequence[float | None], longest: int) -> dict[str, Any] | None:
    known = [float(n) for n in falls if n is not None]
    return asdict(OverSeeds.of(known, longest)) if len(known) == len(falls) else None
