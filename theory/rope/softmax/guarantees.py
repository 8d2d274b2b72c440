"""What each construction promises: how much attention its worst input loses, for theory.rope.softmax.attention_loss.

Source: the worst gaps of arXiv 2605.31558, Thm 3.1, 3.2 and their repairs; with m competitors at gaps of at least g the
excess at D is at most (1 - D) m e^{-beta g}. Competitors that a rotation spreads out on the circle weigh less (claim
index-circle-bound): 2/(e^{beta g} - 1) on both sides of the target, half of it on one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import exp, maximum, versine
from theory.arithmetic.continued_fraction import gap
from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.outcome import Outcome
from theory.rope.index.circle import circle_bound
from theory.rope.retrieval.letter_scale import smallest_gap
from theory.rope.retrieval.repairs import repaired_gap
from theory.rope.softmax.attention_loss import Guarantee

TURN = Real.of_linear(0, 2)


def index_guarantee(angle: Angle | None = None) -> Guarantee:
    """Index, or Reflexive by position, for all offsets at an angle in radians; None stands for 2 pi/n at length n."""

    @cache  # a search for the temperature asks for one length again and again
    def gap_at(length: int) -> Real:
        return gap(angle or index_angle(length), length)

    def excess(length: int, beta: Real, lost: Fraction) -> Real:
        if length == 1:
            return Real.of(0)
        smallest = gap_at(length)
        weight = Real.of(length - 1) if smallest.exact == 0 else circle_bound(beta, smallest)
        return (1 - lost) * weight

    return Guarantee(excess)


def index_angle(length: int) -> Angle:
    """2 pi/n, which has the largest gap at length n (claim index-discrepancy-worst-case)."""
    return Angle.turn(1, max(length, 2))


def gap_guarantee(smallest: Real, norm: int = 1, planes: int = 1) -> Guarantee:
    """A head at frequency 0 all of whose competitors have at least this gap."""

    def excess(length: int, beta: Real, lost: Fraction) -> Real:
        return (1 - lost) * (length - 1) * exp(-beta * smallest)

    return Guarantee(excess, norm, planes, rotates=False)


def repaired_guarantee(name: str, letters: int, integers: int) -> Guarantee:
    """R1 (LL queries; its residual decodes the others), R2 or R3 on proper sequences."""
    smallest = repaired_gap(name, letters, integers)
    # In R2 an LI token has a unit code in both planes, so |q||k| = 2.
    return gap_guarantee(smallest, 2, 2) if name == "R2" else gap_guarantee(smallest)


def printed_guarantee(letters: int, angle: Angle | None = None) -> Guarantee:
    """Retrieval as printed on proper sequences, 0 < angle < omega/(2n); None stands for omega/(2n + 1) at length n.

    LL queries: no gap is below Delta_inf(n) (claim retrieval-discrepancy-worst-case).
    LI queries: tokens with the same letter are spread out on one side, and others are further away.
    """
    omega = TURN / letters

    @cache  # as above
    def gaps_at(length: int) -> tuple[Real, Real] | None:
        theta = angle or printed_angle(letters, length)
        if Outcome.every((theta.real > 0, 2 * length * theta.real < omega)) is not Outcome.HOLDS:
            return None
        return smallest_gap(letters, length, theta), versine(theta.real)

    def excess(length: int, beta: Real, lost: Fraction) -> Real:
        if length == 1:
            return Real.of(0)
        if (gaps := gaps_at(length)) is None:
            # Beyond the hypothesis of Thm 3.1 some key may have any logit.
            return (length - 1) * exp(2 * beta)
        found = (length - 1) * exp(-beta * gaps[0])
        return (1 - lost) * maximum((found, circle_bound(beta, gaps[1]) / 2))

    return Guarantee(excess)


def printed_angle(letters: int, length: int) -> Angle:
    """omega/(2n + 1), radians: nearly the largest angle that Thm 3.1 allows at length n."""
    return Angle.turn(1, letters * (2 * length + 1))


def check_printed_angle(letters: int, length: int, angle: Angle) -> None:
    """Raise InputError unless 0 < angle < omega/(2n), the hypothesis of Thm 3.1."""
    if Outcome.every((angle.real > 0, 2 * length * angle.real < TURN / letters)) is not Outcome.HOLDS:
        raise InputError(
            f"angle={angle}: the printed Retrieval head decodes length {length} over {letters} letters for "
            f"0 < angle < 2*pi/{2 * letters * length} only; give such an angle, or a repaired head"
        )
