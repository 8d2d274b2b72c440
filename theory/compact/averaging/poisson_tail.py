"""Repeated causal averages of k changed positions: the earliest are worst, and g_m(k/n) bounds and nearly meets them.

Source: derived here. With y = ln(1/x), g_m(x) = e^(-y) (1 + y + ... + y^(m-1)/(m-1)!) is the probability that a Poisson
variable of mean y stays below m. Each average adds one term, since the mean of ln(t/k)^r/r! over k/t integrates to
ln(n/k)^(r+1)/(r+1)!, and replaces a falling sum by an integral, at the cost of at most one step of it: in all, of
g_(m-1)(k/n)/k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate, combinations
from typing import Any

import sympy
from flint import arb
from sympy import Expr, Symbol

from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.averaging.averages import (
    averaged,
    averaged_enclosed,
    causal_average,
    partial_exponential,
    poisson_tail,
    poisson_tail_radius,
)
from theory.compact.elementary import alike, log
from theory.compact.symbols import k, n, x, y
from theory.errors import InputError
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Exact, Length, Number, quantity

CLAIM = "poisson-tail-averaging"
Average = Callable[[list[Fraction]], list[Fraction]]
LONGEST, FRACTIONS = 10**6, 200  # positions to average over, and those for which fractions stay short


@quantity("prefix-averages", unit="share", claim=CLAIM)
def prefix_averages(times: Count, changed: Count, n: Length) -> Exact | Enclosure:
    """(A^times 1_{1..changed})(n): what `times` causal averages leave at n of changes at the first positions.

    Raises InputError where more positions are changed than there are, or too many to average over.
    """
    if changed > n:
        raise InputError(f"changed = {changed} exceeds the length {n}; give at most {n}")
    if times == 1:
        return Exact(Fraction(changed, n))
    if n * times > LONGEST:
        raise InputError(f"n = {n} and times = {times} take too long; give at most {LONGEST} for their product")
    positions = range(1, changed + 1)
    if n <= FRACTIONS:
        return Exact(averaged(positions, n, times))
    return Enclosure(averaged_enclosed(positions, n, times))


@quantity("poisson-tail", unit="share", claim=CLAIM)
def tail(m: Count, x: Number) -> Enclosure:
    """g_m(x): the limit of `prefix-averages` for m averages and a share x of changed positions."""
    return Enclosure(Real.of(poisson_tail(few(m), x)))


@quantity("poisson-tail-radius", unit="share of changed positions", claim=CLAIM)
def tail_inverse(m: Count, level: Number) -> Enclosure:
    """The largest share x with g_m(x) <= level."""
    return Enclosure(poisson_tail_radius(few(m), level))


def recency(values: list[Fraction]) -> list[Fraction]:
    """Not A: position j weighs 2^j."""
    weighed = accumulate(2**j * value for j, value in enumerate(values))
    return [Fraction(total, 2**i - 1) for i, total in enumerate(weighed, start=1)]


def earliest(changed: int, length: int) -> range:
    """The first positions."""
    return range(1, changed + 1)


def latest(changed: int, length: int) -> range:
    """The last ones before the last."""
    return range(length - changed, length)


@dataclass(frozen=True)
class Tails:
    """That no positions are worse than `worst`, and that `tail` bounds what they leave, up to the given precision.

    Args:
        tail: from m and x.
        worst: from the number of changed positions and the length.
        average: what is repeated.
    """

    tail: Callable[[int, Any], Any] = poisson_tail
    worst: Callable[[int, int], Sequence[int]] = earliest
    average: Average = causal_average

    @property
    def statement(self) -> Expr:
        found, most, bound = sympy.symbols("(A^m_1_D)(n) (A^m_1_W)(n) g_3")
        return sympy.And(
            found <= most,
            sympy.Eq(Symbol("W"), Symbol(self.worst.__name__)),
            Symbol("(A^3_1_{1..k})(n)") <= self.tail(3, k / n),
            sympy.Eq(bound, self.tail(3, x)),
        )

    def after(self, positions: Sequence[int], length: int, times: int) -> Fraction:
        """What is left at the last position."""
        values = [Fraction(i in positions) for i in range(1, length + 1)]
        for _ in range(times):
            values = self.average(values)
        return values[-1]


@claim(
    CLAIM,
    source=Source("2505.10606", "Continuity", "derived"),
    quantifiers="for all m >= 1, n >= 1 and sets D of 1 <= k <= n positions, maximum at D = {1..k}; all 0 < x <= 1",
    statement=lambda tails: tails.statement,
    variant=Tails(),
    controls={
        "g_(m-1)": Tails(tail=lambda m, x: poisson_tail(m - 1, x)),
        "latest positions are worst": Tails(worst=latest),
        "logarithm to base 2": Tails(tail=lambda m, x: _other_base(m, x, 2)),
        "logarithm to base 10": Tails(tail=lambda m, x: _other_base(m, x, 10)),
    },
    hypotheses=(
        Hypothesis("uniform", "A averages with equal weights", Tails(average=recency)),
        Hypothesis(
            "count",
            "k is the number of changed positions up to n, an integer",
            remark="a density that is met on average only has no earliest positions",
        ),
    ),
    does_not_show="that the bound is met at one word: it is a limit of long words, within g_(m-1)(k/n)/k of them",
)
def poisson_tail_averaging(tails: Tails, thorough: bool) -> Iterator[Evidence]:
    """All sets of positions exactly; both bounds on prefixes; symbols; and the power bound in boxes."""
    yield Enumeration("all sets of positions", _sets(tails, *((10, 3) if thorough else (6, 3))))
    yield Enumeration("prefixes against their limit", _prefixes(tails, *((40, 4) if thorough else (10, 4))))
    yield Identity("derivative, the step from m to m + 1, the mean of the tail", _identities(tails), sympy.simplify)
    for times in range(2, 7 if thorough else 5):
        domain = ((Fraction(1, 1000), Fraction(9, 10)),)
        yield BoxCover(f"g_{times}(x) <= 2^{times - 1} sqrt(x)", domain, partial(_below_root, tails, times))
    yield Enumeration("one changed position, twice averaged: harmonic numbers", _harmonic(tails))


def _sets(tails: Tails, longest: int, times: int) -> Iterator[Case]:
    for length in range(1, longest + 1):
        # What is left is linear in 1_D: the weights of single positions add up.
        single = [[tails.after((i,), length, m) for i in range(1, length + 1)] for m in range(1, times + 1)]
        for changed in range(1, length + 1):
            worst = tails.worst(changed, length)
            if all(1 <= i <= length for i in worst):
                for m, weights in enumerate(single, start=1):
                    most = sum((weights[i - 1] for i in worst), Fraction(0))
                    for chosen in combinations(range(1, length + 1), changed):
                        found = sum((weights[i - 1] for i in chosen), Fraction(0))
                        yield {"D": chosen, "n": length, "m": m}, found <= most


def _prefixes(tails: Tails, longest: int, times: int) -> Iterator[Case]:
    """The bound, and that it exceeds what it bounds by no more than g_(m-1)(k/n)/k."""
    for length in range(1, longest + 1):
        for changed in range(1, length + 1):
            share = Fraction(changed, length)
            for m in range(1, times + 1):
                found = tails.after(range(1, changed + 1), length, m)
                bound, excess = Real.of(tails.tail(m, share)), Real.of(poisson_tail(m - 1, share)) / changed
                yield (
                    {"k": changed, "n": length, "m": m},
                    Outcome.every((bound >= found, bound - found <= excess)),
                )


def _identities(tails: Tails) -> Iterator[Equation]:
    variable, start = Symbol("t", positive=True), Symbol("k", positive=True)
    for m in range(1, 5):
        tail = sympy.expand_log(sympy.expand(tails.tail(m, sympy.exp(-y))), force=True)
        # dg/dx = -e^y dg/dy.
        density = y ** (m - 1) / sympy.factorial(m - 1)
        yield f"g_{m}' = ln(1/x)^{m - 1}/{m - 1}!", -sympy.exp(y) * sympy.diff(tail, y), density
        found = sympy.expand_log(sympy.expand(tails.tail(m + 1, sympy.exp(-y))), force=True)
        yield f"g_{m + 1} = g_{m} + P(Poisson = {m})", found - tail, sympy.exp(-y) * y**m / sympy.factorial(m)
        term = start / variable * sympy.log(variable / start) ** (m - 1) / sympy.factorial(m - 1)
        whole = start * sympy.log(variable / start) ** m / sympy.factorial(m)
        yield f"one more average of term {m}", sympy.diff(whole, variable), term


def _below_root(tails: Tails, times: int, share: arb) -> Outcome:
    # Both sides rise: the left one at the upper end against the right one at the lower end, and the other way round.
    low, high = share.lower(), share.upper()
    least, most = (arb(2) ** (times - 1) * end.sqrt() for end in (low, high))
    return Outcome.settled(_tail_ball(tails, times, high) <= least, _tail_ball(tails, times, low) > most)


def _tail_ball(tails: Tails, times: int, share: arb) -> arb:
    return tails.tail(times, share)


def _harmonic(tails: Tails) -> Iterator[Case]:
    for length in (1, 2, 3, 6, 10, 20):
        harmonic = sum((Fraction(1, t) for t in range(1, length + 1)), Fraction(0))
        yield {"n": length}, tails.after((1,), length, 2) == harmonic / length


def _other_base(m: int, share: Any, base: int) -> Any:
    """g_m with another logarithm in it."""
    if isinstance(share, Fraction) and share in (0, 1):
        return share
    unit = sympy.log(base) if isinstance(share, Expr) else log(alike(Fraction(base), share))
    return share * partial_exponential(m, -log(share) / unit)


def few(m: int) -> int:
    """The number itself. Raises InputError where so many terms take too long."""
    if m > 10**4:
        raise InputError(f"m = {m} terms take too long; give at most 10000")
    return m
