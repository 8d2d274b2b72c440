"""Gaps, scales and lengths of the printed Retrieval head on LL queries, computed with certainty.

Source: the claims retrieval-discrepancy-worst-case and retrieval-softmax-threshold.
"""

from __future__ import annotations

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, exp, log, maximum, minimum, pi, versine
from theory.arithmetic.ball import sin as sine
from theory.errors import InputError, Undecided
from theory.outcome import Outcome
from theory.quantities import (
    AnyAngle,
    Bound,
    Enclosure,
    Exact,
    Length2,
    Letters,
    NonzeroAngle,
    Positive,
    Result,
    quantity,
)
from theory.rope.retrieval.discrepancy import half_angles, length_limit
from theory.rope.retrieval.softmax import worst_inputs
from theory.rope.scale import ceiling, scale_threshold, weight_sum


def smallest_gap(letters: int, n: int, angle: Angle) -> Real:
    """Delta_inf(n): the least gap over all proper inputs of length `n` with LL query and a competitor.

    Raises InputError for n < 2, fewer than two letters, theta < 0 or (n - 1) theta > omega.
    """
    check_letter_query(letters, n, angle)
    positive = (2 * n - 3) * angle.real <= 2 * pi / letters
    if positive is Outcome.UNDECIDED:
        raise Undecided(
            f"whether (2n - 3) theta exceeds omega is undecided for letters={letters}, n={n}, theta={angle}"
        )
    first, second = half_angles(n, angle.real, 2 * pi / letters, positive is Outcome.HOLDS)
    return 2 * sine(first) * sine(second)


def check_letter_query(letters: int, n: int, angle: Angle) -> None:
    """InputError unless A >= 2, n >= 2 and 0 <= (n - 1) theta <= omega, where the letter below is the worst rival."""
    if letters < 2:
        raise InputError(f"letters={letters} is below 2: one letter has no competitor; give an alphabet of at least 2")
    if n < 2:
        raise InputError(f"n={n} leaves no competitor; give n >= 2")
    if (angle.real >= 0) is not Outcome.HOLDS:
        raise InputError(f"theta={angle} is negative; give theta >= 0, since the mirrored head has the same gaps")
    if ((n - 1) * angle.real <= 2 * pi / letters) is not Outcome.HOLDS:
        raise InputError(
            f"n={n} breaks (n - 1) theta <= omega = 2 pi/{letters} at theta={angle}; shorten n or lower theta"
        )


def hard_length_limit(letters: int, angle: Angle) -> int:
    """The longest n at which hard attention decodes all LL queries: ceil((omega/theta + 3)/2) - 1.

    Raises InputError unless A >= 2 and 0 < theta <= omega.
    """
    check_letter_query(letters, 2, angle)
    if (angle.real > 0) is not Outcome.HOLDS:
        raise InputError(f"theta={angle} sets no limit: LL queries decode at every length; give theta > 0")
    return ceiling(length_limit(2 * pi / letters / angle.real)) - 1


def letter_beta_threshold(letters: int, n: int, angle: Angle) -> Real:
    """The scale above which softmax decodes all LL queries of length `n`, and below which it does not; at least 0.

    Raises InputError as `smallest_gap`, and where no scale is enough because that gap is not positive.
    """
    if (smallest_gap(letters, n, angle) > 0) is not Outcome.HOLDS:
        limit = hard_length_limit(letters, angle)
        raise InputError(f"n={n} exceeds {limit}, beyond which no scale decodes at theta={angle}; give n <= {limit}")
    if angle.real.exact == 0:
        return log(n - 1) / versine(2 * pi / letters)
    return maximum(scale_threshold(gaps) for gaps in worst_inputs(letters, n, angle))


def letter_length_limit(letters: int, beta: Real, angle: Angle) -> int:
    """The longest n at which softmax at the scale `beta` > 0 decodes all LL queries; theta = 0: ceil(e^(beta gap)).

    A failing input fails at the next length too, with one more token before it. Raises InputError unless
    0 <= theta <= omega.
    """
    check_letter_query(letters, 2, angle)
    if angle.real.exact == 0:
        return ceiling(exp(beta * versine(2 * pi / letters)))
    hard = hard_length_limit(letters, angle)

    def decodes(n: int) -> bool:
        found = Outcome.every(weight_sum(gaps, beta) < 1 for gaps in worst_inputs(letters, n, angle))
        if found is Outcome.UNDECIDED:
            raise Undecided(f"whether all LL queries of length {n} decode is undecided for theta={angle}")
        return found is Outcome.HOLDS

    low, high = 1, 2
    while high <= hard and decodes(high):
        low, high = high, 2 * high
    high = min(high, hard + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if decodes(middle) else (low, middle)
    return low


@quantity("retrieval-gap", unit="logit", claim="retrieval-discrepancy-worst-case")
def retrieval_gap(letters: Letters, n: Length2, theta: AnyAngle) -> Enclosure:
    """The smallest gap of the printed head over LL queries of length n, for 0 <= (n - 1) theta <= omega."""
    return Enclosure(smallest_gap(letters, n, theta))


@quantity("retrieval-gap-readings", unit="logit", claim="retrieval-discrepancy-printed")
def gap_readings(letters: Letters, n: Length2, theta: AnyAngle) -> dict[str, Result]:
    """The printed bound 1 - cos(omega - n theta), a true one, and the readings of what they are to bound."""
    check_letter_query(letters, n, theta)
    if letters * n > 10**5:
        raise InputError(f"letters={letters}, n={n} has over 10^5 places of a rival to compare; give a shorter length")
    step, turn = 2 * pi / letters, theta.real
    # The target at the query and one rival before it; a rival at the query has no larger gap to a target before it.
    farthest = [versine(kappa * step + r * turn) for r in range(1, n) for kappa in range(1, letters)]
    return {
        "printed bound": Enclosure(versine(step - n * turn)),
        "true bound": Bound("upper", versine(step - (n - 1) * turn)),
        "minimum": Enclosure(smallest_gap(letters, n, theta)),
        "displayed formula": Enclosure(minimum([versine(step), *farthest])),
        "maximum": Enclosure(maximum(farthest)),
    }


@quantity("retrieval-length-limit", unit="tokens", claim="retrieval-discrepancy-worst-case")
def retrieval_length_limit(letters: Letters, theta: NonzeroAngle) -> dict[str, Result]:
    """The longest n at which hard attention decodes all LL queries; omega/theta, where the printed bound vanishes."""
    limit = hard_length_limit(letters, theta)
    return {"longest": Exact(limit), "zero of the printed bound": Enclosure(2 * pi / letters / theta.real)}


@quantity("retrieval-letter-beta-threshold", unit="inverse temperature", claim="retrieval-softmax-threshold")
def retrieval_letter_beta_threshold(letters: Letters, n: Length2, theta: AnyAngle) -> dict[str, Result]:
    """The scale above which softmax decodes all LL queries of length n, and the sufficient ln(n - 1)/(smallest gap)."""
    threshold = letter_beta_threshold(letters, n, theta)
    sufficient = log(n - 1) / smallest_gap(letters, n, theta)
    return {"threshold": Enclosure(threshold), "sufficient": Enclosure(sufficient)}


@quantity("retrieval-letter-length-limit", unit="tokens", claim="retrieval-softmax-threshold")
def retrieval_letter_length_limit(letters: Letters, beta: Positive, theta: AnyAngle) -> Exact:
    """The longest n at which softmax at this scale decodes all LL queries, for 0 <= theta <= omega."""
    return Exact(letter_length_limit(letters, beta, theta))
