"""Named quantities: what `python -m theory value` can be asked for.

A quantity is a plain function whose parameters are annotated with the kinds below; the annotation reads the command
line, checks the range, and names the argument in `--list`. What it returns says what is known of the number: an exact
value, a certified enclosure, a one-sided bound, or only a numerical optimum.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from types import MappingProxyType
from typing import Annotated, Any, get_type_hints

import sympy

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.arithmetic.grammar import parse_matrix, parse_number, parse_vector
from theory.errors import InputError
from theory.modules import load, theory_modules
from theory.outcome import Outcome


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
Amount = Annotated[int, Parameter("number (integer >= 0)", _integer(0, "nothing is counted below 0"))]
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

    @cached_property  # annotations are text, which takes long to read
    def parameters(self) -> Mapping[str, tuple[Parameter, Any]]:
        """Argument name -> (how to read it, default or `inspect.Parameter.empty`)."""
        hints = get_type_hints(self.function, include_extras=True)
        signature = inspect.signature(self.function).parameters
        return MappingProxyType({name: (_parameter(hints[name]), signature[name].default) for name in signature})

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


@cache
def quantities() -> Mapping[str, Quantity]:
    """Every quantity of the package by name. Raises InputError when two share a name or a module cannot be imported."""
    found: dict[str, Quantity] = {}
    for module in theory_modules():
        for value in vars(load(module)).values():
            if isinstance(value, Quantity) and found.setdefault(value.name, value) is not value:
                raise InputError(f"quantity {value.name!r} is defined twice; rename one in {module}")
    return MappingProxyType(dict(sorted(found.items())))
