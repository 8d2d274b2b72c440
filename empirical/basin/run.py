"""The basin of a model: certificate, estimate and measurement together, as text, JSON and figures."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb, ctx

from empirical.basin.measure import constant_spread, measure
from empirical.basin.measured import Measured, Plan, as_data
from empirical.basin.pair import Pair, fit, parse, prefix
from empirical.basin.subject import Subject, open_subject
from empirical.checkpoint import write_json
from empirical.held import refuse_others
from theory.arithmetic.ball import Real
from theory.compact.certificate.certificate import Bounds, Certificate, Reach
from theory.compact.certificate.estimate import Sight, estimate, largest_weights, see
from theory.progress import progress_bar

FORMAT = "headproof basin"
VERSION = 1
FILE = "basin.json"


@dataclass(frozen=True)
class Request:
    """What is asked: a model, two words, the letters 0 and 1 as tokens, a distance of outputs, and what to measure."""

    model: str
    words: str
    letters: tuple[int, int] | None
    epsilon: Real
    plan: Plan


@dataclass(frozen=True, eq=False)
class Report:
    """The answer.

    Args:
        longest: of the words that were run, so that ln n is comparable with the oscillations of logits.
        at: of two finite words, their bound, the estimate of it, and the distance that was measured.
        spread: of the outputs on words of one letter.
    """

    subject: Subject
    request: Request
    pair: Pair
    letters: tuple[int, int]
    certificate: Bounds
    guess: Bounds
    sight: Sight
    measured: list[Measured]
    longest: int
    spread: float
    at: tuple[float, float, float] | None

    def reaches(self, bounds: Bounds) -> dict[str, Reach]:
        """The sufficient lengths of one changed letter and of the pair."""
        found = {"one letter": bounds.sufficient_length(1, self.request.epsilon)}
        if (words := self.pair.infinite) is not None:
            found["pair"] = bounds.sufficient_length_of(*words, self.request.epsilon)
        else:
            found["pair"] = bounds.sufficient_length(len(self.pair.places), self.request.epsilon)
        return found


def answer(request: Request, out: Path | None = None) -> Report:
    """Open the model, certify, estimate and measure.

    InputError, one line, for any bad input, and where the folder `out` holds the answer to another request.
    """
    pair = parse(request.words)  # what can be refused without a model is refused first
    subject = open_subject(request.model)
    letters = request.letters or _letters(pair, subject)
    fit(pair, subject, letters)
    if out is not None:
        refuse_others(out / FILE, _asked(request, subject, letters))
    with progress_bar("certifying") as progress:
        certificate = Certificate.of(subject.weights, progress=progress)
    with progress_bar("measuring") as progress:
        measured = measure(subject, pair, letters, request.plan, progress)
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


def _asked(request: Request, subject: Subject, letters: tuple[int, int]) -> dict[str, Any]:
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
        **_asked(report.request, report.subject, report.letters),
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
    return [data, *draw(report, folder)]
