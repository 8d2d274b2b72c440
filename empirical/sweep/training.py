"""Trainings of a sweep: what `python -m empirical train` does, with every size and rate of it a key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from reprlib import repr as short
from typing import Any

from empirical.decoder_config import GPTJ_BASE, DecoderConfig, rope_frequencies
from empirical.sweep.keys import keys_of, require_known
from empirical.tasks.task import require
from empirical.training.loop import train
from empirical.training.plan import TASKS, Plan
from empirical.training.recipe import RECIPES, Recipe
from theory.errors import InputError

_MODEL = keys_of(DecoderConfig, without=("vocabulary", "dropout"))  # these two follow from task and recipe
_RECIPE = keys_of(Recipe)
_OWN = {"task": str, "recipe": str, "base": int | None, "seed": int, "snapshots": bool}
KEYS = _OWN | _MODEL | _RECIPE | keys_of(*TASKS.values())
_LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Training:
    """A plan, in one thread, and whether the model of every report is kept."""

    plan: Plan
    snapshots: bool

    @property
    def title(self) -> str:
        plan = self.plan.as_json()
        sizes = "x".join(str(plan["model"][name]) for name in ("layers", "heads", "width"))
        return f"{plan['task']['name']}-{sizes}-seed{self.plan.seed}"

    def as_json(self) -> dict[str, Any]:
        return {"train": {**self.plan.as_json(), "snapshots": self.snapshots}}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        """Train in the folder, from the checkpoint that is there, if any."""
        facts = {"command": f"python -m empirical sweep, run {folder.name}"}
        card = train(self.plan, folder, resume=True, snapshots=self.snapshots, facts=facts, watch=lambda step: look())
        test = card["metrics"]["test"]
        by_hops = {f"accuracy_hops_{hops}": share for hops, share in test["by_hops"].items()}
        return {"accuracy": test["accuracy"], **by_hops, "loss": test["loss"], "weights_sha256": card["sha256"]}


def training(values: Mapping[str, Any]) -> Training:
    """The training of these values. Raises InputError for values that do not fit each other."""
    task = _chosen("task", values.get("task"), TASKS)
    of_task = keys_of(task)
    allowed = _OWN | _MODEL | _RECIPE | of_task
    for name in values:
        require_known(name, allowed, f"a training on task={values['task']}")
    recipe = replace(_chosen("recipe", values.get("recipe", "fast"), RECIPES), **_of(values, _RECIPE))
    kind = task(**_of(values, of_task))
    seed = values.get("seed", 0)
    require(0, seed=seed)
    if seed > _LARGEST_SEED:
        raise InputError(f"seed={seed} is above {_LARGEST_SEED}; give a smaller one")
    model = DecoderConfig(kind.vocabulary_size, dropout=recipe.dropout, **_of(values, _MODEL))
    if (base := values.get("base")) is not None:
        if model.frequencies is not None:
            raise InputError(f"base={base} and frequencies say the same thing twice; give one of them")
        if base != GPTJ_BASE:  # else it is the same training as without a base, and the same run
            model = replace(model, frequencies=rope_frequencies(base, model.head_width))
    return Training(Plan(kind, model, recipe, seed), values.get("snapshots", False))


def _of(values: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in names}


def _chosen(name: str, value: str | None, table: Mapping[str, Any]) -> Any:
    if value is None:
        raise InputError(f"{name} is missing; give {name}: {' or '.join(table)}")
    if value not in table:
        raise InputError(f"{name}={short(value)} is not known; give {' or '.join(table)}")
    return table[value]
