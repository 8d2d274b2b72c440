"""Which inverse temperature the Index head needs to decode, or to single out its target, at a given length.

The weight F of the competitors falls in beta, so all beta above one root do. Source: the end of arXiv 2605.31558, App.
F.2.1, made quantitative.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from flint import arb, fmpq

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import log, versine
from theory.arithmetic.continued_fraction import closest_return, gap
from theory.arithmetic.real import Real
from theory.arithmetic.root import falling_root
from theory.errors import InputError, Undecided
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length2, NonzeroAngle, Offset, Rational, quantity
from theory.rope.index.weights import decoding_bound, prefix_sums
from theory.rope.index.window import check_query, reach
from theory.rope.scale import InverseTemperature, lost_odds


def least_beta(n: int, angle: Angle, offsets: Sequence[int], bound: Fraction | int) -> Real:
    """The beta above which F < `bound` for all queries of these offsets at length `n` >= 2; at least 0.

    Raises InputError where no beta suffices, because theta brings competitors back to the phase of the target.
    """
    for offset in offsets:
        check_query(n, offset)
    if (alike := max(aliases(n, offset, angle) for offset in offsets)) >= bound:
        period = angle.turns.denominator if angle.turns else 1
        raise InputError(
            f"theta={angle} is back at the target's phase after {period} positions, so that no inverse temperature "
            f"suffices at n={n}; give n <= {period}, or another angle"
        )
    if n - 1 <= bound:
        return Real.of(0)

    gaps = [versine(t * angle.real) for t in range(1, 1 + max(reach(n, offset) for offset in offsets))]

    def excess(beta: arb) -> arb:
        sums = prefix_sums((distance.enclose() for distance in gaps), beta)
        largest = reduce(arb.max, (sums[offset] + sums[n - 1 - offset] for offset in offsets))
        return (largest / fmpq(bound.numerator, bound.denominator)).log()

    # Twice the beta at which all would do if all gaps but those of aliases were as small as the smallest.
    smallest = gap(angle, min(n, angle.turns.denominator) if angle.turns else n)
    return falling_root(excess, 0, 2 * log(Fraction(n - 1 - alike) / (bound - alike)) / smallest)


def aliases(n: int, offset: int, angle: Angle) -> int:
    """How many competitors have exactly the logit of the target; Undecided where that stays open."""
    if angle.turns is not None:
        return offset // angle.turns.denominator + (n - 1 - offset) // angle.turns.denominator
    if (closest_return(angle, reach(n, offset)).distance > 0) is not Outcome.HOLDS:
        raise Undecided(f"whether theta={angle} is a multiple of 2 pi/t for some t < n={n} is undecided")
    return 0


def beta_threshold(n: int, angle: Angle, offset: int) -> Real:
    """beta*: all inputs of length `n` whose query has this offset (0 for a letter) decode iff beta > beta*.

    Where F < bound even at beta = 0 it is 0, and they decode at 0 too. Raises InputError where beta* is infinite.
    """
    return least_beta(n, angle, [offset], decoding_bound(offset))


def sufficient_beta(n: int, angle: Angle, offset: int) -> Real:
    """ln((n - 1)/c)/Delta_inf(n) with c = `decoding_bound`, or 0 if that is negative: above it, such queries decode."""
    check_query(n, offset)
    if n - 1 <= (bound := decoding_bound(offset)):
        return Real.of(0)
    smallest = gap(angle, n)
    if smallest.exact == 0:
        period = closest_return(angle, n - 1).t
        raise InputError(f"theta={angle} leaves gap 0 at n={n}; give n <= {period}, or another angle")
    return log(Fraction(n - 1, bound)) / smallest


def beta_for(n: int, angle: Angle, epsilon: Fraction) -> InverseTemperature:
    """What it takes for every query of a length up to `n` to give its target a weight of at least 1 - `epsilon`.

    Letters and integers 1..n-1 alike. Raises InputError unless 0 < epsilon < 1, and where nothing suffices.
    """
    bound = lost_odds(epsilon)
    if n == 1:
        return InverseTemperature(Real.of(0))
    # F_{s,n-1-s} is symmetric in s and n - 1 - s, and shorter inputs have fewer competitors.
    return InverseTemperature(least_beta(n, angle, range((n + 1) // 2), bound))


CLAIM = "index-softmax-threshold"


@quantity("index-beta-threshold", unit="inverse temperature", claim=CLAIM)
def index_beta_threshold(n: Length2, theta: NonzeroAngle, offset: Offset = 0) -> Enclosure:
    """The least inverse temperature beta* above which all inputs with this query offset decode (0: a letter query)."""
    return Enclosure(beta_threshold(n, theta, offset))


@quantity("index-sufficient-beta", unit="inverse temperature", claim=CLAIM)
def index_sufficient_beta(n: Length2, theta: NonzeroAngle, offset: Offset = 0) -> Enclosure:
    """ln((n - 1)/c)/Delta_inf(n), c = 3 for letters (offset 0) and 1 for integers: sufficient, seldom necessary."""
    return Enclosure(sufficient_beta(n, theta, offset))


@quantity("index-beta-for", unit="inverse temperature", claim=CLAIM)
def index_beta_for(n: Length2, theta: NonzeroAngle, epsilon: Rational) -> Enclosure:
    """The least inverse temperature that leaves the target the weight 1 - epsilon, for every query up to length n."""
    return Enclosure(beta_for(n, theta, epsilon).infimum)
