"""The runs of a study: each trains the networks of all seeds, measures them, and leaves models and plain data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from empirical.switching import files, filtering, label_free, learning, measures, tracking, unaided
from empirical.switching.inference import one_step_z
from empirical.switching.label_free import Learned
from empirical.switching.networks import Networks
from empirical.switching.plan import Plan

EVERY = 10  # steps between two points of the curves
MEASURED = 3  # version of what is measured: a run of another version does not count as done
TITLES = {"lstm": "lstm", "gbi": "gbi-lstm", "shuffled": "shuffled-labels"}
WIDE = 4  # entries of z where there are more than tasks


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
    """Networks of one kind, and all that is measured on them, for a tier of the command."""

    plan: Plan
    sizes: Sizes
    tier: str

    @property
    def title(self) -> str:
        if len(self.plan.means) > 2:
            return f"{len(self.plan.means)}-tasks"
        name = TITLES.get(self.plan.kind, self.plan.kind)
        return name if self.plan.latent is None else f"{name}-{self.plan.latent}"

    @property
    def command(self) -> str:
        """The command that trains them, beside the others, and which of its trainings they are: for their card."""
        seeds = self.plan.seeds
        return (
            f"python -m empirical switching --tier {self.tier} --seeds {len(seeds)} --seed {seeds[0]} "
            f"--units {self.plan.hidden}, training {self.title}"
        )

    def as_json(self) -> dict[str, Any]:
        sizes = asdict(self.sizes)
        lists = {name: list(sizes[name]) for name in ("forgetting", "means")}
        return {"plan": self.plan.as_json(), "sizes": {**sizes, **lists}, "measured": MEASURED}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        if self.plan.kind in label_free.RULES:
            learned = label_free.learn(self.plan, look)
            nets, errors, chosen = learned.nets, learned.errors, self.unaided(learned)
        else:
            nets, errors = learning.learn(self.plan, look)
            chosen = self.measures()
        result: dict[str, Any] = {
            "weights_sha256": files.save(folder / files.MODEL, nets, self.plan, self.command),
            "steps": errors.shape[1],
            "eighths": learning.eighths(errors).T.tolist(),
            "first_below": learning.first_below(errors),
            "curve": learning.running(errors)[:, ::EVERY].tolist(),
        }
        for measure in chosen:
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
            rules = {"restarted": one_step_z, "exact": tracking.bayes(plan)}
            both.append(lambda nets: tracking.tracked(nets, plan, sizes.blocks, rules))
            both.append(lambda nets: unaided.vertices(nets, plan, sizes.units))
        return both

    def unaided(self, learned: Learned) -> list[Callable[[Networks], dict[str, Any]]]:
        """What is measured where no task was told."""
        plan, sizes = self.plan, self.sizes
        found: list[Callable[[Networks], dict[str, Any]]] = [
            lambda nets: unaided.while_learning(learned),
            lambda nets: unaided.following(nets, plan, sizes.blocks),
            lambda nets: unaided.vertices(nets, plan, sizes.units),
            lambda nets: unaided.expected(nets, plan, sizes.expected),
            lambda nets: unaided.forgetting(nets, plan, sizes.expected, sizes.forgetting),
            lambda nets: unaided.shared_units(nets, plan, sizes.units),
            lambda nets: unaided.online(nets, plan, sizes.blocks),
        ]
        if plan == Plan("label-free", plan.seeds, plan.blocks, hidden=plan.hidden):  # the dearest of all measures
            found.append(
                lambda nets: measures.new_means(nets, plan, sizes.means, sizes.per_mean, sizes.fit, sizes.fit_rate)
            )
        return found


def works(tier: str, seeds: Sequence[int], units: int) -> dict[str, Training]:
    """The trainings of a tier, by what they are."""
    sizes, chosen = TIERS[tier], tuple(seeds)
    found = {kind: Plan(kind, chosen, sizes.blocks, hidden=units) for kind in (*TITLES, *label_free.RULES)}
    found["wide"] = replace(found["label-free"], latent=WIDE)
    found["hull"] = Plan("gbi", chosen, sizes.hull_blocks, (0.2, 0.5, 0.8), 0.1, units)
    return {name: Training(plan, sizes, tier) for name, plan in found.items()}
