"""What can be asked of the demo. This module is light: the command line imports it before its first line of output."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CONSTRUCTIONS = ("index", "retrieval-printed", "retrieval-repaired", "reflexive", "number-task", "letter-task")
COMPACT, INFERENCE, MODELS, ALL = "compact", "inference", "models", "all"
# What is shown as it is, whatever the input.
FIXED = (COMPACT, INFERENCE, MODELS)
DTYPES = ("float64", "float32", "float16", "bfloat16")


@dataclass(frozen=True)
class Request:
    """The options of the command line as they were typed; None and () for those that were not."""

    tasks: tuple[str, ...] = ()
    length: int | None = None
    angle: str | None = None
    alphabet: int | None = None
    integers: int | None = None
    hops: int | None = None
    dtype: str = DTYPES[0]
    seed: int = 0
    text: str | None = None
    configs: tuple[str, ...] = ()
    out: Path | None = None

    @property
    def alone(self) -> bool:
        """Whether the named model files are all that was asked for."""
        return bool(self.configs) and not self.tasks

    @property
    def names(self) -> list[str]:
        """What is to be shown, each once."""
        if self.alone:
            return [MODELS]
        if ALL in self.tasks or not self.tasks:
            return [*CONSTRUCTIONS, *FIXED]
        return list(dict.fromkeys(self.tasks))
