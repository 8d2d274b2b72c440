"""The first and the last target: with its best phase one plane keeps them apart by 3.64/n, not by n^-2.

Source: derived here; it completes arXiv 2605.31558, Thm 3.2. The keys stand at the offsets t = 1..n-1 on one side of
the target. With p/q < p'/q' neighbours among the fractions of denominator up to N = n - 1 and p/q < theta/2 pi < p'/q',
the neighbours of the target are A = 2 pi p' - q' theta and B = q theta - 2 pi p, so that q A + q' B = 2 pi. For q = 1,
q' = N, theta = x the best gap (claim one-frequency-phase-optimal) is 2 sin(x/2) where N x <= pi, which rises with x,
and 2 sin(N x/2) sin(x/2) from there on; for q, q' >= 2 it is at most A B/2 <= pi^2/(2 q q'). So only the arc
pi <= N x <= 2 pi matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

import numpy as np
import sympy
from flint import arb
from sympy import Expr, diff, expand, pi, symbols

from theory.arithmetic.ball import Real, cos, sin
from theory.arithmetic.root import falling_root
from theory.claims import Source, claim
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length2, quantity
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.one_frequency import TURN
from theory.symbols import n

SEED = 2607
CLAIM = "one-frequency-end-target"
SLACK = Fraction(1, 2**12)
Supremum = Callable[[int], Real]


def arc(y: Expr, N: Expr) -> Expr:
    """2 sin(y/2) sin(y/(2 N)): the best gap at the angle y/N, for y = N theta >= pi."""
    return 2 * sympy.sin(y / 2) * sympy.sin(y / (2 * N))


def peak(N: int | None) -> Real:
    """Where `arc` is largest on (0, 2 pi); for None the limit of large N. Its logarithm has a falling slope."""
    if N is None:
        return falling_root(lambda y: (y / 2).cot() + 2 / y, 3, 6)
    return falling_root(lambda y: (y / 2).cot() + (y / (2 * N)).cot() / N, 3, 6)


@cache
def supremum(length: int) -> Real:
    """The largest gap at an end target of length n >= 2, over all angles and phases of one plane with |q| |k| = 1."""
    y = peak(length - 1)
    return 2 * sin(y / 2) * sin(y / (2 * (length - 1)))


@cache
def rate() -> Real:
    """The limit of n times the supremum: the maximum of y sin(y/2) over 0 < y <= 2 pi."""
    y = peak(None)
    return y * sin(y / 2)


@dataclass(frozen=True)
class Ends:
    """The supremum over angles and phases, and what n - 1 times it stays below and tends to."""

    said: Expr
    value: Supremum = supremum
    limit: Callable[[], Real] = rate

    def statement(self) -> Expr:
        tends = sympy.Eq(sympy.Symbol("lim (n - 1)*sup"), sympy.Float(float(self.limit()), 5), evaluate=False)
        return sympy.And(sympy.Eq(sympy.Symbol("sup_{theta,psi}(gap)"), self.said), tends)


y, N = symbols("y N", positive=True)
PEAK = sympy.Function("max_y")


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all n >= 2: the maximum over 0 < y <= 2 pi, at y = (n-1) theta; (n-1) times it rises to 3.6394...",
    statement=Ends.statement,
    variant=Ends(PEAK(arc(y, n - 1))),
    controls={
        "pi/n": Ends(pi / n, lambda length: TURN / 2 / length),
        "2 sin(pi/(2 (n - 1)))": Ends(
            2 * sympy.sin(pi / (2 * (n - 1))), lambda length: 2 * sin(TURN / 4 / (length - 1))
        ),
        "1 - cos(2 pi/n), aligned": Ends(1 - sympy.cos(2 * pi / n), lambda length: 1 - cos(TURN / length)),
        "max_y(arc) at n": Ends(PEAK(arc(y, n)), lambda length: supremum(length + 1)),
        "a limit of pi": Ends(PEAK(arc(y, n - 1)), limit=lambda: TURN / 2),
    },
    does_not_show="that an interior target can have a gap of order 1/n: one-frequency-universal-limit forbids it",
)
def one_frequency_end_target(ends: Ends, thorough: bool) -> Iterator[Evidence]:
    """Heads that come within 2^-12 of the supremum; all other arcs; boxes on the arc that matters; random heads."""
    lengths = [*range(2, 41 if thorough else 13), 17, 100, 850]
    yield Enumeration("attained by a head at rational angle and phase", _attained(ends, lengths))
    yield Enumeration("all other arcs between Farey fractions", _arcs(ends, 80 if thorough else 25))
    for length in (2, 3, 5, 17) if not thorough else lengths:
        decide = partial(_below, (1 + SLACK) * ends.value(length), length - 1)
        yield BoxCover(f"arc of angles, n = {length}, within 2^-12", ((Fraction(0), Fraction(1)),), decide)
    yield Identity("the slope of the logarithm, and how it falls", _slopes())
    yield Enumeration("(n - 1) times the supremum", _rates(ends, 10**12 if thorough else 10**6))
    yield Search("random heads", _random(ends, 3000 if thorough else 300), seed=SEED)


def _attained(ends: Ends, lengths: list[int]) -> Iterator[Case]:
    """The gap from the logits of a head near the peak, with the target in the middle of its arc."""
    for length in lengths:
        turns = Fraction(int(float(peak(length - 1) / TURN) * 2**20), 2**20) / (length - 1)
        left, right = 1 - (length - 1) * turns, turns
        phase = (left - right) / 2
        logits = [cos(TURN * ((phase + t * turns) % 1)) for t in range(length)]
        least = (1 - SLACK) * ends.value(length)
        yield {"n": length, "turns": turns}, Outcome.every(logits[0] - other >= least for other in logits[1:])


def _arcs(ends: Ends, longest: int) -> Iterator[Case]:
    """pi^2/(2 q q') on the arcs between p/q and p'/q', q, q' >= 2, of order n - 1."""
    for length in range(4, longest + 1):
        value = ends.value(length)
        # The denominators of the fractions between 0 and 1, the first and last arc left out.
        steps, q, after = length - 1, length - 1, length - 2
        products = []
        while after > 1:
            products.append(q * after)
            q, after = after, (steps + q) // after * after - q
        least = min(products)
        yield {"n": length, "q q'": least}, TURN**2 / (8 * least) < value


def _below(most: Real, steps: int, share: arb) -> Outcome:
    turns = share / steps
    gap = 2 * (steps * turns).sin_pi() * turns.sin_pi()
    return Outcome.settled(gap <= most.enclose(), gap > most.enclose())


def _slopes() -> Iterator[Equation]:
    """The slope is the arc times (cot(y/2) + cot(y/(2 N))/N)/2, and a cotangent falls by 1/sin^2."""
    first, second = (sympy.cos(u) / sympy.sin(u) for u in (y / 2, y / (2 * N)))
    yield "slope", diff(arc(y, N), y), expand(arc(y, N) * (first + second / N) / 2)
    yield "cotangent", expand(diff(sympy.cos(y) / sympy.sin(y), y) * sympy.sin(y) ** 2), sympy.Integer(-1)


def _rates(ends: Ends, longest: int) -> Iterator[Case]:
    """(n - 1) sup lies below the limit c, and above c (1 - y^2/(24 (n - 1)^2)) at the peak y of the limit."""
    length, limit = 2, ends.limit()
    lost = peak(None) ** 2 / 24
    while length <= longest:
        scaled = (length - 1) * ends.value(length)
        bounds = scaled < limit, scaled > limit * (1 - lost / (length - 1) ** 2)
        yield {"n": length}, Outcome.every(bounds)
        length *= 2


def _random(ends: Ends, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        length = int(random.integers(2, 40))
        angle = random.uniform(0, 2 * np.pi / (length - 1)) if case % 2 else random.uniform(0, np.pi)
        phase = random.uniform(-np.pi, np.pi)
        if case % 4 == 1:  # the target near the middle of its arc
            phase = np.pi - length * angle / 2 + random.normal() / length
        logits = np.cos(phase + np.arange(length) * angle)
        allowance = (2 * np.pi * (length + 1) + 8) * np.finfo(np.float64).eps
        gap = float(logits[0] - logits[1:].max())
        yield Trial((case, length, angle, phase), gap, float(ends.value(length)), allowance)


@quantity("end-target-supremum", unit="logit", claim=CLAIM)
def end_target_supremum(n: Length2) -> Enclosure:
    """The largest gap of one plane at the first or last target of length n, over all angles and phases, |q| |k| = 1."""
    return Enclosure(supremum(n))


@quantity("end-target-rate", unit="logit", claim=CLAIM)
def end_target_rate() -> Enclosure:
    """The limit of n times the supremum at an end target."""
    return Enclosure(rate())
