"""Elementary functions of whatever number they are given: float, fraction, `Real`, ball or SymPy expression.

A rational number stays one where the value is rational, and becomes a `Real` otherwise; any other type is asked for the
method of that name.
"""

from __future__ import annotations

import math
import numbers
import sys
from fractions import Fraction
from functools import reduce
from typing import Any

import sympy
from flint import arb, fmpq

from theory.arithmetic import ball
from theory.arithmetic.real import Real

_OVERFLOW = math.log(sys.float_info.max)


def exp(x: Any) -> Any:
    """e^x; exactly 1 at a rational 0, and infinite for a float beyond the largest one."""
    if isinstance(x, sympy.Expr):
        return sympy.exp(x)
    if isinstance(x, float):
        return math.exp(x) if x < _OVERFLOW else x if math.isnan(x) else math.inf
    if isinstance(x, numbers.Rational | Real):
        return x + 1 if isinstance(x, numbers.Rational) and x == 0 else ball.exp(Real.of(x))
    return x.exp()


def log(x: Any) -> Any:
    """The natural logarithm of a positive number; exactly 0 at a rational 1."""
    if isinstance(x, sympy.Expr):
        return sympy.log(x)
    if isinstance(x, float):
        return math.log(x)
    if isinstance(x, numbers.Rational | Real):
        return 0 if isinstance(x, numbers.Rational) and x == 1 else ball.log(Real.of(x))
    return x.log()


def smallest(first: Any, *others: Any) -> Any:
    """The minimum; of balls a ball that contains it."""
    values = (first, *others)
    if any(isinstance(value, sympy.Expr) for value in values):
        return sympy.Min(*values)
    if any(isinstance(value, Real) for value in values):
        return ball.minimum(values)
    if any(isinstance(value, arb) for value in values):
        return reduce(arb.min, map(to_ball, values))
    return min(values)


def largest(first: Any, *others: Any) -> Any:
    """The maximum; of balls a ball that contains it."""
    return -smallest(-first, *(-value for value in others))


def to_ball(value: Any) -> arb:
    """A ball at the precision of the context, of a number that is exact or a ball; a float is taken at its word."""
    if isinstance(value, arb):
        return value
    if isinstance(value, numbers.Rational):
        return arb(fmpq(int(value.numerator), int(value.denominator)))
    return arb(float(value)) if isinstance(value, float) else Real.of(value).enclose()


def alike(value: Any, model: Any) -> Any:
    """The number among numbers of the type of `model`, if these are balls or floats; else as it is."""
    if isinstance(model, arb):
        return to_ball(value)
    return float(value) if isinstance(model, float) else value


def quotient(x: Any, y: Any) -> Any:
    """x/y, a fraction and not a float where both are integers."""
    return Fraction(x, y) if isinstance(x, int) and isinstance(y, int) else x / y
