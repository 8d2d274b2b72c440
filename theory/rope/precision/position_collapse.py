"""Positions stored in the format itself: 2^p and 2^p + 1 are one number, and two keys get one rotation.

Source: derived here; integers up to 2^p are exact, 2^p + 1 is a tie and goes to the even mantissa, that of 2^p.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
import sympy

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.quantities import Exact, quantity
from theory.rope.precision.formats import Precision
from theory.rope.precision.logit_rounding import nearest
from theory.rope.rotation import PAPER

CLAIM = "float-position-collapse"
SEED = 258
ROTATION = (Fraction(3, 5), Fraction(4, 5))


def ties_up(x: Fraction, precision: int) -> Fraction:
    """`nearest`, but ties between positive numbers go up."""
    low, high = nearest(x, precision), nearest(x + Fraction(1, 2**40), precision)
    return max(low, high)


@dataclass(frozen=True)
class Collapse:
    """The least n for which two of the positions first..first + n - 1 are stored as one number is length(p).

    Args:
        length: a function of p.
        first: 0 or 1.
        fl: how positions are rounded to p bits.
        text: the length, for people.
    """

    length: Callable[[int], int] = lambda p: 2**p + 2
    first: int = 0
    fl: Callable[[Fraction, int], Fraction] = nearest
    text: str = "2^p + 2"

    def __str__(self) -> str:
        return (
            f"with positions from {self.first} on, the least length with two keys of one rotation, in all planes, "
            f"for all theta, is {self.text}"
        )


@claim(
    CLAIM,
    source=Source(PAPER, "App. C.1", "derived"),
    quantifiers="for all p >= 2, theta, amplitudes and numbers of planes; positions from 0 on, rounded to p bits",
    statement=str,
    variant=Collapse(),
    controls={
        "2^(p+1) + 2": Collapse(lambda p: 2 ** (p + 1) + 2, text="2^(p+1) + 2"),
        "float32 fails at 65536": Collapse(lambda p: 2 ** (2 * p // 3), text="2^(2p/3), which is 65536 for p = 24"),
        "one position earlier": Collapse(lambda p: 2**p + 1, text="2^p + 1"),
    },
    hypotheses=(
        Hypothesis("positions from 0 on", "the first token is at 0", Collapse(first=1)),
        Hypothesis("ties to even", "2^p + 1 goes to 2^p", Collapse(fl=ties_up)),
    ),
    does_not_show="that all shorter inputs are safe: angles, cosines and sines are rounded too, and fail earlier",
)
def float_position_collapse(collapse: Collapse, thorough: bool) -> Iterator[Evidence]:
    """All positions at small p; logits of a head whose positions collide; the tie; NumPy's formats around 2^p."""
    yield Enumeration("all positions, 2 to 9 bits", _positions(collapse, 12 if thorough else 9))
    yield Enumeration("logits at rational rotations, 2 to 4 bits", _logits(collapse, 5 if thorough else 4))
    yield Identity("2^p + 1 is a tie", [_tie()], sympy.expand)
    yield Search("float16 and float32", _formats(collapse, 2_000 if thorough else 300), seed=SEED)


def _positions(collapse: Collapse, most: int) -> Iterator[Case]:
    for precision in range(2, most + 1):
        seen: dict[Fraction, int] = {}
        position = collapse.first
        while (stored := collapse.fl(Fraction(position), precision)) not in seen:
            seen[stored] = position
            position += 1
        case = {"p": precision, "positions": f"{seen[stored]}, {position}"}
        yield case, position - collapse.first + 1 == collapse.length(precision)


def _logits(collapse: Collapse, most: int) -> Iterator[Case]:
    """An aligned head in exact arithmetic: for the last key as target the gap is 0 at that length, positive before."""
    for precision in range(2, most + 1):
        n = collapse.length(precision)
        for length in (n - 1, n):
            positions = [collapse.fl(Fraction(collapse.first + t), precision) for t in range(length)]
            logits = [_cosine(int(positions[-1] - position)) for position in positions]
            yield {"p": precision, "n": length}, (logits[-1] - max(logits[:-1]) == 0) is (length == n)


def _cosine(steps: int) -> Fraction:
    c, s = Fraction(1), Fraction(0)
    for _ in range(abs(steps)):
        c, s = c * ROTATION[0] - s * ROTATION[1], s * ROTATION[0] + c * ROTATION[1]
    return c


def _tie() -> Equation:
    p = sympy.Symbol("p", integer=True, positive=True)
    low, high = 2**p, 2**p * (1 + 2 ** (1 - p))  # neighbours in the format
    return "middle of the neighbours", (low + high) / 2, 2**p + 1


def _formats(collapse: Collapse, count: int) -> Iterator[Trial]:
    """The last two positions coincide at that length; random pairs of earlier ones do not."""
    random = Random(SEED)
    for precision, dtype in ((11, np.float16), (24, np.float32)):
        last = collapse.first + collapse.length(precision) - 1
        pairs = [(last, last - 1, True)]
        for _ in range(count // 2):
            low = random.randrange(collapse.first, last - 1)
            pairs.append((low + random.choice((1, random.randint(1, last - 1 - low))), low, False))
        for high, low, same in pairs:
            distance = abs(float(dtype(high)) - float(dtype(low)))
            observed, bound = (distance, 0.0) if same else (1.0, distance)
            yield Trial({"format": dtype.__name__, "positions": (low, high)}, observed, bound)


@quantity("position-collapse-length", unit="tokens", claim=CLAIM)
def position_collapse_length(precision: Precision) -> Exact:
    """The least length at which two positions, counted from 0, are one number of the format: 2^p + 2."""
    return Exact(2**precision + 2)
