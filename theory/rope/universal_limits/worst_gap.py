"""The worst gap of a set of frequencies: the least sum_k a_k (1 - cos(t theta_k)) over the offsets t = 1..n-1.

Source: derived here; it measures how far an aligned positional head with amplitudes a_k keeps its target apart. What
needs no scan is answered without one: a period below n (gap 0), a single frequency (continued fraction), offsets that
turn no plane by more than half a turn (all terms still rise). The others are scanned in float64 with an error bound;
all that lie within two of these bounds of the best are enclosed in balls, until one is left or those that are left are
the same number.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import sympy
from flint import ctx

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, minimum
from theory.arithmetic.continued_fraction import closest_return
from theory.arithmetic.grammar import parse_number, parse_vector
from theory.arithmetic.real import PRECISION_LIMIT, RealLike, precisions
from theory.errors import InputError, Undecided
from theory.outcome import Outcome
from theory.progress import Progress, progress_bar
from theory.quantities import Count, Enclosure, Exact, Length2, Parameter, Vector, quantity
from theory.rope.universal_limits.cosine_blocks import CosineBlocks
from theory.rope.universal_limits.gap_planes import Planes

CLAIM = "rope-gap-certified-scan"
SHORTEST_SCAN, LONGEST_SCAN = 16, 10**12  # fewer offsets are enclosed right away
MOST_CANDIDATES = 10_000


@dataclass(frozen=True, eq=False)
class WorstGap:
    """The worst gap and where it is.

    Attributes:
        gap: its value, in the unit of the amplitudes.
        offsets: all t that attain it, ascending.
        located: UNDECIDED if the precision limit does not tell `offsets` apart: then at least one attains the gap.
    """

    gap: Real
    offsets: Sequence[int]
    located: Outcome = Outcome.HOLDS

    @property
    def t(self) -> int:
        """The first offset that attains the gap; Undecided where that is not known."""
        if self.located is not Outcome.HOLDS:
            raise Undecided(f"which of the offsets {list(self.offsets)} has the least gap is undecided")
        return self.offsets[0]


def worst_gap(
    n: int,
    angles: Sequence[Angle],
    amplitudes: Sequence[RealLike] | None = None,
    *,
    progress: Progress | None = None,
) -> WorstGap:
    """The least sum_k a_k (1 - cos(t theta_k)) over 1 <= t < n, certified, and all t that attain it.

    Args:
        n: length, at least 2.
        angles: theta_k, radians per position.
        amplitudes: a_k >= 0, exact; by default all are equal and sum to 1.
        progress: called with the number of offsets that have been scanned, and of those that are to be.

    Raises:
        InputError: n < 2, no angle, an amplitude that is not exact or negative, lengths that differ, too long a scan.
        Undecided: more offsets than can be enclosed lie within the rounding error of the worst gap.
    """
    if (n := operator.index(n)) < 2:
        raise InputError(f"n={n} leaves no offset to compare; give a length of at least 2")
    planes = Planes.of(angles, amplitudes)
    period = planes.period
    if period is not None and period < n:
        return WorstGap(Real.of(0), range(period, n, period))
    if len(planes.angles) == 1:
        t = closest_return(planes.angles[0], n - 1).t
        mirrored = [] if period is None or period - t >= n else [period - t]
        return WorstGap(planes.gap(t), sorted({t, *mirrored}))
    return least_of(planes, [1, *_close(planes, planes.rising + 1, n, progress)])


def _close(planes: Planes, start: int, stop: int, progress: Progress | None) -> list[int]:
    """All t in start <= t < stop that can have the least gap of the range, by sums in float64."""
    count = stop - start
    if count < SHORTEST_SCAN:
        return list(range(start, stop))
    if count > LONGEST_SCAN:
        raise InputError(
            f"n={stop} leaves {count:,} offsets to scan, above the limit of {LONGEST_SCAN:,}; give a smaller n, "
            "or a single frequency, which takes no scan"
        )
    total = Real.total(planes.amplitudes)
    weights = [amplitude / total for amplitude in planes.amplitudes]
    blocks = CosineBlocks([angle.real for angle in planes.angles], weights, start, stop)
    best, crowded, slack = -np.inf, -np.inf, 2 * blocks.error
    offsets, sums = np.empty(0, np.int64), np.empty(0)
    for block in blocks:
        peak = float(block.larger.max())
        if peak >= best - slack:
            best = max(best, peak)
            more = block.at_least(best - slack)
            offsets, sums = np.concatenate([offsets, more[0]]), np.concatenate([sums, more[1]])
            offsets, sums = offsets[sums >= best - slack], sums[sums >= best - slack]
            if offsets.size > MOST_CANDIDATES:
                crowded, offsets, sums = best, offsets[:0], sums[:0]
        if progress:
            progress(min(block.first + 2 * block.larger.size, stop) - start, count)
    if crowded >= best - slack:
        raise Undecided(
            f"more than {MOST_CANDIDATES:,} offsets below n={stop} have gaps within {slack:.1g} of the least one, "
            "relative to the sum of the amplitudes, and float64 does not tell them apart"
        )
    return [int(t) for t in offsets]


def least_of(planes: Planes, candidates: Iterable[int]) -> WorstGap:
    """The worst gap where only the offsets `candidates` are compared, in balls of rising precision."""
    gaps = {t: planes.gap(t) for t in sorted(set(candidates))}
    for precision in precisions(128, PRECISION_LIMIT):
        with ctx.workprec(precision):
            balls = {t: gap.enclose() for t, gap in gaps.items()}
            least = min(ball.upper() for ball in balls.values())
            gaps = {t: gap for t, gap in gaps.items() if not balls[t] > least}
        if len({planes.same(t) for t in gaps}) == 1:
            return WorstGap(gaps[min(gaps)], list(gaps))
    return WorstGap(minimum(gaps.values()), list(gaps), Outcome.UNDECIDED)


def _results(found: WorstGap) -> Mapping[str, Exact | Enclosure]:
    if found.located is not Outcome.HOLDS:
        return {"gap": Enclosure(found.gap), "undecided between": Exact(list(found.offsets))}
    results: dict[str, Exact | Enclosure] = {"gap": Enclosure(found.gap), "t": Exact(found.t)}
    if isinstance(found.offsets, range):
        results["tied"] = Exact(f"all multiples of {found.t} below n")
    elif len(found.offsets) > 1:
        results["tied"] = Exact(list(found.offsets))
    return results


def _planes(text: str) -> Sequence[int]:
    numbers = parse_vector(text) if text.lstrip().startswith("[") else (parse_number(text),)
    if not all(number.is_Integer and number >= 1 for number in numbers):
        raise InputError(f"{text} names no planes; give how many, fastest first, or a JSON list of planes from 1 on")
    return [int(number) for number in numbers] if text.lstrip().startswith("[") else range(1, int(numbers[0]) + 1)


WhichPlanes = Annotated[Sequence[int], Parameter("how many, fastest first, or a JSON list of planes (from 1)", _planes)]
Base = Annotated[sympy.Expr, Parameter("base of RoPE, exact", parse_number)]


@quantity("worst-gap", unit="logit; offset", claim=CLAIM)
def frequency_set_gap(
    n: Length2,
    frequencies: Vector,
    amplitudes: Vector | None = None,
) -> Mapping[str, Exact | Enclosure]:
    """The least sum_k a_k (1 - cos(t theta_k)) over 1 <= t < n, and where it is; without amplitudes a_k = 1/m."""
    with progress_bar("scanning") as progress:
        return _results(worst_gap(n, [Angle(expr) for expr in frequencies], amplitudes, progress=progress))


@quantity("rope-worst-gap", unit="logit; offset", claim=CLAIM)
def rope_gap(n: Length2, base: Base, d: Count, planes: WhichPlanes | None = None) -> Mapping[str, Exact | Enclosure]:
    """The worst gap of planes of RoPE at equal amplitudes of sum 1; by default all d/2 planes."""
    with progress_bar("scanning") as progress:
        angles = [Angle.rope(base, d, k) for k in planes or range(1, d // 2 + 1)]
        return _results(worst_gap(n, angles, progress=progress))
