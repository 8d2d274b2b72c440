"""Which bases of RoPE suffice for which mechanism at a target length.

No search by halving: for all planes together the bases that suffice need not be an interval (claim
men-base-set-not-interval). Bases are scanned on a grid, and the runs of neighbours that suffice are reported. Only for
one plane by its angle is there a least base, in closed form: the slowest plane turns by b^(-(d-2)/d).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import sympy

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, evaluate
from theory.errors import InputError, Undecided
from theory.limits.model import Question
from theory.limits.symbolic import angle_reach, decodes, symbolic_reach
from theory.limits.temperature import beta_of, count_gaps
from theory.outcome import Outcome
from theory.rope.index.length import first_token_reach
from theory.rope.models.settings import RopeSettings
from theory.rope.universal_limits.bessel_bound import mean_weight
from theory.rope.universal_limits.gap_planes import Planes

LOWEST, HIGHEST, PER_DECADE = 3, 8, 8  # powers of ten


@dataclass(frozen=True, eq=False)
class BaseLimits:
    """What one base gives at the target length.

    Attributes:
        by_angle: whether the slowest plane tells letters apart.
        symbolic: whether softmax decodes them, for each beta.
        positive: whether B_m = sum_k cos(m theta_k) >= 0 for all m below the length (arXiv 2405.14591).
        one_plane: whether the plane that reaches farthest decodes the first token, for each beta.
        together: whether all planes with equal amplitudes do, for each beta.
        gap: the worst gap of all planes, to float64.
        beta: what all planes need; None where it is not known.
    """

    base: Fraction
    by_angle: Outcome
    symbolic: tuple[Outcome, ...]
    positive: Outcome
    one_plane: tuple[Outcome, ...]
    together: tuple[Outcome, ...]
    gap: float
    beta: Real | None


def grid(own: Fraction | None = None) -> list[Fraction]:
    """Bases from 10^3 to 10^8, eight a decade, of three digits; and the base that the settings have."""
    powers = range(LOWEST * PER_DECADE, HIGHEST * PER_DECADE + 1)
    rounded = {Fraction(round(10 ** (k / PER_DECADE % 1 + 2)) * 10 ** (k // PER_DECADE - 2)) for k in powers}
    return sorted(rounded | ({own} if own else set()))


def scan_bases(
    settings: RopeSettings,
    target: int,
    question: Question,
    bases: Sequence[Fraction],
    progress: Callable[[int, int], None] | None = None,
) -> list[BaseLimits]:
    """What each base gives at length `target` >= 4 under the scaling of the settings."""
    found = []
    for index, base in enumerate(bases):
        found.append(_base(replace(settings, base=base, length=target), target, question))
        if progress:
            progress(index + 1, len(bases))
    return found


def _base(settings: RopeSettings, n: int, question: Question) -> BaseLimits:
    angles = question.planes(settings)
    slowest = min(angles, key=lambda angle: float(angle.real))
    fits = angle_reach(question.letters, slowest) >= n
    symbolic = tuple(_symbolic(n, beta, slowest, fits, question) for beta in question.betas)
    one_plane = tuple(Outcome.of(_farthest(n, beta, angles)) for beta in question.betas)
    planes = Planes.of(angles)
    if not planes.angles:
        never = (Outcome.REFUTED,) * len(symbolic)
        return BaseLimits(settings.base, Outcome.of(fits), symbolic, Outcome.HOLDS, never, never, 0.0, None)
    try:
        gaps = count_gaps(n, planes)
        beta = beta_of(gaps)
    except Undecided:
        undecided = Outcome.UNDECIDED
        return BaseLimits(
            settings.base, Outcome.of(fits), symbolic, undecided, one_plane, (undecided,) * len(symbolic), 0.0, None
        )
    # With amplitudes 1/m, B_m >= 0 says that no gap exceeds 1.
    sign = None if abs(gaps.largest - 1) <= gaps.error else gaps.largest < 1
    together = tuple(beta < scale for scale in question.betas)
    return BaseLimits(
        settings.base, Outcome.of(fits), symbolic, Outcome.of(sign), one_plane, together, gaps.smallest, beta
    )


def _symbolic(n: int, beta: Real, slowest: Angle, fits: bool, question: Question) -> Outcome:
    if not fits:
        return Outcome.REFUTED
    if slowest.real.exact == 0:
        return Outcome.of(symbolic_reach(question.letters, beta, slowest) >= n)
    return Outcome.of(decodes(question.letters, n, beta, slowest))


def _farthest(n: int, beta: Real, angles: Sequence[Angle]) -> bool:
    return one_plane_may(n, beta) and any(first_token_reach(beta, angle) >= n for angle in angles)


def one_plane_may(n: int, beta: Real) -> bool:
    """Whether n Bes(beta) < 3, without which no plane of any angle decodes the first token (temperature-separation)."""
    return (n * mean_weight(beta) < 3) is Outcome.HOLDS


def least_base(settings: RopeSettings, target: int, letters: int) -> Real:
    """The base above which (2 n - 3) theta < 2 pi/A at n = `target` for the slowest plane of unscaled RoPE."""
    if settings.rotary_dim <= 2:
        raise InputError(f"rotary width {settings.rotary_dim} has one plane, of angle 1 at every base; use 4 or more")
    quotient = sympy.Rational((2 * target - 3) * letters) / (2 * sympy.pi)
    return evaluate(quotient ** sympy.Rational(settings.rotary_dim, settings.rotary_dim - 2))


def runs(rows: Sequence[BaseLimits], holds: Callable[[BaseLimits], Outcome]) -> Iterator[tuple[Fraction, Fraction]]:
    """The first and last base of each run of neighbours for which a condition holds."""
    start: Fraction | None = None
    before: Fraction | None = None
    for row in rows:
        if holds(row) is Outcome.HOLDS:
            start = row.base if start is None else start
            before = row.base
        elif start is not None and before is not None:
            yield start, before
            start = None
    if start is not None and before is not None:
        yield start, before
