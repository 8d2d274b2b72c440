"""Trained models that come with the package, each in a folder as `python -m empirical train` left it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.errors import InputError

if TYPE_CHECKING:
    from empirical.decoder import Decoder

_FOLDER = Path(__file__).parent
NAMES = tuple(sorted(card.parent.name for card in _FOLDER.glob("*/model.json")))


def trained(name: str) -> tuple[Decoder, dict[str, Any]]:
    """A model in evaluation mode and its card: task, recipe, seed, command, test accuracy, hash of the weights.

    Raises InputError for a name that is not among NAMES.
    """
    from empirical.checkpoint import load_model

    if name not in NAMES:
        raise InputError(f"no trained model is called {name!r}; choose among {', '.join(NAMES)}")
    return load_model(_FOLDER / name / "model.json")
