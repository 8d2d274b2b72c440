"""The inverse temperature at which a head of several planes decodes an integer query for the first token.

It is the zero beta of F(beta) = 1, F = sum_{t=1}^{n-1} e^(-beta g(t)), g(t) = sum_k a_k (1 - cos(t theta_k)). A scan
bins the g(t), in float64 with an error bound e, by the leading 13 bits of their mantissa, and keeps for each bin its
count c and mean m. Its members differ from m by w = (2^-12 + 2^-17) m at most, rounding included as long as 2 e is
below 2^-17 of the least gap, and by 0 on average, so that by convexity their e^(-beta g) sum to at least c e^(-beta m)
and at most c e^(-beta m) cosh(beta w). An error of m by a factor 1 +- h is one of beta. The zero is found in
float64; where balls tell that the least sum is still above 1 on its left, and the greatest one below 1 on its right, it
is enclosed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.arithmetic.real import RealLike
from theory.errors import InputError, Undecided
from theory.progress import Progress
from theory.rope.scale import scale_threshold
from theory.rope.universal_limits.cosine_blocks import CosineBlocks
from theory.rope.universal_limits.gap_planes import Planes

BITS = 12  # of the mantissa, beside the leading one, which is implied
SHORT = 64  # offsets up to this many are summed one by one
_SHIFT = 52 - BITS
_ROUNDING = Fraction(1, 2**17)


@dataclass(frozen=True, eq=False)
class GapCounts:
    """How many gaps lie in each bin.

    Attributes:
        means: the means of the bins that are not empty, ascending, shape (bins,), in the unit of the amplitudes.
        counts: how many of the n - 1 gaps are in each, shape (bins,).
        smallest, largest: the extreme gaps.
        error: no gap and no mean is off by more than this.
    """

    means: NDArray[np.float64]
    counts: NDArray[np.int64]
    smallest: float
    largest: float
    error: float


def decoding_beta(
    n: int, angles: Sequence[Angle], amplitudes: Sequence[RealLike] | None = None, *, progress: Progress | None = None
) -> Real:
    """The beta above which F_{0,n-1} < 1 for these planes, enclosed to about 2^-12 of itself; 0 for n <= 2.

    By default all amplitudes are equal and sum to 1. Raises InputError where no beta is enough, since some offset turns
    all planes back, and Undecided where the smallest gap is too small for float64.
    """
    planes = Planes.of(angles, amplitudes)
    if n <= 2:
        return Real.of(0)
    if planes.period is not None and planes.period < n:
        raise InputError(
            f"all planes are back after {planes.period} positions, so no scale decodes at n={n}; shorten n"
        )
    if n - 1 <= SHORT:
        return scale_threshold([planes.gap(t) for t in range(1, n)])
    return beta_of(count_gaps(n, planes, progress))


def count_gaps(n: int, planes: Planes, progress: Progress | None = None) -> GapCounts:
    """The gaps of the offsets 1..n-1 by size, n >= 4. Undecided where the least one is lost in rounding."""
    total = Real.total(planes.amplitudes)
    weights = [amplitude / total for amplitude in planes.amplitudes]
    blocks = CosineBlocks([angle.real for angle in planes.angles], weights, 1, n)
    tiny = 2**20 * blocks.error
    first, last = (int(key) for key in np.array([tiny, 2.5]).view(np.int64) >> _SHIFT)
    counts, totals = np.zeros(last - first, np.int64), np.zeros(last - first)
    smallest, largest = np.inf, 0.0
    for sums in _sums(blocks, n, progress):
        gaps = 1 - sums
        smallest, largest = min(smallest, float(gaps.min())), max(largest, float(gaps.max()))
        if smallest <= tiny:
            raise Undecided(f"a gap below n={n} is so small that float64 does not tell it from 0 well enough")
        keys = (gaps.view(np.int64) >> _SHIFT) - first
        counts += np.bincount(keys, minlength=last - first)
        totals += np.bincount(keys, weights=gaps, minlength=last - first)
    full, scale = counts > 0, float(total)
    # Beside the gaps: 1 - sum, the scale and its products, and sums of up to n terms of at most 2 for the means.
    error = scale * (blocks.error + (2 * n + 8) * np.finfo(np.float64).eps)
    means = scale * totals[full] / counts[full]
    return GapCounts(means, counts[full], scale * smallest, scale * largest, error)


def _sums(blocks: CosineBlocks, n: int, progress: Progress | None) -> Iterator[NDArray[np.float64]]:
    """The sums of cosines of each offset 1..n-1, once."""
    done = 1
    for block in blocks:
        end = block.first + 2 * block.larger.size
        # Row by row the offsets run from the first behind the centre, outward on both sides.
        pairs = np.stack([(block.even + block.odd)[:, ::-1], block.even - block.odd], axis=1).reshape(-1)
        if end > done:
            yield pairs[max(0, done - block.first) :]
        done = end
        if progress:
            progress(min(end, n) - 1, n - 1)


def beta_of(gaps: GapCounts) -> Real:
    """The beta at which F = 1, as a ball; above it F < 1. Undecided where float64 is too coarse to enclose it."""
    from scipy.optimize import brentq

    def excess(beta: float) -> float:
        return float(np.log(gaps.counts @ np.exp(-beta * (gaps.means - gaps.means[0])))) - beta * gaps.means[0]

    high = 1.0
    while excess(high) > 0:
        high *= 2
    # By brentq, since sums over the bins take NumPy a thousandth of the time that balls take.
    estimate = Fraction(float(brentq(excess, 0, high, rtol=1e-12)))
    spread = 2 * Fraction(gaps.error) / Fraction(gaps.smallest)
    if spread > _ROUNDING:
        raise Undecided("the least gap is too small beside the rounding error of the scan")
    for margin in (Fraction(1, 10**digits) for digits in range(7, 1, -1)):
        below, above = estimate * (1 - margin), estimate * (1 + margin)
        with ctx.workprec(64):
            if _sum(gaps, below, widest=False) >= 1 and _sum(gaps, above, widest=True) < 1:
                return _between(below * (1 - spread), above / (1 - spread))
    raise Undecided("the inverse temperature that decodes is not enclosed by its estimate")


def _between(low: Fraction, high: Fraction) -> Real:
    return Real(lambda: Real.of(low).enclose().union(Real.of(high).enclose()))


def _sum(gaps: GapCounts, beta: Fraction, widest: bool) -> arb:
    """The least sum of e^(-beta g) over gaps with these counts and means, or the widest one's."""
    scale = Real.of(beta).enclose()
    width = scale * Real.of(Fraction(1, 2**BITS) + _ROUNDING).enclose()
    total = arb(0)
    for mean, count in zip(gaps.means.tolist(), gaps.counts.tolist(), strict=True):
        term = count * (-scale * mean).exp()
        total += term * (width * mean).cosh() if widest else term
    return total
