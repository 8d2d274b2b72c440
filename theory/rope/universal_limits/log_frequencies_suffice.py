"""As many random planes as ln(n - 1)/epsilon^2 keep a gap of (1 - epsilon) B: of the order of ln n planes suffice.

Source: derived here; it shows that the n^-2 of arXiv 2605.31558, Thm 3.2, is a property of few planes. For frequencies
drawn evenly from the circle and an integer t >= 1, cos(t theta_k) is the cosine of a random angle, with E e^(x cos) =
I_0(x) <= e^(x^2/4). So the mean of m of them exceeds epsilon with probability at most e^(-m epsilon^2) (x = 2 epsilon),
and all n - 1 offsets together leave room. Hoeffding's bound for [-1, 1] alone gives twice as many planes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, factorial

import numpy as np
import sympy
from sympy import Expr, Symbol, exp, log

from theory import symbols
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, evaluate
from theory.arithmetic.ball import exp as power
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length2, Positive, quantity
from theory.rope.rotation import PAPER
from theory.rope.scale import ceiling
from theory.rope.universal_limits.log_frequencies import planes_needed
from theory.rope.universal_limits.m_frequency_gaps import ball, ball_gaps
from theory.symbols import n

SEED = 2613
CLAIM = "log-frequencies-suffice"
epsilon = SHARE = Symbol("epsilon", positive=True)
SUFFICIENT = log(n - 1) / epsilon**2
HOEFFDING = 2 * SUFFICIENT


def geometric(planes: int) -> list[Real]:
    """The frequencies 10000^(-k/m), k = 0..m-1, in turns."""
    return [Angle.rope(10_000, 2 * planes, k).alpha for k in range(1, planes + 1)]


@dataclass(frozen=True)
class Enough:
    """Some m > `planes` frequencies have G(n) >= (1 - epsilon) B at equal amplitudes.

    Args:
        planes: an expression in n and epsilon.
        family: frequencies in turns, from m, that are said to do; otherwise some are drawn.
    """

    planes: Expr = SUFFICIENT
    family: Callable[[int], list[Real]] | None = None

    @property
    def statement(self) -> Expr:
        enough = sympy.Ge(Symbol("max_theta G(n)"), (1 - epsilon) * Symbol("B"))
        return sympy.Implies(Symbol("m") > self.planes, enough)

    def least(self, length: int, share: Fraction) -> int:
        """The least m above `planes`, a logarithm times a rational number and so no integer, but for 0 at n = 2."""
        return max(1, ceiling(evaluate(self.planes, {n: length, epsilon: share})))


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all n >= 2, 0 < epsilon < 1, m > ln(n - 1)/epsilon^2: there are such frequencies",
    statement=lambda enough: enough.statement,
    variant=Enough(),
    controls={
        "m > ln(n - 1)/(4 epsilon)": Enough(log(n - 1) / (4 * epsilon)),
        "m > ln(n - 1)/4": Enough(log(n - 1) / 4),
    },
    hypotheses=(
        Hypothesis(
            "free frequencies",
            "they may be chosen: those of RoPE, 10000^(-k/m), do not do",
            Enough(HOEFFDING, family=geometric),
        ),
        Hypothesis("integer offsets", "t theta is even on the circle", remark="t = 1/2, say, would need other draws"),
    ),
    does_not_show="which frequencies: a draw is good with positive probability, and has to be certified",
)
def log_frequencies_suffice(enough: Enough, thorough: bool) -> Iterator[Evidence]:
    """Not fewer than are needed; frequencies drawn and certified; the union bound and the moments behind it."""
    lengths = (3, 17, 100, 3000, 10**5, 10**18)
    yield Enumeration("no fewer than log-frequencies asks for", _needed(enough, lengths))
    tried = [(3, Fraction(1, 2)), (17, Fraction(1, 2)), (17, Fraction(3, 4)), (100, Fraction(1, 2))]
    more = [(100, Fraction(1, 4)), (850, Fraction(1, 2)), (5000, Fraction(1, 2))]
    yield Enumeration("drawn and certified", _drawn(enough, tried + more * thorough))
    yield Enumeration("the n - 1 offsets together have probability below 1", _union(enough, lengths))
    yield Enumeration("E cos^(2 k)/(2 k)! is at most that of e^(x^2/4)", _moments(60 if thorough else 30))
    yield Identity("the bound at x = 2 epsilon", [("exponent", *_exponent())])


def _needed(enough: Enough, lengths: tuple[int, ...]) -> Iterator[Case]:
    for length, tenths in product(lengths, (1, 3, 5, 7, 9)):
        share = Fraction(tenths, 10)
        least = enough.least(length, share)
        yield {"n": length, "epsilon": str(share), "m": least}, planes_needed(length, Real.of(1 - share)).value <= least


def _drawn(enough: Enough, tried: list[tuple[int, Fraction]]) -> Iterator[Case]:
    random = np.random.default_rng(SEED)
    for length, share in tried:
        planes = enough.least(length, share)
        weights = (Fraction(1, planes),) * planes
        if enough.family:
            found = [[turns.enclose() for turns in enough.family(planes)]]
        else:
            found = [[ball(Fraction(int(k), 2**30)) for k in random.integers(0, 2**30, planes)] for _ in range(50)]
        least = ball(1 - share)
        kept = any(all(gap >= least for gap in ball_gaps(weights, turns, length - 1)) for turns in found)
        lost = enough.family is not None and any(gap < least for gap in ball_gaps(weights, found[0], length - 1))
        yield {"n": length, "epsilon": str(share), "m": planes}, Outcome.settled(kept, lost)


def _union(enough: Enough, lengths: tuple[int, ...]) -> Iterator[Case]:
    for length, tenths in product(lengths, (1, 3, 5, 7, 9)):
        share = Fraction(tenths, 10)
        probability = (length - 1) * power(Real.of(-enough.least(length, share) * share**2))
        yield {"n": length, "epsilon": str(share)}, probability < 1


def _moments(most: int) -> Iterator[Case]:
    for k in range(most):
        mean = Fraction(comb(2 * k, k), 4**k)  # of cos^(2 k); odd powers have mean 0
        yield {"k": k}, mean / factorial(2 * k) <= Fraction(1, 4**k * factorial(k))


def _exponent() -> tuple[Expr, Expr]:
    x, m = sympy.symbols("x m", positive=True)
    return (exp(m * x**2 / 4) * exp(-x * m * epsilon)).subs(x, 2 * epsilon), exp(-m * epsilon**2)


@quantity("planes-sufficient", unit="planes", claim=CLAIM)
def planes_sufficient(n: Length2, epsilon: Positive) -> dict[str, Enclosure]:
    """Any more planes than ln(n - 1)/epsilon^2 can keep a gap of 1 - epsilon, for amplitudes of sum 1.

    `hoeffding` is twice that, the number by Hoeffding's bound for variables in [-1, 1].
    """
    if (epsilon < 1) is not Outcome.HOLDS:
        raise InputError(f"epsilon={float(epsilon):g} is not known to be below 1; give 0 < epsilon < 1")
    values = {symbols.n: n, SHARE: epsilon}
    return {"sufficient": Enclosure(evaluate(SUFFICIENT, values)), "hoeffding": Enclosure(evaluate(HOEFFDING, values))}
