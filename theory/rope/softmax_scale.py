"""The inverse temperature at which a target outweighs its competitors, enclosed in balls.

A target with logit gaps g_1, g_2, ... to its competitors carries more weight than 1/level of all of theirs together iff
sum_i e^(-beta g_i) < level. The sum is convex and falls with beta: Newton's method climbs to the least such beta in
floats, and balls certify it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from theory.arithmetic.ball import Real, exp
from theory.arithmetic.real import PRECISION_LIMIT, precisions
from theory.arithmetic.root import falling_root
from theory.errors import InputError, Undecided
from theory.outcome import Outcome

# Far above the relative error of the root in floats, which is that of the gaps and of a few roundings.
_ROUNDING = Fraction(1, 2**20)


def weight_sum(gaps: Sequence[Real], beta: Real) -> Real:
    """The weight of all competitors relative to that of the target: sum_i e^(-beta g_i)."""
    return Real.total(exp(-beta * gap) for gap in gaps)


def scale_threshold(gaps: Sequence[Real], level: Fraction | int = 1) -> Real:
    """The inverse temperature above which sum_i e^(-beta g_i) < level; 0 if every positive one is enough.

    Raises InputError where none is enough: a gap is negative, or as many as `level` vanish. Undecided where the sign
    of a gap stays open.
    """
    vanishing = [gap for gap in gaps if _sign_is_zero(gap)]
    if len(vanishing) >= level:
        raise InputError(
            f"{len(vanishing)} competitors have the logit of the target, so no scale is enough; change the angle"
        )
    if len(gaps) <= level:
        return Real.of(0)
    start = Fraction(_float_root(np.array([float(gap) for gap in gaps]), float(level)))
    bound = fmpq(level.numerator, level.denominator)

    def excess(beta: arb) -> arb:
        return sum(((-beta * gap.enclose()).exp() for gap in gaps), arb(-bound))

    return falling_root(excess, start * (1 - _ROUNDING), start * (1 + _ROUNDING))


def around(gaps: Sequence[Real]) -> list[Fraction]:
    """Scales to try a threshold at: 0, 1 and two that have it between them, 10^-4 apart."""
    try:
        below = Fraction(ceiling(scale_threshold(gaps) * 10**4) - 1, 10**4)
    except InputError:
        return [Fraction(0), Fraction(1)]
    return sorted({Fraction(0), Fraction(1), max(below, Fraction(0)), below + Fraction(1, 10**4)})


def ceiling(value: Real) -> int:
    """The least integer that is not below the number. Undecided if the precision limit does not tell it from one."""
    if (exact := value.exact) is not None:
        return ceil(exact)
    for precision in precisions(64, PRECISION_LIMIT):
        with ctx.workprec(precision):
            if (found := value.enclose().ceil().unique_fmpz()) is not None:
                return int(found)
    raise Undecided(f"whether {value!r} is an integer is undecided at {PRECISION_LIMIT} bits")


def _sign_is_zero(gap: Real) -> bool:
    if (gap > 0) is Outcome.HOLDS:
        return False
    if (gap < 0) is Outcome.HOLDS:
        raise InputError(
            f"a competitor is {float(-gap):.6g} above the target, so no scale is enough; shorten the input"
        )
    if gap.equals(0) is not Outcome.HOLDS:
        raise Undecided(f"the sign of a logit gap is undecided at {PRECISION_LIMIT} bits")
    return True


def _float_root(gaps: NDArray[np.float64], level: float) -> float:
    """Newton from the left: the iterates rise to the root of a convex falling function."""
    beta = 0.0
    while True:
        terms = np.exp(-beta * gaps)
        step = float((terms.sum() - level) / (gaps @ terms))
        if not step > 1e-13 * beta:
            return beta
        beta += step
