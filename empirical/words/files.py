"""Trained decoders as files: safetensors and a card, as `empirical.checkpoint` has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from constructions.compact.decoder import CompactConfig, CompactDecoder
from empirical import checkpoint
from theory.errors import InputError

MODEL = "model.json"


def save(path: Path, model: CompactDecoder, card: Mapping[str, Any]) -> str:
    """Write a decoder with its card; returns the SHA-256 of its weights."""
    return checkpoint.save(path, model.float().state_dict(), {"compact_decoder": asdict(model.config), **card})


def load(path: Path) -> tuple[CompactDecoder, dict[str, Any]]:
    """A decoder in evaluation mode, and its card. InputError for files that are no decoder, or another one."""
    tensors, card = checkpoint.load(path)
    values = card.get("compact_decoder")
    if not isinstance(values, dict):
        raise InputError(f"{path} describes no decoder on words; name a card that `python -m empirical words` wrote")
    try:
        slopes = None if values.get("slopes") is None else tuple(values["slopes"])
        model = CompactDecoder(CompactConfig(**{**values, "slopes": slopes}))
        model.load_state_dict(tensors)
    except (InputError, TypeError, RuntimeError) as error:
        reason = str(error).splitlines()[0].rstrip(":")
        raise InputError(f"{path} and its weights do not fit together ({reason}); copy both again") from None
    return model.eval(), card
