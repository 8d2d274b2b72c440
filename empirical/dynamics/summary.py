"""What trainings under several seeds have in common, with intervals over the seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from empirical.dynamics.snapshots import KINDS, kind
from empirical.dynamics.study import Learnt
from empirical.intervals import OverSeeds
from empirical.scores.records import Row

GAMMAS = (0.1, 0.05)  # those of arXiv 2605.31558
LEARNT = 0.9  # accuracy from which a number of hops counts as learnt
MEASURES = ("s_pos", "s_sym", "relative_entropy")

Curve = list[OverSeeds]  # one a report


@dataclass(frozen=True)
class Learning:
    """How walks of some hops are learnt: the report of the first LEARNT accuracy.

    Args:
        hops: of the walks.
        steps: until LEARNT is reached, over the seeds that reach it; None if none does.
        seeds: how many do.
        then: the accuracy of walks of every number of hops at that report, over the same seeds.
    """

    hops: str
    steps: OverSeeds | None
    seeds: int
    then: dict[str, OverSeeds]


@dataclass(frozen=True)
class Summary:
    """Curves over the steps of the reports.

    Args:
        steps: of the reports.
        accuracy: on validation sequences, by hops.
        heads: by (layer, head) and measure.
        counts: how many heads are of each kind, by gamma and kind.
        learning: by hops.
        test: accuracy at the end, by hops, and "all".
    """

    steps: list[int]
    accuracy: dict[str, Curve]
    heads: dict[tuple[int, int], dict[str, Curve]]
    counts: dict[float, dict[str, Curve]]
    learning: list[Learning]
    test: dict[str, OverSeeds]


def summary(runs: Sequence[Learnt]) -> Summary:
    """Summarise trainings of one plan under different seeds."""
    steps = [report["step"] for report in runs[0].reports]
    hops = list(runs[0].reports[0]["validation"]["by_hops"])

    def curve(value: Callable[[Learnt, int], float], largest: float = 1.0) -> Curve:
        return [OverSeeds.of([value(run, at) for run in runs], largest) for at in range(len(steps))]

    def head(number: int, name: str) -> Curve:
        return curve(lambda run, at: float(run.heads[at][number][name]))

    def count(gamma: float, name: str) -> Curve:
        return curve(lambda run, at: counted(run.heads[at], gamma)[name], len(first))

    first = runs[0].heads[0]
    tests = {"all": [run.test["accuracy"] for run in runs]}
    tests |= {each: [run.test["by_hops"][each] for run in runs] for each in hops}
    return Summary(
        steps,
        {each: curve(lambda run, at: accuracy(run, at, each)) for each in hops},  # noqa: B023
        {
            (row["layer"], row["head"]): {name: head(number, name) for name in MEASURES}
            for number, row in enumerate(first)
        },
        {gamma: {name: count(gamma, name) for name in KINDS} for gamma in GAMMAS},
        [_learning(runs, each, hops) for each in hops],
        {name: OverSeeds.of(values) for name, values in tests.items()},
    )


def accuracy(run: Learnt, at: int, hops: str) -> float:
    """Validation accuracy on walks of some hops at a report."""
    return float(run.reports[at]["validation"]["by_hops"][hops])


def counted(rows: Sequence[Row], gamma: float) -> dict[str, int]:
    """How many heads are of each kind, by their scores averaged over the prompts."""
    kinds = [kind(row["s_pos"], row["s_sym"], gamma) for row in rows]
    return {name: kinds.count(name) for name in KINDS}


def _learning(runs: Sequence[Learnt], hops: str, every: Sequence[str]) -> Learning:
    reached = []
    for run in runs:
        at = next((at for at in range(len(run.reports)) if accuracy(run, at, hops) >= LEARNT), None)
        if at is not None:
            reached.append((run, at))
    if not reached:
        return Learning(hops, None, 0, {})
    steps = [float(run.reports[at]["step"]) for run, at in reached]
    then = {each: OverSeeds.of([accuracy(run, at, each) for run, at in reached]) for each in every}
    last = float(runs[0].reports[-1]["step"])
    return Learning(hops, OverSeeds.of(steps, last), len(reached), then)


def as_data(found: Summary) -> dict[str, Any]:
    """The summary for JSON."""

    def points(curve: Curve) -> list[dict[str, Any]]:
        return [{"step": step, **vars(point)} for step, point in zip(found.steps, curve, strict=True)]

    return {
        "accuracy": {hops: points(curve) for hops, curve in found.accuracy.items()},
        "heads": [
            {"layer": layer, "head": head, **{name: points(curve) for name, curve in curves.items()}}
            for (layer, head), curves in found.heads.items()
        ],
        "counts": [
            {"gamma": gamma, **{name: points(curve) for name, curve in curves.items()}}
            for gamma, curves in found.counts.items()
        ],
        "learning": [
            {
                "hops": each.hops,
                "accuracy": LEARNT,
                "seeds": each.seeds,
                "steps": each.steps and vars(each.steps),
                "accuracy_then": {hops: vars(value) for hops, value in each.then.items()},
            }
            for each in found.learning
        ],
        "test": {hops: vars(value) for hops, value in found.test.items()},
    }
