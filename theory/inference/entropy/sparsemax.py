"""A square in place of the entropy: the linearised objective is maximised by a projection, and near u both agree.

argmax over the simplex of <g, z> - lambda |z|^2 is Proj(g/(2 lambda)) = Proj(u + g/(2 lambda)), the sparsemax. H of
softmax(a) is log K - Var(a)/2, and H(z) is log K - (K/2)|z - u|^2, both up to third order: lambda |a|^2 on logits of
mean 0 matches alpha H with alpha = 2 K lambda, and lambda |z|^2 with alpha = 2 lambda/K.

Source: arXiv 2407.17356 has an entropy, implemented as a square; derived here. Complete the square; Proj(v + c) =
Proj(v) for equal shifts c of all entries; Taylor's formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import sympy

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import log, quotient
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import results, vector
from theory.inference.entropy.projection import is_optimal, projected
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import centred, dot, entropy, softmax, uniform
from theory.outcome import Outcome
from theory.quantities import Rational, Result, Vector, quantity

CLAIM = "gbi-l2-is-sparsemax"
SEED = 2435
SMALL = Fraction(1, 10**30)
_WEIGHT, *_FREE = sympy.symbols("lambda a_1 a_2", positive=True)
_LOGITS = (*_FREE, -sum(_FREE))


def step(g: Sequence[Any], weight: Any, two: int = 2) -> Entries:
    """Proj(u + g/(2 lambda))."""
    return projected([share + quotient(slope, two * weight) for share, slope in zip(uniform(len(g)), g, strict=True)])


def of_logits(a: Sequence[Any]) -> Any:
    """Log K - Var(a)/2, Var the mean of squares about the mean."""
    spread = centred(a)
    return log(len(a)) - quotient(dot(spread, spread), 2 * len(a))


def of_shares(z: Sequence[Any]) -> Any:
    """Log K - (K/2) |z - u|^2."""
    gap = tuple(share - u for share, u in zip(z, uniform(len(z)), strict=True))
    return log(len(z)) - quotient(len(z) * dot(gap, gap), 2)


@quantity("sparsemax", unit="share", claim=CLAIM)
def sparsemax(g: Vector, weight: Rational) -> dict[str, Result]:
    """The z that maximises <g, z> - weight |z|^2, and the softmax that maximises <g, z> + (2 weight/K) H(z).

    Raises InputError for numbers that are not known to be rational, and for a weight that is not positive.
    """
    slopes = vector(g)
    uniform(len(slopes))
    if not all(isinstance(slope, Fraction) for slope in slopes):
        raise InputError("the projection is decided in fractions; give a rational g")
    if weight <= 0:
        raise InputError(f"weight = {weight} leaves the square no maximum inside; give a number > 0")
    alpha = 2 * weight / len(slopes)
    return results(z=step(slopes, weight), softmax=softmax([slope / alpha for slope in slopes]))


@quantity("entropy-expansion", unit="nats", claim=CLAIM)
def entropy_expansion(a: Vector) -> dict[str, Result]:
    """H of z = softmax(a), log K - Var(a)/2 and log K - (K/2) |z - u|^2."""
    logits = vector(a)
    uniform(len(logits))
    z = softmax(logits)
    return results(entropy=entropy(z), by_logits=of_logits(logits), by_shares=of_shares(z))


@dataclass(frozen=True)
class Square:
    """What is said of the square.

    Args:
        two: the divisor in Proj(u + g/(two lambda)).
        match: alpha = match K lambda on logits.
        squared: whether the penalty is |a|^2, or |a|.
        near: whether expansions are said to hold near u, or everywhere.
    """

    two: int = 2
    match: int = 2
    squared: bool = True
    near: bool = True

    def __str__(self) -> str:
        penalty = "|a|^2" if self.squared else "|a|"
        equal = "up to third order" if self.near else "everywhere"
        return (
            f"argmax <g, z> - lambda |z|^2 = Proj(u + g/({self.two} lambda)); H(softmax a) = log K - Var(a)/2 and H(z) "
            f"= log K - (K/2) |z - u|^2 {equal}; lambda {penalty} matches alpha H for alpha = {self.match} K lambda"
        )


@claim(
    CLAIM,
    source=Source("2407.17356", "L2 in place of entropy", "derived"),
    quantifiers="for all K >= 2, g and lambda > 0; expansions at u, of logits of mean 0, whose third order is not 0",
    statement=str,
    variant=Square(),
    controls={
        "Proj(u + g/lambda)": Square(two=1),
        "alpha = K lambda": Square(match=1),
        "the norm, not its square": Square(squared=False),
    },
    hypotheses=(
        Hypothesis("near u", "expansions hold up to third order", Square(near=False)),
        Hypothesis("lambda > 0", "lambda is positive", remark="no maximum inside is unique without"),
    ),
    does_not_show="that the square is the entropy: that has no zeros at its maximum, the square does",
)
def l2_is_sparsemax(square: Square, thorough: bool) -> Iterator[Evidence]:
    """Conditions of the maximum in fractions; entropies near u; Taylor's formula; random objectives."""
    yield Enumeration("conditions of the maximum", _maxima(square, 4 if thorough else 3))
    yield Enumeration("entropies", _entropies(square))
    yield Identity("second order", _orders(square), _reduced)
    yield Search("random points", _random(square, 200 if thorough else 40), seed=SEED)


