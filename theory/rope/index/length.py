"""Up to which length the Index head decodes, or singles out its target, at a given inverse temperature.

F grows with the length, so a running sum finds the longest one; by claim one-frequency-universal-limit every inverse
temperature has one, of the order of its square root.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq

from theory.arithmetic.angle import Angle
from theory.arithmetic.real import PRECISION_LIMIT, Real, precisions
from theory.errors import InputError, Undecided
from theory.outcome import Outcome
from theory.quantities import Exact, NonzeroAngle, Offset, Positive, Rational, quantity
from theory.rope.index.weights import decoding_bound, prefix_sums, versines
from theory.rope.scale import lost_odds

# Beyond it a running sum would have more than a million terms.
LARGEST_BETA = 10**10


def length_limit(beta: Real, angle: Angle, offset: int) -> int:
    """The longest n > `offset` at which all inputs with this query offset (0: a letter) decode; 0 if there is none.

    Raises InputError unless 0 < beta <= 10^10.
    """

    def search(beta: arb) -> int | None:
        left = prefix_sums(versines(angle, offset), beta)[offset]
        run = _run(angle, beta, decoding_bound(offset) - left)
        return None if run is None else 0 if run < 0 else offset + 1 + run

    return _certain(beta, angle, search)


def first_token_reach(beta: Real, angle: Angle) -> int:
    """The longest n with F_{0,n-1} < 1: an integer query, offset n - 1, decodes the first token of every input.

    At least 2 where one step turns the plane, else 1. Raises InputError unless 0 < beta <= 10^10.
    """

    def search(beta: arb) -> int | None:
        run = _run(angle, beta, arb(1))
        return None if run is None else run + 1

    return _certain(beta, angle, search)


def longest_length(beta: Real, angle: Angle, epsilon: Fraction) -> int:
    """The longest n at which every query, letter or integer, gives its target a weight above 1 - `epsilon`.

    Raises InputError unless 0 < beta <= 10^10 and 0 < epsilon < 1.
    """
    odds = lost_odds(epsilon)

    def search(beta: arb) -> int | None:
        bound = arb(fmpq(odds.numerator, odds.denominator))
        # The letter query sees all competitors on one side, so its own limit bounds the others.
        run = _run(angle, beta, bound)
        if run is None:
            return None
        sums = prefix_sums(versines(angle, run), beta)
        low, high = 1, run + 1
        while low < high:
            n = (low + high + 1) // 2
            totals = [sums[offset] + sums[n - 1 - offset] for offset in range((n + 1) // 2)]
            if all(total < bound for total in totals):
                low = n
            elif any(total >= bound for total in totals):
                high = n - 1
            else:
                return None
        return low

    return _certain(beta, angle, search)


def _run(angle: Angle, beta: arb, budget: arb) -> int | None:
    """How many competitors on one side stay below the budget, -1 if not even none; None where balls do not tell."""
    total, run = arb(0), -1
    for gap in versines(angle):
        if not total < budget:
            return run if total >= budget else None
        run += 1
        total += (-beta * gap).exp()
    raise AssertionError("there are infinitely many versines")


def _certain(beta: Real, angle: Angle, search: Callable[[arb], int | None]) -> int:
    if Outcome.every((beta > 0, beta <= LARGEST_BETA)) is not Outcome.HOLDS:
        raise InputError(
            f"beta={float(beta):g} is outside 0 < beta <= {LARGEST_BETA:g}, where sums are short; change it"
        )
    for precision in precisions(64, PRECISION_LIMIT):
        with ctx.workprec(precision):
            if (found := search(beta.enclose())) is not None:
                return found
    raise Undecided(f"a length at beta={float(beta):g}, theta={angle} is undecided at {PRECISION_LIMIT} bits")


@quantity("index-length-limit", unit="tokens", claim="index-softmax-threshold")
def index_length_limit(beta: Positive, theta: NonzeroAngle, offset: Offset = 0) -> Exact:
    """The longest length at which all inputs with this query offset decode (0: a letter query); 0 if none is."""
    return Exact(length_limit(beta, theta, offset))


@quantity("index-first-token-reach", unit="tokens", claim="index-softmax-threshold")
def index_first_token_reach(beta: Positive, theta: NonzeroAngle) -> Exact:
    """The longest length at which an integer query decodes the first token of every input: F_{0,n-1} < 1."""
    return Exact(first_token_reach(beta, theta))


@quantity("index-length-for", unit="tokens", claim="index-softmax-threshold")
def index_length_for(beta: Positive, theta: NonzeroAngle, epsilon: Rational) -> Exact:
    """The longest length at which every query gives its target a weight above 1 - epsilon, whatever the input."""
    return Exact(longest_length(beta, theta, epsilon))
