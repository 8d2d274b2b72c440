"""Did it come as predicted? Each measure of each arm, by itself and against the controls, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from empirical.language.arms import SMALL, Arm
from empirical.scores.bootstrap import Resampling

Measured = Mapping[str, Mapping[str, Sequence[float]]]


@dataclass(frozen=True)
class Difference:
    """A mean over the sequences with its interval, the predicted sign, and what that makes of the prediction."""

    mean: float
    low: float
    high: float
    predicted: int

    @property
    def verdict(self) -> str:
        """By the rule of arms.py."""
        if self.low >= -SMALL and self.high <= SMALL:
            return "as predicted" if self.predicted == 0 else "none"
        if self.low > SMALL or self.high < -SMALL:
            return "as predicted" if self.predicted * self.mean > 0 else "against"
        return "undecided"

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}] {self.verdict}"


@dataclass(frozen=True)
class Verdict:
    """What became of one measure in one arm.

    Args:
        arm: which planes of which heads.
        measure: s_pos, s_sym or loss.
        before: its mean without any ablation.
        change: without the planes of the role.
        controls: its mean change in each control.
        beyond: the change minus the mean of the controls, sequence by sequence; None without controls.
    """

    arm: str
    measure: str
    before: float
    change: Difference
    controls: tuple[float, ...]
    beyond: Difference | None


def run_name(arm: int, draw: int | None = None) -> str:
    """The name of a run: an arm, counted from 0, and the draw of a control."""
    return f"arm {arm}" if draw is None else f"arm {arm}, control {draw}"


def before_name(arm: Arm, measure: str) -> str:
    """The name of the run without ablation; scores are of the one head of the arm."""
    return "before" if measure == "loss" else f"before, head {arm.cuts[0].layer} {arm.cuts[0].head}"


def verdicts(arms: Sequence[Arm], found: Measured, resampling: Resampling) -> list[Verdict]:
    """A verdict for each arm and each of its measures."""
    return [
        _verdict(number, arm, measure, found, resampling) for number, arm in enumerate(arms) for measure in arm.measures
    ]


def _verdict(number: int, arm: Arm, measure: str, found: Measured, resampling: Resampling) -> Verdict:
    def values(run: str) -> Tensor:
        return torch.tensor(found[run][measure], dtype=torch.float64)

    def difference(each: Tensor, predicted: int) -> Difference:
        low, high = resampling.interval(each[:, None])
        return Difference(float(each.mean()), float(low[0]), float(high[0]), predicted)

    change, beyond = arm.predicted(measure)
    before = values(before_name(arm, measure))
    removed = values(run_name(number)) - before
    controls = [values(run_name(number, draw)) - before for draw in range(len(arm.controls))]
    return Verdict(
        str(arm),
        measure,
        float(before.mean()),
        difference(removed, change),
        tuple(float(control.mean()) for control in controls),
        difference(removed - torch.stack(controls).mean(0), beyond) if controls else None,
    )
