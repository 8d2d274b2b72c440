"""Results that a run has found already, kept on the disk: a run that was killed goes on from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from empirical.checkpoint import write

Data = Any  # as JSON has it


def key(what: Mapping[str, Any]) -> str:
    """A hash of all that decides a result."""
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def kept(path: Path | None, of: str, compute: Callable[[], Data]) -> Data:
    """What the file holds, if it was computed from the same `of`; else compute it and keep it there, whole or not."""
    if path is None:
        return compute()
    try:
        found = json.loads(path.read_bytes())
        if found["key"] == of:
            return found["data"]
    except (FileNotFoundError, ValueError, RecursionError, KeyError, TypeError):
        pass
    # Numbers come back from JSON as they went: a run that was killed ends with the same file as one that was not.
    data = compute()
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, json.dumps({"key": of, "data": data}, allow_nan=False).encode())
    return data
