"""One plane keeps an interior target apart by 1 - cos(2 pi/(T + 1)) at most, however queries and phases are chosen.

Source: derived here; it extends arXiv 2605.31558, Thm 3.2, from aligned heads to all content-independent keys. The
logit of the key at offset r is g(r) = Re(c e^(i r theta)), |c| <= B; the target at offset s has T = min(s, n - 1 - s)
keys on either side. Some t0 <= T brings t0 theta within 2 pi/(T + 1) of a turn, and the better one of the keys at
s - t0 and s + t0 is at least their mean, which is g(s) cos(t0 theta).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import sympy
from flint import arb
from sympy import Matrix, Symbol, symbols

from theory.arithmetic.ball import Real, cos, maximum, versine
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Count, Enclosure, Positive, quantity
from theory.rope.index.window import farey_peaks, fold, rational_turns
from theory.rope.rotation import PAPER, logit
from theory.symbols import s, t, theta

SEED = 2605
TURN = Real.of_linear(0, 2)
ONE = Real.of(1)
CLAIM = "one-frequency-universal-limit"


@cache
def cosine(turns: Fraction) -> arb:
    """cos(2 pi turns), a ball of 96 bits."""
    return (1 - versine(TURN * turns)).at(96)


def phase_gaps(turns: Fraction, offsets: Sequence[int]) -> Iterator[tuple[Fraction, Fraction]]:
    """Gaps of a head at frequency 2 pi `turns` over phases of the target, the best of all real phases among them.

    A gap is a pair of distances to whole turns, of the target and of the nearest rival, and its value the difference
    of their cosines. It is the minimum of the curves 2 sin(u/2) sin(psi + u/2), u the phase of a rival, so that it is
    largest at a peak or where two of them cross: both are multiples of 1/(4 q) turns, q the denominator of `turns`.
    """
    p, q = turns.as_integer_ratio()
    rivals = {4 * (offset * p % q) for offset in offsets}
    whole = 4 * q
    for phase in range(whole):
        nearest = min(min((phase + rival) % whole, (-phase - rival) % whole) for rival in rivals)
        yield Fraction(min(phase, whole - phase), whole), Fraction(nearest, whole)


def exceeds(gap: tuple[Fraction, Fraction], bound: tuple[Fraction, Fraction]) -> Outcome:
    """Whether a gap is larger than another one, both pairs of distances; it is not where the pairs agree."""
    if gap == bound or (gap[0] == gap[1] and bound[0] == bound[1]):
        return Outcome.REFUTED
    difference = cosine(gap[0]) - cosine(gap[1]) - cosine(bound[0]) + cosine(bound[1])
    return Outcome.settled(difference > 0, difference <= 0)


@dataclass(frozen=True)
class Rival:
    """A head outside the hypotheses, with norm product 1, by its logits at the offsets from a target at `side`."""

    name: str
    side: int
    logit: Callable[[int], Real]

    @property
    def gap(self) -> Real:
        """The gap at length 2 side + 1."""
        return self.logit(0) - maximum(self.logit(t) for t in range(-self.side, self.side + 1) if t)


@dataclass(frozen=True)
class Limit:
    """No gap exceeds B (1 - cos(2 pi/points)), and with n = 2 T + 1 one attains it.

    Args:
        points: a function of T and n.
        least: the smallest T that is admitted.
        rivals: heads outside the hypotheses that are to obey as well.
    """

    points: Callable[[int, int], int] = lambda T, n: T + 1
    least: int = 1
    rivals: tuple[Rival, ...] = ()

    @property
    def statement(self) -> sympy.Expr:
        T, n, B = symbols("T n B")
        gap = Symbol("g(s)") - Symbol("max_{r != s} g(r)")
        return sympy.Le(gap, B * (1 - sympy.cos(2 * sympy.pi / self.points(T, n))))

    def distance(self, T: int, n: int) -> Fraction:
        return fold(Fraction(1, self.points(T, n)))


LETTERS = Rival("two letters at frequency 0, one of them the target's alone", 2, lambda t: cos(TURN / 2 * (t != 0)))
DYADIC = Rival(
    "half a turn in 1, 2 and 4 steps", 7, lambda t: Real.total(cos(TURN * Fraction(t, 2 * k)) / 3 for k in (1, 2, 4))
)


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all theta, c with |c| <= B, n and offsets s with T = min(s, n - 1 - s) >= 1; sharp for each T",
    statement=lambda limit: limit.statement,
    variant=Limit(),
    controls={
        "T + 2 points": Limit(lambda T, n: T + 2),
        "n points": Limit(lambda T, n: n),
        "T points, attained": Limit(lambda T, n: T),
    },
    hypotheses=(
        Hypothesis("interior", "there are keys on both sides of the target", Limit(least=0)),
        Hypothesis("content-independent", "all keys are turns of one vector", Limit(rivals=(LETTERS,))),
        Hypothesis("one plane", "a single frequency", Limit(rivals=(DYADIC,))),
    ),
    does_not_show="anything about the first and last target, whose best gap is of order 1/n",
)
def one_frequency_universal_limit(limit: Limit, thorough: bool) -> Iterator[Evidence]:
    """Aligned heads at all angles, between Farey fractions; all phases at rational turns; averaging; an adversary."""
    if limit.rivals:
        yield Enumeration("other heads", _rivals(limit))
    yield Enumeration("aligned heads, all angles", _aligned(limit, 60 if thorough else 16))
    yield Enumeration("all phases at rational turns", _phases(limit, 12 if thorough else 7))
    yield Identity("averaging over two keys", _averaging())
    yield Search("random heads, half of them near the best", _random(limit, 4000 if thorough else 400), seed=SEED)


def _rivals(limit: Limit) -> Iterator[Case]:
    for rival in limit.rivals:
        yield rival.name, rival.gap <= versine(TURN * limit.distance(rival.side, 2 * rival.side + 1))


def _aligned(limit: Limit, longest: int) -> Iterator[Case]:
    """The gap of an aligned head is 1 - cos(2 pi D), D = min ||t x|| over t up to the longer side."""
    for T in range(limit.least, longest + 1):
        for farther in range(max(T, 1), 2 * T + 2):
            n = T + farther + 1
            highest = max(height for _, height in farey_peaks(farther))
            bound = limit.distance(T, n)
            yield {"n": n, "s": T, "D": highest}, highest <= bound if farther > T else highest == bound


def _phases(limit: Limit, longest: int) -> Iterator[Case]:
    for n in range(2 if limit.least == 0 else 3, longest + 1):
        for offset, turns in product(range(limit.least, (n + 1) // 2), rational_turns(2, longest)):
            bound = Fraction(0), limit.distance(offset, n)
            rivals = [r - offset for r in range(n) if r != offset]
            above = [exceeds(gap, bound) for gap in set(phase_gaps(turns, rivals))]
            yield {"n": n, "s": offset, "turns": turns}, Outcome.every(~outcome for outcome in above)


def _averaging() -> Iterator[Equation]:
    """From the logits of one plane: what the better of two keys has at least, and that |g| <= |q| |k|."""
    q, k = (Matrix(symbols(f"{name}_1 {name}_2", real=True)) for name in "qk")

    def g(offset: sympy.Expr) -> sympy.Expr:
        return logit(q, offset, k, sympy.Integer(0), [theta])

    yield "gap to the mean", g(s) - (g(s + t) + g(s - t)) / 2, g(s) * versine(t * theta)
    quarter = Matrix([-k[1], k[0]])
    yield "|g| <= |q| |k|", g(s) ** 2 + logit(q, s, quarter, sympy.Integer(0), [theta]) ** 2, q.dot(q) * k.dot(k)


def _random(limit: Limit, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        T = int(random.integers(1, 30))
        n = 2 * T + 1 + int(random.integers(0, 2 * T + 1)) * (case % 2)
        best = 2 * np.pi * random.integers(1, T + 1) / (T + 1)
        angle, phase = (best, 0.0) + random.normal(size=2) / n if case % 3 else random.uniform(-np.pi, np.pi, 2)
        logits = np.cos(phase + (np.arange(n) - T) * angle)
        gap = logits[T] - np.delete(logits, T).max()
        # A phase up to n pi + pi is off by 2 (n + 1) pi u, two cosines and the bound by a few u.
        allowance = (2 * np.pi * (n + 1) + 8) * np.finfo(np.float64).eps
        bound = float(versine(TURN * limit.distance(T, n)))
        yield Trial((case, n, T), float(gap), bound, allowance, vacuous=bound >= 2)


@quantity("one-frequency-limit", unit="logit", claim=CLAIM)
def one_frequency_limit(reach: Count, norm: Positive = ONE) -> dict[str, Enclosure | Bound]:
    """The largest gap of one plane at a target with `reach` keys on either side, for |q| |k| = `norm`.

    `limit` is norm (1 - cos(2 pi/(reach + 1))), attained; `quadratic` is 2 pi^2 norm/(reach + 1)^2.
    """
    angle = TURN / (reach + 1)
    return {"limit": Enclosure(norm * versine(angle)), "quadratic": Bound("upper", norm * angle**2 / 2)}
