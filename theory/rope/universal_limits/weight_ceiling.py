"""How much softmax weight a positional head can give to an interior target: 1/((T + 1) prod Bes(beta a_k)) at most.

Source: derived here; it makes the end of arXiv 2605.31558, App. F.2.1, quantitative, for several planes and all phases.
For logits beta g and a target with T keys on either side, each pair of keys at t steps weighs at least 2 f(t) against
it, f(t) = e^(-beta sum a_k (1 - cos t theta_k)): e^x + e^y >= 2 e^((x+y)/2), and claim m-frequency-two-sided-gap. Claim
competitor-weight-floor does the rest, and 1/Bes(x) <= sqrt(1 + 2 pi x).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Symbol, symbols

from theory.arithmetic.ball import Real, besseli, evaluate, exp, sqrt
from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Count, Positive, Vector, quantity
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.m_frequency_gaps import HALF_TURN, HALVES, Amplitudes, at_most, ball, frequency_sets
from theory.rope.universal_limits.one_frequency import LETTERS, TURN
from theory.rope.universal_limits.weight_floor import ONE, M, checked, end_weight, mass_symbol, mean_mass, weight
from theory.wording import counted

SEED = 2614
CLAIM = "positional-weight-ceiling"
T = Symbol("T", positive=True, integer=True)
CEILING = 1 / ((T + 1) * M)
PLAIN = (sympy.S.One,)


@dataclass(frozen=True)
class Ceiling:
    """The weight of a target at offset T of n >= 2 T + 1 keys is at most `value`, an expression in T and M.

    Args:
        value: the ceiling.
        scaled: whether M is the product of Bes(beta a_k) over the planes, or of I_0(beta a_k).
        ends: whether a target at an end, with the n - 1 keys of its longer side, is to obey as well.
        letters: whether heads whose keys know their letters are to obey as well.
    """

    value: Expr = CEILING
    scaled: bool = True
    ends: bool = False
    letters: bool = False

    @property
    def statement(self) -> Expr:
        return sympy.Le(Symbol("w"), self.value.subs(M, mass_symbol(self.scaled)))

    def at(self, reach: int, beta: Fraction, amplitudes: Amplitudes) -> Real:
        mass = Real.of(1)
        for amplitude in amplitudes:
            mass *= besseli(0, beta * amplitude, scaled=self.scaled)
        return evaluate(self.value, {T: reach, M: mass})


@claim(
    CLAIM,
    source=Source(PAPER, "App. F.2.1", "derived"),
    quantifiers="for all m, frequencies, c_k with |c_k| <= a_k, beta >= 0, T >= 0 keys on the shorter side",
    statement=lambda ceiling: ceiling.statement,
    variant=Ceiling(),
    controls={
        "T + 2": Ceiling(1 / ((T + 2) * M)),
        "2 T + 1": Ceiling(1 / ((2 * T + 1) * M)),
        "I_0 in place of Bes": Ceiling(scaled=False),
    },
    hypotheses=(
        Hypothesis("shorter side", "T counts the keys on the shorter side", Ceiling(ends=True)),
        Hypothesis("content-independent", "all keys are turns of one vector", Ceiling(letters=True)),
    ),
    does_not_show="anything about end targets, nor how a small weight decodes: that takes the values",
)
def positional_weight_ceiling(ceiling: Ceiling, thorough: bool) -> Iterator[Evidence]:
    """Heads outside the hypotheses; rational turns and boxes of all frequencies; pairing; random phases and planes."""
    if ceiling.ends or ceiling.letters:
        yield Enumeration("other heads", _others(ceiling))
    for m, order, reach in ((1, 30, 20), (2, 12, 6)) if thorough else ((1, 12, 8), (2, 6, 4)):
        yield Enumeration(
            f"{counted(m, 'planes')} at rational turns, q <= {order}", _rational(ceiling, m, order, reach)
        )
    for amplitudes, reach, beta in ((ONE, 6, Fraction(3)), (ONE, 25, Fraction(40)), (HALVES, 6, Fraction(2))):
        decide = partial(_covered, amplitudes, reach, beta, ceiling.at(reach, beta, amplitudes))
        yield BoxCover(f"{counted(len(amplitudes), 'planes')}, T = {reach}", (HALF_TURN,) * len(amplitudes), decide)
    yield Identity("two keys against their mean", _pairing())
    yield Search("random planes and phases", _random(ceiling, 4000 if thorough else 400), seed=SEED)


def _others(ceiling: Ceiling) -> Iterator[Case]:
    """Letters at frequency 0, and an end target in the middle of its arc, as if it had its keys on both sides."""
    beta = Real.of(100)
    if ceiling.letters:
        side = 40
        found = 1 / Real.total(exp(beta * (LETTERS.logit(t) - LETTERS.logit(0))) for t in range(-side, side + 1))
        yield {"letters": 2, "T": side}, found <= ceiling.at(side, Fraction(100), ONE)
    if ceiling.ends:
        keys = 40
        found = 1 / (1 + end_weight(keys, beta))
        yield {"keys after an end target": keys}, found <= ceiling.at(keys, Fraction(100), ONE)


def _rational(ceiling: Ceiling, m: int, order: int, most: int) -> Iterator[Case]:
    amplitudes = (Fraction(1, m),) * m
    for reach, beta in product(range(1, most + 1), (Fraction(1), Fraction(4), Fraction(20))):
        highest = ceiling.at(reach, beta, amplitudes).at(64)
        if highest >= 1:
            continue
        for turns in frequency_sets(m, order):
            found = 1 / (1 + weight(amplitudes, map(ball, turns), reach, reach, ball(beta)))
            yield {"T": reach, "beta": str(beta), "turns": [*map(str, turns)]}, at_most(found, highest)


def _covered(amplitudes: Amplitudes, reach: int, beta: Fraction, highest: Real, *turns: arb) -> Outcome:
    """1/(1 + F) <= w, from below as 1/w - 1 <= F."""
    return at_most(1 / highest.enclose() - 1, weight(amplitudes, turns, reach, reach, ball(beta)))


def _pairing() -> Iterator[Equation]:
    x, y = symbols("x y", real=True)
    square = (sympy.exp(x / 2) - sympy.exp(y / 2)) ** 2
    yield "two keys", sympy.exp(x) + sympy.exp(y) - 2 * sympy.exp((x + y) / 2), square
    f = symbols("f_1:6", positive=True)
    for reach in range(1, 6):
        fejer = sum((1 - sympy.Rational(t, reach + 1)) * f[t - 1] for t in range(1, reach + 1))
        rest = sum(sympy.Rational(t, reach + 1) * f[t - 1] for t in range(1, reach + 1))
        yield f"T = {reach}", sum(f[:reach]), fejer + rest


def _random(ceiling: Ceiling, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        m, reach = int(random.integers(1, 5)), int(random.integers(1, 40))
        keys = np.arange(-reach, reach + 1 + int(random.integers(0, 5)))
        share, scale = random.integers(1, 9, m), Fraction(int(random.integers(1, 4 * reach)), 2)
        amplitudes = tuple(Fraction(int(part), int(share.sum())) for part in share)
        angles = 2 * np.pi / (reach + random.uniform(1, 9, m)) if case % 2 else random.uniform(0, np.pi, m)
        phases = random.normal(size=m) * random.choice([0, 0.1, 1])
        heights = (share / share.sum()) @ np.cos(phases[:, None] + np.outer(angles, keys))
        weights = np.exp(float(scale) * (heights - heights.max()))
        found = float(weights[reach] / weights.sum())
        highest = float(ceiling.at(reach, scale, amplitudes))
        # A logit is off by (4 pi reach + 8) eps, an exponent by beta times twice that, the sum by its length.
        allowance = (
            found * (float(scale) * 2 * (4 * np.pi * (reach + 3) + 8) + 2 * len(keys)) * np.finfo(np.float64).eps
        )
        yield Trial((case, m, reach, scale), found, highest, allowance, vacuous=highest >= 1)


@quantity("positional-weight-ceiling", unit="share of the attention", claim=CLAIM)
def weight_ceiling(reach: Count, beta: Positive, amplitudes: Vector = PLAIN) -> dict[str, Bound]:
    """The largest weight of a target with `reach` keys on either side, for |q_k| |k_k| as given, at any frequencies.

    `ceiling` is 1/((reach + 1) prod Bes(beta a_k)), `algebraic` prod sqrt(1 + 2 pi beta a_k)/(reach + 1).
    """
    parts = checked(amplitudes)
    root = Real.of(1)
    for part in parts:
        root *= sqrt(1 + TURN * beta * part)
    ceiling = evaluate(CEILING, {T: reach, M: mean_mass(beta, parts)})
    return {"ceiling": Bound("upper", ceiling), "algebraic": Bound("upper", root / (reach + 1))}
