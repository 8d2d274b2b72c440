"""Scorings of a sweep: what `python -m empirical score` does to one model."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import torch

from empirical.capture.loading import check_model, digest
from empirical.scores.settings import Settings
from empirical.survey.output import save
from empirical.survey.request import Request, answer
from empirical.sweep.keys import keys_of
from theory.errors import InputError

_SETTINGS = keys_of(Settings)
_REQUEST = keys_of(Request, without=("settings", "lengths", "against"))  # a grid compares
KEYS = _REQUEST | _SETTINGS


@dataclass(frozen=True)
class Scoring:
    """A request, and the sha256 of its model and of its prompts."""

    request: Request
    model_sha256: str
    prompts_sha256: str

    @property
    def title(self) -> str:
        name = "".join(letter if letter.isalnum() else "-" for letter in self.request.model.stem)
        return f"{name[:40]}-seed{self.request.seed}"

    def as_json(self) -> dict[str, Any]:
        request = {name: getattr(self.request, name) for name in _REQUEST if name not in ("model", "prompts")}
        hashes = {"model_sha256": self.model_sha256, "prompts_sha256": self.prompts_sha256}
        return {"score": {**hashes, **request, **asdict(self.request.settings)}}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        """Score into the folder, from the parts that are there, if any; maps, JSON and CSV are left in it."""
        torch.set_num_threads(1)
        with redirect_stderr(io.StringIO()):  # where it goes on is told once, by the sweep
            report, parts = answer(self.request, folder)
            save(report, folder)
        for part in parts:
            part.remove()
        rows = next(iter(report.rows.values()))
        pure = [row["pure"] for row in rows]
        means = {f"mean_{name}": sum(row[name] for row in rows) / len(rows) for name in ("s_pos", "s_sym")}
        return {
            "heads": len(rows),
            **{f"pure_{kind}": pure.count(kind) for kind in ("positional", "symbolic")},
            **means,
        }


class Scorings:
    """The scorings of one spec: its paths are relative to `folder`, and every model is looked at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._model, self._prompts = cache(_model), cache(_prompts)

    def __call__(self, values: Mapping[str, Any]) -> Scoring:
        """The scoring of these values. Raises InputError for values that do not fit, and files that are none."""
        for name in ("model", "prompts"):
            if name not in values:
                raise InputError(f"{name} is missing; give {name}: PATH")
        paths = {name: self._folder / values[name] for name in ("model", "prompts")}
        settings = Settings(**{name: value for name, value in values.items() if name in _SETTINGS})
        plain = {"as_tokens": False, **{name: value for name, value in values.items() if name in _REQUEST}}
        request = replace(Request(**plain, settings=settings), **paths)
        return Scoring(request, self._model(request.model), self._prompts(request.prompts))


def _model(path: Path) -> str:
    check_model(path)
    return digest(path)


def _prompts(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); give a text file, one prompt a line") from None
