"""Information flow as files: versioned JSON and figures, each complete or not there."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from empirical.checkpoint import write_json
from empirical.flow.figure import draw
from empirical.flow.study import about, forget, measured
from empirical.flow.text import render
from empirical.held import refuse_others
from empirical.lock import alone
from empirical.scores.bootstrap import Resampling
from empirical.scores.score import DEFAULTS
from empirical.scores.settings import Settings
from empirical.subjects import subject
from theory.progress import progress_bar

FORMAT = "headproof information flow"
VERSION = 1


def report(
    model: str, sequences: int, seed: int, out: Path | None, settings: Settings = DEFAULTS
) -> tuple[dict[str, Any], str, list[Path]]:
    """Measure a model; returns data, text, and the files that were written.

    InputError for what is no trained model, and for a folder that holds what another request has found.
    """
    of = subject(model)
    facts = about(of, sequences, seed)
    asked = {"format": FORMAT, "version": VERSION, **facts, "intervals": str(Resampling()), "settings": str(settings)}
    with nullcontext() if out is None else alone(out):
        if out is not None:
            refuse_others(out / "flow.json", asked)
        with progress_bar("measuring") as bar:
            flow = measured(of, sequences, seed, out, settings, bar or (lambda done, total: None))
        data = {**asked, **vars(flow)}
        paths = []
        if out is not None:
            write_json(out / "flow.json", data)
            paths = [out / "flow.json", *draw(flow, facts, out)]
            forget(out)
    return data, render(flow, facts), paths
