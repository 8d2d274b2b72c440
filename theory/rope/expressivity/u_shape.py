"""Where in the input a target is found: a U for a positional head, an inverse U for a symbolic one that rotates slowly.

Source: arXiv 2511.11579, Thm 7. A positional head with target j gives the key at i the weight f(|i - j|), up to
normalisation, with f(t) = e^{-beta (1 - cos t theta)}: the target itself has w(j) = 1/S(j), S(j) = sum_i f(|i - j|),
and S(j + 1) - S(j) = f(j) - f(n - j). A symbolic target at j has logit cos((n - j) theta - phi), against competitors
whose weights do not depend on j: its own weight grows with that logit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import sympy
from sympy import Expr, symbols

from theory.arithmetic.ball import Real, exp, versine
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Equation, Evidence, Identity, rational
from theory.quantities import AnyAngle, Count, Enclosure, Length, Positive, quantity
from theory.rope.index.window import angle_of, fold
from theory.symbols import beta, j, n, theta

SOURCE = Source("2511.11579", "Thm 7", "reconstructed")


def step_sign(length: int, at: int, turns: Fraction) -> int:
    """The sign of w(j + 1) - w(j) at beta > 0, from S: what the two sums do not share is one term each, or nothing."""
    sums = [Counter(fold(abs(i - target) * turns) for i in range(1, length + 1)) for target in (at, at + 1)]
    lost, gained = [*(sums[0] - sums[1])], [*(sums[1] - sums[0])]
    return (gained > lost) - (gained < lost)  # a larger distance is a smaller competitor


@dataclass(frozen=True)
class UShape:
    """For which lengths and frequencies the weights w(1), ..., w(n) of the target are said to be U-shaped.

    Args:
        said, rule: the condition, as a function of n and of theta in turns.
        direction: 1 for a minimum in the middle, -1 for a maximum.
        beta: the sign of the inverse temperature.
        shortest: the least length.
        most: the largest theta, in turns.
        later: the argument of f in the first term of S(j + 1) - S(j), minus j.
    """

    said: str = "n theta < 2 pi"
    rule: Callable[[int, Fraction], bool] = lambda length, turns: length * turns < 1
    direction: int = 1
    beta: int = 1
    shortest: int = 3
    most: Fraction = Fraction(1, 2)
    later: int = 0

    def __str__(self) -> str:
        middle = "falls strictly to the middle and rises strictly after it"
        return (
            f"w(1), ..., w(n) {middle if self.direction > 0 else 'has its maximum in the middle'} iff {self.said}; "
            f"S(j + 1) - S(j) = f({j + self.later}) - f({n - j})"
        )

    def cases(self, longest: int, order: int) -> Iterator[tuple[object, bool]]:
        frequencies = sorted({Fraction(p, q) for q in range(2, order + 1) for p in range(1, q) if p <= self.most * q})
        for length in range(self.shortest, longest + 1):
            for turns in frequencies:
                signs = [self.beta * self.direction * step_sign(length, at, turns) for at in range(1, length)]
                half = (length - 1) // 2
                shaped = all(sign < 0 for sign in signs[:half]) and all(sign > 0 for sign in signs[length - 1 - half :])
                yield {"n": length, "theta": str(angle_of(turns))}, shaped == self.rule(length, turns)


@claim(
    "index-u-shape",
    source=SOURCE,
    quantifiers="for all n >= 3, 0 < theta <= pi and beta > 0; an equivalence, strict on both sides",
    statement=str,
    variant=UShape(),
    controls={
        "n theta <= 2 pi": UShape("n theta <= 2 pi", lambda length, turns: length * turns <= 1),
        "(n - 1) theta <= pi": UShape("(n - 1) theta <= pi", lambda length, turns: 2 * (length - 1) * turns <= 1),
        "maximum in the middle": UShape(direction=-1),
        "f(j + 1)": UShape(later=1),
    },
    hypotheses=(
        Hypothesis("n >= 3", "there are a left, a middle and a right", UShape(shortest=2)),
        Hypothesis(
            "theta <= pi", "theta is at most half a turn", UShape(most=Fraction(1)), "2 pi - theta gives the same"
        ),
        Hypothesis("beta > 0", "the inverse temperature is positive", UShape(beta=0)),
    ),
    does_not_show="anything about the accuracy of a trained head, which need not be aligned",
)
def index_u_shape(shape: UShape, thorough: bool) -> Iterator[Evidence]:
    """The telescoping difference of the sums S, its sign as a product of sines; rational turns, exactly, from S."""
    yield Identity("S(j + 1) - S(j)", _telescope(shape, 8 if thorough else 5), reduce=sympy.expand)
    difference = sympy.cos(j * theta) - sympy.cos((n - j) * theta)
    as_product = 2 * sympy.sin(n * theta / 2) * sympy.sin((n - 2 * j) * theta / 2)
    yield Identity("sign of f(j) - f(n - j)", [("exponents", difference, as_product)])
    longest, order = (16, 30) if thorough else (9, 14)
    yield Enumeration(f"turns of denominator <= {order}, n <= {longest}", shape.cases(longest, order))


def _telescope(shape: UShape, longest: int) -> Iterator[Equation]:
    def f(offset: int) -> Expr:
        return sympy.exp(-beta * (1 - sympy.cos(offset * theta)))

    for length in range(3, longest + 1):
        sums = [sum((f(abs(i - at)) for i in range(1, length + 1)), sympy.S.Zero) for at in range(1, length + 1)]
        for at in range(1, length):
            yield f"n = {length}, j = {at}", sums[at] - sums[at - 1], f(at + shape.later) - f(length - at)


@dataclass(frozen=True)
class InverseU:
    """That the weight of a symbolic target rises up to the position where (n - j) theta = phi, and then falls.

    Args:
        reach: the largest (n - 1) theta, in turns.
        low, high: the range of phi, in turns, from (n - 1) theta in turns.
        peak: the offset of the top times theta, over phi.
        follow: the competitors gain as the target does.
    """

    reach: Callable[[int], Fraction] = lambda length: Fraction(1, 2)
    low: Fraction = Fraction(0)
    high: Callable[[Fraction], Fraction] = lambda span: span
    peak: int = 1
    follow: bool = False

    def __str__(self) -> str:
        top = "phi" if self.peak == 1 else f"{self.peak} phi"
        return f"w(j) grows strictly as |(n - j) theta - {top}| falls, so it is an inverse U"

    def cases(self, longest: int) -> Iterator[tuple[object, bool]]:
        for length in range(2, longest + 1):
            for span in (self.reach(length) * Fraction(share, 5) for share in range(1, 6)):
                top = self.high(span)
                for phase in sorted({self.low + (top - self.low) * Fraction(share, 8) for share in range(9)}):
                    offsets = [t * span / (length - 1) for t in range(length)]
                    case = {"n": length, "theta": str(angle_of(offsets[1])), "phi": str(angle_of(phase))}
                    yield case, all(self._ordered(a, b, phase) for a, b in combinations(offsets, 2))

    def _ordered(self, here: Fraction, there: Fraction, phase: Fraction) -> bool:
        gains = 0 if self.follow else _sign(fold(here - phase) - fold(there - phase))
        return gains == _sign(abs(here - self.peak * phase) - abs(there - self.peak * phase))


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


@claim(
    "symbolic-inverse-u",
    source=SOURCE,
    quantifiers="for all n >= 2, theta >= 0, (n - 1) theta <= pi, 0 <= phi <= (n - 1) theta and beta > 0",
    statement=str,
    variant=InverseU(),
    controls={
        "top at 2 phi": InverseU(peak=2),
        "top at the query": InverseU(peak=0),
    },
    hypotheses=(
        Hypothesis(
            "half a turn",
            "(n - 1) theta <= pi",
            InverseU(reach=lambda length: Fraction(length - 1, length)),
            "at n theta = 2 pi and phi = 0 there is a second top",
        ),
        Hypothesis("phi from 0", "phi >= 0", InverseU(low=Fraction(-1, 2))),
        Hypothesis("phi in the window", "phi <= (n - 1) theta", InverseU(high=lambda span: Fraction(3, 4))),
        Hypothesis("competitors stay", "the competitors do not depend on j", InverseU(follow=True)),
    ),
    does_not_show="that trained symbolic heads have phi inside the window",
)
def symbolic_inverse_u(shape: InverseU, thorough: bool) -> Iterator[Evidence]:
    """Rational turns, exactly; the weight grows with the logit of the target."""
    yield Enumeration("rational turns", shape.cases(16 if thorough else 9))
    logit, others = symbols("lambda", real=True), symbols("K", positive=True)
    weight = sympy.exp(beta * logit) / (sympy.exp(beta * logit) + others)
    slope = beta * weight * (1 - weight)
    yield Identity("weight", [("slope", sympy.diff(weight, logit), slope)], rational)


@quantity("index-target-weight", unit="share of the attention", claim="index-u-shape")
def index_target_weight(n: Length, theta: AnyAngle, beta: Positive, position: Count) -> Enclosure:
    """Weight of the target at a position of an input of length n, for a positional head aligned with it."""
    if position > n:
        raise InputError(f"position={position} lies outside an input of length {n}; give a position of 1..{n}")
    return Enclosure(1 / Real.total(exp(-beta * versine((i - position) * theta.real)) for i in range(1, n + 1)))
