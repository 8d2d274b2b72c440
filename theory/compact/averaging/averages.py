"""The causal average (A f)(i) = (f(1) + ... + f(i))/i, its powers, and the Poisson tails g_m that bound them.

g_m(x) = x (1 + y + y^2/2! + ... + y^(m-1)/(m-1)!) with y = ln(1/x): the probability that a Poisson variable of mean y
is below m. Source: derived here.
"""

from __future__ import annotations

import numbers
from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import sympy
from flint import arb

from theory.arithmetic.ball import log
from theory.arithmetic.real import Real, RealLike
from theory.arithmetic.root import falling_root
from theory.compact import elementary
from theory.errors import InputError, Undecided
from theory.outcome import Outcome


def causal_average(values: Sequence[Any]) -> list[Any]:
    """A applied to f(1), ..., f(n), in whatever numbers they are."""
    return [elementary.quotient(total, i) for i, total in enumerate(accumulate(values), start=1)]


def averaged(disagreements: Collection[int], n: int, times: int) -> Fraction:
    """(A^times 1_D)(n), exactly.

    Args:
        disagreements: D, positions from 1 to n.
        n: length, at least 1.
        times: how often the average is taken; 0 asks whether n lies in D.
    """
    return Fraction(averages(disagreements, n, times)[-1]) if times else Fraction(n in disagreements)


def averaged_enclosed(disagreements: Collection[int], n: int, times: int) -> Real:
    """The same number for times >= 1, in balls: for lengths at which its numerator is too long."""
    return Real(lambda: averages(disagreements, n, times, arb(1))[-1])


def averages(disagreements: Collection[int], n: int, times: int, one: Any = 1) -> list[Any]:
    """(A^m 1_D)(n) for m = 1, ..., times, in the numbers of `one`."""
    values, found = [one * value for value in _indicator(disagreements, n)], []
    for _ in range(times):
        values = causal_average(values)
        found.append(values[-1])
    return found


def averaging_kernel(n: int, times: int) -> list[Fraction]:
    """The weights that (A^times f)(n) puts on f(1), ..., f(n), for times >= 1."""
    weights = [Fraction(1, n)] * n
    for _ in range(times - 1):
        # One more average, now of the values that the earlier ones weigh.
        shares = [weight / t for t, weight in enumerate(weights, start=1)]
        weights = list(accumulate(reversed(shares)))[::-1]
    return weights


def poisson_tail(m: int, x: Any) -> Any:
    """g_m(x), m >= 0: 0 at x <= 0, 1 at x >= 1; a SymPy symbol is taken to lie in (0, 1]. g_0 = 0.

    `x` is a float, a SymPy expression, a ball, a `Real` or a rational number; the last two give a `Real`.
    """
    if m < 0:
        raise InputError(f"m = {m} is negative, but a tail is a sum of m terms; give an integer >= 0")
    if m == 0:
        return 0
    if isinstance(x, Real) and x.exact is not None:
        x = x.exact
    if isinstance(x, arb):
        # The tail rises: its values at the two ends enclose it, which balls of logarithms would do less narrowly.
        low, high = (arb(_clamped(m, end)) for end in (x.lower(), x.upper()))
        return low.union(high) if x.is_finite() else arb.nan()
    if isinstance(x, Real):
        return Real(lambda: poisson_tail(m, x.enclose()))
    if isinstance(x, numbers.Rational) and not isinstance(x, sympy.Expr):
        return Real.of(_clamped(m, Fraction(x)))
    return _clamped(m, x)


def _clamped(m: int, x: Any) -> Any:
    if not isinstance(x, sympy.Expr) or x.is_number:
        if x <= 0:
            return 0
        if x >= 1:
            return 1
    return x * partial_exponential(m, -elementary.log(x))


def partial_exponential(m: int, y: Any) -> Any:
    """1 + y + ... + y^(m-1)/(m-1)!, m >= 1."""
    total = 1
    for r in range(m - 1, 0, -1):
        total = 1 + elementary.quotient(y * total, r)
    return total


def tail_sum(coefficients: Sequence[Any], x: Any) -> Any:
    """c_1 g_1(x) + ... + c_L g_L(x) of coefficients c_1, ..., c_L: in their numbers, if these are balls or floats."""
    x = elementary.alike(x, sum(coefficients))
    return sum((c * poisson_tail(m, x) for m, c in enumerate(coefficients, start=1)), 0)


def tail_radius(coefficients: Sequence[RealLike], level: RealLike) -> Real:
    """The largest x <= 1 with c_1 g_1(x) + ... + c_L g_L(x) <= `level`: the lower end of its ball is a safe value.

    Raises InputError for a negative coefficient or level, and `Undecided` where the level is not told from c_1 + ... +
    c_L, which the sum reaches at x = 1.
    """
    weights, level = [Real.of(c) for c in coefficients], Real.of(level)
    if Outcome.REFUTED in (level >= 0, *(c >= 0 for c in weights)):
        raise InputError(f"{coefficients} or {level!r} has a negative number; give bounds >= 0")
    total = Real.total(weights)
    reached = total <= level
    if reached is Outcome.UNDECIDED:
        raise Undecided(f"whether {level!r} is below {total!r} is undecided at the precision limit")
    if reached is Outcome.HOLDS:
        return Real.of(1)
    if level.exact == 0:
        return Real.of(0)
    if all(c.exact == 0 for c in weights[1:]):
        return level / weights[0]

    def excess(y: arb) -> arb:
        # In y = ln(1/x), and as a logarithm: nearly linear for the secants.
        terms = (c.enclose() * partial_exponential(m, y) for m, c in enumerate(weights, start=1))
        return sum(terms, arb(0)).log() - y - level.enclose().log()

    # g_m(x) <= 2^(m-1) sqrt(x) is below the level at the far end.
    far = 2 * log(total * 2 ** (len(weights) - 1) / level) + 1
    return elementary.exp(-falling_root(excess, 0, far))


def poisson_tail_radius(m: int, level: RealLike) -> Real:
    """The largest x <= 1 with g_m(x) <= `level`, for m >= 1."""
    return tail_radius([0] * (m - 1) + [1], level)


def _indicator(disagreements: Collection[int], n: int) -> list[int]:
    if n < 1:
        raise InputError(f"length {n} is below 1, but a word has a last letter; give a length >= 1")
    if outside := [i for i in disagreements if not 1 <= i <= n]:
        raise InputError(f"position {outside[0]} lies outside 1, ..., {n}; give positions of the two words")
    return [int(i in disagreements) for i in range(1, n + 1)]
