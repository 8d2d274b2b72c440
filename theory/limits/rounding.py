"""Up to which length angles in a floating-point format keep the target of a positional head of several planes.

Angles a_t = fl(t fl(theta)) make the phase of positions i, j < n, computed for n <= 2^p + 1 in p bits, differ from
(i - j) theta by e = (2n - 3) ((1 + u)^2 - 1) theta at most, u = 2^-p, and by nothing where theta is a power of 2 (claim
float-angle-error). That lowers the logit a_k of a target by a_k min(2, e^2/2) at most, and raises that of a competitor
by a_k min(2, e). While the sum of both over all planes is below the worst gap, every target keeps the largest logit. If
positions are stored in the format as well, those of 2^p and 2^p + 1 coincide (float-position-collapse): with positions
from 0 on, two keys of length 2^p + 2 are one, whatever the planes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from theory.arithmetic.ball import Real
from theory.limits.search import largest
from theory.outcome import Outcome
from theory.rope.precision.logit_rounding import FORMATS
from theory.rope.universal_limits.gap_planes import Planes

SHORT_SCAN, LONGEST_SCAN = 2**14, 2**21


@dataclass(frozen=True)
class FormatLimit:
    """The lengths of one format.

    Attributes:
        name: of the format.
        kept: a lower bound on the longest length at which every target keeps the largest logit.
        lost: a length at which some target has lost it, if positions are stored in the format too.
    """

    name: str
    kept: int
    lost: int


def format_limit(name: str, n: int, gap: Real, planes: Planes, gap_at: Callable[[int], Real]) -> FormatLimit:
    """The limit of a format for planes with the worst gap `gap` at length `n`; `gap_at` gives that of another one."""
    precision = FORMATS[name].precision
    collapse = 2**precision + 2

    def kept(length: int, gap: Real) -> bool:
        return (loss(length, planes, precision) < gap) is Outcome.HOLDS

    # The worst gap falls with the length: up to n it is at least `gap`, and other lengths are scanned where they are
    # short, or where one scan may settle much.
    found = largest(lambda length: length < 2 or kept(length, gap), 1, collapse - 1)
    if found < n:
        found = largest(
            lambda length: length < 2 or kept(length, gap_at(length)),
            found,
            min(n, max(found, SHORT_SCAN), collapse - 1),
        )
    elif found > n:
        longest = min(found, max(n, LONGEST_SCAN))
        least = gap_at(longest)
        found = max(n, largest(lambda length: kept(length, least), longest, longest))
        while 2 * found < longest and kept(2 * found, gap_at(2 * found)):
            found *= 2
    return FormatLimit(name, found, collapse)


def loss(n: int, planes: Planes, precision: int) -> Real:
    """What rounding takes of a gap at most, for lengths up to n <= 2^p + 1, in the unit of the amplitudes."""
    u = Fraction(1, 2**precision)
    relative = (2 * n - 3) * ((1 + u) ** 2 - 1)
    pairs = [
        (abs(angle.real), amplitude)
        for angle, amplitude in zip(planes.angles, planes.amplitudes, strict=True)
        if not _power_of_two(angle.real.exact)
    ]

    def enclose() -> arb:
        factor = arb(relative.numerator) / relative.denominator
        errors = ((factor * theta.enclose(), amplitude.enclose()) for theta, amplitude in pairs)
        return sum((amplitude * (e.min(2) + (e**2 / 2).min(2)) for e, amplitude in errors), arb(0))

    return Real(enclose)


def _power_of_two(value: Fraction | None) -> bool:
    return (
        value is not None
        and value > 0
        and value.numerator & (value.numerator - 1) == 0 == (value.denominator & (value.denominator - 1))
    )
