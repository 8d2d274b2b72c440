"""Training in a folder: killed at any moment, it goes on from its last checkpoint as if nothing had happened.

The folder holds `metrics.jsonl` (a line a report), `state.json` (weights and optimizer states at the last report) and
in the end `model.json`. A report first appends its line and then renames the state into place, which records how long
the journal was: lines beyond that belong to steps that are taken again. Times and other accidents stay out of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from empirical.checkpoint import load, remove, save, save_model
from empirical.lock import alone
from empirical.training.accuracy import measure
from empirical.training.data import Data
from empirical.training.journal import Journal
from empirical.training.learner import Learner
from empirical.training.plan import Plan
from theory.errors import InputError

MODEL, STATE, METRICS, SNAPSHOTS = "model.json", "state.json", "metrics.jsonl", "snapshots"


def train(
    plan: Plan,
    out: Path,
    *,
    resume: bool = False,
    snapshots: bool = False,
    facts: Mapping[str, Any] | None = None,
    watch: Callable[[int], object] = lambda step: None,
) -> dict[str, Any]:
    """Carry out a plan in the folder `out` and return the card of the trained model.

    Args:
        plan: what is trained, and how.
        out: all files are written here, each of them complete or not at all.
        resume: go on with the training that the folder holds, if any.
        snapshots: keep the model of every report, in snapshots/.
        facts: what else the card is to say.
        watch: is told of every step when it is done.

    Raises InputError if the folder holds a training and `resume` is not asked, or if that is of another plan, was begun
    with another torch, or keeps snapshots where this does not.
    """
    torch.set_num_threads(plan.threads)
    with alone(out):
        if not resume and any((out / name).exists() for name in (STATE, MODEL, METRICS)):
            raise InputError(f"{out} already holds a training; resume it with --resume, or train in another folder")
        if not (out / MODEL).exists():
            _train(plan, out, snapshots, facts or {}, watch)
        card = load(out / MODEL)[1]
        plan.require(card, str(out))
        remove(out / STATE)
        return card


def _train(plan: Plan, out: Path, snapshots: bool, facts: Mapping[str, Any], watch: Callable[[int], object]) -> None:
    """From the last checkpoint, or from the start, to the trained model."""
    recipe, started = plan.recipe, time.process_time()
    learner, spent, written = Learner(plan), 0.0, 0
    about = {"torch": torch.__version__, "snapshots": snapshots}
    fresh = not (out / STATE).exists()
    if not fresh:
        tensors, state = load(out / STATE)
        plan.require(state, str(out))
        _require_same(state, about, str(out))
        learner.restore(tensors, state["step"])
        spent, written = state["cpu_seconds"], state["journal_bytes"]
    data = Data(plan.task, recipe, plan.seed)
    journal = Journal(out / METRICS, written)

    def report(losses: list[float]) -> None:
        line: dict[str, Any] = {"step": learner.step, "sequences": learner.step * recipe.batch}
        if losses:
            line["loss"] = sum(losses) / len(losses)
        with learner.arithmetic():
            line["validation"] = measure(learner.model, data.validation)
        journal.append(line)
        if snapshots:
            (out / SNAPSHOTS).mkdir(exist_ok=True)
            card = {"plan": plan.as_json(), "metrics": line}
            save_model(out / SNAPSHOTS / f"{learner.step:06}.json", learner.model, card)
        save(
            out / STATE,
            learner.tensors(),
            {
                "plan": plan.as_json(),
                **about,
                "step": learner.step,
                "journal_bytes": journal.size,
                "cpu_seconds": spent + time.process_time() - started,
            },
        )

    losses: list[float] = []
    if fresh:
        report(losses)
    while learner.step < recipe.steps:
        losses.append(learner.learn(data.batch(learner.step)))
        if learner.step % recipe.report == 0 or learner.step == recipe.steps:
            report(losses)
            losses.clear()
        watch(learner.step)
    cost = {"training": spent + time.process_time() - started}
    test = measure(learner.model, data.test)
    cost["with test"] = spent + time.process_time() - started
    journal.append({"step": learner.step, "test": test})
    card = {**facts, "plan": plan.as_json(), "metrics": {"test": test}, "cpu_seconds": cost, "torch": torch.__version__}
    save_model(out / MODEL, learner.model, card)


def _require_same(state: Mapping[str, Any], about: Mapping[str, Any], where: str) -> None:
    for name, ours in about.items():
        if state.get(name) != ours:
            raise InputError(
                f"{where} holds a training with {name}={state.get(name)!r}, and this is with {name}={ours!r}; "
                "go on as it was begun, or train in another folder"
            )
