"""Predictions as data, written before anything is measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import torch

from empirical.checkpoint import write_json
from empirical.decoder_config import GPTJ_BASE
from empirical.lengths.measure import Request, kinds_of_prefix
from empirical.lengths.prediction import Foreseen, fall, foresee
from empirical.subjects import Subject
from theory.arithmetic.angle import Angle
from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.rope.index.length import first_token_reach

FILE, RESULTS = "prediction.json", "lengths.json"
FORMAT = "headproof length predictions"
VERSION = 2
SEQUENCES, CONTENTS = 4, 8  # of each group; runs of targets that stand for those in front


def prediction(
    subjects: list[Subject], request: Request, out: Path, watch: Callable[[], object]
) -> tuple[dict[str, Any], str]:
    """The predictions in `out`, made now if there are none, and the SHA-256 of their file.

    Raises InputError if those that are there are of other models or another request, or not as they were written, and
    if there are results without them.
    """
    path = out / FILE
    asked = {
        "format": FORMAT,
        "version": VERSION,
        "request": json.loads(json.dumps(asdict(request))),
        "models": {subject.name: subject.card["sha256"] for subject in subjects},
    }
    results = out / RESULTS
    if not path.exists():
        if results.exists():
            raise InputError(f"{results} is there without the {FILE} that came before it; give --out another folder")
        found = {subject.name: _of(subject, request, watch) for subject in subjects}
        write_json(path, {**asked, "predictions": found, "predictions_sha256": _digest(found)})
    data = path.read_bytes()
    try:
        known = json.loads(data)
    except (ValueError, RecursionError):
        known = {}
    digest = hashlib.sha256(data).hexdigest()
    if (
        not isinstance(known, dict)
        or known.get("predictions_sha256") != _digest(known.get("predictions"))
        or _told(results) not in (None, digest)
    ):
        if isinstance(known, dict) and known.get("format") == FORMAT and known.get("version") != VERSION:
            raise InputError(f"{path} has version {known.get('version')}, not {VERSION}; give --out another folder")
        raise InputError(f"{path} has been changed since it was written; put it back, or give --out another folder")
    for name, value in asked.items():
        if known.get(name) != value:
            raise InputError(f"{path} was made for another {name}; ask for the same, or give --out another folder")
    return known["predictions"], digest


def _digest(predictions: Any) -> str:
    return hashlib.sha256(json.dumps(predictions, sort_keys=True).encode()).hexdigest()


def _told(results: Path) -> Any:
    """The SHA-256 of the predictions that the results name; None where there are no such results."""
    try:
        found = json.loads(results.read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    return found.get("prediction_sha256") if isinstance(found, dict) else None


def _of(subject: Subject, request: Request, watch: Callable[[], object]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for prefixes in kinds_of_prefix(subject):
        foreseen = foresee(subject, request.groups(subject, prefixes), sequences=SEQUENCES, contents=CONTENTS)
        found[prefixes] = _data(foreseen, subject, request)
        watch()
    return found


def _data(foreseen: Foreseen, subject: Subject, request: Request) -> dict[str, Any]:
    shortest = subject.task.length
    hops = {str(number): foreseen.share(number) for number in subject.task.all_hops}
    everything = foreseen.share()

    def at(m: int) -> dict[str, Any]:
        return {
            "length": shortest + m,
            "share": float(everything[m]),
            "by_hops": {number: float(share[m]) for number, share in hops.items()},
            "standing": foreseen.standing[:, m].tolist(),
            "kept": foreseen.kept[:, m].tolist(),
            "margin": foreseen.margin[:, m - 1].tolist() if m else None,
        }

    return {
        "sequences": len(foreseen.alive),
        "fall": fall(everything, shortest),
        "fall_by_hops": {number: fall(share, shortest) for number, share in hops.items()},
        "heads": [
            {"layer": layer, "looking": float(share), **_largest_plane(amplitudes, subject)}
            for layer, (share, amplitudes) in enumerate(zip(foreseen.looking, foreseen.amplitudes, strict=True))
        ],
        "by_length": [at(n - shortest) for n in request.lengths],
    }


def _largest_plane(amplitudes: torch.Tensor, subject: Subject) -> dict[str, Any]:
    """The plane with the largest amplitude, and how far an integer query would reach with that alone."""
    config = subject.model.config
    plane, total = int(amplitudes.argmax()), float(amplitudes.sum())
    found: dict[str, Any] = {"amplitude": total, "plane": plane + 1, "share": float(amplitudes[plane]) / total}
    if config.frequencies is None:
        angle = Angle.rope(Fraction(GPTJ_BASE), config.head_width, plane + 1)
        found["reach_of_plane"] = first_token_reach(Real.of(Fraction(float(amplitudes[plane]))), angle)
    return found
