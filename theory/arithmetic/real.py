"""Real numbers that can enclose themselves: exact where they can be, balls of any precision otherwise.

A number a + b pi with rational a, b carries a and b, so that equality of such numbers is decided. All else is
a recipe for balls: a comparison raises the precision until the balls decide it or a limit is met.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, NoReturn, TypeAlias

import sympy
from flint import arb, ctx, fmpq, fmpz
from sympy.core.sympify import SympifyError

from theory.errors import InputError
from theory.outcome import Outcome

RealLike: TypeAlias = "Real | int | Fraction | sympy.Expr"  # also NumPy integers, and anything with `_sympy_`
Comparison: TypeAlias = Callable[[Any, Any], bool]

PRECISION_LIMIT = 4096
_EXACT_BITS = 1 << 16  # beyond this size an exact rational costs more than it decides


def precisions(start: int, limit: int) -> Iterator[int]:
    """Working precisions in bits, doubling from `start` and ending with `limit`."""
    while start < limit:
        yield start
        start *= 2
    yield limit


class Real:
    """A real number as a recipe for balls that contain it.

    `enclose` is called inside a precision context and returns a ball. Many terms are added by `Real.total`.
    """

    __slots__ = ("_ball", "_linear", "_precision", "_recipe")
    __array_ufunc__ = None  # NumPy scalars on the left defer to the operators below

    def __init__(self, enclose: Callable[[], arb], linear: tuple[fmpq, fmpq] | None = None) -> None:
        self._recipe = enclose
        self._linear = linear
        self._precision = 0

    @classmethod
    def of(cls, value: RealLike) -> Real:
        """The number itself; InputError for a float, which is a rounded number and never exact input."""
        if isinstance(value, Real):
            return value
        if type(value) is int:  # by far the most frequent; what follows asks an abstract class
            return Real.of_linear(fmpq(value))
        if isinstance(value, numbers.Rational):
            return Real.of_linear(fmpq(int(value.numerator), int(value.denominator)))
        expr = value._sympy_() if hasattr(value, "_sympy_") else value
        if isinstance(expr, sympy.Expr):
            from theory.arithmetic.ball import evaluate

            return evaluate(expr)
        raise InputError(
            f"{value!r} ({type(value).__name__}) is not exact; give an int, a Fraction or a SymPy constant"
        )

    @staticmethod
    def of_linear(a: fmpq | int, b: fmpq | int = 0) -> Real:
        """The number a + b pi of rationals a and b, exact unless it has grown beyond use."""
        a, b = fmpq(a), fmpq(b)
        known = a.height_bits() <= _EXACT_BITS and b.height_bits() <= _EXACT_BITS
        return Real(lambda: arb(a) + arb(b) * arb.pi() if b else arb(a), (a, b) if known else None)

    @staticmethod
    def total(values: Iterable[RealLike]) -> Real:
        """The sum, flat: its depth does not grow with the number of terms."""
        terms = [Real.of(value) for value in values]
        known = [term._linear for term in terms if term._linear is not None]
        if len(known) == len(terms):
            return Real.of_linear(sum((a for a, _ in known), fmpq(0)), sum((b for _, b in known), fmpq(0)))
        return Real(lambda: sum((term.enclose() for term in terms), arb(0)))

    @property
    def exact(self) -> Fraction | None:
        """The value, where it is known to be rational."""
        return _fraction(self._linear[0]) if self._linear and not self._linear[1] else None

    @property
    def over_pi(self) -> Fraction | None:
        """The value divided by pi, where it is known to be a rational multiple of pi."""
        return _fraction(self._linear[1]) if self._linear and not self._linear[0] else None

    def enclose(self) -> arb:
        """A ball that contains the number, at the precision of the surrounding context."""
        if self._precision != ctx.prec:
            self._ball = self._recipe()
            self._precision = ctx.prec
        return self._ball

    def at(self, precision: int) -> arb:
        """A ball that contains the number, computed with `precision` bits."""
        if self._precision == precision:
            return self._ball
        with ctx.workprec(precision):
            return self.enclose()

    def fixed_point(self, bits: int) -> tuple[int, int] | None:
        """Integers low, high with low <= 2^bits x <= high, from a ball of `bits` bits; None if it is not finite."""
        ball = self.at(bits)
        if not ball.is_finite():
            return None
        with ctx.workprec(bits):
            low, high = ball.lower().man_exp(), (-ball.upper()).man_exp()
        return _shift(*low, bits), -_shift(*high, bits)

    def ball(self, bits: int = 128) -> arb:
        """A ball of about `bits` bits relative accuracy; a wider one only beyond the precision limit."""
        for precision in precisions(bits + 16, max(PRECISION_LIMIT, 4 * bits)):
            ball = self.at(precision)
            if ball.rel_accuracy_bits() >= bits:
                break
        return ball

    def __float__(self) -> float:
        return float(self.ball(64).mid())

    def __repr__(self) -> str:
        exact = self._linear is not None and not self._linear[1] and self._linear[0].height_bits() <= 128
        return f"Real({self.exact if exact else self.ball(64).str(18)})"

    def __add__(self, other: RealLike) -> Real:
        x, y = self, Real.of(other)
        if x._linear and y._linear:
            (a, b), (c, d) = x._linear, y._linear
            return Real.of_linear(a + c, b + d)
        return Real(lambda: x.enclose() + y.enclose())

    def __neg__(self) -> Real:
        if self._linear:
            a, b = self._linear
            return Real.of_linear(-a, -b)
        return Real(lambda: -self.enclose())

    def __sub__(self, other: RealLike) -> Real:
        x, y = self, Real.of(other)
        if x._linear and y._linear:
            (a, b), (c, d) = x._linear, y._linear
            return Real.of_linear(a - c, b - d)
        return Real(lambda: x.enclose() - y.enclose())

    def __mul__(self, other: RealLike) -> Real:
        x, y = self, Real.of(other)
        if x._linear and y._linear:
            (a, b), (c, d) = x._linear, y._linear
            if not b or not d:
                return Real.of_linear(a * c, a * d + b * c)
        return Real(lambda: x.enclose() * y.enclose())

    def __truediv__(self, other: RealLike) -> Real:
        x, y = self, Real.of(other)
        if y._linear:
            c, d = y._linear
            if not c and not d:
                raise ZeroDivisionError("division of a Real by exact zero")
            if not d:
                return x * Real.of_linear(1 / c)
            if x._linear and x._linear[0] * d == x._linear[1] * c:  # proportional: the quotient is rational
                return Real.of_linear(x._linear[1] / d)
        return Real(lambda: x.enclose() / y.enclose())

    def __pow__(self, exponent: int) -> Real:
        n = operator.index(exponent)
        if n < 0:
            return 1 / self**-n
        if self._linear and not self._linear[1] and self._linear[0].height_bits() * n <= _EXACT_BITS:
            return Real.of_linear(self._linear[0] ** n)
        return Real(lambda: _integer_power(self.enclose(), n))

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: RealLike) -> Real:
        return Real.of(other) - self

    def __rtruediv__(self, other: RealLike) -> Real:
        return Real.of(other) / self

    def __abs__(self) -> Real:
        if self._linear and (sign := self >= 0) is not Outcome.UNDECIDED:
            return self if sign is Outcome.HOLDS else -self
        return Real(lambda: abs(self.enclose()))

    def __lt__(self, other: RealLike) -> Outcome:
        return _decide(Real.of(other) - self, operator.gt, operator.le)

    def __le__(self, other: RealLike) -> Outcome:
        return _decide(Real.of(other) - self, operator.ge, operator.lt)

    def __gt__(self, other: RealLike) -> Outcome:
        return _decide(self - other, operator.gt, operator.le)

    def __ge__(self, other: RealLike) -> Outcome:
        return _decide(self - other, operator.ge, operator.lt)

    def equals(self, other: RealLike) -> Outcome:
        """Whether both are the same number; it holds only where exact values are known."""
        return _decide(self - other, operator.eq, operator.ne)

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("equality of reals may be undecided: use x.equals(y), which returns an Outcome")

    def __hash__(self) -> NoReturn:
        raise TypeError("a Real has no hash, since its equality may be undecided")

    def _sympy_(self) -> NoReturn:
        raise SympifyError(self)  # else SymPy takes `expr * real` through float(); now our operators get it


def _integer_power(ball: arb, n: int) -> arb:
    """The n-th power, n >= 0, by repeated squaring: arb's own power is not finite on a ball that contains 0."""
    result = arb(1)
    for bit in f"{n:b}":
        result *= result
        if bit == "1":
            result *= ball
    return result


def _decide(difference: Real, holds: Comparison, refuted: Comparison) -> Outcome:
    """A condition on the sign of `difference`; balls compare True only when certain: ask both ways."""
    for precision in precisions(64, PRECISION_LIMIT):
        ball = difference.at(precision)
        if ball.is_finite() and holds(ball, 0):
            return Outcome.HOLDS
        if ball.is_finite() and refuted(ball, 0):
            return Outcome.REFUTED
    return Outcome.UNDECIDED


def _shift(mantissa: fmpz, exponent: fmpz, bits: int) -> int:
    """floor(2^bits mantissa 2^exponent)."""
    shift = int(exponent) + bits
    return int(mantissa) << shift if shift >= 0 else int(mantissa) >> -shift


def midpoint(ball: arb) -> Fraction:
    """The midpoint of a ball, exactly."""
    mantissa, exponent = (int(part) for part in ball.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
