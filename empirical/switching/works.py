"""The runs of a study: each trains the networks of all seeds, measures them, and leaves models and plain data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from empirical import checkpoint
from empirical.switching import filtering, learning, measures
from empirical.switching.networks import Networks
from empirical.switching.plan import Plan

MODEL = "model.json"
EVERY = 10  # steps between two points of the curves
TITLES = {"lstm": "lstm", "gbi": "gbi-lstm", "shuffled": "shuffled-labels"}


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Args:
        blocks: of the streams of two tasks; `hull_blocks` of those of three.
        expected, units, inferred: windows of a task for errors, shared units, and inference.
        forgetting: numbers of updates on the other task, in rising order.
        means: new ones, `per_mean` windows each; z gets `fit` steps.
    """

    blocks: int
    hull_blocks: int
    expected: int
    units: int
    inferred: int
    forgetting: tuple[int, ...]
    means: tuple[float, ...]
    per_mean: int
    fit: int
    fit_rate: float = 0.2


TIERS = {
    "quick": Sizes(6, 6, 20, 20, 20, (0, 5, 100), (0.0, 0.2, 0.5, 1.0), 10, 10),
    "full": Sizes(
        40, 60, 400, 500, 300, (0, 25, 50, 100, 200, 400, 800), tuple(k / 10 for k in range(-2, 13)), 200, 60
    ),
}


@dataclass(frozen=True)
class Training:
    """Networks of one kind, and all that is measured on them."""

    plan: Plan
    sizes: Sizes

    @property
    def title(self) -> str:
        return TITLES[self.plan.kind] if len(self.plan.means) == 2 else f"{len(self.plan.means)}-tasks"

    def as_json(self) -> dict[str, Any]:
        sizes = asdict(self.sizes)
        return {"plan": self.plan.as_json(), "sizes": {**sizes, **{k: list(sizes[k]) for k in ("forgetting", "means")}}}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        nets, errors = learning.learn(self.plan, look)
        checkpoint.save(folder / MODEL, nets.state_dict(), {"networks": self.plan.as_json()})
        result: dict[str, Any] = {
            "weights_sha256": checkpoint.load(folder / MODEL)[1]["sha256"],
            "steps": errors.shape[1],
            "eighths": learning.eighths(errors).T.tolist(),
            "first_below": learning.first_below(errors),
            "curve": learning.running(errors)[:, ::EVERY].tolist(),
        }
        for measure in self.measures():
            result |= measure(nets)
            look()
        return result

    def measures(self) -> list[Callable[[Networks], dict[str, Any]]]:
        """What is measured after the training."""
        plan, sizes = self.plan, self.sizes
        if len(plan.means) > 2:
            return [lambda nets: measures.hull(nets, plan, sizes.inferred)]
        if plan.kind == "shuffled":
            return []
        both: list[Callable[[Networks], dict[str, Any]]] = [
            lambda nets: measures.expected(nets, plan, sizes.expected),
            lambda nets: measures.forgetting(nets, plan, sizes.expected, sizes.forgetting),
            lambda nets: measures.shared_units(nets, plan, sizes.units),
            lambda nets: filtering.online(nets, plan, sizes.blocks),
            lambda nets: measures.new_means(nets, plan, sizes.means, sizes.per_mean, sizes.fit, sizes.fit_rate),
        ]
        if plan.kind == "gbi":
            both.append(lambda nets: measures.agreement(nets, plan, sizes.inferred))
        return both


def works(tier: str, seeds: Sequence[int]) -> dict[str, Training]:
    """The four trainings of a tier, by what they are."""
    sizes, chosen = TIERS[tier], tuple(seeds)
    found = {kind: Training(Plan(kind, chosen, sizes.blocks), sizes) for kind in TITLES}
    found["hull"] = Training(Plan("gbi", chosen, sizes.hull_blocks, (0.2, 0.5, 0.8), 0.1), sizes)
    return found
