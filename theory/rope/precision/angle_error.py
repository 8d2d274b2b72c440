"""How far an angle t theta that is formed in floating point is off: in proportion to t.

Source: derived here; the standard model of rounding, twice. theta is stored as fl(theta), the product as
a_t = fl(t fl(theta)); u = 2^-p.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import sympy

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, maximum
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import AnyAngle, Enclosure, Length2, quantity
from theory.rope.precision.formats import Precision, rounded
from theory.rope.precision.logit_rounding import nearest
from theory.rope.rotation import PAPER

CLAIM = "float-angle-error"
SEED = 24
LOWEST = -6  # exponent of the smallest positive number, where underflow is admitted
LONGEST = 10**6


def twice(u: Fraction, t: int) -> Fraction:
    """(1 + u)^2 - 1, relative to t theta."""
    return t * ((1 + u) ** 2 - 1)


def once(u: Fraction, t: int) -> Fraction:
    """The relative error u of one rounding."""
    return t * u


@dataclass(frozen=True)
class AngleError:
    """Bounds for a_t - t theta and for a_t - t fl(theta), relative to theta and fl(theta).

    Args:
        true, stored: functions of u and t.
        beyond: t may exceed 2^p, and is rounded too.
        underflow: numbers are multiples of 2^LOWEST.
    """

    true: Callable[[Fraction, int], Fraction] = twice
    stored: Callable[[Fraction, int], Fraction] = once
    beyond: bool = False
    underflow: bool = False
    text: str = "|a_t - t theta| <= t theta ((1 + u)^2 - 1) and |a_t - t fl(theta)| <= u t fl(theta)"

    def __str__(self) -> str:
        return self.text

    def fl(self, x: Fraction, precision: int) -> Fraction:
        found = nearest(x, precision)
        return round(found * 2**-LOWEST) * Fraction(2) ** LOWEST if self.underflow else found

    def holds(self, theta: Fraction, t: int, precision: int) -> bool:
        u, stored = Fraction(1, 2**precision), self.fl(theta, precision)
        position = nearest(Fraction(t), precision) if self.beyond else t
        angle = self.fl(position * stored, precision)
        near_true = abs(angle - t * theta) <= self.true(u, t) * theta
        return near_true and abs(angle - t * stored) <= self.stored(u, t) * stored


@claim(
    CLAIM,
    source=Source(PAPER, "App. C.1", "derived"),
    quantifiers="for all theta > 0, precisions p >= 2 and integers 0 <= t <= 2^p",
    statement=str,
    variant=AngleError(),
    controls={
        "one rounding against theta": AngleError(true=once, text="|a_t - t theta| <= u t theta"),
        "independent of t": AngleError(
            true=lambda u, t: 2 * u + u**2, stored=lambda u, t: u, text="|a_t - t theta| <= (2 u + u^2) theta"
        ),
        "products are exact": AngleError(stored=lambda u, t: Fraction(0), text="a_t = t fl(theta)"),
        "half a rounding": AngleError(stored=lambda u, t: t * u / 2, text="|a_t - t fl(theta)| <= u t fl(theta)/2"),
    },
    hypotheses=(
        Hypothesis("t <= 2^p", "positions are exact numbers of the format", AngleError(beyond=True)),
        Hypothesis("no underflow", "theta and a_t are in the normal range", AngleError(underflow=True)),
    ),
    does_not_show="that results are wrong by as much: cosines and sines of a_t may be rounded again",
)
def float_angle_error(error: AngleError, thorough: bool) -> Iterator[Evidence]:
    """All t at small p, for many rational theta; NumPy's own products in half and single precision; two roundings."""
    yield Enumeration("rational theta, all t, 2 to 5 bits", _small(error, 8 if thorough else 5))
    yield Search("random t and theta in float16 and float32", _floats(error, 20_000 if thorough else 1_000), seed=SEED)
    yield Identity("two roundings", [_two_roundings()], sympy.expand)


def _small(error: AngleError, most: int) -> Iterator[Case]:
    for precision in range(2, most + 1):
        last = 4 * 2**precision if error.beyond else 2**precision
        for numerator, t in product(range(1, 48), range(last + 1)):
            theta = Fraction(numerator, 47)
            yield {"p": precision, "theta": str(theta), "t": t}, error.holds(theta, t, precision)


def _floats(error: AngleError, count: int) -> Iterator[Trial]:
    """The product of the format itself; all differences are exact in rationals."""
    rng = Random(SEED)
    for index in range(count):
        precision, dtype = ((11, np.float16), (24, np.float32))[index % 2]
        theta, t = rng.uniform(0.01, 1), rng.randint(1, 2**precision)
        stored = dtype(theta)
        u, exact = Fraction(1, 2**precision), Fraction(float(stored))
        computed = Fraction(float(dtype(t) * stored))
        for found, bound in (
            (abs(computed - t * Fraction(theta)), error.true(u, t) * Fraction(theta)),
            (abs(computed - t * exact), error.stored(u, t) * exact),
        ):
            # Both sides are rounded once.
            case = {"format": dtype.__name__, "theta": theta, "t": t}
            yield Trial(case, float(found), float(bound), float(bound) * 2.0**-52)


def _two_roundings() -> Equation:
    u, t, theta = sympy.symbols("u t theta", positive=True)
    return "largest factors", t * theta * (1 + u) * (1 + u) - t * theta, t * theta * (2 * u + u**2)


def positive(theta: Angle) -> Real:
    """The angle in radians; InputError unless it is known to be positive."""
    if (theta.real > 0) is not Outcome.HOLDS:
        raise InputError(f"the angle {theta} is not known to be positive; give one that is, such as 1/10")
    return theta.real


def worst_angle_errors(theta: Angle, n: int, precision: int) -> dict[str, Real]:
    """The largest |a_t - t fl(theta)| and |a_t - t theta| over 0 <= t < n <= 2^p + 1, theta > 0."""
    exact = positive(theta)
    if n > min(2**precision + 1, LONGEST):
        raise InputError(
            f"n={n} exceeds {min(2**precision + 1, LONGEST)}: positions above 2^p are no numbers of the format, and "
            f"more than {LONGEST:,} are not tried; give a smaller n"
        )
    stored = rounded(exact, precision)
    off = stored - exact
    errors = [nearest(t * stored, precision) - t * stored for t in range(n)]
    # In float64 these are off by less than 4 of its roundings.
    drift = float(off)
    totals = [abs(float(error) + t * drift) for t, error in enumerate(errors)]
    slack = 2.0**-50 * max(abs(float(error)) + t * abs(drift) for t, error in enumerate(errors))
    best = max(totals) - 2 * slack
    near = [abs(errors[t] + off * t) for t, total in enumerate(totals) if total >= best]
    return {"stored": Real.of(max(map(abs, errors))), "true": maximum(near), "angle": Real.of(stored)}


@quantity("angle-error", unit="radians", claim=CLAIM)
def angle_error(theta: AnyAngle, n: Length2, precision: Precision) -> dict[str, Enclosure]:
    """The largest errors of angles a_t = fl(t fl(theta)), t < n, against t fl(theta) and t theta, and their bounds."""
    found = worst_angle_errors(theta, n, precision)
    u = Fraction(1, 2**precision)
    return {
        "stored angle": Enclosure(found["angle"]),
        "storage error": Enclosure(found["angle"] - theta.real),
        "against stored": Enclosure(found["stored"]),
        "bound against stored": Enclosure(once(u, n - 1) * found["angle"]),
        "against true": Enclosure(found["true"]),
        "bound against true": Enclosure(twice(u, n - 1) * theta.real),
    }
