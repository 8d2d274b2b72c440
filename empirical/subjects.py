"""Models that were trained here, by name or by card, with the task that they were trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from empirical.decoder import Decoder
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from theory.errors import InputError

_STREAM = 31558


@dataclass(frozen=True, eq=False)
class Subject:
    """A trained model.

    Args:
        name: of the packaged model, or of the folder that the model is in.
        model: in evaluation mode.
        task: what it was trained on.
        card: its card.
    """

    name: str
    model: Decoder
    task: NumberTask | LetterTask
    card: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """What trainings that differ in nothing but their seed share: task and layers."""
        letters = "" if self.task in (NumberTask(), LetterTask()) else f" of {_size(self.task)} letters"
        name = "number" if isinstance(self.task, NumberTask) else "letter"
        return f"{name} task{letters}, {self.model.config.layers} layers"

    def sequences(self, count: int, seed: int) -> Tensor:
        """Tokens (count, n) of the task; no training draws its sequences under this seed."""
        return self.task.generate(count, int(np.random.default_rng((seed, _STREAM)).integers(2**62))).tokens


def subject(name: str) -> Subject:
    """The packaged model of this name, or the model whose card (.json), or the folder of it, is at this path.

    Raises InputError if there is none, or if its card names no task or one with another vocabulary.
    """
    from empirical.checkpoint import load_model
    from empirical.checkpoints import NAMES, trained
    from empirical.training.loop import MODEL
    from empirical.training.plan import TASKS

    path = Path(name)
    path = path / MODEL if path.is_dir() else path
    if name in NAMES:
        label, (model, card) = name, trained(name)
    elif path.exists():
        label, (model, card) = path.resolve().parent.name, load_model(path)
    else:
        raise InputError(f"there is no model {name!r}; give a card (.json), its folder, or one of {', '.join(NAMES)}")
    try:
        sizes = dict(card["plan"]["task"])
        task = TASKS[sizes.pop("name")](**sizes)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} names no task that it was trained on; give a model of `python -m empirical train`"
        ) from error
    if task.vocabulary_size != model.config.vocabulary:
        raise InputError(f"{path} has a vocabulary of {model.config.vocabulary}, its task another; train it anew")
    return Subject(label, model, task, card)


def subjects(names: Sequence[str]) -> list[Subject]:
    """Several models; InputError if two have the same name, by which files and curves are called."""
    found = [subject(name) for name in names]
    for at, one in enumerate(found):
        if one.name in [other.name for other in found[:at]]:
            raise InputError(f"two models are called {one.name}; put them in folders of different names")
    return found


def _size(task: NumberTask | LetterTask) -> int:
    return task.letters if isinstance(task, NumberTask) else task.alphabet
