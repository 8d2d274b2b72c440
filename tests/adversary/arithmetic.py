"""One formula, two arithmetics: duels are written once in NumPy and run in float64, and where that is close, in balls.

A ball is an `arb` inside an object array, whose elements NumPy's ufuncs ask for the function of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import numpy as np
import sympy
from flint import arb
from scipy.special import ive

from theory.arithmetic.ball import besseli, evaluate
from theory.arithmetic.real import Real


def _arb(value: Any) -> arb:
    if isinstance(value, Ball):
        return value.arb
    if isinstance(value, Constant):
        return value.exact.enclose()
    if isinstance(value, float | np.floating):
        return arb(float(value))  # exactly
    return value if isinstance(value, arb) else Real.of(value).enclose()


class Ball:
    """An enclosed number at the precision of the context; comparisons are True only when they are certain."""

    __slots__ = ("arb",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        self.arb = _arb(value)

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x + y)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x - y)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: y - x)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x * y)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x / y)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: y / x)

    def __neg__(self) -> Ball:
        return Ball(-self.arb)

    def __abs__(self) -> Ball:
        return Ball(abs(self.arb))

    def __pow__(self, exponent: int) -> Ball:
        return Ball(Real(lambda: self.arb) ** exponent)

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other: Any) -> bool:
        return bool(self.arb < _arb(other))

    def __le__(self, other: Any) -> bool:
        return bool(self.arb <= _arb(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.arb > _arb(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.arb >= _arb(other))

    def _with(self, other: Any, operation: Callable[[arb, arb], arb]) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Ball(operation(self.arb, _arb(other)))

    # What NumPy's ufuncs call on the elements of object arrays.
    def cos(self) -> Ball:
        return Ball(self.arb.cos())

    def sin(self) -> Ball:
        return Ball(self.arb.sin())

    def arccos(self) -> Ball:
        return Ball(self.arb.acos())

    def exp(self) -> Ball:
        return Ball(self.arb.exp())

    def log(self) -> Ball:
        return Ball(self.arb.log())

    def sqrt(self) -> Ball:
        return Ball(self.arb.sqrt())


_ball_sin_pi = np.frompyfunc(lambda x: Ball(_arb(x).sin_pi()), 1, 1)
_ball_cos_pi = np.frompyfunc(lambda x: Ball(_arb(x).cos_pi()), 1, 1)


class Constant:
    """A number of the theory that no free parameter changes, with its rounding."""

    def __init__(self, value: Any) -> None:
        self.exact, self.rounded = Real.of(value), float(value)


def constant(function: Callable[..., Any]) -> Callable[..., Constant]:
    """A cached function whose values are constants; its arguments are the variant of a claim and a setting."""
    return cache(lambda *arguments: Constant(function(*arguments)))


@cache
def _compiled(expression: sympy.Expr, names: tuple[sympy.Symbol, ...]) -> Callable[..., Any]:
    compiled: Callable[..., Any] = sympy.lambdify(names, expression, modules=["scipy", "numpy"])
    return compiled


class Floats:
    """float64."""

    pi: Any = np.pi

    def number(self, value: Any) -> Any:
        """An exact number of the theory."""
        return value.rounded if isinstance(value, Constant) else float(value)

    def formula(self, expression: sympy.Expr, values: Mapping[sympy.Symbol, Any]) -> Any:
        """A SymPy expression of the theory at these values."""
        return _compiled(expression, tuple(values))(*values.values())

    def sin_pi(self, x: Any) -> Any:
        return np.sin(np.pi * x)

    def cos_pi(self, x: Any) -> Any:
        return np.cos(np.pi * x)

    def bes(self, x: Any) -> Any:
        """e^(-x) I_0(x)."""
        return ive(0, x)

    def least(self, values: Any) -> Any:
        return np.min(values)

    def largest(self, values: Any) -> Any:
        return np.max(values)


class Balls(Floats):
    """Balls at the precision of the context."""

    @property
    def pi(self) -> Ball:
        return Ball(arb.pi())

    def number(self, value: Any) -> Ball:
        return Ball(value)

    def formula(self, expression: sympy.Expr, values: Mapping[sympy.Symbol, Any]) -> Ball:
        return Ball(evaluate(expression, {symbol: _real(value) for symbol, value in values.items()}))

    def sin_pi(self, x: Any) -> Any:
        return _ball_sin_pi(x)

    def cos_pi(self, x: Any) -> Any:
        return _ball_cos_pi(x)

    def bes(self, x: Ball) -> Ball:
        return Ball(besseli(0, _real(x), scaled=True))

    def least(self, values: Iterable[Any]) -> Ball:
        return Ball(reduce(arb.min, map(_arb, np.ravel(np.asarray(values, dtype=object)))))

    def largest(self, values: Iterable[Any]) -> Ball:
        return Ball(reduce(arb.max, map(_arb, np.ravel(np.asarray(values, dtype=object)))))


FLOATS, BALLS = Floats(), Balls()


def _real(value: Any) -> Real:
    if isinstance(value, float | np.floating):
        return Real.of(Fraction(float(value)))
    if isinstance(value, Ball):
        return Real(lambda: value.arb)
    return Real.of(value)


def ball_point(point: np.ndarray) -> np.ndarray:
    """A float64 point as exact balls."""
    return np.array([Ball(float(value)) for value in point], dtype=object)
