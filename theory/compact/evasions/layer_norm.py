"""LayerNorm with eps > 0 is continuous, and loses 0^w from a length on that grows like 1/sqrt(eps).

Source: derived here. After n zeros y = -1/(2n), the norm of (y, -y) gives t = |y|/sqrt(y^2 + eps), and the feature is
(1 - t)/2, which the detector takes for ones where it is 1/4 or more: where 3 y^2 <= eps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
import sympy
from sympy import Expr, Rational, sqrt, symbols

from theory.arithmetic import ball
from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.compact.evasions.joint import PAPER
from theory.compact.evasions.models import layer_norm
from theory.compact.isolation.detector import logit_on, right
from theory.compact.words import ZEROS
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Exact, Result, quantity
from theory.quantities import Rational as RationalNumber

CLAIM = "layer-norm-loses-zeros"
SEED = 250514
eps, y = symbols("epsilon y", positive=True)
LOST = sqrt(3 / eps) / 2


@dataclass(frozen=True)
class Lost:
    """0^w is predicted wrongly at a flagged length n iff n is at least an expression in eps.

    Args:
        length: that expression.
        inside: whether eps is added to the variance, or to its root.
    """

    length: Expr = LOST
    inside: bool = True

    def __str__(self) -> str:
        where = "the variance" if self.inside else "its square root"
        return f"with eps added to {where}, E4 errs on 0^w at the flagged length n iff n >= {self.length}"

    def feature(self, length: int, value: Fraction) -> Real:
        """The feature after so many zeros."""
        if self.inside:
            return Real.of(layer_norm(value).feature(ZEROS, length))
        size = Fraction(1, 2 * length)
        return Real.of((1 - size / (size + value)) / 2)

    def lost(self, length: int, value: Fraction) -> Outcome:
        """Whether the feature is 1/4 or more."""
        return self.feature(length, value) >= Fraction(1, 4)


@claim(
    CLAIM,
    source=Source(PAPER, "necessity of its hypotheses", "derived"),
    quantifiers="for all eps > 0 and flagged lengths n = 2^j - 1; model E4 with the detector head",
    statement=str,
    variant=Lost(),
    controls={
        "sqrt(1/eps)/2": Lost(1 / sqrt(eps) / 2),
        "1/eps": Lost(1 / eps),
        "never": Lost(1 / eps**8),
    },
    hypotheses=(Hypothesis("inside the root", "eps is added to the variance", Lost(inside=False)),),
    does_not_show="that LayerNorm with the usual eps keeps 0^w for long: 10^-5 loses it from 511 letters on",
)
def layer_norm_loses_zeros(claimed: Lost, thorough: bool) -> Iterator[Evidence]:
    """Both sides at powers of ten and at random eps; the condition by algebra; LayerNorm in float64."""
    yield Enumeration("eps = 10^-k, flagged lengths", _flagged(claimed, 12 if thorough else 8))
    yield Identity("t = 1/2 where 3 y^2 = eps, y = 1/(2n)", _tie(claimed), sympy.simplify)
    yield Search("LayerNorm of pairs", _pairs(claimed, 200 if thorough else 50), seed=SEED)


def _flagged(claimed: Lost, tens: int) -> Iterator[Case]:
    for power in range(1, tens + 1):
        value = Fraction(1, 10**power)
        for j in range(1, 24):
            n = 2**j - 1
            found = evaluate(claimed.length, {eps: value}) <= n
            yield {"eps": f"10^-{power}", "n": n}, found.iff(claimed.lost(n, value))


def _tie(claimed: Lost) -> Iterator[Equation]:
    size = 1 / (2 * claimed.length)
    t = size / (sqrt(size**2 + eps) if claimed.inside else size + eps)
    yield "t", t, Rational(1, 2)


def _pairs(claimed: Lost, count: int) -> Iterator[Trial]:
    random = Random(SEED)
    for _ in range(count):
        value, n = 10 ** random.uniform(-6, -1), 2 ** random.randint(1, 12) - 1
        limit = float(evaluate(claimed.length, {eps: Fraction(value)}))
        if abs(n / limit - 1) > 1e-6:  # float64 decides on which side
            y = np.float64(1 / (2 * n))
            t = y / np.sqrt(y**2 + value) if claimed.inside else y / (y + value)
            yield Trial((n, value), float(((1 - t) / 2 >= 0.25) != (n >= limit)), 0.0)


@quantity("layer-norm-first-loss", unit="letters", claim=CLAIM)
def layer_norm_first_loss(eps_: RationalNumber) -> dict[str, Result]:
    """From which length on E4 with eps > 0 errs on 0^w, and the first flagged length beyond it, as n + 1 = 2^j."""
    if not 0 < eps_ <= 1:
        raise InputError(f"eps_ = {eps_} is not in (0, 1]; give the eps of a LayerNorm, such as 1e-5")
    threshold = ball.sqrt(3 / eps_) / 2
    j = 1
    while (threshold <= 2**j - 1) is not Outcome.HOLDS:
        j += 1
    assert right(logit_on(layer_norm(eps_).feature, ZEROS, 2**j - 1), 0) is Outcome.REFUTED
    return {"threshold": Enclosure(threshold), "first-flagged": Exact(f"2^{j}")}
