"""Scores of a few prompts at a time, kept on the disk until all are there: a survey goes on where it stopped."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

from torch import Tensor

from empirical.checkpoint import load, save
from empirical.scores.head_scores import HeadScores, PlaneScores, joined
from empirical.scores.settings import Settings
from theory.errors import InputError

Layers = list[HeadScores]
_SHARED = ("layer", "settings", "frequencies", "query", "keys")  # alike for all prompts


class Parts:
    """A folder of parts that belong to one survey: the same model, prompts and settings, which `key` stands for."""

    def __init__(self, folder: Path, key: str, settings: Settings) -> None:
        self.folder = folder / f".parts-{key[:16]}"
        self.key, self.settings = key, settings

    def count(self) -> int:
        """How many parts there are."""
        return len(list(self.folder.glob("*.json")))

    def get(self, number: int) -> Layers | None:
        """A part, or None if it is not there. InputError for one that was changed."""
        card_path = self._path(number)
        if not card_path.is_file():
            return None
        tensors, card = load(card_path)
        if card.get("key") != self.key:
            raise InputError(f"{card_path} belongs to another survey; remove {self.folder}")
        found = []
        for at, layer in enumerate(card["layers"]):
            alone = f"{at}.planes."
            planes = _from_tensors(PlaneScores, tensors, alone, {}) if f"{alone}positional" in tensors else None
            given = {**layer, "settings": self.settings, "planes": planes}
            found.append(_from_tensors(HeadScores, tensors, f"{at}.", given))
        return found

    def put(self, number: int, layers: Layers) -> None:
        """Write a part, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        tensors: dict[str, Tensor] = {}
        for at, found in enumerate(layers):
            tensors |= _tensors(found, f"{at}.")
        shared = [{"layer": found.layer, "query": found.query, "keys": found.keys} for found in layers]
        save(self._path(number), tensors, {"key": self.key, "layers": shared})

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:05}.json"


def together(parts: Sequence[Layers]) -> Layers:
    """The scores of the prompts of all parts, one after the other."""
    return [_joined(layer) for layer in zip(*parts, strict=True)]


def _joined(parts: Sequence[HeadScores]) -> HeadScores:
    names = [f.name for f in fields(HeadScores) if f.name not in _SHARED]
    return replace(parts[0], **{name: joined([getattr(part, name) for part in parts]) for name in names})


def _tensors(record: Any, prefix: str) -> dict[str, Tensor]:
    """The tensors of a record and of the records in it, by their dotted names."""
    found: dict[str, Tensor] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, Tensor):
            found[prefix + field.name] = value.clone()  # layers may share one
        elif is_dataclass(value) and not isinstance(value, Settings):
            found |= _tensors(value, f"{prefix}{field.name}.")
    return found


def _from_tensors(kind: Any, tensors: Mapping[str, Tensor], prefix: str, given: Mapping[str, Any]) -> Any:
    """The record of which `_tensors` were taken, with what is no tensor of it `given`."""
    values = dict(given)
    for name, hint in get_type_hints(kind).items():
        if name not in given:
            values[name] = (
                tensors[prefix + name] if hint is Tensor else _from_tensors(hint, tensors, f"{prefix}{name}.", {})
            )
    return kind(**values)
