"""The modules of the package that may hold claims and quantities, and how they are imported."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

import theory
from theory.errors import InputError

_ROOT = Path(theory.__file__).parent


def load(module: str) -> ModuleType:
    """Import a module of the package. Raises InputError, with the place, when that fails."""
    try:
        return importlib.import_module(module)
    except Exception as error:
        own = [frame for frame in extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(_ROOT)]
        place = f"{Path(own[-1].filename).relative_to(_ROOT.parent)}, line {own[-1].lineno}"
        raise InputError(f"{module} cannot be imported: {type(error).__name__}: {error} ({place})") from error


def theory_modules() -> Iterator[str]:
    """Names of all modules under `theory` that may hold claims and quantities."""
    for info in pkgutil.walk_packages(theory.__path__, "theory.", onerror=load):
        leaf = info.name.rpartition(".")[2]
        if not leaf.startswith(("test_", "__")) and leaf != "conftest":
            yield info.name
