"""A trained model of sources that comes with the package, and excerpts of texts that it was not trained on."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from constructions.inference import frozen
from empirical import checkpoint, checkpoints
from empirical.sources.networks import SourceModel, build
from empirical.sources.plan import Plan
from empirical.sources.texts import cleaned, encoded
from theory.errors import InputError

FOLDER = Path(checkpoints.__file__).parent / "sources"
NAME = "head"  # logits are linear in z


def trained(folder: Path = FOLDER) -> tuple[SourceModel, dict[str, Any]]:
    """The model, frozen, and its card: plan, sources, command, hash of the weights.

    Raises InputError for files that do not belong together.
    """
    path = folder / f"{NAME}.json"
    tensors, card = checkpoint.load(path)
    try:
        model = build(Plan(**{field.name: card["training"][field.name] for field in fields(Plan)}))
        model.load_state_dict(tensors)
    except (InputError, KeyError, TypeError, RuntimeError) as error:
        reason = str(error).splitlines()[0].rstrip(":")
        raise InputError(f"{path} and its weights do not fit together ({reason}); copy both again") from None
    return frozen(model), card


def excerpts(length: int, folder: Path = FOLDER) -> Tensor:
    """Windows (B, length + 1), one after the other, of the King James Bible, the Devil's Dictionary, and a program."""
    windows = []
    for text in (folder / "excerpts.txt").read_text().split("\n\n\n"):
        windows += [part for part in encoded(cleaned(text).strip()).split(length + 1) if len(part) == length + 1]
    if not windows:
        raise InputError(f"no excerpt has {length + 1} letters; ask for a smaller length")
    return torch.stack(windows)
