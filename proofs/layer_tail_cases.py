"""The cases by which the steps of proofs.layer_continuity on repeated averages are checked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy
from flint import arb
from sympy import Expr, Integer, Rational, Symbol, symbols

from theory.arithmetic.ball import Real
from theory.compact.averaging.averages import averaged, averaged_enclosed, averaging_kernel, poisson_tail
from theory.compact.continuity.constants import HeadConstants, LayerConstants, total_growth
from theory.compact.continuity.logs_necessary import harmonic
from theory.compact.symbols import x, y
from theory.evidence import Case, Equation
from theory.outcome import Outcome

THREE = poisson_tail(3, x)


def _expanded(value: Expr) -> Expr:
    return sympy.expand_log(sympy.expand(value), force=True)


def falling(longest: int, times: int) -> Iterator[Case]:
    """The weights of A^m do not rise with the position, and they are those of the definition."""
    for length in range(1, longest + 1):
        for m in range(1, times + 1):
            weights = averaging_kernel(length, m)
            definition = [averaged((i,), length, m) for i in range(1, length + 1)]
            yield {"n": length, "m": m}, weights == definition == sorted(weights, reverse=True)


def earliest(longest: int, times: int) -> Iterator[Case]:
    """No set of k positions leaves more than the first k."""
    for length in range(1, longest + 1):
        for size in range(1, length + 1):
            for m in range(1, times + 1):
                most = averaged(range(1, size + 1), length, m)
                for places in combinations(range(1, length + 1), size):
                    yield {"n": length, "D": places, "m": m}, averaged(places, length, m) <= most


def tails(most: int) -> Iterator[Equation]:
    """Slopes of g_m, and what g_(m+1) has more, at x = e^-y; and g_3 as it is printed."""
    yield "g_3", _expanded(THREE.subs(x, sympy.exp(-y))), sympy.exp(-y) * (1 + y + y**2 / 2)
    for m in range(1, most + 1):
        tail, larger = (_expanded(poisson_tail(order, sympy.exp(-y))) for order in (m, m + 1))
        # dg/dx = -e^y dg/dy.
        yield f"slope of g_{m}", -sympy.exp(y) * tail.diff(y), y ** (m - 1) / sympy.factorial(m - 1)
        yield f"g_{m + 1} - g_{m}", larger - tail, sympy.exp(-y) * y**m / sympy.factorial(m)


def recursion(longest: int, times: int) -> Iterator[Case]:
    """One more average of a prefix: k ones, then what was left at k + 1, ..., n."""
    for length in range(1, longest + 1):
        for size in range(1, length + 1):
            for m in range(1, times + 1):
                later = sum((averaged(range(1, size + 1), t, m) for t in range(size + 1, length + 1)), Fraction(0))
                found = averaged(range(1, size + 1), length, m + 1)
                yield {"n": length, "k": size, "m": m}, found == (size + later) / length


def integrals(most: int) -> Iterator[Equation]:
    """The terms of g_m(k/t) as slopes of those of t g_(m+1)(k/t), and what they add up to."""
    t, k = symbols("t k", positive=True)
    for m in range(1, most + 1):
        terms = [k * sympy.log(t / k) ** power / sympy.factorial(power) for power in range(1, m + 1)]
        tail = _expanded(poisson_tail(m, k / t))
        yield f"slope, m = {m}", _expanded(sum(terms).diff(t)), tail
        yield f"in all, m = {m}", _expanded(k + sum(terms)), _expanded(t * poisson_tail(m + 1, k / t))


def close() -> Iterator[tuple[int, int, int, Real, Real]]:
    """M, k, n, what is left and its bound."""
    for m, size, length in ((1, 5, 50), (2, 5, 50), (3, 5, 50), (3, 50, 500), (3, 200, 2000), (8, 200, 2000)):
        left = averaged_enclosed(range(1, size + 1), length, m)
        yield m, size, length, left, Real.of(poisson_tail(m, Fraction(size, length)))


def close_rows() -> Iterator[tuple[object, ...]]:
    """The same as text."""
    for *case, left, bound in close():
        yield *case, f"{float(left):.6f}", f"{float(bound):.6f}"


def powers(most: int) -> Iterator[Equation]:
    """The terms of s^(m-1) (1 + y + ...) are those of e^(s y) times powers of s below 1."""
    s = symbols("s", positive=True)
    for m in range(1, most + 1):
        ours = s ** (m - 1) * sum(y**power / sympy.factorial(power) for power in range(m))
        theirs = sum((s * y) ** power / sympy.factorial(power) * s ** (m - 1 - power) for power in range(m))
        yield f"m = {m}", ours, theirs


def below_root(share: arb) -> Outcome:
    """g_m(x) <= 2^(m-1) sqrt(x) for m = 2, 3, 4; both sides rise."""
    low, high = share.lower(), share.upper()
    found = []
    for m in (2, 3, 4):
        least, most = (arb(2) ** (m - 1) * end.sqrt() for end in (low, high))
        found.append(Outcome.settled(poisson_tail(m, high) <= least, poisson_tail(m, low) > most))
    return Outcome.every(found)


def ratios(most: int) -> Iterator[Case]:
    """Two averages of 1 0 ... 0: 1 + 1/2 + ... + 1/n times the share 1/n."""
    for length in range(1, most + 1):
        yield {"n": length}, averaged((1,), length, 2) == harmonic(length) * Fraction(1, length)


def depths() -> Iterator[tuple[int, list[Real]]]:
    """L, and g_L at some shares."""
    for depth in (1, 2, 4, 8, 16, 32):
        yield depth, [Real.of(poisson_tail(depth, Fraction(1, 10**power))) for power in (1, 2, 3, 4)]


def depth_rows() -> Iterator[tuple[object, ...]]:
    """The same as text."""
    for depth, values in depths():
        yield depth, *(f"{float(value):.5f}" for value in values)


def passing() -> Iterator[Case]:
    """At 32 layers g_L exceeds 9/10 at all of them."""
    *_, (depth, values) = depths()
    for power, value in enumerate(values, start=1):
        yield {"L": depth, "x": f"10^-{power}"}, value > Fraction(9, 10)


def without_mask() -> Iterator[Equation]:
    """Layers a + b J on the indicator of one letter of three, at another one; J is the mean of all."""
    for depth in (1, 2, 3):
        factors = [(Symbol(f"a_{level}"), Symbol(f"b_{level}")) for level in range(1, depth + 1)]
        values: list[Any] = [Integer(1), Integer(0), Integer(0)]
        for a, b in factors:
            values = [a * value + b * sum(values) / 3 for value in values]
        layers = [LayerConstants(a, (HeadConstants(Integer(0), 0, 0, 0, b),)) for a, b in factors]
        yield f"{depth} layers", values[-1], total_growth(layers) * Rational(1, 3)
