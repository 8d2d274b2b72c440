"""Softmax thresholds of the printed Retrieval head for LL queries, with and without rotation.

The worst inputs have one copy of the target, at an offset s, and in all other places r one token with the letter below
the wanted one, whose gap is cos(s theta) - cos(omega - r theta): (y,1), (x,y), ..., (x,y) with s = n - 1, and (x,1),
..., (x,1), (y,y) with s = 0. Nothing else binds: for 0 < s < n - 1 the copies of (x,y) need a y before them, which is
less than s = n - 1, and (x,1) cannot be the query, so that the place r = 0 is lost. The sum over r > 0 is then below 1
where that of s = n - 1 is: the difference of the two is at most psi((n-1) theta) - psi(s theta) - phi(omega), up to a
positive factor, with phi(u) = e^(beta cos u) and psi(u) = phi(u) + phi(omega - u). On [0, omega/2] psi rises and then
falls, or only one of both, and rises by at most phi(omega), since with x = sqrt(2 beta) sin(u/2) and
y = sqrt(2 beta) sin((omega - u)/2), where x + y >= sqrt(2 beta) sin(omega/2),
e^(-x^2) + e^(-y^2) <= 1 + 2 e^(-(x+y)^2). Balls certify that for x, y <= 3; for y <= x, x >= 3 it holds since either
y (2x + y) <= log 2, or y > log 2/(3x).

Source: derived here for arXiv 2605.31558, Thm 3.1 and App. F.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb
from sympy import cos, sin

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, pi
from theory.arithmetic.ball import sin as sine
from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Enumeration, Evidence, Identity
from theory.outcome import Outcome
from theory.rope.index.window import angle_of
from theory.rope.retrieval.decoding import number, printed
from theory.rope.rotation import PAPER
from theory.rope.scale import around, weight_sum
from theory.rope.sequences import proper_sequences
from theory.symbols import omega, r, s, theta

# A target's offset, and those of its rivals.
Places = tuple[int, list[int]]


def sine_gap(step: Any, angle: Any, target: Any, rival: Any, sine: Callable[[Any], Any]) -> Any:
    """cos(s theta) - cos(omega - r theta) as a product of two sines, generic over the arithmetic; `step` is omega."""
    return 2 * sine((step + (target - rival) * angle) / 2) * sine((step - (target + rival) * angle) / 2)


def rival_gap(letters: int, angle: Angle, target: int, rival: int) -> Real:
    """cos(s theta) - cos(omega - r theta) for a target at offset s and a rival at r."""
    return sine_gap(2 * pi / letters, angle.real, target, rival, sine)


def worst_places(n: int) -> list[Places]:
    """The two worst inputs: the target at offset 0 or at n - 1, rivals in all other places."""
    return [(target, [rival for rival in range(n) if rival != target]) for target in (0, n - 1)]


def worst_inputs(letters: int, n: int, angle: Angle) -> list[list[Real]]:
    """The gaps of the two worst inputs."""
    return [[rival_gap(letters, angle, target, rival) for rival in rivals] for target, rivals in worst_places(n)]


@dataclass(frozen=True)
class Threshold:
    """All LL queries decode iff sum e^(-beta g) < 1 for each of these lists of gaps, (n - 1) theta <= reach omega."""

    places: Callable[[int], list[Places]] = worst_places
    reach: Fraction = Fraction(1)
    text: str = "r != s for s = 0 and s = n - 1"

    def worst(self, letters: int, n: int, angle: Angle) -> list[list[Real]]:
        return [[rival_gap(letters, angle, target, rival) for rival in rivals] for target, rivals in self.places(n)]

    def __str__(self) -> str:
        return (
            f"for (n - 1) theta <= {self.reach} omega all LL queries decode iff sum_r e^(-beta (cos s theta - "
            f"cos(omega - r theta))) < 1, {self.text}; at theta = 0: iff (n - 1) e^(-beta (1 - cos omega)) < 1"
        )


def _with_rivals(
    rivals: Callable[[int, int], list[int]], ends: tuple[int, ...] = (0, -1)
) -> Callable[[int], list[Places]]:
    """Rivals at the offsets `rivals`(n, s) for the targets s at these ends; -r stands for the letter above at r."""
    return lambda n: [(target % n, rivals(n, target % n)) for target in ends]


@claim(
    "retrieval-softmax-threshold",
    source=Source(PAPER, "Thm 3.1 and App. F.2.2", "derived"),
    quantifiers="for all A >= 2, I >= 1, n >= 2, beta, theta >= 0 as stated; proper inputs of length n with LL query",
    statement=str,
    variant=Threshold(),
    controls={
        "n - 2 rivals": Threshold(_with_rivals(lambda n, s: [r for r in range(n) if r != s][1:]), text="r > 0"),
        "omega - n theta in the exponent": Threshold(
            _with_rivals(lambda n, s: [r + 1 for r in range(n) if r != s]), text="r from 1 to n"
        ),
        "the letter above is the worst": Threshold(
            _with_rivals(lambda n, s: [-r for r in range(n) if r != s]), text="-r"
        ),
        "only the farthest target": Threshold(_with_rivals(lambda n, s: list(range(n - 1)), (-1,)), text="s = n - 1"),
        "only the nearest target": Threshold(_with_rivals(lambda n, s: list(range(1, n)), (0,)), text="s = 0"),
    },
    hypotheses=(
        Hypothesis("(n - 1) theta <= omega", "the letter below stays the nearest", Threshold(reach=Fraction(59, 10))),
        Hypothesis("one-hot read-out", "W_V = identity, F(x, a) = a", None, "another read-out can correct the bias"),
    ),
    does_not_show="anything about LI queries of the printed head: see retrieval-collision-threshold",
)
def retrieval_softmax_threshold(threshold: Threshold, thorough: bool) -> Iterator[Evidence]:
    """Gaps as products; every proper input on both sides of the threshold; targets further in are lighter, and why."""
    product_form = sine_gap(omega, theta, s, r, sin)
    yield Identity("gap of the letter below", [("product", cos(s * theta) - cos(omega - r * theta), product_form)])
    for letters, integers, n in (
        ((3, 1, 3), (3, 2, 4), (2, 1, 5), (4, 1, 3)) if thorough else ((2, 1, 2), (3, 1, 3), (2, 1, 4))
    ):
        yield Enumeration(f"A = {letters}, I = {integers}, n = {n}", _both_sides(threshold, letters, integers, n))
    yield Enumeration(
        "targets further in at the threshold", _further_in(threshold, (4, 5, 9, 17) if thorough else (4, 6))
    )
    square = ((Fraction(0), Fraction(3)),) * 2
    yield BoxCover("e^(-x^2) + e^(-y^2) <= 1 + 2 e^(-(x+y)^2), 0 <= x, y <= 3", square, _gaussian)


def _both_sides(threshold: Threshold, letters: int, integers: int, n: int) -> Iterator[tuple[object, Outcome]]:
    inputs = [
        tokens for tokens in proper_sequences(letters, integers, n) if len(tokens) == n and number(tokens[-1]) is None
    ]
    for share in (Fraction(0), Fraction(1, 4), Fraction(9, 20), Fraction(1)):
        turns = share * threshold.reach / letters / (n - 1)
        worst = threshold.worst(letters, n, angle_of(turns))
        for beta in sorted({beta for gaps in worst for beta in around(gaps)}):
            said = Outcome.every(weight_sum(gaps, Real.of(beta)) < 1 for gaps in worst)
            found = printed(letters, turns).all_decode(inputs, beta)
            yield {"A": letters, "I": integers, "n": n, "turns": turns, "beta": beta}, said.iff(found)


def _further_in(threshold: Threshold, lengths: tuple[int, ...]) -> Iterator[tuple[object, Outcome]]:
    """At a scale just above the threshold, a target at 0 < s < n - 1 outweighs rivals in all other places r > 0."""
    for letters, n, share in product((2, 3, 8, 26), lengths, (Fraction(1, 10), Fraction(4, 5), Fraction(99, 100))):
        angle = angle_of(share / letters / (2 * n - 3))
        beta = Real.of(max(beta for gaps in threshold.worst(letters, n, angle) for beta in around(gaps)))
        for target in range(1, n - 1):
            rivals = [rival_gap(letters, angle, target, rival) for rival in range(1, n) if rival != target]
            yield {"A": letters, "n": n, "share": share, "s": target}, weight_sum(rivals, beta) < 1


def _gaussian(x: arb, y: arb) -> Outcome:
    excess = 1 + 2 * (-((x + y) ** 2)).exp() - (-(x**2)).exp() - (-(y**2)).exp()
    return Outcome.settled(excess >= 0, excess < 0)
