"""All that decides how a training goes, to the last bit on one machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from empirical.decoder_config import DecoderConfig
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.training.recipe import Recipe
from theory.errors import InputError

MOST_WEIGHTS = 2**28  # with gradients and optimizer states 4 GiB; more is a mistake
TASKS: dict[str, type[NumberTask] | type[LetterTask]] = {"number": NumberTask, "letter": LetterTask}


@dataclass(frozen=True)
class Plan:
    """A training: task, model, recipe, seed, and threads, by which sums are shared out.

    Raises InputError unless the model has the vocabulary of the task, the dropout of the recipe and at most
    MOST_WEIGHTS, and for a seed or threads that torch does not take.
    """

    task: NumberTask | LetterTask
    model: DecoderConfig
    recipe: Recipe
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        if self.model.vocabulary != self.task.vocabulary_size:
            raise InputError(
                f"vocabulary={self.model.vocabulary} is not that of the task; give {self.task.vocabulary_size}"
            )
        if self.model.dropout != self.recipe.dropout:
            raise InputError(f"dropout={self.model.dropout} is not that of the recipe; give {self.recipe.dropout}")
        width, inner = self.model.width, self.model.inner_width
        weights = 2 * self.model.vocabulary * width + self.model.layers * 2 * width * (2 * width + inner)
        if weights > MOST_WEIGHTS:
            raise InputError(
                f"layers={self.model.layers} of width={width} have {weights} weights, above {MOST_WEIGHTS}; give fewer"
            )
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed={self.seed} is not in 0 .. 2^63 - 1; give another")
        if not 1 <= self.threads <= 1024:
            raise InputError(f"threads={self.threads} are not 1 .. 1024; give no more than there are cores")

    def as_json(self) -> dict[str, Any]:
        """The plan as it reads in a card."""
        name = next(name for name, kind in TASKS.items() if isinstance(self.task, kind))
        values = {**asdict(self), "task": {"name": name, **asdict(self.task)}}
        plain: dict[str, Any] = json.loads(json.dumps(values))
        return plain

    def require(self, card: Mapping[str, Any], where: str) -> None:
        """Raise InputError, naming the first difference, unless the plan of a card is this one."""
        if not isinstance(card.get("plan"), Mapping):
            raise InputError(f"{where} holds a model that was not trained here; train in another folder")
        theirs, ours = _flat(card["plan"]), _flat(self.as_json())
        for name in [*ours, *theirs]:
            if theirs.get(name) != ours.get(name):
                raise InputError(
                    f"{where} holds a training with {name}={theirs.get(name)!r}, and {name}={ours.get(name)!r} "
                    "is asked for; ask for the same, or train in another folder"
                )


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        inner = {f"{name}.{key}": v for key, v in _flat(value).items()} if isinstance(value, Mapping) else {name: value}
        flat |= inner
    return flat
