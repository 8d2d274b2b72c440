"""How far rounding moves the output of softmax attention, in any binary format.

Source: derived here; the standard model of rounding (theory.rope.precision.logit_rounding) without underflow, and exp
within 4u. All that is summed is >= 0, so relative errors pass through unchanged: the output is off by a factor near 1,
whatever the weights are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
from sympy import Symbol

from theory.claims import Source, claim
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.rope.precision.logit_rounding import nearest
from theory.rope.rotation import PAPER

EXP_ROUNDINGS = 4
SEED = 2605


def gamma(roundings: int, u: Fraction) -> Fraction:
    """The number k u/(1 - k u), which bounds the relative error of k factors (1 + d)^(+-1). Needs k u < 1."""
    return roundings * u / (1 - roundings * u)


def average_roundings(length: int) -> int:
    """The k for which computed averages of values >= 0, from given arguments of exp, are off by 1 +- gamma(k).

    exp in numerator and denominator, two sums over the keys, the quotient, the value and its product, F(x, a) = x + a.
    """
    return 2 * EXP_ROUNDINGS + 2 * (length - 1) + 4


@dataclass(frozen=True)
class AverageRounding:
    """The k for which a computed softmax average of values >= 0 is off by at most a factor 1 +- gamma(k)."""

    roundings: Callable[[Any], Any] = average_roundings

    def __str__(self) -> str:
        return f"|fl(a) - a| <= gamma({self.roundings(Symbol('n'))}) a for a softmax average a over n keys"


@claim(
    "softmax-average-rounding",
    source=Source(PAPER, "App. F", "derived"),
    quantifiers="for all values >= 0, n >= 1, arguments of exp without underflow, formats with (2n + 10) u < 1",
    statement=str,
    variant=AverageRounding(),
    controls={
        "no growth with the length": AverageRounding(lambda n: 12),
        "one rounding a key": AverageRounding(lambda n: n),
    },
    does_not_show="anything about sums that are accumulated in a wider format, which are more accurate",
)
def softmax_average_rounding(rounding: AverageRounding, thorough: bool) -> Iterator[Evidence]:
    """Summation emulated on rationals with adversarial errors of exp; random averages in NumPy's float32."""
    cases = _adversarial(rounding, 40 if thorough else 14)
    yield Enumeration("one key of weight 1, n - 1 keys of small weight, at 7 and 8 bits", cases)
    yield Search("random averages in float32", _averages(rounding, 300 if thorough else 60), seed=SEED)


def _adversarial(rounding: AverageRounding, longest: int) -> Iterator[tuple[object, bool]]:
    for precision, n in product((7, 8), range(1, longest + 1)):
        u = Fraction(1, 2**precision)
        if rounding.roundings(n) * u >= 1:
            continue
        for small, sign, target in product((u / 2, u, 3 * u / 2, Fraction(1, 2)), (-1, 1), (0, -1)):
            exps = [Fraction(1)] + [small] * (n - 1)
            # exp itself is rounded too: together at most 4u.
            rough = [exps[0]] + [nearest(e * (1 + 3 * sign * u * (1 - u)), precision) for e in exps[1:]]
            total = Fraction(0)
            for e in rough:
                total = nearest(total + e, precision)
            computed = nearest(rough[target] / total, precision)
            exact = exps[target] / sum(exps)
            # One key carries the value 1, so products and the second sum are exact.
            holds = abs(computed - exact) <= gamma(rounding.roundings(n), u) * exact
            yield {"p": precision, "n": n, "exp": small, "error of exp": sign, "key": target}, holds


def _averages(rounding: AverageRounding, count: int) -> Iterator[Trial]:
    rng, u = Random(SEED), Fraction(1, 2**24)
    for _ in range(count):
        n = rng.randint(1, 400)
        args = np.array([-rng.expovariate(1 / 20) for _ in range(n)], dtype=np.float32)
        values = np.array([rng.random() < 0.5 for _ in range(n)], dtype=np.float32)
        weights = np.exp(args)
        computed = float((weights / weights.cumsum()[-1] * values).cumsum()[-1])
        exact = float(np.exp(args.astype(np.float64)) @ values / np.exp(args.astype(np.float64)).sum())
        bound = float(gamma(rounding.roundings(n), u)) * exact
        yield Trial({"n": n, "seed": SEED}, abs(computed - exact), bound, exact * 2.0**-52 * (n + 10))
