"""A folder that holds results of one request is not given to another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theory.errors import InputError


def refuse_others(path: Path, asked: Mapping[str, Any]) -> None:
    """Raise InputError where the file of results is there and does not say of itself all that `asked` does."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return
    except (ValueError, RecursionError):
        found = None
    wanted = json.loads(json.dumps(asked))  # as it comes back from a file
    if not isinstance(found, Mapping) or any(name not in found or found[name] != wanted[name] for name in wanted):
        raise InputError(f"{path.parent} already holds {path.name} of another request; give another folder")
