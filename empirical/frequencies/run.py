"""Use of planes, of some models: files, figures and data."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from empirical.checkpoint import write_json
from empirical.frequencies.figure import draw_plane, draw_use
from empirical.frequencies.plane import plane_of
from empirical.frequencies.use import Request, rows, steepest
from empirical.held import refuse_others
from empirical.kept import kept, key
from empirical.lock import alone
from empirical.subjects import Subject
from theory.errors import InputError
from theory.progress import progress_bar

FORMAT = "headproof frequency use"
VERSION = 1
FILE = "frequencies.json"
PARTS = ".parts"


def run(
    subjects: Sequence[Subject], request: Request, layer: int | None, drawn: int, out: Path | None
) -> tuple[dict[str, Any], list[Path]]:
    """Measure models and draw a plane of each; returns data and files, of which there are none without `out`.

    Args:
        layer: to draw a plane of; None for the one with the most variation in one plane.
        drawn: sequences in pictures of a plane.

    InputError for a layer that a model has not, and for a folder that is in use or holds another request.
    """
    for one in subjects:
        if layer is not None and layer not in range(one.model.config.layers):
            raise InputError(f"--layer {layer} is not of {one.name}; choose among 0..{one.model.config.layers - 1}")
    asked = {"format": FORMAT, "version": VERSION, "request": asdict(request)}
    asked |= {"pictures": {"layer": layer, "drawn": drawn}}
    asked |= {"weights": {one.name: one.card["sha256"] for one in subjects}}
    with nullcontext() if out is None else alone(out):
        if out is not None:
            refuse_others(out / FILE, asked)
        data = {**asked, "models": _measured(subjects, request, out)}
        return data, [] if out is None else _saved(subjects, request.seed, data, out)


def _measured(subjects: Sequence[Subject], request: Request, out: Path | None) -> list[dict[str, Any]]:
    data = []
    with progress_bar("measuring") as show:
        for done, one in enumerate(subjects):
            of = key({"weights": one.card["sha256"], **asdict(request)})
            heads = kept(out and out / PARTS / f"{one.name}.json", of, partial(rows, one, request))
            data.append({"name": one.name, "kind": one.kind, "weights_sha256": one.card["sha256"], "heads": heads})
            if show:
                show(done + 1, len(subjects))
    return data


def _saved(subjects: Sequence[Subject], seed: int, data: dict[str, Any], out: Path) -> list[Path]:
    write_json(out / FILE, data)
    paths = [out / FILE, *draw_use(data["models"], out)]
    layer, drawn = data["pictures"]["layer"], data["pictures"]["drawn"]
    for one, model in zip(subjects, data["models"], strict=True):
        row = steepest(row for row in model["heads"] if layer in (None, row["layer"]))
        place = row["layer"], row["head"], row["foremost_by_variation"][0]
        plane = plane_of(one, *place, drawn, seed)
        paths += draw_plane(plane, one.name, out, f"plane-{one.name}-layer-{row['layer']}")
    shutil.rmtree(out / PARTS, ignore_errors=True)
    return paths
