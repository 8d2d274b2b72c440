"""A whole study of a model on disk: files, figures and text."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from empirical.capture.loading import check_model, digest, load_model, random_model
from empirical.checkpoint import write_json
from empirical.held import refuse_others
from empirical.language.figures import draw_ablation, draw_comparison, draw_kinds
from empirical.language.packaged import PACKAGED, packaged_file
from empirical.language.records import PREDICTIONS
from empirical.language.study import Observed, Request, ablate, observe
from empirical.language.text import render
from empirical.lock import alone
from empirical.scores.figure import draw
from empirical.scores.settings import Settings

FORMAT = "headproof language model study"
VERSION = 1
STUDY = "study.json"


def run(model: str, request: Request, out: Path) -> tuple[dict[str, Any], str, list[Path]]:
    """Study the model at a path, or in a package of PACKAGED; returns data, text and the files.

    InputError as usual, and for a folder that is in use or holds another study.
    """
    path = packaged_file(PACKAGED[model]) if model == "smollm2" else Path(model)
    config = check_model(path)
    settings = Settings()
    about: dict[str, Any] = {"model": path.name, "sha256": digest(path), **asdict(request), "settings": str(settings)}
    with alone(out):
        for name in (PREDICTIONS, STUDY):
            refuse_others(out / name, about)
        return _study(path, config, request, settings, about, out)


def _study(
    path: Path, config: Any, request: Request, settings: Settings, about: dict[str, Any], out: Path
) -> tuple[dict[str, Any], str, list[Path]]:
    random = observe(random_model(path, request.seed, config), request, settings)
    loaded = load_model(path, config)
    observed = observe(loaded, request, settings)
    answers = ablate(loaded, observed, request, settings, out, about)  # may refuse the folder, so before all figures
    paths = [
        *draw({path.name: observed.layers}, out),
        *draw_kinds(observed, path.name, out),
        *draw_comparison(observed, random, path.name, out),
    ]
    paths += draw_ablation(answers, path.name, out)
    data = {
        "format": FORMAT,
        "version": VERSION,
        **about,
        "self_test": asdict(loaded.passed),
        "trained": _numbers(observed),
        "random_weights": _numbers(random),
        "kinds": {
            kind: [[float(value) for value in found[kind]] for found in observed.kinds] for kind in observed.kinds[0]
        },
        "verdicts": [
            {
                **asdict(answer),
                "verdict": answer.change.verdict,
                "verdict_beyond": answer.beyond and answer.beyond.verdict,
            }
            for answer in answers
        ],
    }
    write_json(out / STUDY, data)
    return data, render(observed, random.correlations, answers, request.heads), [out / STUDY, *paths]


def _numbers(observed: Observed) -> dict[str, Any]:
    """Correlations, and for each plane the least, median and largest balance over all heads."""
    balance = torch.cat([roles.balance() for roles in observed.roles])
    quantiles = balance.nanquantile(torch.tensor([0.0, 0.5, 1.0], dtype=balance.dtype), dim=0)
    return {
        "correlations": [asdict(found) for found in observed.correlations],
        "frequencies": observed.layers[0].frequencies.tolist(),
        "balance": dict(zip(("least", "median", "largest"), quantiles.tolist(), strict=True)),
    }
