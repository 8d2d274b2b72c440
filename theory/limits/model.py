"""The limits of a model: reach of each plane, and what all planes of a kind of layer do together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, log
from theory.errors import InputError, Undecided
from theory.limits.rounding import FormatLimit, format_limit
from theory.limits.symbolic import angle_reach, symbolic_reach
from theory.limits.temperature import decoding_beta
from theory.outcome import Outcome
from theory.quantities import Bound, Enclosure, Exact, Result
from theory.rope.index.length import first_token_reach
from theory.rope.models.config import ModelRope
from theory.rope.models.settings import RopeSettings
from theory.rope.universal_limits.amplitude_programme import LARGEST, solve
from theory.rope.universal_limits.gap_planes import Planes
from theory.rope.universal_limits.worst_gap import WorstGap, worst_gap

LONGEST_LENGTH = 10**8
LARGEST_BETA = 10**6
STILL = Angle.turn(0)


@dataclass(frozen=True)
class Question:
    """What the limits are asked for.

    Args:
        betas: inverse temperatures (logit scales), in (0, 10^6].
        letters: size of the alphabet, at least 2.
        formats: names of floating-point formats.
        still: how many of the slowest planes are set to angle 0 (p-RoPE).
    """

    betas: tuple[Real, ...]
    letters: int
    formats: tuple[str, ...]
    still: int = 0

    def __post_init__(self) -> None:
        for beta in self.betas:
            if Outcome.every((beta > 0, beta <= LARGEST_BETA)) is not Outcome.HOLDS:
                raise InputError(
                    f"beta={float(beta):g} is outside 0 < beta <= {LARGEST_BETA:,}; give a usual logit scale"
                )

    def planes(self, settings: RopeSettings) -> tuple[Angle, ...]:
        """The plane angles, the slowest `still` of them 0. InputError where there are not that many."""
        planes = settings.planes
        if self.still > len(planes):
            raise InputError(f"{self.still} planes set to zero, but there are {len(planes)}; give at most that many")
        return planes[: len(planes) - self.still] + (STILL,) * self.still


@dataclass(frozen=True)
class PlaneLimits:
    """Lengths in tokens: positional and symbolic reach for each beta, and the symbolic one by the angle alone."""

    angle: Angle
    positional: tuple[int, ...]
    by_angle: int
    symbolic: tuple[int, ...]

    @property
    def wavelength(self) -> Real | None:
        """2 pi / theta in tokens; None for a plane that stands still."""
        return None if self.angle.real.exact == 0 else self.angle.wavelength


@dataclass(frozen=True, eq=False)
class SetLimits:
    """All planes together at one length, with amplitudes of sum 1.

    Attributes:
        gap: the worst gap, a certified number or, for the best amplitudes, a lower bound on it with `ceiling` above.
        offsets: where it is, as far as known.
        beta: what decodes an integer query for the first token; an upper bound where no enclosure was found.
    """

    gap: Real
    offsets: Sequence[int]
    ceiling: Real | None
    beta: Result
    formats: tuple[FormatLimit, ...]


@dataclass(frozen=True)
class LayerLimits:
    """One kind of layer at `length` tokens, its context or its window."""

    kind: str
    settings: RopeSettings
    length: int
    planes: tuple[PlaneLimits, ...]
    equal: SetLimits
    best: SetLimits

    @property
    def slow(self) -> int:
        """How many planes do not make a whole turn within the length."""
        return sum(plane.wavelength is None or float(plane.wavelength) > self.length for plane in self.planes)


@dataclass(frozen=True)
class Limits:
    """The limits of a model and what they were asked for."""

    model: ModelRope
    question: Question
    layers: tuple[LayerLimits, ...]


def limits(model: ModelRope, question: Question, progress: Callable[[int, int], None] | None = None) -> Limits:
    """The limits of `model` at its `context_length`; `progress` is called with steps done and to do.

    InputError for a length outside 2..10^8 and for impossible settings.
    """
    if not 2 <= model.context_length <= LONGEST_LENGTH:
        raise InputError(
            f"length {model.context_length:,} is outside 2..{LONGEST_LENGTH:,}; give another with --length"
        )
    found = []
    for index, (kind, settings) in enumerate(model.layers.items()):
        report = partial(_step, progress, 3 * index, 3 * len(model.layers))
        slides = kind == "sliding_attention" and model.sliding_window is not None
        length = min(model.context_length, model.sliding_window or 2) if slides else model.context_length
        found.append(_layer(kind, settings, max(length, 2), question, report))
    return Limits(model, question, tuple(found))


def _step(progress: Callable[[int, int], None] | None, before: int, total: int, done: int) -> None:
    if progress:
        progress(before + done, total)


def _layer(
    kind: str, settings: RopeSettings, length: int, question: Question, report: Callable[[int], None]
) -> LayerLimits:
    angles = question.planes(settings)
    planes = tuple(plane_limits(angle, question) for angle in angles)
    report(1)
    equal = set_limits(length, angles, None, question)
    report(2)
    # A programme of longer lengths would take much memory; its value falls with the length, so it stays a ceiling.
    solved = solve(angles, min(length, max(2, LARGEST // len(angles))))
    best = replace(set_limits(length, angles, solved.amplitudes, question), ceiling=solved.upper)
    report(3)
    return LayerLimits(kind, settings, length, planes, equal, best)


def plane_limits(angle: Angle, question: Question) -> PlaneLimits:
    """The reach of one plane."""
    return PlaneLimits(
        angle,
        tuple(first_token_reach(beta, angle) for beta in question.betas),
        angle_reach(question.letters, angle),
        tuple(symbolic_reach(question.letters, beta, angle) for beta in question.betas),
    )


def set_limits(n: int, angles: Sequence[Angle], amplitudes: Sequence[Fraction] | None, question: Question) -> SetLimits:
    """The limits of all planes at length `n`; by default all amplitudes are equal and sum to 1."""

    def found(length: int) -> WorstGap:
        return worst_gap(length, angles, amplitudes)

    worst = found(n)
    planes = Planes.of(angles, amplitudes)
    formats = tuple(
        format_limit(name, n, worst.gap, planes, lambda length: found(length).gap) for name in question.formats
    )
    return SetLimits(worst.gap, worst.offsets, None, _beta(n, angles, amplitudes, worst.gap), formats)


def _beta(n: int, angles: Sequence[Angle], amplitudes: Sequence[Fraction] | None, gap: Real) -> Result:
    if gap.exact == 0:
        return Exact("none")
    try:
        return Enclosure(decoding_beta(n, angles, amplitudes))
    except Undecided:
        return Bound("upper", log(n - 1) / gap)
