"""Functions of real numbers, and the evaluation of SymPy expressions, enclosed in balls.

What is exact stays exact: cosines of rational multiples of pi reduce their argument exactly, and rational
values of roots and cosines are recognised.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, overload

import sympy
from flint import arb, fmpq

from theory.arithmetic.real import PRECISION_LIMIT, Real, RealLike
from theory.errors import InputError

__all__ = [
    "PRECISION_LIMIT",
    "Real",
    "RealLike",
    "acos",
    "besseli",
    "cos",
    "cosh",
    "evaluate",
    "exp",
    "log",
    "maximum",
    "minimum",
    "pi",
    "sin",
    "sinh",
    "sqrt",
    "tanh",
    "versine",
]

pi = Real.of_linear(0, 1)
_HALF_PI = Real.of_linear(0, fmpq(1, 2))

# The rational cosines of rational multiples x pi, 0 <= x <= 1 (Niven's theorem: there are no others).
_NIVEN = {
    Fraction(0): Fraction(1),
    Fraction(1, 3): Fraction(1, 2),
    Fraction(1, 2): Fraction(0),
    Fraction(2, 3): Fraction(-1, 2),
    Fraction(1): Fraction(-1),
}


def _elementwise(method: Callable[[arb], arb]) -> Callable[[RealLike], Real]:
    def function(x: RealLike) -> Real:
        argument = Real.of(x)
        return Real(lambda: method(argument.enclose()))

    return function


# Outside their domain the balls of these are not finite, and comparisons with them stay undecided.
exp, log, acos = _elementwise(arb.exp), _elementwise(arb.log), _elementwise(arb.acos)
sinh, cosh, tanh = _elementwise(arb.sinh), _elementwise(arb.cosh), _elementwise(arb.tanh)


def cos(x: RealLike) -> Real:
    """The cosine of `x` radians."""
    argument = Real.of(x)
    if (multiple := argument.over_pi) is None:
        return Real(lambda: argument.enclose().cos())
    multiple %= 2
    if multiple.denominator <= 3 and (value := _NIVEN.get(min(multiple, 2 - multiple))) is not None:
        return Real.of(value)
    reduced = fmpq(multiple.numerator, multiple.denominator)
    return Real(lambda: arb.cos_pi_fmpq(reduced))


def sin(x: RealLike) -> Real:
    """The sine of `x` radians."""
    argument = Real.of(x)
    if argument.over_pi is None:
        return Real(lambda: argument.enclose().sin())
    return cos(_HALF_PI - argument)


def sqrt(x: RealLike) -> Real:
    """The square root of `x` >= 0; exact for squares of rationals."""
    argument = Real.of(x)
    if (value := argument.exact) is not None and value >= 0:
        root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if root**2 == value:
            return Real.of(root)
    return Real(lambda: argument.enclose().sqrt())


def besseli(order: int, x: RealLike, *, scaled: bool = False) -> Real:
    """The modified Bessel function I_order(x); `scaled` multiplies it by exp(-x)."""
    argument = Real.of(x)
    return Real(lambda: argument.enclose().bessel_i(order, scaled=scaled))


@overload
def versine(x: Real) -> Real: ...
@overload
def versine(x: sympy.Expr) -> sympy.Expr: ...
def versine(x: Any) -> Any:
    """1 - cos x, as 2 sin^2(x/2), which loses no digits near 0; for a Real or a SymPy expression."""
    if not isinstance(x, Real):
        return 2 * sympy.sin(x / 2) ** 2
    if x.over_pi is not None and (cosine := cos(x).exact) is not None:
        return Real.of(1 - cosine)
    return 2 * sin(x / 2) ** 2


def minimum(values: Iterable[RealLike]) -> Real:
    """The smallest of at least one number."""
    return -maximum(-Real.of(value) for value in values)


def maximum(values: Iterable[RealLike]) -> Real:
    """The largest of at least one number."""
    terms = [Real.of(value) for value in values]
    if not terms:
        raise InputError("the minimum or maximum of no numbers does not exist; give at least one")
    known = [term.exact for term in terms if term.exact is not None]
    if len(known) == len(terms):
        return Real.of(max(known))

    def enclose() -> arb:
        first, *rest = (term.enclose() for term in terms)
        for ball in rest:
            first = first.max(ball)
        return first

    return Real(enclose)


def _power(base: Real, exponent: Real) -> Real:
    power = exponent.exact
    if power is None:
        return exp(exponent * log(base))
    if power.denominator <= 2:
        return (sqrt(base) if power.denominator == 2 else base) ** power.numerator
    rational = fmpq(power.numerator, power.denominator)
    return Real(lambda: base.enclose() ** rational)


def _integer(value: Real) -> int:
    if (exact := value.exact) is None or exact.denominator != 1:
        raise InputError(f"{value!r} is not known to be an integer, as a limit of summation or an order must be")
    return exact.numerator


_FUNCTIONS: dict[Any, Callable[..., Real]] = {
    sympy.cos: cos,
    sympy.sin: sin,
    sympy.tan: lambda x: sin(x) / cos(x),
    sympy.exp: exp,
    sympy.log: log,
    sympy.acos: acos,
    sympy.cosh: cosh,
    sympy.sinh: sinh,
    sympy.tanh: tanh,
    sympy.sech: lambda x: 1 / cosh(x),
    sympy.Abs: abs,
    sympy.Max: lambda *xs: maximum(xs),
    sympy.Min: lambda *xs: minimum(xs),
    sympy.besseli: lambda order, x: besseli(_integer(order), x),
    sympy.Pow: _power,
    sympy.Add: lambda *xs: Real.total(xs),
    sympy.Mul: lambda first, *rest: math.prod(rest, start=first),
}
_CONSTANTS = {sympy.pi: pi, sympy.E: exp(1), sympy.GoldenRatio: (1 + sqrt(5)) / 2}


def evaluate(expr: sympy.Expr, values: Mapping[sympy.Symbol, RealLike] | None = None) -> Real:
    """The real number that a SymPy expression stands for at `values` of its symbols.

    A sum has integer limits; it is empty, and 0, when the upper one lies below the lower. InputError for a
    symbol without a value, a float, or a function that has no enclosure here.
    """
    values = values or {}
    if expr in values:
        return Real.of(values[expr])
    if expr in _CONSTANTS:
        return _CONSTANTS[expr]
    if expr.is_Rational:
        return Real.of_linear(fmpq(int(expr.p), int(expr.q)))
    if isinstance(expr, sympy.Sum) and len(expr.limits) == 1:
        index, low, high = expr.limits[0]
        indices = range(_integer(evaluate(low, values)), _integer(evaluate(high, values)) + 1)
        return Real.total(evaluate(expr.function, {**values, index: value}) for value in indices)
    if (function := _FUNCTIONS.get(expr.func)) is not None:
        return function(*(evaluate(argument, values) for argument in expr.args))
    raise InputError(
        f"{expr} ({type(expr).__name__}) has no exact real value; give its symbols values and use no floats"
    )
