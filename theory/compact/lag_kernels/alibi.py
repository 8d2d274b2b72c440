"""Slopes on the logits (ALiBi): one letter beside the last moves the output by a constant, at every length.

Source: arXiv 2108.12409 for the bias -m (i - j); the gap is derived here. All logits but the bias are 0 and the value
is 1 at a letter 1, so that the attention output on 0^(n-2) 1 0 is the weight of lag 1, with q = e^-m.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import sympy

from theory.arithmetic.ball import Real, exp
from theory.arithmetic.grammar import parse_number
from theory.claims import Hypothesis, Source, claim
from theory.compact.lag_kernels.kernels import geometric
from theory.compact.words import disagreements, hamming, one_sided_density
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, rational
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length2, Parameter, Positive, quantity
from theory.symbols import n

ALIBI = "2108.12409"
Q = sympy.Symbol("q", positive=True)


def lag_one_weight(q: Any, length: Any) -> Any:
    """Q (1 - q)/(1 - q^n), the weight of the key before the query; fractions, reals and expressions."""
    return q * (1 - q) / (1 - q**length)


@dataclass(frozen=True)
class Gap:
    """The outputs on 0^n and 0^(n-2) 1 0 differ by `gap`, for all n >= 2 by at least `floor` > 0."""

    gap: Callable[[Any, Any], Any] = lag_one_weight
    floor: Callable[[Any], Any] = lambda q: q * (1 - q)
    flat: bool = False  # whether the slope may be 0

    def __str__(self) -> str:
        ratios = "q <= 1" if self.flat else "q < 1"
        return f"{ratios}: gap = {self.gap(Q, n)} >= {self.floor(Q)} > 0, at d_H = 1/n and M_D(n) = 1/2"


@claim(
    "alibi-discontinuity",
    source=Source(ALIBI, "the bias -m (i - j)", "derived"),
    quantifiers="for all slopes m > 0, q = e^-m, and all n >= 2; one pair of words a length",
    statement=str,
    variant=Gap(),
    controls={
        "q/(1 - q^n)": Gap(lambda q, length: q / (1 - q**length)),
        "(1 - q)/(1 - q^n), the weight of lag 0": Gap(lambda q, length: (1 - q) / (1 - q**length)),
        "at least q": Gap(floor=lambda q: q),
    },
    hypotheses=(Hypothesis("slope", "m > 0; at m = 0 the gap is 1/n", Gap(flat=True)),),
    does_not_show="that such a model evades isolation: it is continuous in M_D, and recency-isolation applies",
)
def alibi_discontinuity(claimed: Gap, thorough: bool) -> Iterator[Evidence]:
    """Softmax with rational q at all short lengths, and the two distances; the sum of the geometric weights."""
    yield Enumeration("softmax with rational q", _gaps(claimed, 60 if thorough else 16))
    yield Identity("geometric sum", _sums(claimed), rational)


def _gaps(claimed: Gap, longest: int) -> Iterator[Case]:
    ratios = [Fraction(1, 2), Fraction(1, 3), Fraction(9, 10), Fraction(99, 100), *[Fraction(1)] * claimed.flat]
    for q in ratios:
        for length in range(2, longest + 1):
            u = (0,) * length
            w = (*u[:-2], 1, 0)
            found = geometric(q).mean(w, length) - geometric(q).mean(u, length)
            changed = disagreements(u, w)
            case = {"q": str(q), "n": length}
            yield case, hamming(u, w) == Fraction(1, length) and one_sided_density(changed, length) == Fraction(1, 2)
            yield case, found >= claimed.floor(q) > 0
            yield case, found == claimed.gap(q, length)


def _sums(claimed: Gap) -> Iterator[Equation]:
    for length in range(2, 9):
        weights = sum(Q**r for r in range(length))
        yield f"n = {length}", claimed.gap(Q, length) * weights, Q
    yield "the weights of n + 1 keys", (1 - Q**n) / (1 - Q) + Q**n, (1 - Q ** (n + 1)) / (1 - Q)
    yield "all lengths", claimed.gap(Q, n) * (1 - Q**n) / (1 - Q), Q


def _ratio(text: str) -> Real:
    value = Real.of(parse_number(text))
    if Outcome.every([value > 0, value < 1]) is not Outcome.HOLDS:
        raise InputError(f"{text} is not between 0 and 1, as e^-m is; give such a number, or the slope m > 0")
    return value


Ratio = Annotated[Real, Parameter("e^-m of a slope m (real number between 0 and 1)", _ratio)]


def ratio(q: Real | None, slope: Real | None) -> Real:
    """Q itself, or e^-slope. Raises InputError unless exactly one of the two is given."""
    if (q is None) is (slope is None):
        raise InputError("q and slope are two names of one number, q = e^-slope; give exactly one of them")
    return exp(-slope) if slope is not None else Real.of(q)


@quantity("alibi-gap", unit="attention output", claim="alibi-discontinuity")
def alibi_gap(n: Length2, q: Ratio | None = None, slope: Positive | None = None) -> Enclosure:
    """By how much one letter beside the last moves the output of a head with a slope: q (1 - q)/(1 - q^n)."""
    return Enclosure(lag_one_weight(ratio(q, slope), n))
