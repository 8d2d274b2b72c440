"""Weighted sums of cosines at every offset of a range, in float64, with a bound for their error.

Source: derived here; angle addition, and the standard model of rounding, u = 2^-53.

Offsets are written as t = c - x and t = c + x, with a centre c for each 2 R of them and x = 1/2, 3/2, ..., R - 1/2. The
sum over the frequencies theta_k, weights w_k, is then E + O and E - O for

    E = sum_k w_k cos(c theta_k) cos(x theta_k),    O = sum_k w_k sin(c theta_k) sin(x theta_k),

two matrix products for many centres at once, and E + |O| is the larger one of each pair.

Error, relative to the moduli of z = e^(i theta_k): a power of z from a ball is rounded once (u); a complex product adds
at most sqrt(2) gamma_2 < 3u, since the absolute products in its real and in its imaginary part sum to |x||y| at most. A
table of 2^j powers takes j such factors, each off by less than 1 + 5u; the half step is one more, and the first power
of a block, with its weight rounded and multiplied, two. The dot products of length m, summed in any order, with or
without fused operations, and their sum E +- O are off by gamma_(m + 1) times the sum of absolute products, by Cauchy at
most the sum of the moduli. As the weights sum to 1, a sum is off by at most

    (1 + 5u)^(J + I + 3) / (1 - (m + 1) u) - 1

for tables of R = 2^J steps and 2^I centres: nothing grows with t. One u more pays for what is neglected: radii of balls
below 2^-60, and underflow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from theory.arithmetic.ball import Real
from theory.arithmetic.real import PRECISION_LIMIT, precisions
from theory.errors import Undecided

UNIT = Fraction(1, 2**53)
CENTRE_BITS, STEP_BITS = 8, 10  # a block has 2 MB a matrix, which stay in a cache between product and inspection
TABLE_BITS = 20  # at most about 2^20 powers in a table of steps


def error_bound(bits: int, frequencies: int) -> Fraction:
    """The error of a sum whose two tables have J + I = `bits`, relative to the sum of the weights."""
    return (1 + 5 * UNIT) ** (bits + 3) / (1 - (frequencies + 1) * UNIT) - 1 + UNIT


@dataclass(frozen=True)
class Block:
    """The sums at `first`, `first` + 1, ... in pairs: a row for each centre, a column for each step.

    Attributes:
        even, odd: E and O of the module's docstring; the pair is E + O before the centre and E - O behind it.
        larger: E + |O|.
    """

    first: int
    even: NDArray[np.float64]
    odd: NDArray[np.float64]
    larger: NDArray[np.float64]

    def at_least(self, threshold: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The offsets whose sum is at least `threshold`, in no order, and the sums."""
        rows, columns = np.nonzero(self.larger >= threshold)
        even, odd = self.even[rows, columns], self.odd[rows, columns]
        steps = self.larger.shape[1]
        centres = self.first + (2 * rows + 1) * steps
        offsets = np.concatenate([centres - 1 - columns, centres + columns])
        sums = np.concatenate([even + odd, even - odd])
        kept = sums >= threshold
        return offsets[kept], sums[kept]


class CosineBlocks:
    """The sums sum_k w_k cos(t theta_k) for start <= t < stop.

    Args:
        angles: theta_k, radians.
        weights: w_k >= 0, dimensionless; their sum is 1.
        start, stop: the range of t, of at least 2.

    Attributes:
        bits: J + I.
        error: no sum is off by more than this.

    Raises:
        Undecided: an angle is not enclosed well enough at the precision limit.
    """

    def __init__(self, angles: Sequence[Real], weights: Sequence[Real], start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        # Offsets and centres are counted in halves.
        self._halves, self._precision = _enclosed([angle / 2 for angle in angles], 2 * stop)
        self._weights = np.array([float(weight) for weight in weights])
        size = (stop - start).bit_length() - 1
        steps = min(STEP_BITS, size // 2, max(TABLE_BITS - len(angles).bit_length(), 0))
        centres = min(CENTRE_BITS, size - 1 - steps)
        self._steps = self._powers(2, steps) * self._power(1)
        self._centres = self._powers(4 << steps, centres)
        self.bits = steps + centres
        self.error = float(np.nextafter(float(error_bound(self.bits, len(angles))), 1))

    def __iter__(self) -> Iterator[Block]:
        """Blocks that cover the range, the last one perhaps once more; the next block overwrites their arrays."""
        right = np.ascontiguousarray(self._steps.T)
        cosines, sines = np.ascontiguousarray(right.real), np.ascontiguousarray(right.imag)
        even, odd, larger = np.empty((3, len(self._centres), len(self._steps)))
        width = 2 * len(self._steps)
        whole = (self.stop - self.start) // width
        rows_done = range(0, whole, len(self._centres))
        places = ((self.start + done * width, min(len(self._centres), whole - done)) for done in rows_done)
        for first, count in chain(places, [(self.stop - width, 1)]):
            rows = self._centres[:count] * (self._weights * self._power(2 * first + width - 1))
            block = Block(first, even[:count], odd[:count], larger[:count])
            np.matmul(np.ascontiguousarray(rows.real), cosines, out=block.even)
            np.matmul(np.ascontiguousarray(rows.imag), sines, out=block.odd)
            np.abs(block.odd, out=block.larger)
            np.add(block.larger, block.even, out=block.larger)
            yield block

    def _power(self, halves: int) -> NDArray[np.complex128]:
        """e^(i t theta_k) for all k and t = `halves`/2, each part rounded once."""
        with ctx.workprec(self._precision):
            parts = [(half * halves).sin_cos() for half in self._halves]
        return np.array([complex(float(cosine), float(sine)) for sine, cosine in parts])

    def _powers(self, step: int, bits: int) -> NDArray[np.complex128]:
        """The powers for 0, `step`, 2 `step`, ... halves, 2^`bits` rows."""
        table = np.ones((1, len(self._halves)), dtype=np.complex128)
        for bit in range(bits):
            table = np.concatenate([table, table * self._power(step << bit)])
        return table


def _enclosed(angles: Sequence[Real], stop: int) -> tuple[list[arb], int]:
    """Balls of which all multiples below `stop` are known to 2^-62, and their precision."""
    for precision in precisions(128, PRECISION_LIMIT):
        balls = [angle.at(precision) for angle in angles]
        # Multiplying rounds relative to the multiple, so its size counts as well as the radius.
        limit = arb(2) ** -62 / stop
        if all(ball.is_finite() and ball.rad() + abs(ball) * arb(2) ** -precision < limit for ball in balls):
            return balls, precision
    raise Undecided(f"the angles are not known well enough to be multiplied by {stop:,}")
