"""Named quantities: what `python -m theory value` can be asked for.

A quantity is a plain function whose parameters are annotated with the kinds below; the annotation reads the command
line, checks the range, and names the argument in `--list`. What it returns says what is known of the number: an exact
value, a certified enclosure, a one-sided bound, or only a numerical optimum.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isfinite, log10
from typing import Annotated, Any, get_type_hints

import sympy
from flint import arb

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.arithmetic.grammar import parse_matrix, parse_number, parse_vector
from theory.arithmetic.real import PRECISION_LIMIT, midpoint
from theory.claims import theory_modules
from theory.errors import InputError, Undecided
from theory.outcome import Outcome

DIGITS = 17
_LARGEST_EXPONENT = 1 << 20  # of 2; numbers beyond it are written, but not as decimals of so many digits


@dataclass(frozen=True)
class Parameter:
    """How an argument is described and read from text; `read` raises InputError on bad text."""

    describe: str
    read: Callable[[str], Any]


def _integer(least: int, reason: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = parse_number(text)
        if not value.is_Integer:
            raise InputError(f"{text} is not an integer; give a whole number >= {least}")
        if value < least:
            raise InputError(f"{text} is below {least}: {reason}; give a whole number >= {least}")
        return int(value)

    return read


def _positive(text: str) -> Real:
    value = Real.of(parse_number(text))
    if (value > 0) is not Outcome.HOLDS:
        raise InputError(f"{text} is not positive; give a number > 0")
    return value


def _rational(text: str) -> Fraction:
    if (value := Real.of(parse_number(text)).exact) is None:
        raise InputError(f"{text} is not known to be rational; give a fraction or a decimal")
    return value


Length = Annotated[
    int,
    Parameter("input length, query included (integer >= 1)", _integer(1, "an input has at least one token")),
]
Length2 = Annotated[
    int, Parameter("input length, query included (integer >= 2)", _integer(2, "one token has no competitor"))
]
Offset = Annotated[
    int, Parameter("offset of the target (integer >= 0)", _integer(0, "a causal head sees no later token"))
]
Count = Annotated[int, Parameter("number (integer >= 1)", _integer(1, "nothing is left to count"))]
Letters = Annotated[int, Parameter("size of the alphabet (integer >= 2)", _integer(2, "one letter has no competitor"))]
AnyAngle = Annotated[Angle, Parameter("angle in radians, exact", Angle.parse)]
NonzeroAngle = Annotated[
    Angle, Parameter("angle in radians, exact, no multiple of 2*pi", lambda text: Angle.parse(text).rotating())
]
Number = Annotated[Real, Parameter("real number, exact", lambda text: Real.of(parse_number(text)))]
Rational = Annotated[Fraction, Parameter("rational number, exact", _rational)]
Positive = Annotated[Real, Parameter("positive real number, exact", _positive)]
Vector = Annotated[tuple[sympy.Expr, ...], Parameter("vector as JSON, entries exact", parse_vector)]
Matrix = Annotated[
    sympy.Matrix, Parameter("matrix as JSON, entries exact", lambda text: sympy.Matrix(parse_matrix(text)))
]


@dataclass(frozen=True)
class Exact:
    """A value that is known exactly: an integer, a fraction, a SymPy number, a truth value, a sequence."""

    value: Any


@dataclass(frozen=True)
class Enclosure:
    """A real number with certified bounds on both sides."""

    value: Real


@dataclass(frozen=True)
class Bound:
    """A certified one-sided bound: `side` is "upper" or "lower"."""

    side: str
    value: Real


@dataclass(frozen=True)
class Optimum:
    """A numerical optimum that is not certified; `how` names the method."""

    value: float
    how: str


Result = Exact | Enclosure | Bound | Optimum


@dataclass(frozen=True)
class Quantity:
    """A named function from exact arguments to results, with its unit and the claim that it belongs to."""

    name: str
    unit: str
    claim: str
    function: Callable[..., Result | Mapping[str, Result]]

    @property
    def parameters(self) -> dict[str, tuple[Parameter, Any]]:
        """Argument name -> (how to read it, default or `inspect.Parameter.empty`)."""
        hints = get_type_hints(self.function, include_extras=True)
        signature = inspect.signature(self.function).parameters
        return {name: (_parameter(hints[name]), signature[name].default) for name in signature}

    @property
    def summary(self) -> str:
        return inspect.cleandoc(self.function.__doc__ or "").partition("\n")[0]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def evaluate(self, arguments: Mapping[str, str]) -> dict[str, Result]:
        """Read the arguments and compute. Raises InputError on a missing, unknown or bad argument."""
        parameters = self.parameters
        usage = f"{self.name} takes {', '.join(parameters)}"
        if unknown := [name for name in arguments if name not in parameters]:
            raise InputError(f"unknown argument {unknown[0]!r}; {usage}")
        required = [name for name, (_, default) in parameters.items() if default is inspect.Parameter.empty]
        if missing := [name for name in required if name not in arguments]:
            raise InputError(f"missing argument {missing[0]!r}; {usage}")
        values = {name: _read(name, parameters[name][0], text) for name, text in arguments.items()}
        results = self.function(**values)
        return dict(results) if isinstance(results, Mapping) else {self.name: results}


def _read(name: str, parameter: Parameter, text: str) -> Any:
    try:
        return parameter.read(text)
    except InputError as error:
        raise InputError(f"argument {name}: {error}") from None


def _parameter(hint: Any) -> Parameter:
    candidates = [hint, *getattr(hint, "__args__", ())]
    for candidate in candidates:
        for extra in getattr(candidate, "__metadata__", ()):
            if isinstance(extra, Parameter):
                return extra
    raise TypeError(f"{hint} is annotated with no Parameter")


def quantity(name: str, *, unit: str, claim: str) -> Callable[[Callable[..., Any]], Quantity]:
    """Give a function a name on the command line, a unit and the claim it belongs to."""
    return lambda function: Quantity(name, unit, claim, function)


def quantities() -> dict[str, Quantity]:
    """Every quantity of the package by name. Raises ValueError when two share a name."""
    found: dict[str, Quantity] = {}
    for module in theory_modules():
        for value in vars(importlib.import_module(module)).values():
            if isinstance(value, Quantity) and found.setdefault(value.name, value) is not value:
                raise ValueError(f"quantity {value.name!r} is defined twice; rename one in {module}")
    return dict(sorted(found.items()))


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
            middle = float(value)
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
    ball = _ball(value, 96)
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
