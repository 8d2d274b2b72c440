"""Trained decoders of digits that come with the package, and some of the images they have not been trained on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from empirical import checkpoint, checkpoints
from empirical.images.data import Images
from empirical.images.networks import Autoencoder
from theory.errors import InputError

FOLDER = Path(checkpoints.__file__).parent / "images"
NAMES = ("concat", "free", "gated")
PIXELS, TASKS = 64, 10


def trained(name: str, folder: Path = FOLDER) -> tuple[Autoencoder, dict[str, Any]]:
    """A decoder with its encoder, and its card: plan, command, seed, hash of the weights.

    Raises InputError for a name that is not among NAMES, and for files that do not belong together.
    """
    if name not in NAMES:
        raise InputError(f"no trained decoder is called {name!r}; choose among {', '.join(NAMES)}")
    path = folder / f"{name}.json"
    tensors, card = checkpoint.load(path)
    try:
        plan = card["network"]["plan"]
        model = Autoencoder(PIXELS, plan["width"], TASKS, plan["kind"], plan["hidden"])
        model.load_state_dict(tensors)
    except (InputError, KeyError, TypeError, RuntimeError) as error:
        reason = str(error).splitlines()[0].rstrip(":")
        raise InputError(f"{path} and its weights do not fit together ({reason}); copy both again") from None
    return model.eval().requires_grad_(False), card


def images(folder: Path = FOLDER) -> Images:
    """Digits of the test part, standardised. Raises InputError for files that are no such images."""
    path = folder / "digits.json"
    tensors, _ = checkpoint.load(path)
    if set(tensors) != {"pixels", "labels"} or tensors["pixels"].dim() != 2:
        raise InputError(f"{path} holds {sorted(tensors)}, no images; copy it again")
    return Images(tensors["pixels"], tensors["labels"], round(tensors["pixels"].shape[1] ** 0.5))
