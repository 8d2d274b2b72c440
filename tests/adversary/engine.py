"""The adversary: gradient ascent and differential evolution on observed/bound, for a fixed number of evaluations.

Float64 only guides the climb: whatever it shows above the bound, or closer to it than rounding, is decided again in
exact or ball arithmetic at that very point, and so is the best point of every climb.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import differential_evolution, minimize

from tests.adversary.duel import Duel
from theory.evidence import Search, Trial
from theory.outcome import Outcome

CLOSE = 2.0**-40
APART = -1.0  # below all ratios: the statement says nothing there


class Spent(Exception):
    """The evaluations are used up, or the duel is decided."""


@dataclass
class Attack:
    """What the adversary does to one variant, setting by setting; `evaluations` counts every call, void ones too.

    A control is to be beaten beyond doubt: with `control` a point at which it stays undecided is passed over.
    """

    duel: Duel
    variant: Any
    seed: int
    control: bool = False
    evaluations: int = 0
    best: float = APART
    place: str = ""
    least_best: float = np.inf  # over the settings
    outcome: Outcome = Outcome.HOLDS
    trials: list[Trial] = field(default_factory=list)

    def run(self, budget: int, settings: int | None = None) -> Attack:
        """Spend `budget` evaluations, split over the settings (the first ones, if a number is given)."""
        tried = self.duel.settings[:settings]
        for number, setting in enumerate(tried):
            climb = Climb(self, setting, np.random.default_rng([self.seed, number]), budget // len(tried))
            climb.run()
            self.least_best = min(self.least_best, climb.best)
            if self.outcome is not Outcome.HOLDS:
                break
        return self

    def search(self) -> Search:
        """The evidence for the ledger."""
        name = f"adversary: {self.duel.name}, {self.evaluations:,} evaluations"
        return Search(name, self.trials, seed=self.seed)


@dataclass
class Climb:
    """The evaluations of one setting: the first half by ascents from many starts, the second by evolution."""

    attack: Attack
    setting: Any
    random: np.random.Generator
    budget: int
    used: int = 0
    best: float = APART
    point: np.ndarray | None = None

    def run(self) -> None:
        self.axes = self.attack.duel.axes(self.setting)
        self.bounds: Any = [(axis.low, axis.high) for axis in self.axes]
        self.box = np.array(self.bounds)
        self.whole = np.array([axis.whole for axis in self.axes])
        try:
            for start in self._starts():
                if self.used >= self.budget // 2:
                    break
                self._ascend(start)
            while True:
                self._evolve()
        except Spent:
            pass
        if self.attack.outcome is Outcome.HOLDS and self.point is not None:
            self._decide(self.point)

    def _starts(self) -> Iterator[np.ndarray]:
        """Anywhere in the box, then beside the best point, at falling distances."""
        low, high = self.box.T
        while True:
            yield self.random.uniform(low, high)
            for power in (1, 2, 4, 6):
                centre = self.random.uniform(low, high) if self.point is None else self.point
                yield np.clip(centre + self.random.normal(size=len(low)) * (high - low) * 10.0**-power, low, high)

    def _ascend(self, start: np.ndarray) -> None:
        options: Any = {"maxiter": 60, "maxfun": 400}
        minimize(self._lost, start, method="L-BFGS-B", bounds=self.bounds, options=options)

    def _evolve(self) -> None:
        differential_evolution(
            self._lost,
            self.bounds,
            maxiter=10**6,
            popsize=max(4, min(15, 60 // len(self.axes))),
            tol=1e-14,
            polish=False,
            rng=self.random,
            integrality=self.whole,
        )

    def _lost(self, point: np.ndarray) -> float:
        if self.used >= self.budget:
            raise Spent
        self.used += 1
        self.attack.evaluations += 1
        point = np.clip(np.where(self.whole, np.round(point), point), *self.box.T)
        return -self._ratio(point)

    def _ratio(self, point: np.ndarray) -> float:
        attack, duel = self.attack, self.attack.duel
        pair = duel.observe(attack.variant, self.setting, point)
        if pair is None:
            return APART
        observed, bound = pair
        ratio = observed / bound if bound > 0 else 1 + observed - bound
        allowance = 0.0
        if not ratio <= 1 or (ratio > max(1 - CLOSE, self.best) or (duel.strict and ratio == 1)):
            if self._decide(point):
                # The excess is rounding, as has just been shown.
                allowance, ratio = max(observed - bound, 0.0), min(ratio, 1.0)
            else:
                ratio = max(ratio, 1.0)
        if ratio > self.best:
            self.best, self.point = ratio, point
        if ratio > attack.best:
            attack.best = ratio
            values = (f"{axis.name}={value:.10g}" for axis, value in zip(self.axes, point, strict=True))
            attack.place = f"{self.setting}: {', '.join(values)}"
        if attack.outcome is not Outcome.HOLDS:
            raise Spent
        attack.trials.append(Trial(None, observed, bound, allowance))
        return ratio

    def _decide(self, point: np.ndarray) -> bool:
        """Whether the attack goes on from a point; else it has its outcome, and a trial that shows it."""
        attack = self.attack
        outcome = attack.duel.decide(attack.variant, self.setting, point)
        if outcome is Outcome.HOLDS or (attack.control and outcome is Outcome.UNDECIDED):
            return True
        attack.outcome = outcome
        values = (f"{axis.name}={value!r}" for axis, value in zip(self.axes, point.tolist(), strict=True))
        witness = f"{self.setting}: {', '.join(values)}"
        # Decided beyond doubt, whatever float64 makes of both sides.
        attack.trials.append(Trial(witness, *((1.0, 0.0) if outcome is Outcome.REFUTED else (np.nan, 0.0))))
        return False