def _maxima(square: Square, most: int) -> Iterator[Case]:
    """The slopes g - 2 lambda z, and that a shift of g changes nothing."""
    for tasks, weight in product((2, 3), (Fraction(1, 4), Fraction(1), Fraction(5))):
        for g in product(range(-most + 1, most), repeat=tasks):
            z = step(g, weight, square.two)
            slopes = [slope - 2 * weight * share for slope, share in zip(g, z, strict=True)]
            shifted = projected([Fraction(slope) / (square.two * weight) - 7 for slope in g])
            yield {"g": g, "lambda": str(weight)}, is_optimal(slopes, z) and z == shifted


def _entropies(square: Square) -> Iterator[Case]:
    """Both expansions are off by less than |a|^3, or |z - u|^3 K^2, or by nothing."""
    for tasks, size in product((2, 3), (Fraction(1, 10), Fraction(1, 100))):
        for signs in product((-1, 0, 2), repeat=tasks):
            a = centred([size * sign for sign in signs])
            z = tuple(share + step / tasks for share, step in zip(uniform(tasks), a, strict=True))
            largest = max(map(abs, a))
            limit = 2 * largest**3 + SMALL if square.near else SMALL
            by_logits = abs(Real.of(entropy(softmax(a))) - of_logits(a)) <= limit
            by_shares = abs(Real.of(entropy(z)) - of_shares(z)) <= limit
            yield {"K": tasks, "a": [*map(str, a)]}, Outcome.every([by_logits, by_shares])
    # Third order: two powers of ten in the size are six in the difference.
    gaps = []
    for size in (Fraction(1, 10**4), Fraction(1, 10**6)):
        a = (2 * size, -size, -size)
        gaps.append(Real.of(entropy(softmax(a))) - of_logits(a))
    yield {"third order": "(2, -1, -1)"}, abs(gaps[0] / gaps[1] - 10**6) <= 10**3


def _orders(square: Square) -> Iterator[Equation]:
    """Three tasks, logits s a and shares u + s v with sums 0."""
    squares = dot(_LOGITS, _LOGITS)
    by_logits, by_shares, third = _derivatives()
    yield "logits", square.match * by_logits, -_WEIGHT * (squares if square.squared else sympy.sqrt(squares))
    yield "shares", by_shares, -_WEIGHT * squares
    yield "third order is not 0", third, -sympy.Integer(4)


@cache  # all variants speak of the same entropies
def _derivatives() -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """At s = 0: second orders of K lambda H and (2/K) lambda H, and the third derivative of an H."""
    s = sympy.Symbol("s", positive=True)
    z = tuple(sympy.Rational(1, 3) + s * entry for entry in _LOGITS)
    by_logits = 3 * _WEIGHT * entropy(softmax([s * entry for entry in _LOGITS]))
    by_shares = sympy.Rational(2, 3) * _WEIGHT * entropy(z)
    third = sympy.diff(entropy(softmax((2 * s, -s, -s))), s, 3).subs(s, 0)
    return *(sympy.diff(each, s, 2).subs(s, 0) / 2 for each in (by_logits, by_shares)), third


def _reduced(expression: sympy.Expr) -> sympy.Expr:
    return sympy.expand(sympy.expand_log(expression, force=True))


def _random(square: Square, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks, weight = int(random.integers(2, 8)), float(10 ** random.uniform(-1, 1))
        g = random.normal(size=tasks)
        found = np.array(step(tuple(g.tolist()), weight, square.two))
        # Other points: near the one that is found, and anywhere.
        for point in random.dirichlet(np.ones(tasks), size=4):
            for other in (point, 0.9 * found + 0.1 * point):
                level, top = (float(g @ z - weight * z @ z) for z in (other, found))
                yield Trial(case, level, top, 1e-12 * (1 + weight))
