"""Metrics as JSON lines, which a killed training continues where its checkpoint stood."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from theory.errors import InputError


class Journal:
    """A file of JSON lines. `size` is its length in bytes; what a crash left beyond a known size is cut off."""

    def __init__(self, path: Path, size: int) -> None:
        """Continue the file from its first `size` bytes. Raises InputError if it is shorter."""
        with path.open("ab") as file:
            if file.tell() < size:
                raise InputError(f"{path} has lost lines that a checkpoint counts on; restore it, or train elsewhere")
            file.truncate(size)
        self.path, self.size = path, size

    def append(self, line: Mapping[str, Any]) -> None:
        data = (json.dumps(line) + "\n").encode()
        with self.path.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self.size += len(data)
