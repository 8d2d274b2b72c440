"""What is asked of `python -m empirical score`, and its answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from empirical.capture.hugging_face import HuggingFace
from empirical.capture.loading import check_model, digest, load_model, load_tokenizer, random_model
from empirical.capture.prompts import as_numbers, read_lines, read_prompts
from empirical.scores.bootstrap import Resampling
from empirical.scores.records import Row
from empirical.scores.settings import Settings
from empirical.survey.output import Report, difference_rows
from empirical.survey.parts import Parts
from empirical.survey.survey import Subject, Survey, key, score_prompts
from theory.errors import InputError
from theory.progress import progress_bar


@dataclass(frozen=True)
class Request:
    """One or two surveys, and one of random weights if asked for.

    Args:
        model: folder or GGUF file.
        prompts: file, one prompt a line.
        as_tokens: whether they are token numbers.
        settings: how scores are taken.
        length: tokens of each prompt that are used; None for those of the shortest.
        lengths: two lengths to compare instead.
        against: a second model instead.
        random_init: whether to score the architecture with random weights.
        planes: whether to score each plane alone as well.
        seed: of random weights and of the intervals.

    Raises InputError for more than one comparison.
    """

    model: Path
    prompts: Path
    as_tokens: bool
    settings: Settings
    length: int | None = None
    lengths: tuple[int, int] | None = None
    against: Path | None = None
    random_init: bool = False
    planes: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.lengths and (self.against or self.length):
            raise InputError("--lengths compares two lengths of one model; leave out --length and --against")
        if self.against is not None and self.against.resolve() == self.model.resolve():
            raise InputError(f"--against {self.against} is the model itself; give another")

    def runs(self) -> Iterator[_Run]:
        """The surveys to take, those to compare first."""
        if self.lengths:
            for length in self.lengths:
                yield _Run(f"{length} tokens", self.model, length)
        elif self.against:
            paths = (self.model, self.against)
            unlike = self.model.name != self.against.name
            for path in paths:
                yield _Run(path.name if unlike else str(path), path, self.length)
        else:
            yield _Run(self.model.resolve().name, self.model, self.length)
        if self.random_init:
            yield _Run(
                f"random weights (seed {self.seed})",
                self.model,
                self.lengths[0] if self.lengths else self.length,
                self.seed,
            )


@dataclass(frozen=True)
class _Run:
    label: str
    path: Path
    length: int | None
    seed: int | None = None


def answer(request: Request, out: Path | None) -> tuple[Report, list[Parts]]:
    """Take the surveys; with a folder, go on from the parts in it, and return them. InputError for any bad input."""
    runs = list(request.runs())
    read_lines(request.prompts)  # what can be refused without a model is refused first
    configs = {path: check_model(path) for path in dict.fromkeys(run.path for run in runs)}
    surveys: dict[str, Survey] = {}
    parts: list[Parts] = []
    resampling = Resampling(seed=request.seed)
    for group in _by_model(runs):
        path, seed = group[0].path, group[0].seed
        model = load_model(path, configs[path]) if seed is None else random_model(path, seed, configs[path])
        encode = _encoder(request, path)
        for run in group:
            surveys[run.label] = _survey(run, model, encode, request, out, parts)
    rows = {}
    null = next((survey.as_null() for survey in surveys.values() if survey.subject.seed is not None), None)
    for at, (label, survey) in enumerate(surveys.items()):
        rows[label] = survey.rows(resampling, null if at == 0 else None)
    differences: list[Row] = []
    if request.lengths or request.against:
        first, second = (surveys[run.label] for run in runs[:2])
        differences = difference_rows(first, second, resampling)
    return Report(surveys, rows, differences, resampling, null), parts


def _by_model(runs: list[_Run]) -> Iterator[list[_Run]]:
    """Runs that need the same weights, together: one model at a time is in memory."""
    left = list(runs)
    while left:
        same = [run for run in left if (run.path, run.seed) == (left[0].path, left[0].seed)]
        yield same
        left = [run for run in left if run not in same]


def _encoder(request: Request, path: Path) -> Callable[[str], list[int]]:
    if request.as_tokens:
        return as_numbers
    tokenizer = load_tokenizer(path)
    return lambda line: list(tokenizer(line)["input_ids"])


def _survey(
    run: _Run,
    model: HuggingFace,
    encode: Callable[[str], list[int]],
    request: Request,
    out: Path | None,
    parts: list[Parts],
) -> Survey:
    prompts = read_prompts(request.prompts, encode, model.vocabulary, model.context, run.length)
    subject = Subject(str(run.path), digest(run.path), run.seed)
    kept = (
        None if out is None else Parts(out, key(subject, prompts, request.settings, request.planes), request.settings)
    )
    if kept is not None:
        parts.append(kept)
        if there := kept.count():
            print(f"{run.label}: going on from {there} parts in {kept.folder}", file=sys.stderr)
    with progress_bar(f"scoring {run.label}") as progress:
        advance = None if progress is None else (lambda done: progress(done, len(prompts)))
        layers = score_prompts(model, prompts, request.settings, kept, advance, request.planes)
    return Survey(subject, prompts, model.passed, layers)
