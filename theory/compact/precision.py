"""Rounding on top of continuity: when two runs become one number, and when a small gap does not make them one.

Source: derived here; the collapse of representations was observed in arXiv 2406.04267. Uniform attention over values
`baseline` and `baseline` + 1 gives baseline + k/n for k letters of the second kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import sympy

from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.quantities import Bound, Count, Exact, Rational, Result, quantity
from theory.rope.precision.formats import Precision
from theory.rope.precision.logit_rounding import FORMATS, nearest
from theory.rope.precision.position_collapse import ties_up

CLAIM = "finite-precision-collapse"
SEED = 240604267
Rounding = Callable[[Fraction, int], Fraction]


@dataclass(frozen=True)
class Collapse:
    """In p bits, the mean of n values of which one is baseline + 1, the others baseline, is baseline from length(p) on.

    Args:
        length: a function of p.
        text: the same, for people.
        baseline: 1, or 0 where no n collapses.
        rounds: to p bits.
        errors: by how many forward errors of a run the computed outputs are further apart than the exact ones.
        margin: beyond how many computed gaps of margin both runs decide alike.
        small_is_equal: whether numbers less than half a spacing apart round to one.
    """

    length: Callable[[int], int] = lambda p: 2**p
    text: str = "2^p"
    baseline: int = 1
    rounds: Rounding = nearest
    errors: int = 2
    margin: int = 2
    small_is_equal: bool = False

    def __str__(self) -> str:
        how = "ties to even" if self.rounds is nearest else "ties up"
        ulp = "; reals less than half a spacing apart round to one number" if self.small_is_equal else ""
        return (
            f"rounded to p bits, {how}, {self.baseline} + 1/n equals {self.baseline} iff n >= {self.text}; computed "
            f"outputs differ by at most the gap and {self.errors} forward errors, and beyond {self.margin} times that "
            f"in margin both runs decide alike{ulp}"
        )


@claim(
    CLAIM,
    source=Source("2406.04267", "representational collapse", "derived"),
    quantifiers="for all p >= 2 and n; round to nearest, no underflow; for all gaps and forward errors r_n",
    statement=str,
    variant=Collapse(),
    controls={
        "2^(p - 1)": Collapse(lambda p: 2 ** (p - 1), "2^(p - 1)"),
        "2^(p + 1)": Collapse(lambda p: 2 ** (p + 1), "2^(p + 1)"),
        "whatever the baseline": Collapse(baseline=0),
        "a small gap is none": Collapse(small_is_equal=True),
        "one forward error": Collapse(errors=1),
        "a margin beyond the computed gap": Collapse(margin=1),
    },
    hypotheses=(Hypothesis("ties to even", "1 + 2^-p goes to 1", Collapse(rounds=ties_up)),),
    does_not_show="that outputs of equal value are bitwise equal on other kernels or batch sizes: those round anew",
)
def finite_precision_collapse(claimed: Collapse, thorough: bool) -> Iterator[Evidence]:
    """All lengths at small p, and around 2^p in NumPy's formats; the tie; perturbed decisions; gaps below an ulp."""
    yield Enumeration("all lengths, 2 to 7 bits", _lengths(claimed, 9 if thorough else 7))
    yield Enumeration("formats at 2^p - 1, 2^p, 2^p + 1", _formats(claimed))
    yield Identity("1 + 2^-p is a tie", [_tie()], sympy.expand)
    yield Enumeration("two numbers within 2 10^-6 of each other", _neighbours(claimed))
    yield Enumeration("decisions between two letters", _decisions(claimed, 20 if thorough else 10))
    yield Search("means in NumPy's formats", _means(claimed, 400 if thorough else 100), seed=SEED)
    yield Search("outputs off by a forward error", _outputs(claimed, 400 if thorough else 100), seed=SEED)


def collapses(claimed: Collapse, precision: int, length: int, ones: int = 1) -> bool:
    """Whether the mean is stored as the baseline."""
    return claimed.rounds(claimed.baseline + Fraction(ones, length), precision) == claimed.baseline


