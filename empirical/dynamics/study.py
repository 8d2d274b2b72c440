"""Trainings that differ in their seed, with every snapshot of them scored.

A folder seed-N for each holds what a training writes, and in scores/ the rows of each snapshot. Whatever is there is
not done again, so a run that was killed at any moment goes on, and ends as if it had not been.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from empirical.checkpoint import load_model
from empirical.dynamics.snapshots import rows_of
from empirical.kept import kept, key
from empirical.scores.records import Row
from empirical.scores.score import DEFAULTS
from empirical.scores.settings import Settings
from empirical.tasks.batch import Batch
from empirical.tasks.task import require
from empirical.training.loop import METRICS, SNAPSHOTS, train
from empirical.training.plan import Plan
from theory.errors import InputError

PROMPTS_SEED = 2**40  # of the prompts that are scored: the same for all seeds and snapshots, and no training's own
SCORES = "scores"
Watch = Callable[[str, int, int], object]  # what is done, how much of it, of how much


@dataclass(frozen=True)
class Study:
    """What is trained, under each of some seeds, and how its snapshots are scored.

    Raises InputError for no seeds, one that comes twice, or one that is not a seed.
    """

    plan: Plan
    seeds: tuple[int, ...]
    prompts: int = 256
    settings: Settings = DEFAULTS

    def __post_init__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise InputError(f"seeds={list(self.seeds)} are none or not all different; give each once, as 0 1 2")
        require(2, prompts=self.prompts)
        for seed in self.seeds:
            replace(self.plan, seed=seed)
        self.settings.position(self.plan.task.length)

    @property
    def batch(self) -> Batch:
        """The prompts that are scored, with as many hops as the training has, equally often."""
        return self.plan.task.generate(self.prompts, PROMPTS_SEED)

    def as_json(self) -> dict[str, Any]:
        plan = self.plan.as_json()
        del plan["seed"]
        scored = {"prompts": self.prompts, "prompts_seed": PROMPTS_SEED, "settings": asdict(self.settings)}
        return {"plan": plan, "seeds": list(self.seeds), **scored}


@dataclass(frozen=True)
class Learnt:
    """One training: the reports with validation accuracy, the rows of the heads at each, and the test at the end."""

    seed: int
    reports: list[dict[str, Any]]
    heads: list[list[Row]]
    test: dict[str, Any]


def carry_out(study: Study, out: Path, watch: Watch = lambda what, done, total: None) -> list[Learnt]:
    """Train and score, or go on with it. InputError if a folder holds another training, or one without snapshots."""
    return [_learnt(study, replace(study.plan, seed=seed), out / f"seed-{seed}", watch) for seed in study.seeds]


def _learnt(study: Study, plan: Plan, folder: Path, watch: Watch) -> Learnt:
    steps, name = plan.recipe.steps, f"seed {plan.seed}"
    facts = {"command": "python -m empirical dynamics, " + folder.name}
    folder.parent.mkdir(parents=True, exist_ok=True)
    card = train(
        plan, folder, resume=True, snapshots=True, facts=facts, watch=lambda at: watch(f"training, {name}", at, steps)
    )
    lines = [json.loads(line) for line in (folder / METRICS).read_text().splitlines()]
    reports = [line for line in lines if "validation" in line]
    batch = study.batch
    prompts = hashlib.sha256(batch.tokens.numpy().tobytes()).hexdigest()
    heads: list[list[Row]] = []
    for number, report in enumerate(reports, 1):
        heads.append(_scored(plan, folder, report["step"], study.settings, batch, prompts))
        watch(f"scoring, {name}", number, len(reports))
    return Learnt(plan.seed, reports, heads, card["metrics"]["test"])


def _scored(plan: Plan, folder: Path, step: int, settings: Settings, batch: Batch, prompts: str) -> list[Row]:
    path = folder / SNAPSHOTS / f"{step:06}.json"
    if not path.exists():
        raise InputError(f"{path} is missing: this training kept no snapshots; give another folder")
    model, card = load_model(path)
    plan.require(card, str(path))
    of = key({"weights": card["sha256"], "prompts": prompts, "settings": asdict(settings)})
    rows: list[Row] = kept(
        folder / SCORES / path.name, of, lambda: rows_of(model.heads(batch.tokens), settings, batch.hops)
    )
    return rows
