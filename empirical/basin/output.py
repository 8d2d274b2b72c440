"""The basin of a model as files: versioned JSON and figures."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb, ctx

from empirical.basin.measured import as_data
from empirical.basin.report import Report, Request
from empirical.basin.subject import Subject
from empirical.checkpoint import write_json
from theory.compact.certificate.certificate import Bounds
from theory.compact.certificate.estimate import largest_weights

FORMAT = "headproof basin"
VERSION = 1
FILE = "basin.json"
PARTS = ".parts"


def asked(request: Request, subject: Subject, letters: tuple[int, int]) -> dict[str, Any]:
    """All that decides the answer."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": subject.name,
        "sha256": subject.sha256,
        "words": request.words,
        "letters": list(letters),
        "epsilon": float(request.epsilon),
        "plan": asdict(request.plan),
    }


def as_json(report: Report) -> dict[str, Any]:
    """The report for JSON; what is too large for a number is its logarithm."""
    return {
        **asked(report.request, report.subject, report.letters),
        "certificate": _bounds(report, report.certificate),
        "estimate": _bounds(report, report.guess),
        "seen": {
            "oscillations": report.sight.oscillations,
            "n_times_largest_weight": list(largest_weights(report.sight, report.longest)),
            "ln_n": log(report.longest),
            "spread_on_one_letter": report.spread,
        },
        "pair": None
        if report.at is None
        else dict(zip(("certified", "estimated", "measured"), report.at, strict=True)),
        "measured": [as_data(found, report.request.plan) for found in report.measured],
    }


def _bounds(report: Report, bounds: Bounds) -> dict[str, Any]:
    constants = bounds.constants
    reaches = report.reaches(bounds)
    radius = bounds.radius(report.request.epsilon)
    with ctx.workprec(64):
        logarithm = radius.ball(64).log()
    return {
        "D_0": _float(constants.start),
        "Lambda": _float(constants.readout),
        "p_min": _below(constants.least_probability),
        "rho": _below(constants.rho),
        "ln_P": [_float(c.log()) if c > 0 else None for c in constants.coefficients],
        "oscillations": [[_float(x) for x in layer] for layer in constants.oscillations],
        "value_diameters": [[_float(h.diameter) for h in layer.constants.heads] for layer in constants.layers],
        "kappa": [_float(layer.constants.skip) for layer in constants.layers],
        "by_lag": constants.by_lag,
        "ln_radius": float(logarithm.lower()),
        "lengths": {
            name: {"length": str(reach), "ln": None if reach.logarithm is None else float(reach.logarithm)}
            for name, reach in reaches.items()
        },
    }


def _float(value: arb) -> float | None:
    """Rounded up; None beyond floats."""
    found = float(value.upper())
    return found if np.isfinite(found) else None


def _below(value: arb) -> float | None:
    """Rounded down; None beyond floats."""
    found = float(value.lower())
    return float(np.nextafter(found, -np.inf)) if np.isfinite(found) else None


def save(report: Report, folder: Path) -> list[Path]:
    """Write basin.json and the figures."""
    from empirical.basin.figures import draw

    data = folder / FILE
    folder.mkdir(parents=True, exist_ok=True)
    write_json(data, as_json(report))
    paths = [data, *draw(report, folder)]
    shutil.rmtree(folder / PARTS, ignore_errors=True)
    return paths
