"""The sum B_m of the cosines m b^(-2j/d) of all planes of RoPE: at one m, its sign and its least value over many.

Source: arXiv 2405.14591, Thm 1 and the condition B_m >= 0 for 0 <= m < L that it puts on the base b. Many m are scanned
in float64 with an error bound (theory.rope.universal_limits.cosine_blocks); what lies within it of a decision is
enclosed in balls.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from theory.arithmetic.ball import Real, cos, exp, log
from theory.arithmetic.grammar import parse_number
from theory.arithmetic.real import RealLike
from theory.errors import InputError, Undecided
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Exact, Offset, Parameter, Positive, quantity
from theory.rope.models.settings import WIDEST
from theory.rope.universal_limits.cosine_blocks import CosineBlocks

MEN = "2405.14591"
CLAIM = "men-longest-length"
FIRST_SCAN, LONGEST_SCAN = 4096, 10**9


class BaseSums:
    """B_m for all planes of RoPE of a base b > 1 and an even width d, dimensionless.

    InputError for a base that is not known to exceed 1, or a width that is odd, below 2 or beyond all models.
    """

    def __init__(self, base: RealLike, d: int) -> None:
        if d < 2 or d % 2 or d > WIDEST:
            raise InputError(f"d={d} has no sum over its planes; give an even width from 2 to {WIDEST}")
        if (Real.of(base) > 1) is not Outcome.HOLDS:
            raise InputError(f"base={base} is not known to exceed 1, so no plane is slower; give e.g. 10000")
        logarithm = log(base)
        self.angles = [Real.of(1)] + [exp(logarithm * Fraction(-2 * j, d)) for j in range(1, d // 2)]
        self._weights = [Real.of(Fraction(2, d))] * (d // 2)

    def at(self, m: int) -> Real:
        """B_m."""
        return Real.total(cos(angle * m) for angle in self.angles)

    def _means(self, start: int, stop: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64], float]]:
        """All m of a range of at least 2, in blocks that rise, with 2 B_m/d in float64 and the error of these."""
        blocks = CosineBlocks(self.angles, self._weights, start, stop)
        for block in blocks:
            yield *block.at_least(-2.0), blocks.error

    def first_below(self, floor: RealLike, stop: int) -> int | None:
        """The first m < `stop` with B_m < `floor`, or None; Undecided where a comparison is."""
        level = float(Real.of(floor) / len(self.angles))
        ends = [0]
        while ends[-1] < stop:
            ends.append(min(max(2, stop), FIRST_SCAN * 4 ** (len(ends) - 1)))
        for start, end in pairwise(ends):
            for offsets, means, error in self._means(min(start, end - 2), end):
                # `level` is rounded once.
                for m in sorted(offsets[means < level + error + abs(level) * 2.0**-52].tolist()):
                    below = self.at(m) < floor
                    if below is Outcome.UNDECIDED:
                        raise Undecided(f"whether B_{m} lies below {floor} is undecided")
                    if below is Outcome.HOLDS:
                        return m if m < stop else None
        return None

    def least(self, length: int) -> tuple[int, Real]:
        """The m < `length` with the least B_m, and B_m; Undecided if two of them are not told apart."""
        best, candidates = np.inf, {0: float(len(self.angles))}
        for offsets, means, error in self._means(0, max(2, length)):
            inside = offsets < length
            best = min(best, float(means[inside].min()))
            near = inside & (means <= best + 2 * error)
            candidates |= dict(zip(offsets[near].tolist(), means[near].tolist(), strict=True))
            candidates = {m: mean for m, mean in candidates.items() if mean <= best + 2 * error}
        (least, value), *others = ((m, self.at(m)) for m in candidates)
        for m, other in others:
            lower = other < value
            if lower is Outcome.UNDECIDED:
                raise Undecided(f"which of B_{least} and B_{m} is smaller is undecided")
            if lower is Outcome.HOLDS:
                least, value = m, other
        return least, value

    def admissible(self, length: int) -> bool:
        """Whether B_m >= 0 for all 0 <= m < `length`."""
        return self.first_below(0, length) is None


def _scan(text: str) -> int:
    length = parse_number(text)
    if not length.is_Integer or not 1 <= length <= LONGEST_SCAN:
        raise InputError(f"{text} is no length that can be scanned; give a whole number from 1 to {LONGEST_SCAN:,}")
    return int(length)


ScanLength = Annotated[int, Parameter("number of distances m = 0..L-1 (integer >= 1)", _scan)]


@quantity("cosine-sum", unit="planes", claim="men-bm-identity")
def cosine_sum(base: Positive, d: Count, m: Offset) -> Enclosure:
    """B_m, the sum of cos(m b^(-2j/d)) over the d/2 planes of RoPE."""
    return Enclosure(BaseSums(base, d).at(m))


@quantity("least-cosine-sum", unit="planes; offset", claim=CLAIM)
def least_cosine_sum(base: Positive, d: Count, length: ScanLength) -> dict[str, Exact | Enclosure]:
    """The least B_m over 0 <= m < length, and where it is; the base is admissible where it is >= 0."""
    sums = BaseSums(base, d)
    m, value = sums.least(length)
    return {"value": Enclosure(value), "m": Exact(m), "admissible": Exact(sums.admissible(length))}


@quantity("first-negative-cosine-sum", unit="offset; planes", claim=CLAIM)
def first_negative(base: Positive, d: Count, below: ScanLength = 10**6) -> dict[str, Exact | Enclosure]:
    """The first m with B_m < 0, searched below a length: the longest length for which the base is admissible."""
    sums = BaseSums(base, d)
    if (m := sums.first_below(0, below)) is None:
        return {"m": Exact(f"none below {below}")}
    return {"m": Exact(m), "value": Enclosure(sums.at(m))}
