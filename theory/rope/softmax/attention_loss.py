"""How much attention misses its target, and the inverse temperature and length at which a format keeps that small.

Source: derived here. Let the target have gap 0 and competitors gaps g_j; a share c_j in [0, 1] of a competitor is lost:
1 for a wrong token, less for a state that is partly right. With e_j = e^{-beta g_j} the lost share of the attention,
sum c_j e_j/(1 + sum e_j), is at most D iff the *excess* sum (c_j - D) e_j is at most D. If every score is off by at
most delta, competitors with c_j > D gain at most a factor e^{2 delta}, and the others only help where they gain: so
e^{2 delta} sum (c_j - D)_+ e_j <= D suffices.

A temperature is chosen so that exact arithmetic loses at most 1/8. A single head decodes while less than 1/2 is lost,
the block between layers restores tokens while at most 1/4 is; the difference is left to rounding. A weight that
underflows is off by an absolute amount, which is counted too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy
from sympy import symbols

from theory.arithmetic.ball import exp
from theory.arithmetic.real import Real
from theory.claims import Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Identity
from theory.outcome import Outcome
from theory.rope.precision.logit_rounding import Format, score_error
from theory.rope.precision.softmax_rounding import average_roundings, gamma
from theory.rope.rotation import PAPER

LOST = Fraction(1, 8)
TOLERATED = Fraction(1, 4)
DECODED = Fraction(1, 2)
STATE_ROUNDINGS = 3
GRID = 2**15
OCTAVES = 256
LONGEST = 10**18
Excess = Callable[[int, Real, Fraction], Real]


@dataclass(frozen=True)
class Guarantee:
    """At which inverse temperature, up to which length and in which formats a head keeps to what may be lost.

    Args:
        excess: an upper bound of sum (c_j - D)_+ e_j over all inputs, from (length, beta, D); it falls with beta.
        norm: the largest |q||k|.
        planes: rotary planes.
        rotates: whether a frequency is not 0.
        layers: whether it works between the blocks of a decoder: at most 1/4 may be lost, and states are off by 2u.
    """

    excess: Excess
    norm: int = 1
    planes: int = 1
    rotates: bool = True
    layers: bool = False

    @property
    def tolerated(self) -> Fraction:
        """The share of the attention that may be lost, rounding included; a single head has to stay below it."""
        return TOLERATED if self.layers else DECODED

    def inverse_temperature(self, length: int, lost: Fraction = LOST) -> Fraction:
        """The least beta >= 1 on a grid of 16 bits that loses at most the share `lost`. InputError where none does."""

        def enough(step: int) -> bool:
            return (self.excess(length, Real.of(_on_grid(step)), lost) <= lost) is Outcome.HOLDS

        top = OCTAVES * GRID
        if not enough(top):
            raise InputError(
                f"length={length} is out of reach at any inverse temperature: some wrong key has a logit as large as "
                "the right one; give a shorter length or another angle"
            )
        return _on_grid(_first(enough, top))

    def holds(self, length: int, beta: Fraction, form: Format) -> bool:
        """Whether it is certain that no more than may be is lost at this length, inverse temperature and format."""
        roundings = average_roundings(length) + STATE_ROUNDINGS * self.layers
        # With gamma <= 1/8 at least 1/8 remains for the softmax itself.
        if 9 * roundings * form.u > 1:
            return False
        # exp, quotient and product of each key may underflow.
        lost = self.tolerated - gamma(roundings, form.u) - 4 * length * form.underflow
        return (self.excess(length, Real.of(beta), lost) * exp(2 * self.delta(beta, form)) <= lost) is Outcome.HOLDS

    def delta(self, beta: Fraction, form: Format) -> Fraction:
        """The largest error of a computed score, the largest one subtracted; underflow of products included."""
        relative = score_error(form.u, self.planes, self.rotates, STATE_ROUNDINGS * self.layers)
        return beta * self.norm * (relative + 100 * self.planes * form.underflow)

    def length_at(self, beta: Fraction, form: Format) -> int:
        """The longest length that holds at a given inverse temperature; 0 if none does."""
        return _first(lambda length: not self.holds(length + 1, beta, form), LONGEST)

    def longest(self, form: Format) -> int:
        """The longest length that holds at the inverse temperature chosen for it; 0 if none does."""

        def fails(length: int) -> bool:
            try:
                return not self.holds(length + 1, self.inverse_temperature(length + 1), form)
            except InputError:
                return True

        return _first(fails, LONGEST)


def _on_grid(step: int) -> Fraction:
    """1, ..., 2, ..., 4, ...: GRID equal steps in each octave."""
    octave, part = divmod(step, GRID)
    return Fraction(GRID + part, GRID) * 2**octave


def _first(holds: Callable[[int], bool], top: int) -> int:
    """The least number in 0..top from which on a monotone condition holds; top if it holds nowhere below."""
    low, high = 0, 1
    while high < top and not holds(high):
        low, high = high, 2 * high
    high = min(high, top)
    if low == 0 and holds(0):
        return 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class Criterion:
    """The excess of competitors (c, e) at a lost share D, from scores that are off by a factor of at most g."""

    excess: Callable[[Fraction, Fraction, Fraction, Fraction], Fraction]
    text: str

    def __str__(self) -> str:
        return f"if the sum of {self.text} is at most D, then at most the share D is lost"


@claim(
    "attention-loss",
    source=Source(PAPER, "Lemma F.1", "derived"),
    quantifiers="for all competitors (c, e) with 0 <= c <= 1, e > 0, all 0 < D < 1, and factors 1/g..g on all weights",
    statement=str,
    variant=Criterion(lambda c, e, lost, g: max(c - lost, Fraction(0)) * e * g**2, "(c - D)_+ e g^2"),
    controls={
        "one factor g": Criterion(lambda c, e, lost, g: max(c - lost, Fraction(0)) * e * g, "(c - D)_+ e g"),
        "what is partly right keeps its weight": Criterion(
            lambda c, e, lost, g: (c - lost) * e * g**2, "(c - D) e g^2"
        ),
        "D counted twice": Criterion(
            lambda c, e, lost, g: max(c - 2 * lost, Fraction(0)) * e * g**2, "(c - 2D)_+ e g^2"
        ),
    },
    does_not_show="that a given head has this excess: each construction bounds its own",
)
def attention_loss(criterion: Criterion, thorough: bool) -> Iterator[Evidence]:
    """Two competitors on a grid against every choice of extreme factors; without errors, an identity."""
    yield Enumeration("two competitors, all extreme factors", _competitors(criterion, 6 if thorough else 4))
    c1, c2, e1, e2, lost = symbols("c_1 c_2 e_1 e_2 D", positive=True)
    share = (c1 * e1 + c2 * e2) / (1 + e1 + e2)
    excess = (c1 - lost) * e1 + (c2 - lost) * e2
    equation = ("excess - D", (share - lost) * (1 + e1 + e2), excess - lost)
    yield Identity("g = 1: the lost share exceeds D iff the excess does", [equation], sympy.cancel)


def _competitors(criterion: Criterion, steps: int) -> Iterator[tuple[object, bool]]:
    shares = [Fraction(i, 4) for i in range(5)]
    weights = [Fraction(i, 3 * steps) for i in range(1, steps + 1)]
    pairs = list(product(shares, weights))
    for one, two, lost, g in product(pairs, pairs, (LOST, TOLERATED), (Fraction(1), Fraction(5, 4), Fraction(3, 2))):
        if sum(criterion.excess(c, e, lost, g) for c, e in (one, two)) > lost:
            continue
        for factors in product((1 / g, g), repeat=3):
            target, *others = factors
            found = [(c, e * factor) for (c, e), factor in zip((one, two), others, strict=True)]
            share = sum(c * e for c, e in found) / (target + sum(e for _, e in found))
            yield {"competitors (c, e)": (one, two), "D": lost, "g": g, "factors": factors}, share <= lost
