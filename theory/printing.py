"""Results and quantities in words and as plain data: bounds are rounded outward, nothing unknown is said."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import floor, isfinite, log10
from typing import Any

import sympy
from flint import arb

from theory.arithmetic.ball import Real
from theory.arithmetic.real import PRECISION_LIMIT, midpoint
from theory.errors import InputError, Undecided
from theory.quantities import Bound, Enclosure, Exact, Optimum, Quantity, Result

DIGITS = 17
_BITS = 96  # of the balls behind decimal bounds
_LARGEST_EXPONENT = 1 << 20  # of 2; numbers beyond it are written, but not as decimals of so many digits


def describe(result: Result) -> str:
    """One line for people: the number, and what is known of it. Undecided where nothing is, InputError beyond print."""
    match result:
        case Exact(value):
            return f"{_text(value)} exactly" if not isinstance(value, bool) else str(value).lower()
        case Enclosure(value):
            exact = value.exact
            return f"{_plain(exact)} exactly" if exact is not None else _ball(value).str(DIGITS, radius=True)
        case Bound(side, value):
            low, high = decimal_bounds(value)
            return f"at least {low} (lower bound)" if side == "lower" else f"at most {high} (upper bound)"
        case Optimum(value, how):
            return f"{_finite(value)!r} (numerical optimum by {how}, not certified)"


def as_json(result: Result) -> dict[str, Any]:
    """The result as plain data; decimal bounds are strings, rounded outward. Raises like `describe`."""
    match result:
        case Exact(value):
            return {"kind": "exact", "value": value if isinstance(value, int | list) else _text(value)}
        case Enclosure(value):
            low, high = decimal_bounds(value)
            middle = float(value.ball(_BITS).mid())
            data = {"kind": "enclosure", "lower": low, "upper": high}
            return {**data, "midpoint": middle if isfinite(middle) else None}  # null beyond the range of binary64
        case Bound(side, value):
            low, high = decimal_bounds(value)
            return {"kind": f"{side} bound", "value": low if side == "lower" else high}
        case Optimum(value, how):
            return {"kind": "numerical optimum", "value": _finite(value), "how": how}


def _text(value: object) -> str:
    try:
        return str(value)
    except ValueError:  # Python prints integers up to some thousands of digits
        raise InputError("the exact result has thousands of digits; give smaller arguments") from None


def _finite(value: float) -> float:
    if not isfinite(value):
        raise Undecided(f"the numerical search ended at {value}, which says nothing")
    return value


def _ball(value: Real, bits: int = 128) -> arb:
    ball = value.ball(bits)
    if not ball.is_finite():
        raise Undecided(f"no ball of up to {PRECISION_LIMIT} bits encloses the result; give less extreme arguments")
    return ball


def _plain(value: Fraction) -> str:
    text = _text(sympy.Rational(value.numerator, value.denominator))
    if value.denominator == 1:
        return text
    if Fraction(1, 10**300) < abs(value) < 10**300:
        return f"{text} = {float(value):.{DIGITS - 2}g}"
    return f"{text} = {Real.of(value).ball().str(DIGITS - 2, radius=False)}"


def decimal_bounds(value: Real) -> tuple[str, str]:
    """Decimal strings below and above the number, about 20 significant digits, rounded outward."""
    ball = _ball(value, _BITS)
    if any(abs(part.man_exp()[1]) > _LARGEST_EXPONENT for part in (ball.mid(), ball.rad())):
        raise InputError("the result is beyond 2^(10^6) or its inverse; give less extreme arguments")
    middle, radius = midpoint(ball), midpoint(ball.rad())
    return _decimal(middle - radius, down=True), _decimal(middle + radius, down=False)


def _decimal(value: Fraction, down: bool, digits: int = 20) -> str:
    """`value` in scientific notation with about `digits` digits, rounded down or up."""
    if value == 0:
        return "0"
    shift = digits - floor((value.numerator.bit_length() - value.denominator.bit_length()) * log10(2))
    scaled = value * Fraction(10) ** shift
    whole = scaled.numerator // scaled.denominator if down else -(-scaled.numerator // scaled.denominator)
    sign, figures = "-" if whole < 0 else "", str(abs(whole))
    return f"{sign}{figures[0]}.{figures[1:]}e{len(figures) - 1 - shift}"


def listing(table: Iterable[Quantity]) -> Iterator[str]:
    """Lines for people: every quantity with its unit, claim, summary and arguments."""
    for item in table:
        yield f"{item.name}  [{item.unit}; {item.claim}]\n    {item.summary}"
        for name, (parameter, default) in item.parameters.items():
            yield f"      {name}: {parameter.describe}{_optional(default)}"


def listing_as_json(table: Iterable[Quantity]) -> list[dict[str, Any]]:
    """The same as plain data."""
    return [
        {
            "name": item.name,
            "summary": item.summary,
            "unit": item.unit,
            "claim": item.claim,
            "arguments": {name: parameter.describe for name, (parameter, _) in item.parameters.items()},
        }
        for item in table
    ]


def _optional(default: Any) -> str:
    """How an argument that may be left out is marked, with its default as one would type it."""
    if default is inspect.Parameter.empty:
        return ""
    if default is None:
        return " (optional)"
    if isinstance(default, Real) and default.exact is not None:
        default = default.exact
    return f" (default {list(default) if isinstance(default, tuple) else default})"
