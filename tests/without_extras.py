"""A pytest plugin that hides the libraries of the extras: `pytest -p tests.without_extras empirical`.

What needs one of them is skipped, and all else has to pass as on a machine where they were never installed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

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


class Hidden(MetaPathFinder):
    """Finds the libraries missing."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        if fullname.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


if loaded := sorted(sys.modules.keys() & set(HIDDEN)):
    raise RuntimeError(f"{', '.join(loaded)} is loaded already; give -p tests.without_extras first")
sys.meta_path.insert(0, Hidden())
