"""One run of the demo, from what was asked for to what was found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import torch
from rich.console import Console

from constructions.demo.compact import learned_together
from constructions.demo.compact_text import show_compact
from constructions.demo.demonstrations import DEMONSTRATIONS
from constructions.demo.inference import inferred
from constructions.demo.inference_text import show_inference
from constructions.demo.inputs import INTEGERS, LENGTH, LETTERS, Settings, check_input, fitted, parse_input
from constructions.demo.model_table import Row, rows
from constructions.demo.model_text import show_models
from constructions.demo.report import Report
from constructions.demo.request import COMPACT, FIXED, INFERENCE, MODELS, Request
from constructions.demo.text import show_counterexample, show_demonstration, show_end
from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.rope.models.config import published_models, read_config

WIDEST = 1000  # tokens: their embeddings are as wide, and there is a minute's work in twice as many


def run(console: Console, request: Request) -> Report:
    """Show what was asked for as it is found, and return it. Raises InputError for bad input."""
    torch.set_num_threads(1)  # the tensors are too small for two
    settings, names = read(request)
    if request.out is not None:
        _make(request.out)
    report = Report(request.seed)
    for name in names:
        if name not in FIXED:
            _construction(console, name, settings, report)
    if COMPACT in names:
        report.compact = learned_together()
        show_compact(console, report.compact)
    if INFERENCE in names:
        report.inference = inferred()
        show_inference(console, report.inference)
    if MODELS in names:
        report.rows = list(_rows(request, settings))
        show_models(console, report.rows)
    if request.out is not None:
        with console.status("drawing"):
            from constructions.demo.figures import write_figures

            report.figures = write_figures(request.out, report, settings)
    show_end(console, report)
    return report


def _make(folder: Path) -> None:
    """The folder for the figures, before the work that they take."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give --out a directory, which may be new")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror}; give --out another directory") from error


def read(request: Request) -> tuple[Settings, list[str]]:
    """The settings and the names of what is to be shown. Raises InputError where they make no sense."""
    names = request.names
    symbols = pairs = None
    if request.text is not None:
        kinds = {DEMONSTRATIONS[name].tokens for name in names if name not in FIXED}
        symbols, pairs = parse_input(request.text, kinds)
        kind = "symbols" if symbols is not None else "pairs"
        names = [name for name in names if name not in FIXED and DEMONSTRATIONS[name].tokens == kind]
        for name in names:
            check_input(name, symbols, pairs)
    angle = Angle.parse(request.angle).rotating() if request.angle is not None else None
    given = symbols or pairs or ()
    letters, integers = fitted(symbols, pairs)
    # The table of models takes any length, and the other fixed parts take none.
    length = None if set(names) <= set(FIXED) else request.length
    return Settings(
        length=_or(length, len(given) or LENGTH),
        letters=_or(request.alphabet, max(LETTERS, letters)),
        integers=_or(request.integers, max(INTEGERS, integers)),
        hops=request.hops,
        angle=angle,
        slow_angle=angle if "retrieval-printed" in request.tasks else None,
        dtype=getattr(torch, request.dtype),
        seed=request.seed,
        symbols=symbols,
        pairs=pairs,
    ), names


def _or(given: int | None, default: int) -> int:
    return default if given is None else given


def _construction(console: Console, name: str, settings: Settings, report: Report) -> None:
    demonstration = DEMONSTRATIONS[name]
    parts = settings.letters + settings.integers
    width = settings.letters * parts if demonstration.tokens == "pairs" else parts
    if width > WIDEST:
        raise InputError(
            f"{name}: alphabet {settings.letters} and integers {settings.integers} make {width} tokens, more than "
            f"{WIDEST}, the most that the demo shows; give fewer"
        )
    try:
        showcase = demonstration.run(settings)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    report.showcases[name] = showcase
    show_demonstration(console, demonstration, showcase)
    for find in demonstration.counterexamples:
        found = find()
        report.counterexamples[found.claim] = found
        show_counterexample(console, found)


def _rows(request: Request, settings: Settings) -> Iterator[Row]:
    length = request.length if MODELS in request.tasks or request.alone else None
    models = [read_config(path) for path in request.configs]
    if not request.alone:
        models += published_models()
    for model in models:
        yield from rows(model, settings.letters, length)
