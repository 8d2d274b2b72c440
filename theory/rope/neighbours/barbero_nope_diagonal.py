"""Without rotation a token cannot attend to itself alone when it stands there twice.

Source: arXiv 2410.06205, Prop. 5.2: on (bos, x, x) the second and the third position have equal weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import sympy
from flint import arb, fmpq
from sympy import Integer, Matrix, symbols

from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.rope.neighbours.barbero_basics import BARBERO
from theory.rope.rotation import logit

LOGITS = (Fraction(-10), Fraction(10))


@dataclass(frozen=True)
class Diagonal:
    """The weight of the last position on (bos, x, x) is below `bound`.

    Args:
        bound: of the weight.
        first: whether there is a token before the two.
        turns: the angle of one plane, in turns, with query = key = x of norm 2.
    """

    bound: Fraction = Fraction(1, 2)
    first: bool = True
    turns: Fraction = Fraction(0)

    def __str__(self) -> str:
        return f"theta = {self.turns} turns, {'(bos, x, x)' if self.first else '(x, x)'}: alpha_last < {self.bound}"


@claim(
    "barbero-nope-diagonal",
    source=Source(BARBERO, "Prop. 5.2", "reconstructed"),
    quantifiers="for all queries, keys and numbers of coordinates, theta = 0",
    statement=str,
    variant=Diagonal(),
    controls={
        "a third at most": Diagonal(bound=Fraction(1, 3)),
        "below 49/100": Diagonal(bound=Fraction(49, 100)),
    },
    hypotheses=(
        Hypothesis("bos", "a third token takes weight", Diagonal(first=False)),
        Hypothesis("no rotation", "all frequencies are multiples of 2 pi", Diagonal(turns=Fraction(1, 3))),
    ),
    does_not_show="that RoPE does attend diagonally: that takes norms that grow with the length",
)
def barbero_nope_diagonal(claimed: Diagonal, thorough: bool) -> Iterator[Evidence]:
    """Equal logits from the definition; odds that are rational; all logits of bos in balls."""
    yield Enumeration("rational odds", _odds(claimed, 60 if thorough else 20))
    yield BoxCover("logit of bos from -10 to 10", (LOGITS,), partial(_below, claimed))
    yield Identity("logits at 2 and 3", [_logits(claimed)])
    yield Identity("1/2 minus the weight", [_weight(claimed)], sympy.cancel)


def _odds(claimed: Diagonal, most: int) -> Iterator[Case]:
    """exp(logit) is 1 for x, and a rational number for bos; with a rotation only in balls."""
    if claimed.turns:
        return
    for a in range(1, most + 1):
        for b in range(1, most + 1):
            odds = Fraction(a, b) if claimed.first else Fraction(0)
            yield {"e^(bos - x)": str(odds)}, 1 / (2 + odds) < claimed.bound


def _below(claimed: Diagonal, bos: arb) -> Outcome:
    turns = fmpq(2 * claimed.turns.numerator, claimed.turns.denominator)
    other = (4 * (arb.cos_pi_fmpq(turns) - 1)).exp()
    weight = 1 / (1 + other + (bos.exp() if claimed.first else 0))
    bound = arb(fmpq(claimed.bound.numerator, claimed.bound.denominator))
    return Outcome.settled(weight < bound, weight >= bound)


def _logits(claimed: Diagonal) -> Equation:
    angles = [2 * sympy.pi * sympy.Rational(claimed.turns.numerator, claimed.turns.denominator)] * 2
    query, key = (Matrix(symbols(f"{name}_1:5", real=True)) for name in "qk")
    three = Integer(3)
    return "j = 2 and j = 3", logit(query, three, key, Integer(2), angles), logit(query, three, key, three, angles)


def _weight(claimed: Diagonal) -> Equation:
    bos, x = symbols("e^bos e^x", positive=True)
    first = bos if claimed.first else sympy.Integer(0)
    return "a quotient of positive numbers", sympy.Rational(1, 2) - x / (first + 2 * x), bos / (2 * (bos + 2 * x))
