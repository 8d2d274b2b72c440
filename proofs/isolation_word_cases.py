"""The cases by which the steps of proofs.isolation on eventually equal and on sparse words are checked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isqrt

import sympy
from sympy import Expr, symbols

from proofs.isolation_cases import radii
from theory.compact.isolation.detector import (
    THRESHOLD,
    right,
    rightly,
)
from theory.compact.isolation.isolation import HALF
from theory.compact.isolation.models import averaging, constant_decoder, matching
from theory.compact.isolation.situations import growing_share
from theory.compact.isolation.tail_invariance import GAIN, LEAST, SLOPE
from theory.compact.symbols import k, n
from theory.compact.words import (
    POWERS,
    SQUARES,
    ZEROS,
    altered,
    periodic,
)
from theory.evidence import Case, Equation
from theory.outcome import Outcome
from theory.rope.scale import ceiling


def lost_margin() -> Iterator[Equation]:
    """The margin of 0 after k ones and zeros, T(1) = 1/10 + 2/5 a."""
    least, slope = (sympy.Rational(part.numerator, part.denominator) for part in (LEAST, SLOPE))
    one: Expr = least + slope * k / n
    yield "margin", 1 - 2 * one, sympy.Rational(4, 5) * (1 - k / n)


def never_regained(longest: int) -> Iterator[Case]:
    """The same on 1 0^w: 4/5 less 4/5 n."""
    decoder, word = averaging(LEAST, SLOPE), altered((1,), ZEROS)
    for length in range(1, longest):
        lead = decoder.lead(word.prefix(length), 0)
        yield {"n": length}, lead == decoder.margin - Fraction(4, 5 * length) < decoder.margin


def later_start(longest: int) -> Iterator[Case]:
    """T(1) = sigma(8 (a - 1/4)): right on 0^w at once, on 1 0^w from n = 5 on."""
    for length in range(1, longest):
        both = (GAIN * (Fraction(ones, length) - THRESHOLD) for ones in (0, 1))
        found = [right(z, 0) is Outcome.HOLDS for z in both]
        yield {"n": length}, found == [True, length > 4]


def kept_feature(powers: int) -> Iterator[Case]:
    """Logits ln(n) 1[w_j = 1] on 1 0^w: more than half of the weight for ever, and 1 at flagged lengths."""
    word = altered((1,), ZEROS)
    for power in range(2, powers):
        length = 2**power - 1
        feature = growing_share(word, length)
        right_ = rightly(growing_share, word, length)
        kept = feature == Fraction(length, 2 * length - 1) > HALF
        yield {"n": f"2^{power} - 1"}, kept and right_ is Outcome.REFUTED


def periodic_share() -> Iterator[Equation]:
    """Positions up to n = p q + r that are multiples of p: (n - r)/p."""
    p, q, r = symbols("p q r", integer=True, positive=True)
    yield "count", q, (p * q + r - r) / p


def counts(longest: int) -> Iterator[Case]:
    """How many ones are among the first n letters, by letters and in closed form."""
    words = {
        POWERS: lambda length: length.bit_length(),
        SQUARES: isqrt,
        periodic(2): lambda length: length // 3,
        periodic(9): lambda length: length // 10,
    }
    for word, closed in words.items():
        ones = 0
        for length in range(1, longest):
            ones += word.letter(length)
            yield {"word": str(word), "n": length}, ones == closed(length) == word.nonzero(length)


def sparse_rows() -> Iterator[tuple[object, ...]]:
    """Delta, x, 1/x and the least m such that no per_m from there on is learned beside 0^w."""
    for spread, _, certified in radii():
        yield spread, f"{float(certified):.6f}", f"{float(1 / certified):,.2f}", f"{ceiling(1 / certified) - 1:,}"


def from_there() -> Iterator[Case]:
    """Ones at the multiples of m + 1 have a share of at most x, and at those of m more."""
    for spread, _, certified in radii():
        m = ceiling(1 / certified) - 1
        yield {"Delta": spread}, Outcome.every([Fraction(1, m + 1) <= certified, Fraction(1, m) > certified])


def one_of_both(longest: int) -> Iterator[Case]:
    """Decoders that have learned a sparse word fail on 0^w late; the one that always says 0 has learned 0^w."""
    for word in (POWERS, SQUARES):
        decoder = matching(word, HALF, HALF)
        flagged = [m for m in range(longest // 2, longest) if word.letter(m + 1)]
        late = [decoder.lead(ZEROS.prefix(m), 0) < 0 for m in flagged]
        yield {"learned": str(word), "errors": len(late)}, bool(late) and all(late)
    decoder = constant_decoder(Fraction(0))
    yield "always 0", all(decoder.lead(ZEROS.prefix(m), 0) > 0 for m in range(1, longest))
