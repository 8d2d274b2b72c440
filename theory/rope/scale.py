"""The inverse temperature at which a target outweighs its competitors, enclosed in balls.

A target with logit gaps g_1, g_2, ... to its competitors carries more weight than 1/level of all of theirs together iff
sum_i e^(-beta g_i) < level. The sum falls with beta, so all beta above one zero do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, nextafter

from flint import arb, ctx, fmpq

from theory.arithmetic.ball import Real, exp, log, minimum
from theory.arithmetic.real import PRECISION_LIMIT, precisions
from theory.arithmetic.root import falling_root
from theory.errors import InputError, Undecided
from theory.outcome import Outcome


def weight_sum(gaps: Sequence[Real], beta: Real) -> Real:
    """The weight of all competitors relative to that of the target: sum_i e^(-beta g_i)."""
    return Real.total(exp(-beta * gap) for gap in gaps)


@dataclass(frozen=True, eq=False)
class InverseTemperature:
    """What an inverse temperature has to exceed, as the infimum of all that suffice."""

    infimum: Real

    @property
    def sufficient(self) -> float:
        """A double that certainly suffices; 0 where all do."""
        return 0.0 if self.infimum.exact == 0 else nextafter(float(self.infimum.ball(64).upper()), inf)


def lost_odds(epsilon: Fraction) -> Fraction:
    """epsilon/(1 - epsilon): the competing weight that leaves the target the share 1 - epsilon of attention.

    InputError unless 0 < epsilon < 1.
    """
    if not 0 < epsilon < 1:
        raise InputError(f"epsilon={epsilon} is no share of the weight that may be lost; give 0 < epsilon < 1")
    return epsilon / (1 - epsilon)


def scale_threshold(gaps: Sequence[Real], level: Fraction | int = 1) -> Real:
    """The inverse temperature above which sum_i e^(-beta g_i) < level; 0 if every positive one is enough.

    Raises InputError where none is enough: a gap is negative, or as many as `level` vanish. Undecided where the sign
    of a gap stays open.
    """
    positive = [gap for gap in gaps if not _vanishes(gap)]
    if (vanishing := len(gaps) - len(positive)) >= level:
        raise InputError(
            f"{vanishing} competitors have the logit of the target, so no scale is enough; change the angle"
        )
    if len(gaps) <= level:
        return Real.of(0)
    # Twice the scale at which all positive gaps would do if they were as small as the smallest.
    enough = 2 * log(Fraction(len(positive)) / (level - vanishing)) / minimum(positive)

    def excess(beta: arb) -> arb:
        weights = ((-beta * gap.enclose()).exp() for gap in gaps)
        return sum(weights, arb(0)) - fmpq(level.numerator, level.denominator)

    return falling_root(excess, 0, enough)


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


def _vanishes(gap: Real) -> bool:
    if (gap > 0) is Outcome.HOLDS:
        return False
    if (gap < 0) is Outcome.HOLDS:
        raise InputError(
            f"a competitor is {float(-gap):.6g} above the target, so no scale is enough; shorten the input"
        )
    if gap.equals(0) is not Outcome.HOLDS:
        raise Undecided(f"the sign of a logit gap is undecided at {PRECISION_LIMIT} bits")
    return True
