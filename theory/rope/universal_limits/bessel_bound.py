"""The mean weight Bes(x) = e^(-x) I_0(x) of a key at a random angle, and that it is at least 1/sqrt(1 + 2 pi x).

Source: derived here. Bes(x) is the mean of e^(-x (1 - cos phi)), so Bes(x) >= 1 - x, and 1 - cos phi <= phi^2/2 gives
Bes(x) >= erf(z)/sqrt(2 pi x), z = pi sqrt(x/2). The first settles small x, the second large x, where erfc(z) <=
e^(-z^2)/(z sqrt(pi)) and e^(-y) <= 24/y^4; balls settle what is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import sympy
from flint import arb
from sympy import Expr, besseli, erf, exp, pi, sqrt, symbols

from theory.arithmetic import ball
from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Bound, Enclosure, Number, quantity
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.one_frequency import TURN

CLAIM = "bessel-lower-bound"
x = symbols("x", nonnegative=True)


def mean_weight(argument: Real) -> Real:
    """Bes(x), which falls from 1 at 0."""
    return ball.besseli(0, argument, scaled=True)


@dataclass(frozen=True)
class Root:
    """Bes(x) >= 1/sqrt(1 + c x) for all x >= 0, or all real x."""

    c: Expr = 2 * pi
    everywhere: bool = False

    @property
    def statement(self) -> Expr:
        return sympy.Ge(exp(-x) * besseli(0, x), 1 / sqrt(1 + self.c * x))


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all x >= 0; 2 pi is the least such constant",
    statement=lambda root: root.statement,
    variant=Root(),
    controls={"6 in place of 2 pi": Root(sympy.Integer(6)), "2 in place of 2 pi": Root(sympy.Integer(2))},
    hypotheses=(
        Hypothesis("x >= 0", "an inverse temperature and an amplitude are not negative", Root(everywhere=True)),
    ),
    does_not_show="an upper bound: Bes(x) is 1/sqrt(2 pi x) (1 + O(1/x))",
)
def bessel_lower_bound(root: Root, thorough: bool) -> Iterator[Evidence]:
    """Many sizes of x, then all x in one cover of u = 1/(1 + x)."""
    yield Enumeration("x = 10^-6 .. 10^12", _sizes(root))
    yield BoxCover("all x, by u = 1/(1 + x)", ((Fraction(0), Fraction(1)),), partial(_exceeds, Real.of(root.c)))
    yield Identity("what the bounds at both ends rest on", _ends())


def _sizes(root: Root) -> Iterator[Case]:
    sizes = [Fraction(10) ** k for k in range(-6, 13)]
    for size in [-Fraction(1, 100)] * root.everywhere + sizes:
        argument = Real.of(size)
        yield {"x": str(size)}, mean_weight(argument) >= 1 / ball.sqrt(1 + Real.of(root.c) * argument)


def _exceeds(c: Real, u: arb) -> Outcome:
    constant, small, large = c.enclose(), (1 - u) / u, 2 * u / (1 - u) / arb.pi() ** 2
    # (1 - x)^2 (1 + c x) - 1, divided by x.
    if small < 1 / arb(4) and constant - 2 - (2 * constant - 1) * small + constant * small**2 > 0:
        return Outcome.HOLDS
    # (1 - 2 erfc(z)) (1 + 1/(c x)) - 2 pi/c, divided by v = 1/z^2, with erfc(z) <= 24 v^(9/2)/sqrt(pi).
    if large < 1 / arb(16) and (TURN / c <= 1) is Outcome.HOLDS:
        share = arb.pi() ** 2 / 2 / constant
        if share - 48 / arb.pi().sqrt() * large.nonnegative_part().sqrt() ** 7 * (1 + share * large) > 0:
            return Outcome.HOLDS
    product = small.bessel_i(0, scaled=True) ** 2 * (1 + constant * small)
    return Outcome.settled(product >= 1, product < 1)


def _ends() -> Iterator[Equation]:
    """Antiderivatives of 1 - cos phi and of e^(-x phi^2/2), and what they make of the means over 0 <= phi <= pi."""
    phi, positive = symbols("phi x", positive=True)
    line, bell = phi - sympy.sin(phi), sqrt(pi / (2 * positive)) * erf(phi * sqrt(positive / 2))
    yield "1 - cos phi", line.diff(phi), 1 - sympy.cos(phi)
    yield "its mean", (line.subs(phi, pi) - line.subs(phi, 0)) / pi, sympy.Integer(1)
    yield "e^(-x phi^2/2)", bell.diff(phi), exp(-positive * phi**2 / 2)
    mean = erf(pi * sqrt(positive / 2)) / sqrt(2 * pi * positive)
    yield "its mean", (bell.subs(phi, pi) - bell.subs(phi, 0)) / pi, mean


@quantity("mean-weight", unit="1", claim=CLAIM)
def mean_weight_at(x: Number) -> dict[str, Enclosure | Bound]:
    """Bes(x) = e^(-x) I_0(x) for x >= 0, and its lower bound 1/sqrt(1 + 2 pi x)."""
    if (x >= 0) is not Outcome.HOLDS:
        raise InputError(f"x={float(x):g} is not known to be at least 0, as an inverse temperature is; give x >= 0")
    return {"mean": Enclosure(mean_weight(x)), "lower": Bound("lower", 1 / ball.sqrt(1 + TURN * x))}