def _lengths(claimed: Collapse, most: int) -> Iterator[Case]:
    for precision in range(2, most + 1):
        for length in range(2, 2 ** (precision + 1) + 2):
            found = collapses(claimed, precision, length)
            yield {"p": precision, "n": length}, found == (length >= claimed.length(precision))


def _formats(claimed: Collapse) -> Iterator[Case]:
    for name, each in FORMATS.items():
        for length in (2**each.precision + shift for shift in (-1, 0, 1)):
            found = collapses(claimed, each.precision, length)
            yield {"format": name, "n": length}, found == (length >= claimed.length(each.precision))


def _tie() -> Equation:
    p = sympy.Symbol("p", integer=True, positive=True)
    return "middle of 1 and its neighbour", (1 + (1 + 2 ** (1 - p))) / 2, 1 + 2**-p


def _neighbours(claimed: Collapse) -> Iterator[Case]:
    for name, ones in product(("bfloat16", "float16"), range(4)):
        precision = FORMATS[name].precision
        tie = 1 + (2 * ones + 1) * Fraction(1, 2**precision)
        low, high = (claimed.rounds(tie + side * Fraction(1, 10**6), precision) for side in (-1, 1))
        yield {"format": name, "tie": str(tie)}, (low == high) is claimed.small_is_equal


def _decisions(claimed: Collapse, steps: int) -> Iterator[Case]:
    """Two letters of probabilities p and 1 - p in one run, q and 1 - q in the other."""
    for first, second in product(range(steps + 1), repeat=2):
        p, q = Fraction(first, steps), Fraction(second, steps)
        if abs(2 * p - 1) > claimed.margin * abs(p - q):
            yield {"p": str(p), "q": str(q)}, (2 * p > 1) == (2 * q > 1) and 2 * q != 1


def _means(claimed: Collapse, count: int) -> Iterator[Trial]:
    """float64 holds these means to 2^-53, far from ties of the narrower formats but at powers of 2, where exactly."""
    random = Random(SEED)
    for _ in range(count):
        dtype, precision = random.choice(((np.float16, 11), (np.float32, 24)))
        length = int(2 ** random.uniform(precision - 3, precision + 2))
        stored = float(dtype(claimed.baseline + 1 / length))
        collapsed = stored == claimed.baseline
        right = collapsed == (length >= claimed.length(precision))
        yield Trial((dtype.__name__, length), float(not right), 0.0)


def _outputs(claimed: Collapse, count: int) -> Iterator[Trial]:
    """Rationals, so that nothing else is rounded: both runs are off by their forward error, away from each other."""
    random = Random(SEED)
    for case in range(count):
        gap, error = Fraction(random.random()), Fraction(random.random()) / 100
        first, second = Fraction(random.random()) - error, gap + error
        found = abs(first - (first + error + second))
        yield Trial(case, float(found), float(gap + claimed.errors * error), 1e-15)


@quantity("mean-collapse-length", unit="tokens", claim=CLAIM)
def mean_collapse_length(precision: Precision, ones: Count = 1) -> Exact:
    """The least n at which 1 + ones/n is stored as 1 in p bits, ties to even: ones 2^p."""
    return Exact(ones * 2**precision)


@quantity("stored-mean", unit="1", claim=CLAIM)
def stored_mean(n: Count, precision: Precision, ones: Count = 1, baseline: Rational = Fraction(1)) -> Exact:
    """Baseline + ones/n rounded once to p bits, ties to even: a mean of n values of which `ones` are larger by 1."""
    if ones > n:
        raise InputError(f"ones = {ones} exceeds n = {n}, but they are among the n values; give fewer")
    return Exact(nearest(baseline + Fraction(ones, n), precision))


@quantity("computed-gap-bound", unit="probability", claim=CLAIM)
def computed_gap_bound(gap: Rational, error: Rational) -> dict[str, Result]:
    """How far apart two computed outputs are at most, and the margin beyond which both decide alike."""
    for name, value in (("gap", gap), ("error", error)):
        if value < 0:
            raise InputError(f"{name} = {value} is negative; give a number >= 0")
    return {"outputs": Bound("upper", Real.of(gap + 2 * error)), "margin": Exact(2 * (gap + 2 * error))}
