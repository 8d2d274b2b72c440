"""The network that a run has trained, for the runs that measure it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from torch import nn

from constructions.inference import frozen
from empirical import checkpoint
from theory.errors import InputError

Module = TypeVar("Module", bound=nn.Module)


def restored(card_path: Path, network: Module, described: Mapping[str, Any]) -> Module:
    """The network with the weights that a run has left in its folder, frozen.

    Raises InputError for files that are missing or broken, for a card that does not say all that is `described`, and
    for weights of other shapes, NaN or infinite.
    """
    remedy = f"remove the folder {card_path.parent} to train it again"
    try:
        tensors, card = checkpoint.load(card_path)
    except InputError as error:
        reason = str(error).split("; ")[0]
        raise InputError(f"{reason}; {remedy}") from None
    expected = {name: weight.shape for name, weight in network.state_dict().items()}
    fits = {name: weight.shape for name, weight in tensors.items()} == expected
    if not fits or any(name not in card or card[name] != value for name, value in described.items()):
        raise InputError(f"{card_path} is not the network of this training; {remedy}")
    if not all(weight.isfinite().all() for weight in tensors.values()):
        raise InputError(f"{card_path} has weights that are NaN or infinite; {remedy}")
    network.load_state_dict(tensors)
    return frozen(network)
