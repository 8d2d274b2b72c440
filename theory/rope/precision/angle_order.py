"""What rounded angles a_t = fl(t fl(theta)) do to relative positions, and when the order of logits is still certain.

Source: derived here. Relative phases a_i - a_j deviate from (i - j) fl(theta) by the errors of both. An aligned letter
query has its target at its own position, where the phase is exactly 0, so that its logit stays the largest as long as
no other phase is moved to a multiple of 2 pi.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import sympy
from flint import arb, ctx, fmpq

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, sqrt
from theory.arithmetic.continued_fraction import closest_return
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import AnyAngle, Enclosure, quantity
from theory.rope.precision.angle_error import positive
from theory.rope.precision.formats import Precision
from theory.rope.precision.logit_rounding import nearest
from theory.rope.rotation import PAPER

CLAIM = "float-order-certificate"
SEED = 25


def mantissas(precision: int, exponents: range) -> Iterator[Fraction]:
    """All numbers of a format in [2^e, 2^(e+1)) for these e."""
    for exponent, mantissa in product(exponents, range(2 ** (precision - 1), 2**precision)):
        yield mantissa * Fraction(2) ** (exponent - precision + 1)


@dataclass(frozen=True)
class Shift:
    """|(a_i - a_j) - (i - j) fl(theta)| <= u bound(i, j) fl(theta); `beyond` admits i, j > 2^p, which are rounded."""

    bound: Callable[[int, int], int] = lambda i, j: i + j
    beyond: bool = False
    text: str = "|(a_i - a_j) - (i - j) fl(theta)| <= u (i + j) fl(theta)"

    def __str__(self) -> str:
        return self.text


@claim(
    "float-relative-phase",
    source=Source(PAPER, "App. C.1", "derived"),
    quantifiers="for all theta > 0, precisions p >= 2 and 0 <= i, j <= 2^p",
    statement=str,
    variant=Shift(),
    controls={
        "exactly relative": Shift(lambda i, j: 0, text="a_i - a_j = (i - j) fl(theta)"),
        "in proportion to the offset": Shift(lambda i, j: abs(i - j), text="... <= u |i - j| fl(theta)"),
        "one of the two errors": Shift(max, text="... <= u max(i, j) fl(theta)"),
    },
    hypotheses=(Hypothesis("i, j <= 2^p", "positions are exact numbers of the format", Shift(beyond=True)),),
    does_not_show="that the deviation is seen in logits: cosines and sines are rounded too",
)
def float_relative_phase(shift: Shift, thorough: bool) -> Iterator[Evidence]:
    """All mantissas and pairs of positions at small p; the two errors; single precision in NumPy."""
    yield Enumeration("all mantissas and positions, 3 to 5 bits", _pairs(shift, 6 if thorough else 4))
    i, j, a_i, a_j, theta = sympy.symbols("i j a_i a_j theta", real=True)
    errors = (a_i - i * theta) - (a_j - j * theta)
    yield Identity("the two errors", [("difference", errors, (a_i - a_j) - (i - j) * theta)], sympy.expand)
    yield Search("float32", _float32(shift, 10_000 if thorough else 1_000), seed=SEED)


def _pairs(shift: Shift, most: int) -> Iterator[Case]:
    for precision in range(3, most + 1):
        last = 2 ** (precision + 1) if shift.beyond else 2**precision
        for stored in mantissas(precision, range(1)):
            angles = [nearest(nearest(Fraction(t), precision) * stored, precision) for t in range(last + 1)]
            for i, j in product(range(last + 1), repeat=2):
                error = abs(angles[i] - angles[j] - (i - j) * stored)
                case = {"p": precision, "theta": str(stored), "i": i, "j": j}
                yield case, error <= Fraction(shift.bound(i, j), 2**precision) * stored


def _float32(shift: Shift, count: int) -> Iterator[Trial]:
    random = Random(SEED)
    for _ in range(count):
        stored = np.float32(random.uniform(0.01, 1))
        i, j = (random.randrange(2**17) for _ in range(2))
        a, b = (Fraction(float(np.float32(t) * stored)) for t in (i, j))
        exact = Fraction(float(stored))
        bound = float(Fraction(shift.bound(i, j), 2**24) * exact)
        error = float(abs(a - b - (i - j) * exact))
        yield Trial({"theta": float(stored), "i": i, "j": j}, error, bound, bound * 2.0**-52)


@dataclass(frozen=True)
class Certificate:
    """The margin 2 pi D - `loss` u (n - 1) fl(theta) of the phases, D = min ||t fl(theta)/2 pi|| over 1 <= t < n.

    `impossible` says from which n(n - 1) u fl(theta)/pi on the margin is never positive.
    """

    loss: int = 2
    impossible: Fraction = Fraction(1)

    def __str__(self) -> str:
        return (
            f"all a_i - a_j, i != j below n, are at least 2 pi D - {self.loss} u (n - 1) fl(theta) from 2 pi Z; "
            f"this is not positive if n (n - 1) >= {self.impossible} pi/(u fl(theta))"
        )


@claim(
    CLAIM,
    source=Source(PAPER, "App. C.1", "derived"),
    quantifiers="for all stored theta > 0, precisions p >= 2 and 2 <= n <= 2^p + 1; cosines and products exact",
    statement=str,
    variant=Certificate(),
    controls={
        "one error": Certificate(loss=1),
        "no error": Certificate(loss=0),
        "impossible from pi/(2 u theta) on": Certificate(impossible=Fraction(1, 2)),
    },
    hypotheses=(
        Hypothesis("n <= 2^p + 1", "positions are exact", remark="float-relative-phase fails beyond"),
        Hypothesis("exact cosines", "cosines and sines of a_t are exact", remark="claim float-position-collapse"),
    ),
    does_not_show="that the order breaks where the margin is negative: with exact cosines it breaks only if a_i = a_j",
)
def float_order_certificate(certificate: Certificate, thorough: bool) -> Iterator[Evidence]:
    """All mantissas, lengths and pairs at small p, in balls; random pairs in single precision."""
    yield Enumeration("all mantissas and lengths, 3 to 6 bits", _margins(certificate, 6 if thorough else 5))
    yield Search("float32", _random_pairs(certificate, 300 if thorough else 40), seed=SEED)


def _margins(certificate: Certificate, most: int) -> Iterator[Case]:
    for precision in range(3, most + 1):
        u = Fraction(1, 2**precision)
        for stored in mantissas(precision, range(-2, 2)):
            angles = [nearest(t * stored, precision) for t in range(2**precision + 1)]
            closest = moved = arb(4)
            for n in range(2, len(angles) + 1):
                with ctx.workprec(128):
                    closest = closest.min(_distance((n - 1) * stored))
                    for j in range(n - 1):
                        moved = moved.min(_distance(angles[n - 1] - angles[j]))
                    lost = certificate.loss * u * (n - 1) * stored
                    margin = closest - fmpq(lost.numerator, lost.denominator)
                    apart = Outcome.settled(moved >= margin, moved < margin)
                    threshold = Real.of_linear(0, 1) * certificate.impossible
                    within = (n * (n - 1) * u * stored < threshold) is Outcome.HOLDS
                    lost_for_sure = Outcome.settled(within or margin <= 0, margin > 0)
                case = {"p": precision, "theta": str(stored), "n": n}
                yield case, Outcome.every((apart, lost_for_sure))


def _distance(x: Fraction) -> arb:
    """The distance of a rational number of radians to the nearest multiple of 2 pi."""
    turns = fmpq(x.numerator, x.denominator) / (2 * arb.pi())
    whole = (turns.mid() + arb(1) / 2).floor()
    return abs(turns - whole) * 2 * arb.pi()


def _random_pairs(certificate: Certificate, count: int) -> Iterator[Trial]:
    random = Random(SEED)
    for _ in range(count):
        n, stored = random.randint(2, 4000), np.float32(random.uniform(0.01, 3))
        exact = Fraction(float(stored))
        returned = closest_return(Angle(sympy.Rational(exact.numerator, exact.denominator)), n - 1)
        lost = certificate.loss * (n - 1) * 2.0**-24 * float(stored)
        angles = (np.arange(n, dtype=np.float32) * stored).astype(np.float64)
        step, low = returned.t, random.randrange(n - returned.t)
        for i, j in ((step, 0), (n - 1, n - 1 - step), (low + step, low)):
            phase = abs(np.remainder(angles[i] - angles[j] + np.pi, 2 * np.pi) - np.pi)
            margin = float(Real.of_linear(0, 2) * returned.distance) - lost
            # Differences are exact; the remainder loses as many roundings as there are turns.
            yield Trial({"theta": float(stored), "i": i, "j": j}, margin, float(phase), n * float(stored) * 2.0**-50)


@quantity("angle-error-length", unit="tokens", claim=CLAIM)
def angle_error_length(precision: Precision, theta: AnyAngle | None = None) -> dict[str, Enclosure]:
    """sqrt(pi 2^p/theta), about where the margin ends for a stored theta (by default 1), and for a rounded one."""
    square = Real.of_linear(0, 2**precision) / (Real.of(1) if theta is None else positive(theta))
    return {"stored theta": Enclosure(sqrt(square)), "rounded theta": Enclosure(sqrt(square / 2))}
