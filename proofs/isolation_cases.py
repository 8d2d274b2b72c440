"""The cases by which the steps of proofs.isolation are checked, from decoders whose modulus is known."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from sympy import exp, symbols

from theory.arithmetic import ball
from theory.arithmetic.ball import Real, evaluate
from theory.compact.isolation.basin import THIRD
from theory.compact.isolation.detector import (
    THRESHOLD,
    BoundedDetector,
    logit,
    right,
    share,
)
from theory.compact.isolation.isolation import HALF
from theory.compact.isolation.models import REPEAT, constant_decoder, greedy, matching
from theory.compact.isolation.situations import fading_logit
from theory.compact.symbols import Delta, n
from theory.compact.words import (
    ZEROS,
    altered,
    one_sided_density,
    running_distance,
)
from theory.evidence import Case, Equation
from theory.outcome import Outcome
from theory.rope.scale import ceiling

RADIUS: Any = 1 / (1 + (1 / sympy.Rational(THRESHOLD.numerator, THRESHOLD.denominator) - 1) * exp(Delta))
LOST = 2  # how often the change of an output is taken off the margin
DENSITIES = (running_distance, one_sided_density)


def sets(longest: int) -> Iterator[tuple[int, list[int]]]:
    """All sets of positions up to each length."""
    for length in range(1, longest + 1):
        for bits in product((0, 1), repeat=length):
            yield length, [i for i, bit in enumerate(bits, start=1) if bit]


def worst() -> Iterator[Equation]:
    """The learned letter loses omega, another one gains it."""
    own, other, omega = symbols("T_a T_s omega", positive=True)
    yield "margin", own - omega - (other + omega), own - other - LOST * omega


def pairs(parts: int) -> Iterator[Case]:
    """All pairs of distributions on three letters in steps of 1/parts, the first of which prefers letter 0."""
    grid = [(a, b, parts - a - b) for a in range(parts + 1) for b in range(parts + 1 - a)]
    for p, q in product(grid, repeat=2):
        before, after = (each[0] - max(each[1:]) for each in (p, q))
        if before > 0:
            moved = max(abs(x - y) for x, y in zip(p, q, strict=True))
            yield {"T(alpha)": p, "T(u)": q}, after >= before - LOST * moved


def agreeing(longest: int) -> Iterator[Case]:
    """One more letter that agrees: no distance grows."""
    for length, changed in sets(longest):
        shares = ((density(changed, length + 1), density(changed, length)) for density in DENSITIES)
        yield {"n": length, "D": changed}, all(after <= before for after, before in shares)


def detector_margins() -> Iterator[Case]:
    """On 0^w, and on chi with a feature of at least 1/2: the right letter has the logit 1/2 or more over the other."""
    for flag, feature in ((1, Fraction(0)), (0, Fraction(0)), (1, HALF), (1, Fraction(1)), (0, HALF), (0, Fraction(1))):
        z = logit(feature, flag)
        letter = flag if feature else 0
        yield {"flag": flag, "a": str(feature)}, (z if letter else -z) >= HALF


def logistic() -> Iterator[Equation]:
    """The lead of a letter with the logit z."""
    z = symbols("z", real=True)
    yield "2 sigma - 1", 2 / (1 + exp(-z)) - 1, sympy.tanh(z / 2).rewrite(exp)


def radius() -> Iterator[Equation]:
    """The feature at the radius is the threshold."""
    ones = n * RADIUS
    yield "a", share(exp(Delta), ones, n), sympy.Rational(THRESHOLD.numerator, THRESHOLD.denominator)
    yield "logit", logit(share(exp(Delta), ones, n), 1), sympy.Integer(0)


def radii() -> Iterator[tuple[int, Real, Real]]:
    """Delta, the share of ones below which 0 is predicted at flagged lengths, and the one that is certified."""
    for spread in (0, 1, 2, 5, 8):
        detector = BoundedDetector(ball.exp(spread))
        yield spread, Real.of(detector.radius), detector.certified_radius


def radius_rows() -> Iterator[tuple[object, ...]]:
    """The same as text, with the number of letters at two lengths."""
    for spread, exact, certified in radii():
        letters = (f"{ceiling(exact * length) - 1:,}" for length in (63, 1023, 2**20 - 1))
        yield spread, f"{float(exact):.6f}", f"{float(certified):.6f}", *letters


def near() -> Iterator[Case]:
    """What is certified is 97 to 100 % of the radius, which is the printed one."""
    for spread, exact, certified in radii():
        same = abs(exact - evaluate(RADIUS, {Delta: spread})) < Fraction(1, 10**30)
        yield {"Delta": spread}, Outcome.every([certified < exact, certified > Fraction(97, 100) * exact, same])


def basin_needs() -> Iterator[Case]:
    """One prompt where each hypothesis is missing."""
    yield "last letter", [letter for letter, _ in greedy(REPEAT, (0, 0, 1), 5)] == [1] * 5
    yield "n >= n0", matching(ZEROS, HALF, THIRD, start=3).lead((0,), 0) < 0
    yield "omega(d) < eps/2", matching(ZEROS, HALF, HALF).lead((1, 1, 0), 0) < 0
    for power in range(7, 40):
        length = 2**power - 1
        fading = right(fading_logit(0, length, 1), 0), ~right(fading_logit(1, length, 1), 0)
        yield f"margin that fades, n = 2^{power} - 1", Outcome.every(fading)


def blind(longest: int) -> Iterator[Case]:
    """T(1) = 1/10 on 0^w and on 1 0^w."""
    decoder = constant_decoder(Fraction(1, 10))
    for length in range(1, longest + 1):
        for word in (ZEROS, altered((1,), ZEROS)):
            lead = decoder.lead(word.prefix(length), word.letter(length + 1))
            yield {"word": str(word), "n": length}, lead == Fraction(4, 5)
