"""Trained networks as files: safetensors and a card, as `empirical.checkpoint` has them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import torch

from empirical import checkpoint
from empirical.switching.networks import Networks, shapes
from empirical.switching.plan import Plan
from theory.errors import InputError

MODEL = "model.json"


def save(path: Path, nets: Networks, plan: Plan, command: str) -> str:
    """Write networks with their card; returns the SHA-256 of their weights."""
    card = {"networks": plan.as_json(), "command": command, "torch": torch.__version__}
    return checkpoint.save(path, nets.state_dict(), card)


def load(path: Path) -> tuple[Networks, Plan, dict[str, Any]]:
    """Frozen networks, what they were trained on, and their card.

    Raises InputError for files that hold no such networks, or others than the card says.
    """
    tensors, card = checkpoint.load(path)
    values = card.get("networks")
    if not isinstance(values, dict):
        raise InputError(f"{path} describes no LSTMs; name a card that `python -m empirical switching` wrote")
    known = {field.name for field in fields(Plan)}
    try:
        chosen: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items() if name in known
        }
        plan = Plan(**chosen)
        expected = {name: (len(plan.seeds), *shape) for name, shape in shapes(plan.tasks, plan.hidden).items()}
    except TypeError as error:
        raise InputError(f"{path} describes no LSTMs ({error}); restore the card as it was written") from None
    found = {name: tuple(weights.shape) for name, weights in tensors.items()}
    if found != expected:  # before anything of that size is built
        raise InputError(f"{path} describes weights {expected}, but they are {found}; copy both again")
    if not all(weights.isfinite().all() for weights in tensors.values()):
        raise InputError(f"{path} has weights that are NaN or infinite; train or copy it again")
    nets = Networks([0] * len(plan.seeds), plan.tasks, plan.hidden)
    nets.load_state_dict(tensors, assign=True)
    return nets.eval().requires_grad_(False), plan, card
