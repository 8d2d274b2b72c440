"""Duels: one inequality of a claim, observed <= bound, written once for float64 and for balls or fractions.

It is a function of the claim's own variant, of discrete parameters (a setting, all of which are tried) and of real ones
in a box.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx

from tests.adversary.arithmetic import BALLS, FLOATS, ball_point
from theory.arithmetic.real import PRECISION_LIMIT, Real, precisions
from theory.outcome import Outcome

Pair = tuple[Any, Any]
Play = Callable[[Any, Any, Any, Any], Pair | None]


@dataclass(frozen=True)
class Axis:
    """A free parameter in a box; whole ones take integers only."""

    name: str
    low: float
    high: float
    unit: str = "1"
    whole: bool = False


@dataclass(frozen=True)
class Duel:
    """One inequality of a claim.

    Args:
        claim: its id.
        name: what is tried.
        settings: the discrete parameters, cheapest first.
        axes: the real ones, for a setting.
        play: (variant, setting, point, arithmetic) to observed and bound > 0, or None where the statement is void.
        controls: labels of variants of the claim that the same adversary must expose: "without X", or controls.
        exact: the play is rational and decided in fractions; else it is written in NumPy and decided in balls.
        rounds: an exact play that emulates rounding, and so is run in fractions from the start.
        strict: equality is a violation too.
        sharp: the bound is attained at every setting, so that a variant that nothing comes near to is false as well.
        near_miss: whether the near miss of a refuted claim is one for this duel.
        verdict: (variant, setting, point as fractions) to an outcome, where the theory itself decides a point.
    """

    claim: str
    name: str
    settings: Sequence[Any]
    axes: Callable[[Any], Sequence[Axis]]
    play: Play
    controls: tuple[str, ...] = ()
    exact: bool = False
    rounds: bool = False
    strict: bool = False
    sharp: bool = False
    near_miss: bool = True
    verdict: Callable[[Any, Any, list[Fraction]], Outcome] | None = None

    def __str__(self) -> str:
        return f"{self.claim}: {self.name}"

    def observe(self, variant: Any, setting: Any, point: np.ndarray) -> tuple[float, float] | None:
        """Both sides in float64."""
        argument: Any = point
        if self.exact:
            argument = [Fraction(float(value)) if self.rounds else float(value) for value in point]
        with np.errstate(all="ignore"):
            pair = self.play(variant, setting, argument, FLOATS)
        return None if pair is None else (float(pair[0]), float(pair[1]))

    def decide(self, variant: Any, setting: Any, point: np.ndarray) -> Outcome:
        """Whether the inequality holds at a point of float64 numbers, which are exact here."""
        fractions = [Fraction(float(value)) for value in point]
        if self.verdict:
            return self.verdict(variant, setting, fractions)
        if self.exact:
            pair = self.play(variant, setting, fractions, BALLS)
            if pair is None:
                return Outcome.HOLDS
            observed, bound = pair
            if isinstance(observed, Fraction | int) and isinstance(bound, Fraction | int):
                return Outcome.of(observed < bound if self.strict else observed <= bound)
            return Real.of(observed) < bound if self.strict else Real.of(observed) <= bound
        for bits in precisions(128, PRECISION_LIMIT):
            with ctx.workprec(bits):
                pair = self.play(variant, setting, ball_point(point), BALLS)
                if pair is None:
                    return Outcome.HOLDS
                left = BALLS.number(pair[1]) - BALLS.number(pair[0])
            if left.arb.is_finite() and (left > 0 or (left >= 0 and not self.strict)):
                return Outcome.HOLDS
            if left.arb.is_finite() and (left < 0 or (left <= 0 and self.strict)):
                return Outcome.REFUTED
        return Outcome.UNDECIDED
