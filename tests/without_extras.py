"""A pytest plugin that hides the libraries of the extras: `pytest -p tests.without_extras empirical`.

What needs one of them is skipped, and all else has to pass as on a machine where they were never installed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

HIDDEN = (
    "transformers",
    "accelerate",
    "gguf",
    "tokenizers",
    "dask",
    "distributed",
    "requests",
    "sklearn",
    "skimage",
    "transformer_lens",
)


class Without:
    """A finder that does not find them, whether they are imported or, as torch does, only looked for."""

    def __init__(self, finder: Any) -> None:
        self.finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self.finder, name)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in HIDDEN:
            return None
        found: ModuleSpec | None = self.finder.find_spec(fullname, path, target)
        return found


if loaded := sorted(sys.modules.keys() & set(HIDDEN)):
    raise RuntimeError(f"{', '.join(loaded)} is loaded already; give -p tests.without_extras first")
sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
