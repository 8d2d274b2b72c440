"""The inverse temperature that queries with an integer force on the printed Retrieval head at positive frequencies.

A token with the letter of the query, t places before it, has logit cos(t theta) against 1. The worst input has one
such token in all other places, (a,1)^(n-1) (a,2); below theta = omega/(2 n0) it forces a scale of order n0^2 A^2.

Source: derived here for arXiv 2605.31558, Thm 3.1 and App. F.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
from sympy import cos, sin

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, pi, versine
from theory.claims import Hypothesis, claim
from theory.evidence import Enumeration, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.rope.index.window import angle_of
from theory.rope.retrieval.collision import SOURCE, is_integer_query
from theory.rope.retrieval.decoding import printed
from theory.rope.scale import around, weight_sum
from theory.rope.sequences import proper_sequences
from theory.symbols import omega, t, theta

SEED = 26
# The phases of the competitors on the worst input: of length, theta and omega, generic over the arithmetic.
Competitors = Callable[[int, Any, Any], list[Any]]


def same_letter(n: int, angle: Any, step: Any) -> list[Any]:
    """The phases of the worst input (a,1)^(n-1) (a,2): t theta for t = 1..n-1."""
    return [t * angle for t in range(1, n)]


def same_letter_gaps(n: int, angle: Angle) -> list[Real]:
    """1 - cos(t theta) for t = 1..n-1: the gaps of that input."""
    return [versine(phase) for phase in same_letter(n, angle.real, None)]


@dataclass(frozen=True)
class Threshold:
    """All LI queries decode iff sum e^(-beta g) < 1 over these gaps, where (n - 1) theta <= reach omega."""

    phases: Competitors = same_letter
    reach: Fraction = Fraction(1, 2)

    def gaps(self, n: int, angle: Angle, letters: int) -> list[Real]:
        return [versine(phase) for phase in self.phases(n, angle.real, 2 * pi / letters)]

    def __str__(self) -> str:
        phases = ", ".join(map(str, self.phases(4, theta, omega)))
        return (
            f"if (n - 1) theta <= {self.reach} omega, all LI queries decode iff sum e^(-beta (1 - cos x)) < 1, over "
            f"x = {phases} at n = 4"
        )


@claim(
    "retrieval-collision-threshold",
    source=SOURCE,
    quantifiers="for all A >= 2, I >= 1, n >= 1, beta >= 0, theta >= 0 as stated; proper inputs of length n, softmax",
    statement=str,
    variant=Threshold(),
    controls={
        "n - 2 competitors": Threshold(lambda n, angle, step: same_letter(n - 1, angle, step)),
        "only other letters compete": Threshold(lambda n, angle, step: [step - t * angle for t in range(1, n)]),
        "order A^2 log n": Threshold(lambda n, angle, step: [step] * (n - 1)),
    },
    hypotheses=(
        Hypothesis(
            "(n - 1) theta <= omega/2", "other letters stay farther than the same letter", Threshold(reach=Fraction(1))
        ),
        Hypothesis("one value map", "W_V = identity, F(x, a) = a", None, "repairs change it: see retrieval-repaired"),
    ),
    does_not_show="what happens between hypothesis and aliasing, where other letters compete too",
)
def retrieval_collision_threshold(rule: Threshold, thorough: bool) -> Iterator[Evidence]:
    """The same letter is nearer than others; every proper input on both sides of the threshold; random long inputs."""
    others = 2 * sin(omega / 2) * sin(omega / 2 - t * theta)
    yield Identity("same letter against its neighbour", [("gap", cos(t * theta) - cos(omega - t * theta), others)])
    for letters, integers, n in (
        ((3, 2, 4), (2, 2, 4), (4, 1, 3)) if thorough else ((2, 1, 1), (2, 1, 2), (2, 1, 4), (3, 1, 3))
    ):
        yield Enumeration(f"A = {letters}, I = {integers}, n = {n}", _both_sides(rule, letters, integers, n))
    yield Search("random inputs against the sum", _random_inputs(rule, 2000 if thorough else 200), seed=SEED)


def _both_sides(rule: Threshold, letters: int, integers: int, n: int) -> Iterator[tuple[object, Outcome]]:
    inputs = [
        tokens for tokens in proper_sequences(letters, integers, n) if len(tokens) == n and is_integer_query(tokens)
    ]
    for share in (Fraction(0), Fraction(1, 4), Fraction(9, 10), Fraction(1)):
        turns = share * rule.reach / letters / max(1, n - 1)
        gaps = rule.gaps(n, angle_of(turns), letters)
        for beta in around(gaps):
            said, found = weight_sum(gaps, Real.of(beta)) < 1, printed(letters, turns).all_decode(inputs, beta)
            yield {"A": letters, "I": integers, "n": n, "turns": turns, "beta": beta}, said.iff(found)


def _random_inputs(rule: Threshold, count: int) -> Iterator[Trial]:
    """The weight of the strongest wrong token over that of the target, against the claimed sum."""
    rng = Random(SEED)
    for _ in range(count):
        letters, n = rng.randint(2, 9), rng.randint(2, 40)
        share = Fraction(rng.randint(0, 100), 100)
        angle = angle_of(share * rule.reach / letters / (n - 1))
        theta_, beta = float(angle.real), 10 ** rng.uniform(-1, 3)
        kinds = rng.choices([(0, 1), (0, 2), (letters - 1, 1), (1, 1)], weights=(rng.choice((1, 20)), 1, 1, 1), k=n - 1)
        masses: dict[tuple[int, int], float] = {(0, 3): 1.0}
        for t_, (left, number) in enumerate(kinds, 1):
            logit = np.cos(2 * np.pi * left / letters + t_ * theta_)
            masses[left, number] = masses.get((left, number), 0.0) + float(np.exp(beta * (logit - 1)))
        bound = float(weight_sum(rule.gaps(n, angle, letters), Real.of(Fraction(beta))))
        target = masses.pop((0, 3))
        # Phases below 2 pi * 2 are rounded to a few ulp, which beta multiplies in the exponent.
        allowance = bound * (64 * beta + 4 * n) * np.finfo(float).eps
        yield Trial((letters, n, theta_, beta), max(masses.values()) / target, bound, float(allowance))
