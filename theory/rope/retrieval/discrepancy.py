"""The exact worst-case gap of the printed Retrieval head on LL queries, and the length beyond which it fails.

A match at offset s and a rival letter kappa steps away at offset r != s have the gap cos(s theta) - cos(kappa omega +
r theta), a product of two sines that falls in s and in r. The letter below, kappa = -1, at the offsets n - 1 and n - 2
is the worst.

Source: derived here for arXiv 2605.31558, Thm 3.2 and App. F.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from math import lcm
from typing import Any

import sympy
from flint import arb, fmpq
from sympy import Expr, ceiling, cos, floor, sin

from theory.arithmetic.ball import Real
from theory.arithmetic.ball import sin as sine
from theory.arithmetic.cosine_sums import smallest_is
from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.rope.index.window import fold
from theory.rope.retrieval.decoding import TURN, circle_logit, number, printed
from theory.rope.rotation import PAPER
from theory.rope.sequences import proper_sequences, retrieval
from theory.symbols import n, omega, theta


def half_angles(length: Any, angle: Any, step: Any, positive: bool) -> tuple[Any, Any]:
    """The arguments of the two sines whose doubled product is the smallest gap, for a gap >= 0 and for one below."""
    return (step - angle if positive else step + angle) / 2, (step - (2 * length - 3) * angle) / 2


def length_limit(quotient: Any) -> Any:
    """The longest n with (2n - 3) theta < omega, for the quotient omega/theta; its ceiling is taken by the caller."""
    return (quotient + 3) / 2


@dataclass(frozen=True)
class Worst:
    """The smallest gap at (n - 1) theta <= reach omega as twice the product of two sines, and the hard length limit.

    Args:
        halves: the arguments of the sines, as `half_angles`.
        limit: the longest length, of the quotient omega/theta.
        rivals: the letter steps kappa that compete, None for all.
        distinct: two tokens do not share a position.
        reach: 1 in the statement.
    """

    halves: Callable[[Any, Any, Any, bool], tuple[Any, Any]] = half_angles
    limit: Callable[[Any], Any] = lambda quotient: ceiling(length_limit(quotient)) - 1
    rivals: tuple[int, ...] | None = None
    distinct: bool = True
    reach: Fraction = Fraction(1)

    @property
    def statement(self) -> Expr:
        values = [
            2 * sin(first) * sin(second) for first, second in (self.halves(n, theta, omega, up) for up in (True, False))
        ]
        cases = sympy.Piecewise((values[0], sympy.Le((2 * n - 3) * theta, omega)), (values[1], True))
        rivals = "" if self.rivals is None else f", kappa in {list(self.rivals)}"
        least, longest = sympy.Symbol(f"Delta_inf(n{rivals})"), sympy.Symbol("n*")
        return sympy.And(sympy.Eq(least, cases), sympy.Eq(longest, self.limit(omega / theta)))

    def value(self, letters: int, length: int, turns: Fraction) -> Real:
        positive = (2 * length - 3) * turns * letters <= 1
        first, second = self.halves(length, turns, Fraction(1, letters), positive)
        return 2 * sine(TURN * first) * sine(TURN * second)

    def folds(self, letters: int, length: int, turns: Fraction) -> set[tuple[Fraction, Fraction]]:
        """The distances to phase 0, in turns, of match and rival in all their places."""
        kappas = range(1, letters) if self.rivals is None else self.rivals
        return {
            (fold(s * turns), fold(Fraction(kappa, letters) + r * turns))
            for s, r, kappa in product(range(length), range(length), kappas)
            if s != r or not self.distinct
        }


def _halves(slope: int, flip: bool = False) -> Callable[[Any, Any, Any, bool], tuple[Any, Any]]:
    """Half angles with 2n - `slope` in the second factor; `flip` exchanges the first factors."""
    return lambda length, angle, step, up: (
        half_angles(length, angle, step, up != flip)[0],
        (step - (2 * length - slope) * angle) / 2,
    )


@claim(
    "retrieval-discrepancy-worst-case",
    source=Source(PAPER, "Thm 3.2 and App. F.2.2", "derived"),
    quantifiers="minimum over proper inputs of length n with LL query and a competitor; all A, n >= 2, theta >= 0 with "
    "(n - 1) theta <= omega; for 0 < theta <= omega positive up to n = ceil((omega/theta + 3)/2) - 1 and no further",
    statement=lambda worst: worst.statement,
    variant=Worst(),
    controls={
        "2n - 2": Worst(_halves(2)),
        "2n - 4": Worst(_halves(4)),
        "first factors exchanged": Worst(_halves(3, flip=True)),
        "the letter above is the worst": Worst(rivals=(1,)),
        "length limit rounded down": Worst(limit=lambda quotient: floor(length_limit(quotient))),
        "length limit omega/theta, where the printed bound vanishes": Worst(limit=floor),
    },
    hypotheses=(
        Hypothesis("(n - 1) theta <= omega", "beyond 3 omega/2 other letters are worse", Worst(reach=Fraction(2))),
        Hypothesis("one token a position", "match and rival stand apart", Worst(distinct=False)),
    ),
    printed="Delta_Retrieval(n) <= 1 - cos(omega - n theta)",
    does_not_show="that LI queries decode: their gap is 1 - cos theta, see retrieval-collision-order",
)
def retrieval_discrepancy_worst_case(worst: Worst, thorough: bool) -> Iterator[Evidence]:
    """Products of sines; all places of match and rival; all proper inputs; the length limit; the sign in balls.

    The balls cover (2n - 3) theta/omega up to 0.999, and from 1.001 on.
    """
    lengths = (2, 3, 5, 9, 17) if thorough else (2, 3, 5)
    yield Enumeration("all places of match and rival", _places(worst, (2, 3, 5, 8), lengths))
    yield Identity("the worst places", _identities(worst))
    for letters, longest in ((2, 5), (3, 4), (4, 3)) if thorough else ((2, 4), (3, 3)):
        yield Enumeration(f"proper inputs, A = {letters}, I = 1, n <= {longest}", _inputs(worst, letters, longest))
    yield Enumeration("longest length with a positive gap", _limits(worst))
    for letters, length in product((2, 8), (3, 5)):
        far, near = Fraction(999, 1000), Fraction(1001, 1000)
        for name, domain in (
            ("positive", (Fraction(0), far)),
            ("negative", (near, Fraction(2 * length - 3, length - 1))),
        ):
            decide = partial(_sign, worst, letters, length, name == "positive")
            yield BoxCover(
                f"{name}, A = {letters}, n = {length}, (2n - 3) theta/omega from {domain[0]} to {domain[1]}",
                (domain,),
                decide,
            )


def _places(worst: Worst, alphabets: tuple[int, ...], lengths: tuple[int, ...]) -> Iterator[tuple[object, Outcome]]:
    for letters, length in product(alphabets, lengths):
        at_zero = Fraction(length - 1, 2 * length - 3)
        for share in sorted({Fraction(0), Fraction(1, 3), Fraction(1, 2), at_zero, Fraction(4, 5), Fraction(1)}):
            turns = share * worst.reach / letters / (length - 1)
            gaps = (circle_logit(match) - circle_logit(rival) for match, rival in worst.folds(letters, length, turns))
            order = 2 * lcm(letters, turns.denominator)
            yield (
                {"A": letters, "n": length, "turns": turns},
                smallest_is(gaps, worst.value(letters, length, turns), order),
            )


def _identities(worst: Worst) -> Iterator[Equation]:
    for up, match, rival in ((True, n - 2, n - 1), (False, n - 1, n - 2)):
        first, second = worst.halves(n, theta, omega, up)
        yield f"match at {match}", cos(match * theta) - cos(omega - rival * theta), 2 * sin(first) * sin(second)


def _inputs(worst: Worst, letters: int, longest: int) -> Iterator[tuple[object, Outcome]]:
    inputs = [tokens for tokens in proper_sequences(letters, 1, longest) if number(tokens[-1]) is None]
    for length, share in product(range(2, longest + 1), (Fraction(0), Fraction(1, 3), Fraction(4, 5))):
        turns = share / letters / (length - 1)
        head = printed(letters, turns)
        pairs = {head.rivals(tokens, retrieval(tokens)[-1]) for tokens in inputs if len(tokens) == length}
        gaps = [head.logit(pair[0]) - head.logit(pair[1]) for pair in pairs if pair]
        order = 2 * lcm(letters, turns.denominator)
        yield {"A": letters, "n": length, "turns": turns}, smallest_is(gaps, worst.value(letters, length, turns), order)


def _limits(worst: Worst) -> Iterator[tuple[object, bool]]:
    for letters, quotient in product((2, 3, 8), map(Fraction, ("1", "3/2", "2", "3", "7/2", "5", "20/3"))):
        longest = worst.limit(quotient)
        below, above = (worst.folds(letters, length, 1 / (letters * quotient)) for length in (longest, longest + 1))
        right = all(match < rival for match, rival in below) and any(match >= rival for match, rival in above)
        yield {"A": letters, "omega/theta": quotient, "n": longest}, right


def _sign(worst: Worst, letters: int, length: int, positive: bool, share: arb) -> Outcome:
    """Whether the smallest gap has this sign; `share` is (2n - 3) theta/omega."""
    turn = share * fmpq(2, letters * (2 * length - 3))
    kappas = range(1, letters) if worst.rivals is None else worst.rivals
    gaps = [
        (s * turn).cos_pi() - (fmpq(2 * kappa, letters) + r * turn).cos_pi()
        for s, r, kappa in product(range(length), range(length), kappas)
        if s != r
    ]
    least = reduce(arb.min, gaps)
    sign = Outcome.settled(least > 0, least < 0)
    return sign if positive else ~sign
