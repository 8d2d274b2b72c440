"""How far rounding moves the logits of a RoPE head, in any binary format.

Source: derived here; the standard model of rounding, fl(a op b) = (a op b)(1 + d) with |d| <= u = 2^-p for +, -, *, /,
in any order of summation, with or without fused operations, without underflow.

The angles t theta are never formed in the format: cosines and sines of the exact angles are rounded once. So the error
does not grow with the position (claim float-angle-error says what happens otherwise). A query or key of norm 1 is off
by u when stored, and by sqrt2 ((1 + u)^3 - 1) more after its rotation (table, product, sum), because the absolute
values of a rotation have norm at most sqrt2. The dot product of m planes adds 2m roundings to products whose absolute
values sum to at most |q||k|.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from sympy import symbols

from theory.arithmetic.real import Real
from theory.claims import Source, claim
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.quantities import Bound, Count, quantity
from theory.rope.rotation import PAPER

ROOT_TWO = Fraction(99, 70)  # just above
SEED = 2605
Vector = Sequence[Fraction]


@dataclass(frozen=True)
class Format:
    """A binary floating-point format of `precision` bits whose smallest positive number is 2^`lowest`."""

    name: str
    precision: int
    lowest: int

    @property
    def u(self) -> Fraction:
        """The largest relative error of a rounding, 2^-p."""
        return Fraction(1, 2**self.precision)

    @property
    def underflow(self) -> Fraction:
        """The largest absolute error of a product that underflows."""
        return Fraction(2) ** (self.lowest - 1)


FORMATS = {
    each.name: each
    for each in (
        Format("float64", 53, -1074),
        Format("float32", 24, -149),
        Format("float16", 11, -24),
        Format("bfloat16", 8, -133),
    )
}


def nearest(x: Fraction, precision: int) -> Fraction:
    """`x` rounded to `precision` bits, ties to even, without bounds on the exponent."""
    if x == 0:
        return x
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length()
    exponent -= abs(x) < Fraction(2) ** exponent
    spacing = Fraction(2) ** (exponent - precision + 1)
    return round(x / spacing) * spacing


def vector_error(u: Fraction, rotates: bool = True, state: int = 0) -> Fraction:
    """By how much of its norm a computed query or key is off, `state` roundings of the embedding included."""
    stored = (1 + u) ** (1 + state)
    return stored * (1 + ROOT_TWO * ((1 + u) ** 3 - 1)) - 1 if rotates else stored - 1


def logit_error(u: Fraction, planes: int = 1, rotates: bool = True, state: int = 0) -> Fraction:
    """By how much of |q||k| a computed logit is off; without `rotates` all frequencies are 0."""
    return (1 + vector_error(u, rotates, state)) ** 2 * (1 + u) ** (2 * planes) - 1


def score_error(u: Fraction, planes: int = 1, rotates: bool = True, state: int = 0) -> Fraction:
    """By how much of beta |q||k| a computed score beta lambda, less the largest one, is off as the argument of exp."""
    return (1 + logit_error(u, planes, rotates, state)) * (1 + u) ** 2 * (1 + 2 * u) - 1


@quantity("logit-rounding-error", unit="|q||k|", claim="rope-logit-rounding")
def logit_rounding_error(bits: Count, m: Count = 1) -> Bound:
    """How far rounding to `bits` bits can move a logit of m rotary planes, relative to |q||k|."""
    return Bound("upper", Real.of(logit_error(Fraction(1, 2**bits), m)))


@dataclass(frozen=True)
class LogitRounding:
    """A bound for the error of computed logits, relative to |q||k|, as a function of u and the number of planes."""

    bound: Callable[[Any, Any], Any] = logit_error
    angles_in_format: bool = False

    def __str__(self) -> str:
        angles = "angles in the format" if self.angles_in_format else "exact angles"
        return f"|fl(lambda) - lambda| <= |q||k| ({self.bound(*symbols('u m'))}), the cosines and sines of {angles}"


# Points of the unit circle with rational coordinates, as codes and as (cos, sin) of rotations.
TRIPLES = ((3, 4, 5), (5, 12, 13), (-8, 15, 17), (7, -24, 25), (20, 21, 29), (-12, -35, 37), (0, 1, 1))
CIRCLE = [(Fraction(a, c), Fraction(b, c)) for a, b, c in TRIPLES]


@claim(
    "rope-logit-rounding",
    source=Source(PAPER, "App. C.1", "derived"),
    quantifiers="for all codes, exact rotations, binary formats of p >= 2 bits, orders of summation, m >= 1 planes",
    statement=str,
    variant=LogitRounding(),
    controls={
        "only the dot product rounds": LogitRounding(lambda u, planes: (1 + u) ** (2 * planes) - 1),
        "one rounding in all": LogitRounding(lambda u, planes: u),
        "angles formed in the format": LogitRounding(angles_in_format=True),
    },
    does_not_show="that any input attains the bound: half of it is the most that has been seen",
)
def rope_logit_rounding(rounding: LogitRounding, thorough: bool) -> Iterator[Evidence]:
    """Rounding emulated on rationals at small p, then half precision and single precision in NumPy."""
    yield Enumeration("rational codes and rotations at 3 to 8 bits", _emulated(rounding, 6 if thorough else 3))
    yield Search("codes and angles in float16 and float32", _floats(rounding, 20 if thorough else 4), seed=SEED)


def rotated(vector: Vector, turn: Vector, precision: int | None) -> list[Fraction]:
    """A stored vector turned by a stored rotation (cos, sin), each rounded to `precision` bits; exactly for None."""

    def fl(x: Fraction) -> Fraction:
        return x if precision is None else nearest(x, precision)

    (a, b), (c, s) = map(fl, vector), map(fl, turn)
    return [fl(fl(c * a) - fl(s * b)), fl(fl(s * a) + fl(c * b))]


def _emulated(rounding: LogitRounding, points: int) -> Iterator[tuple[object, bool]]:
    some = CIRCLE[:points]
    for precision, q, k, turn_q, turn_k in product((3, 4, 8), some, CIRCLE, some, CIRCLE):
        a, b = rotated(q, turn_q, precision), rotated(k, turn_k, precision)
        products = [nearest(x * y, precision) for x, y in zip(a, b, strict=True)]
        a, b = rotated(q, turn_q, None), rotated(k, turn_k, None)
        error = abs(nearest(products[0] + products[1], precision) - (a[0] * b[0] + a[1] * b[1]))
        case = {"p": precision, "q": q, "k": k, "R^i": turn_q, "R^j": turn_k}
        yield case, error <= rounding.bound(Fraction(1, 2**precision), 1)


def _floats(rounding: LogitRounding, rounds: int) -> Iterator[Trial]:
    rng = np.random.default_rng(SEED)
    for precision, dtype in ((11, np.float16), (24, np.float32)):
        for planes in (1, 2, 8) * rounds:
            angles, length = rng.uniform(0, 1, planes), 64
            codes = rng.normal(size=(2, length, planes, 2))
            codes /= np.sqrt((codes**2).sum(axis=(2, 3), keepdims=True))
            turns = np.arange(1, length + 1)[:, None] * angles
            stored = turns.astype(dtype).astype(np.float64) if rounding.angles_in_format else turns
            exact = _logits(codes, np.stack([np.cos(turns), np.sin(turns)]))
            rough = _logits(codes.astype(dtype), np.stack([np.cos(stored), np.sin(stored)]).astype(dtype))
            error = float(np.abs(rough.astype(np.float64) - exact).max())
            bound = float(rounding.bound(Fraction(1, 2**precision), planes))
            # The exact value is itself a float64 evaluation with phases up to `length`.
            allowance = float(logit_error(Fraction(1, 2**53), planes)) + 2 * length * 2.0**-53
            yield Trial({"format": dtype.__name__, "planes": planes, "angles": angles}, error, bound, allowance)


def _logits(codes: np.ndarray, table: np.ndarray) -> np.ndarray:
    c, s = table
    a, b = codes[..., 0], codes[..., 1]
    query, key = np.stack([c * a - s * b, s * a + c * b], axis=-1)
    return (query[:, None] * key[None]).sum(axis=(-2, -1))
