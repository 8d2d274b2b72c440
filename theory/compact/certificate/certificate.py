"""What the constants of a decoder certify of its outputs on words of any length.

Two words of length n that share the last letter and differ at the positions D have outputs within bound(n, D) <=
bound(n, k), k = |D|. The bounds decrease in n, so that from n*(k, epsilon) = ceil(k/delta(epsilon)) on no two words
that differ in k places are told apart by more than epsilon. Numbers are rounded to the safe side.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from flint import arb, ctx

from theory.arithmetic.ball import log
from theory.arithmetic.real import Real, RealLike
from theory.compact.averaging.averages import tail_radius
from theory.compact.certificate.certify import BITS, SOUND, Constants, certify
from theory.compact.certificate.rules import Rules
from theory.compact.certificate.weights import Weights
from theory.compact.continuity.constants import modulus, modulus_at
from theory.compact.elementary import smallest, to_ball
from theory.compact.words import Infinite, one_sided_density
from theory.errors import InputError
from theory.outcome import Outcome
from theory.progress import Progress

_LONGEST = 1_000  # digits of a length that is known as an integer
_FAR = 4096  # words are looked at up to the length 2^_FAR


@dataclass(frozen=True)
class Reach:
    """A length that is enough: its natural logarithm, rounded up, and the integer itself where it can be written out.

    `logarithm` None says that no length is enough.
    """

    logarithm: arb | None
    length: int | None = None

    def __str__(self) -> str:
        if self.logarithm is None:
            return "never"
        if self.length is not None and self.length < 10**15:
            return str(self.length)
        with ctx.workprec(BITS):
            power = self.logarithm / arb(10).log()
            if power < 10**15:
                return f"10^{float(power.upper()):.{1 if power > 1000 else 3}f}"
            return f"10^(10^{float((power.log() / arb(10).log()).upper()):.2f})"


@dataclass(frozen=True)
class Bounds:
    """The bounds that follow from the constants of a decoder: certified if these are.

    With keys weighed by their lag, shares k/n are those of the last letters: the largest share of D in any window that
    ends at n, and k places near the end are never few.
    """

    constants: Constants

    def modulus(self, share: Fraction) -> arb:
        """Lambda (P_1 g_1(x) + ... + P_L g_L(x)), at most 1: for every pair of words at relative distance x."""
        with ctx.workprec(BITS):
            if share >= 1:
                return arb(1)
            total = to_ball(modulus(self.constants.coefficients, share))
            return smallest(arb(1), self.constants.readout * total).upper()

    def at_distance(self, n: int, k: int) -> arb:
        """bound(n, k): for every two words of length n that differ in at most k places, none of them the last."""
        if not 0 <= k < n:
            raise InputError(f"{k} of {n} letters cannot differ with the last one shared; give 0 <= k < n")
        if self.constants.by_lag:
            raise InputError("keys are weighed by their lag, so that places count and not their number; name them")
        return self.modulus(Fraction(k, n))

    def at_places(self, n: int, places: Collection[int]) -> arb:
        """bound(n, D) for known positions D. Raises InputError where the last letter is among them."""
        if outside := [i for i in places if not 1 <= i <= n]:
            raise InputError(f"position {outside[0]} lies outside 1, ..., {n}; give positions of the two words")
        if n in places:
            raise InputError(f"the words differ at the last position {n}; the theorem asks for one last letter")
        if self.constants.by_lag:
            return self.modulus(one_sided_density(sorted(places), n))
        with ctx.workprec(BITS):
            total = to_ball(modulus_at(self.constants.coefficients, frozenset(places), n))
            return smallest(arb(1), self.constants.readout * total).upper()

    def radius(self, epsilon: RealLike) -> Real:
        """delta(epsilon), whose lower end is safe: words at relative distance up to it have outputs within epsilon."""
        level = Real.of(epsilon)
        if (level > 0) is not Outcome.HOLDS:
            raise InputError(f"epsilon = {epsilon} is not positive: outputs may differ by some amount; give one > 0")
        readout = self.constants.readout.upper()
        coefficients = [_exactly(c) for c in self.constants.coefficients[1:]]
        return tail_radius(coefficients, level / _exactly(readout))

    def sufficient_length(self, k: int, epsilon: RealLike) -> Reach:
        """n*(k, epsilon): from there on, no k places that leave out the last letter move an output by more.

        With keys weighed by their lag it holds of k places that are the first of the word.
        """
        if k < 1:
            raise InputError(f"k = {k} places: words that differ nowhere are one word; give k >= 1")
        return _reach(k / self.radius(epsilon))

    def sufficient_length_of(self, alpha: Infinite, beta: Infinite, epsilon: RealLike) -> Reach:
        """N*(epsilon): from there on, prefixes of two infinite words that share the last letter are within epsilon.

        Letters that are not 0 are counted in both words, which for words of 0 and 1 is at least K(n). Where that number
        grows as fast as n does no length is enough.
        """
        most = _Places(alpha, beta)
        if self.constants.by_lag or most.dense:
            return Reach(None)
        inverse = 1 / self.radius(epsilon)
        if _reach(inverse).length is None:
            return Reach(most.far(log(inverse)).ball(BITS).upper())
        last = most.last_above(inverse)
        return _reach(last * inverse) if last else Reach(arb(0), 1)


class Certificate(Bounds):
    """Certified bounds: from constants that are proved."""

    @classmethod
    def of(cls, weights: Weights, rules: Rules = SOUND, progress: Progress | None = None) -> Certificate:
        """The certificate of a decoder. Raises InputError, "no certificate: ...", where there is none."""
        return cls(certify(weights, rules, progress))


@dataclass(frozen=True)
class _Places:
    """How many places at most two infinite words differ in: of 0^w, the powers of two and the squares, and the like.

    Between two places more the share K(n)/n falls, and from one place to the next its peaks fall too.
    """

    alpha: Infinite
    beta: Infinite

    def count(self, n: int) -> int:
        return self.alpha.nonzero(n) + self.beta.nonzero(n)

    @property
    def dense(self) -> bool:
        return self.count(2**_FAR) > 2 ** (_FAR - 1000)  # else K(n) is far below n, as for powers and squares

    def last_above(self, inverse: Real) -> int:
        """The last j whose place is nearer than j inverse: up to j inverse the bound is not yet below epsilon."""
        upper = inverse.ball(BITS).upper()
        mantissa, exponent = upper.man_exp()
        ratio = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)

        def above(j: int) -> bool:
            return j < 1 or self.count(ceil(j * ratio) - 1) >= j

        most = self.count(2**_FAR)  # words that end to differ have no further place
        high = 1
        while high <= most and above(high):
            high *= 2
        return _last(above, min(high, most + 1))

    def far(self, logarithm: Real) -> Real:
        """A bound of ln N*, where 1/delta cannot be written out."""
        if self.count(2**_FAR) <= 2 * (_FAR + 1):  # K(n) <= 2 log_2 n + 2
            return logarithm + log(6 * logarithm + 8)
        return 2 * logarithm + 2  # K(n) <= 2 sqrt n


def _last(holds: Callable[[int], bool], end: int) -> int:
    """The last integer in [0, end) at which a condition holds that holds at 0 and, once it fails, no more."""
    low, high = 0, end
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _exactly(value: arb) -> Real:
    upper = value.upper()
    return Real(lambda: upper)


def _reach(bound: Real) -> Reach:
    """The least integer that is surely at least the bound."""
    logarithm = log(bound).ball(BITS).upper()
    if logarithm > _LONGEST * 2.3:
        return Reach(logarithm)
    bits = BITS + int(float(logarithm) * 1.5) + 1
    with ctx.workprec(bits):
        length = bound.ball(bits).upper().ceil().unique_fmpz()
    assert length is not None  # the ceiling of an exact number
    return Reach(logarithm, max(1, int(length)))
