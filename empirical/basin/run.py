"""The basin of a model: certificate, estimate and measurement together, as text, JSON and figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from empirical.basin.measure import constant_spread, measure
from empirical.basin.measured import OfLength
from empirical.basin.output import FILE, PARTS, asked
from empirical.basin.pair import Pair, fit, parse, prefix
from empirical.basin.report import Report, Request
from empirical.basin.subject import Subject, open_subject
from empirical.held import refuse_others
from empirical.kept import kept, key
from theory.compact.certificate.certificate import Bounds, Certificate
from theory.compact.certificate.estimate import estimate, see
from theory.progress import progress_bar


def answer(request: Request, out: Path | None = None) -> Report:
    """Open the model, certify, estimate and measure.

    The folder `out` has, or gets, what is measured length by length, so that a run that was killed goes on from there.
    InputError, one line, for any bad input, and where the folder holds the answer to another request.
    """
    pair = parse(request.words)  # what can be refused without a model is refused first
    subject = open_subject(request.model)
    letters = request.letters or _letters(pair, subject)
    fit(pair, subject, letters)
    wanted = asked(request, subject, letters)
    if out is not None:
        refuse_others(out / FILE, wanted)

    def keep(part: str, compute: Callable[[], OfLength]) -> OfLength:
        return OfLength.of(kept(out and out / PARTS / f"{part}.json", key(wanted), lambda: asdict(compute())))

    with progress_bar("certifying") as progress:
        certificate = Certificate.of(subject.weights, progress=progress)
    with progress_bar("measuring") as progress:
        measured = measure(subject, pair, letters, request.plan, progress, keep)
    lengths = [at.n for found in measured for at in found.lengths] or [_length(pair)]
    sight = see(subject.weights, _samples(pair, letters, max(lengths), subject, request.plan.seed), request.plan.seed)
    guess = estimate(subject.weights, certificate.constants, sight)
    spread = constant_spread(subject, letters[0], max(lengths))
    at = _at(subject, pair, letters, certificate, guess)
    return Report(subject, request, pair, letters, certificate, guess, sight, measured, max(lengths), spread, at)


def _letters(pair: Pair, subject: Subject) -> tuple[int, int]:
    if isinstance(pair.first, tuple) and isinstance(pair.second, tuple):
        return next((a, b) for a, b in zip((*pair.first, -1), (*pair.second, -2), strict=False) if a != b)
    return subject.letters


def _length(pair: Pair) -> int:
    return pair.length if pair.infinite is None else 2


def _samples(
    pair: Pair, letters: tuple[int, int], n: int, subject: Subject, seed: int
) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Both words, random words of their two letters, and random words of all letters."""
    random = np.random.default_rng(seed)
    own = [prefix(word, n, letters).numpy()[None] for word in (pair.first, pair.second)]
    count = 2 if subject.large else 6
    two = np.array(letters)[random.integers(0, 2, (count, n))]
    every = random.integers(0, len(subject.weights.embedding), (count, n))
    return [*own, two, every]


def _at(
    subject: Subject, pair: Pair, letters: tuple[int, int], certificate: Bounds, guess: Bounds
) -> tuple[float, float, float] | None:
    if pair.infinite is not None:
        return None
    import torch

    words = torch.stack([prefix(word, pair.length, letters) for word in (pair.first, pair.second)])
    one, other = subject.probabilities(words)
    bounds = [float(found.at_places(pair.length, pair.places)) for found in (certificate, guess)]
    return bounds[0], bounds[1], float((one - other).abs().max())
