"""At a target with T keys on either side no phases are better than aligned ones: the gap is G(T + 1) at most.

Source: derived here; it extends arXiv 2605.31558, Thm 3.2. The logit of the key at offset r is g(r) = sum_k Re(c_k
e^(i r theta_k)), |c_k| <= a_k. The better one of the keys at T - t and T + t has at least their mean, which is g(T)
less sum_k Re(c_k e^(i T theta_k)) (1 - cos t theta_k): so the gap is at most sum_k a_k (1 - cos t theta_k), t <= T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy
from sympy import Matrix, symbols

from theory.arithmetic.ball import cos, versine
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Evidence, Identity, Search, Trial
from theory.rope.rotation import PAPER, logit
from theory.rope.universal_limits.m_frequency_gaps import Amplitudes, float_gap_error, float_gaps
from theory.rope.universal_limits.one_frequency import LETTERS, TURN, Rival
from theory.symbols import s, t

SEED = 2610
ONE, TWO = Fraction(1, 3), Fraction(2, 3)
# Frequencies and phases whose cosines are rational, in turns: multiples of 1/6 and of 1/4.
SIXTHS = [(Fraction(p, 6), Fraction(phase, 6)) for p in (1, 2, 3) for phase in range(6)]
FOURTHS = [(Fraction(p, 4), Fraction(phase, 4)) for p in (1, 2) for phase in range(4)]
Planes = tuple[tuple[Fraction, Fraction], ...]  # frequency and phase of the target


@cache
def cosine(turns: Fraction) -> Fraction:
    """The cosine of a rational number of turns that has a rational one."""
    value = cos(TURN * turns).exact
    assert value is not None, f"cos(2 pi {turns}) is irrational"
    return value


@dataclass(frozen=True)
class TwoSided:
    """The gap of a target at offset T of n >= 2 T + 1 keys is at most G(length), equal to it for aligned phases.

    Args:
        length: a function of T and n.
        equal: the T and n for which aligned phases attain the bound.
        least: the smallest T that is admitted.
        rivals: heads outside the hypotheses that are to obey as well, at frequency 0.
    """

    length: Callable[[int, int], int] = lambda T, n: T + 1
    equal: Callable[[Any, Any], Any] = lambda T, n: sympy.Eq(n, 2 * T + 1)
    least: int = 1
    rivals: tuple[Rival, ...] = ()

    @property
    def statement(self) -> sympy.Expr:
        T, n = symbols("T n")
        gap = sympy.Symbol("g(T)") - sympy.Symbol("max_{r != T} g(r)")
        most = sympy.Function("G")(self.length(T, n))
        attained = sympy.Eq(sympy.Symbol("aligned gap"), most)
        return sympy.And(sympy.Le(gap, most), sympy.Implies(self.equal(T, n), attained))


@claim(
    "m-frequency-two-sided-gap",
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all m, frequencies, c_k with |c_k| <= a_k, T >= 1, n >= 2 T + 1; equality if aligned, n = 2 T + 1",
    statement=lambda bound: bound.statement,
    variant=TwoSided(),
    controls={
        "G(T + 2)": TwoSided(lambda T, n: T + 2),
        "G(n)": TwoSided(lambda T, n: n),
        "G(T), attained": TwoSided(lambda T, n: T),
        "attained at all n": TwoSided(equal=lambda T, n: True),
    },
    hypotheses=(
        Hypothesis("two-sided", "T is the shorter side", TwoSided(lambda T, n: n - T, lambda T, n: False, least=0)),
        Hypothesis("content-independent", "all keys are turns of one vector", TwoSided(rivals=(LETTERS,))),
    ),
    does_not_show="that aligned phases are best for an end target: there they are not",
)
def m_frequency_two_sided_gap(bound: TwoSided, thorough: bool) -> Iterator[Evidence]:
    """One and two planes with rational cosines, all phases among them; the averaging for m planes; random heads."""
    if bound.rivals:
        yield Enumeration("other heads", ((rival.name, rival.gap <= 0) for rival in bound.rivals))
    yield Enumeration("one plane, rational cosines", _exact(bound, [(plane,) for plane in SIXTHS + FOURTHS], 5))
    pairs = list(combinations(SIXTHS + FOURTHS, 2))
    yield Enumeration(
        "two planes, rational cosines", _exact(bound, pairs if thorough else pairs[::5], 5 if thorough else 3)
    )
    yield Identity("averaging over two keys", ((f"m = {m}", *_averaging(m)) for m in range(1, 4 if thorough else 3)))
    yield Search("random heads", _random(bound, 3000 if thorough else 300), seed=SEED)


def _exact(bound: TwoSided, heads: Sequence[Planes], reach: int) -> Iterator[Case]:
    for T, extra, planes in product(range(bound.least, reach + 1), range(3), heads):
        n = 2 * T + 1 + extra
        if n < 2 or bound.length(T, n) < 2:
            continue
        amplitudes: Amplitudes = (ONE, TWO)[: len(planes)]
        heights = {t: _logit(amplitudes, planes, t) for t in range(-T, n - T)}
        gap = heights[0] - max(height for t, height in heights.items() if t)
        most = min(
            sum(a * (1 - cosine(t * x)) for a, (x, _) in zip(amplitudes, planes, strict=True))
            for t in range(1, bound.length(T, n))
        )
        aligned = bound.equal(T, n) and all(phase == 0 for _, phase in planes)
        yield (
            {"T": T, "n": n, "planes": [f"{x} at {phase}" for x, phase in planes]},
            gap == most if aligned else gap <= most,
        )


def _logit(amplitudes: Amplitudes, planes: Planes, t: int) -> Fraction:
    parts = (a * cosine(phase + t * x) for a, (x, phase) in zip(amplitudes, planes, strict=True))
    return sum(parts, Fraction(0))


def _averaging(m: int) -> tuple[sympy.Expr, sympy.Expr]:
    angles = symbols(f"theta_1:{m + 1}", real=True)
    q, k = (Matrix(symbols(f"{name}_1:{2 * m + 1}", real=True)) for name in "qk")

    def g(offset: sympy.Expr) -> sympy.Expr:
        return logit(q, offset, k, sympy.Integer(0), angles)

    planes = (slice(2 * p, 2 * p + 2) for p in range(m))
    shares = (logit(q[p, :], s, k[p, :], sympy.Integer(0), [angle]) for p, angle in zip(planes, angles, strict=True))
    lost = sum(share * versine(t * angle) for share, angle in zip(shares, angles, strict=True))
    return g(s) - (g(s + t) + g(s - t)) / 2, lost


def _random(bound: TwoSided, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        m, T = int(random.integers(1, 6)), int(random.integers(1, 12))
        n = 2 * T + 1 + int(random.integers(0, 4))
        weights, turns = random.dirichlet(np.ones(m)), random.uniform(0, 0.5, m)
        phases = random.normal(size=m) * random.choice([0.0, 0.02, 0.5])
        heights = weights @ np.cos(phases[:, None] + 2 * np.pi * turns[:, None] * np.arange(-T, n - T))
        gap = float(heights[T] - np.delete(heights, T).max())
        reach = bound.length(T, n) - 1
        most = float(float_gaps(weights, turns, reach).min())
        yield Trial((case, m, T, n), gap, most, 2 * float_gap_error(weights, turns, n) + 8 * np.finfo(np.float64).eps)
