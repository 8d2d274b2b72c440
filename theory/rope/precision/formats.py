"""Binary formats as arguments, and real numbers rounded to them correctly.

Rounding of rationals is theory.rope.precision.logit_rounding's `nearest`: exact integer arithmetic, ties to even.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from flint import ctx

from theory.arithmetic.ball import Real
from theory.arithmetic.grammar import parse_number
from theory.arithmetic.real import PRECISION_LIMIT, midpoint, precisions
from theory.errors import InputError, Undecided
from theory.quantities import Parameter
from theory.rope.precision.logit_rounding import FORMATS, nearest

MOST_BITS = 256  # quadruple precision has 113


def rounded(value: Real, precision: int) -> Fraction:
    """`value` rounded to `precision` bits, ties to even; Undecided if a tie is not told from its neighbours."""
    if (exact := value.exact) is not None:
        return nearest(exact, precision)
    for bits in precisions(128, PRECISION_LIMIT):
        # The ends of a ball are rounded to the working precision too.
        with ctx.workprec(bits):
            ball = value.enclose()
            ends = (ball.lower(), ball.upper()) if ball.is_finite() else ()
        if len(found := {nearest(midpoint(end), precision) for end in ends}) == 1:
            return found.pop()
    raise Undecided(f"which number of {precision} bits is nearest to {value!r} is undecided")


def _precision(text: str) -> int:
    if text in FORMATS:
        return FORMATS[text].precision
    if not text[:1].isdigit():
        raise InputError(f"{text} is no format; give {', '.join(FORMATS)}, or a precision in bits")
    value = parse_number(text)
    if not value.is_Integer or not 2 <= value <= MOST_BITS:
        raise InputError(f"{text} is no precision; give whole bits from 2 to {MOST_BITS}, such as 24 for float32")
    return int(value)


def _storage(text: str) -> int | None:
    return None if text == "exact" else _precision(text)


Precision = Annotated[
    int, Parameter("float64, float32, float16, bfloat16, or a precision in bits (integer >= 2)", _precision)
]
Storage = Annotated[int | None, Parameter("the same, or exact", _storage)]
