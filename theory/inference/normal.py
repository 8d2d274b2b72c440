"""Normal and Student-t probabilities: in balls for exact numbers and balls, by SciPy for floats.

P(T < -t) of Student's t with d degrees of freedom is I_w(d/2, 1/2)/2 at w = d/(d + t^2), an incomplete beta function.
For standard normal X, Y of correlation rho, P(X < a, Y < b) has the slope phi_2(a, b; rho) in rho, so that
P = Phi(a) Phi(b) + (1/2 pi) integral from 0 to asin(rho) of exp(-(a^2 + b^2 - 2 a b sin t)/(2 cos^2 t)) dt.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from flint import acb, arb, ctx

from theory.arithmetic.ball import Real, exp, pi, sqrt


def density(x: Any) -> Any:
    """The standard normal density."""
    if isinstance(x, float):
        return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    if isinstance(x, arb):
        return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()
    if isinstance(x, sympy.Expr):
        return sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi)
    return exp(-(Real.of(x) ** 2) / 2) / sqrt(2 * pi)


def cdf(x: Any) -> Any:
    """The standard normal distribution function; small values keep their digits."""
    if isinstance(x, float):
        from scipy.special import ndtr

        return float(ndtr(x))
    if isinstance(x, arb | acb):
        return (-x / arb(2).sqrt()).erfc() / 2
    if isinstance(x, sympy.Expr):
        return (1 + sympy.erf(x / sympy.sqrt(2))) / 2
    argument = Real.of(x)
    return Real(lambda: cdf(argument.enclose()))


def student_tail(freedom: int, weight: Any) -> Any:
    """P(T < -sqrt(d/w)) of Student's t with d degrees of freedom, from w >= 0; 0 at w = 0.

    In units of d, w = 0 is t infinitely far out: the value is I_(w/(1+w))(d/2, 1/2)/2.
    """
    if isinstance(weight, float):
        from scipy.special import betainc

        return float(betainc(freedom / 2, 0.5, weight / (1 + weight))) / 2
    if isinstance(weight, int | Fraction) and weight == 0:
        return Fraction(0)
    share = Real.of(weight) / (1 + Real.of(weight))
    return Real(lambda: share.enclose().beta_lower(arb(freedom) / 2, arb(1) / 2, regularized=True) / 2)


def same_sign(a: Any, b: Any, correlation: Any) -> Any:
    """P((X + a)(Y + b) > 0) for standard normal X, Y of that correlation, |correlation| < 1.

    Of P(X < a, Y < b) and P(X < -a, Y < -b) the integrals are equal.
    """
    level = cdf(a) * cdf(b) + cdf(-a) * cdf(-b)
    x, y, rho = Real.of(a), Real.of(b), Real.of(correlation)
    if rho.exact == 0:
        return level

    def enclose() -> arb:
        u, v = x.enclose(), y.enclose()

        def integrand(t: acb, analytic: bool) -> acb:
            return (-(u * u + v * v - 2 * u * v * t.sin()) / (2 * t.cos() ** 2)).exp()

        return integral(integrand, arb(0), rho.enclose().asin()) / arb.pi()

    return level + Real(enclose)


def integral(function: Callable[[acb, bool], acb], low: arb, high: arb) -> arb:
    """The integral of a function that is real on the interval and analytic near it, enclosed."""
    tolerance = arb(2) ** (10 - ctx.prec)
    return acb.integral(function, low, high, rel_tol=tolerance, abs_tol=tolerance).real
