"""Models as files: weights in safetensors, and beside them a JSON card that says what they are.

The card names its weights file and the SHA-256 of it. The weights file is called after its hash, and the card is
renamed into place last: at every moment the card on disk belongs to weights that are complete. Nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as parse_tensors
from safetensors.torch import save as serialise
from torch import Tensor

from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from theory.errors import InputError

FORMAT = "headproof checkpoint"
VERSION = 1
_PICKLES = (b"PK\x03\x04", b"\x80")  # torch.save writes a zip file of pickles, older ones a bare pickle


def write(path: Path, data: bytes) -> None:
    """Replace a file: whoever looks, at any moment and after any crash, finds the old content or the new."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        error.filename = str(path)  # a full disk names none
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Replace a file by one object, as `write` does. ValueError for NaN and infinite numbers, which JSON has not."""
    write(path, (json.dumps(data, indent=1, allow_nan=False) + "\n").encode())


def save(card_path: Path, tensors: Mapping[str, Tensor], card: Mapping[str, Any]) -> str:
    """Write tensors and their card, remove the weights that the card named before, and return the new SHA-256."""
    data = serialise({name: tensor.detach().contiguous() for name, tensor in tensors.items()})
    digest = hashlib.sha256(data).hexdigest()
    weights = card_path.with_name(f"{card_path.stem}-{digest[:12]}.safetensors")
    head = {"format": FORMAT, "version": VERSION, "weights": weights.name, "bytes": len(data), "sha256": digest}
    write(weights, data)
    write(card_path, (json.dumps({**head, **card}, indent=1) + "\n").encode())
    for other in _weights(card_path):
        if other != weights:
            other.unlink()
    return digest


def remove(card_path: Path) -> None:
    """Remove a card, if there is one, and its weights."""
    card_path.unlink(missing_ok=True)
    for weights in _weights(card_path):
        weights.unlink()


def load(card_path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Tensors and card, as `save` wrote them.

    Raises InputError, one line, for files that are missing, broken, changed, or of another kind.
    """
    card = _card(card_path)
    weights = card_path.with_name(card["weights"])
    data = _read(weights)
    if len(data) < card["bytes"]:
        raise InputError(f"{weights} is truncated: {len(data)} of {card['bytes']} bytes; copy it again")
    if hashlib.sha256(data).hexdigest() != card["sha256"]:
        raise InputError(
            f"{weights} is not what {card_path.name} was written for (its SHA-256 differs); copy both again"
        )
    try:
        return parse_tensors(data), card
    except SafetensorError as error:
        raise InputError(f"{weights} is no safetensors file ({error}); save the model again") from None


def save_model(card_path: Path, model: Decoder, card: Mapping[str, Any]) -> None:
    """Write a decoder with its card."""
    config = asdict(model.config)
    save(card_path, model.state_dict(), {"model": config, "model_sha256": _digest(config), **card})


def load_model(card_path: Path) -> tuple[Decoder, dict[str, Any]]:
    """A decoder in evaluation mode, and its card. Raises InputError as `load`, and if the card lies about the model.

    Shapes tell sizes; the number of heads, frequencies and layers without RoPE leave none, so the card has their hash.
    """
    tensors, card = load(card_path)
    config = _config(card_path, card.get("model"))
    layers = sum(re.fullmatch(r"blocks\.\d+\.norm\.weight", name) is not None for name in tensors)
    if layers != config.layers:  # before anything of that size is built
        raise InputError(
            f"{card_path} says layers={config.layers}, but its weights have {layers}; use the card of these weights"
        )
    try:
        with torch.device("meta"):
            model = Decoder(config)
    except (RuntimeError, TypeError):  # a size, or a product of sizes, of more than 64 bits
        raise InputError(f"{card_path} describes a model beyond any memory; use the card of these weights") from None
    expected = {name: tensor.shape for name, tensor in model.state_dict().items()}
    for name in sorted(expected.keys() | tensors.keys()):
        ours, theirs = expected.get(name), tensors[name].shape if name in tensors else None
        if ours != theirs:
            raise InputError(
                f"{card_path} describes a model with {name} of shape {_shape(ours)}, but the weights have "
                f"{_shape(theirs)}; use the card of these weights"
            )
    if card.get("model_sha256") != _digest(asdict(config)):
        raise InputError(
            f"{card_path} does not describe the model that was saved (model_sha256 differs); restore the card"
        )
    _require_numbers(card_path, tensors)
    model.load_state_dict(tensors, assign=True)
    return model.eval(), card


def _digest(config: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()


def _require_numbers(card_path: Path, tensors: Mapping[str, Tensor]) -> None:
    kinds = {tensor.dtype for tensor in tensors.values()}
    if len(kinds) > 1 or not kinds.pop().is_floating_point:
        found = ", ".join(sorted({str(tensor.dtype) for tensor in tensors.values()}))
        raise InputError(f"{card_path} has weights in {found}; save all of them in one floating-point format")
    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise InputError(f"{card_path} has weights that are NaN or infinite, {name} first; train or copy it again")


def _weights(card_path: Path) -> Iterator[Path]:
    """All weights files of a card, also those that an interrupted save has left."""
    return card_path.parent.glob(f"{card_path.stem}-{'[0-9a-f]' * 12}.safetensors")


def _shape(shape: torch.Size | None) -> str:
    return "none" if shape is None else str(tuple(shape))


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file() and not path.is_dir():  # a pipe might never end
            raise InputError(f"{path} is not a file; name the card (.json) of a checkpoint")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name the card (.json) of a checkpoint") from None
    if data.startswith(_PICKLES) and data[8:9] != b"{":  # a header of safetensors may be 128 bytes, or 640, ... long
        raise InputError(f"{path} is a pickle, which can run code when it is read; convert it to safetensors")
    return data


def _card(path: Path) -> dict[str, Any]:
    data = _read(path)
    try:
        card = json.loads(data)
    except (ValueError, RecursionError):
        card = None
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise InputError(f"{path} is no card of a {FORMAT}; name the .json file beside the weights")
    if card.get("version") != VERSION:
        raise InputError(
            f"{path} has version {card.get('version')!r}, and this reads version {VERSION}; upgrade headproof"
        )
    for name, kind in (("weights", str), ("sha256", str), ("bytes", int)):
        if not isinstance(card.get(name), kind):
            raise InputError(f"{path} has {name}={card.get(name)!r}; restore the card as it was written")
    if not card["weights"].isprintable() or Path(card["weights"]).name != card["weights"] or not card["weights"]:
        raise InputError(f"{path} names weights={card['weights']!r}, no file of its folder; keep both in one")
    return card


def _config(path: Path, values: object) -> DecoderConfig:
    known = {field.name for field in fields(DecoderConfig)}
    if not isinstance(values, dict) or not values.keys() <= known or "vocabulary" not in values:
        raise InputError(
            f"{path} has model={values!r}, which does not describe a decoder; restore the card as it was written"
        )
    sizes: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    try:
        return DecoderConfig(**sizes)
    except (InputError, TypeError, OverflowError) as error:  # what is no number, or more than a float holds
        raise InputError(f"{path}: {error}") from None
