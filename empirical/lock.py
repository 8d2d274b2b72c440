"""One run at a time in a folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from theory.errors import InputError


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Make the folder, if need be, and keep a second run out of it; the lock goes with the process that holds it.

    A folder that was made and stayed empty is removed. Raises InputError if there is another run.
    """
    made = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    lock = out / ".lock"
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            free = False
        else:
            free = os.fstat(file.fileno()).st_nlink > 0  # else it was opened before another run ended and removed it
        if not free:
            raise InputError(f"{out} is in use by another run; wait for it, or give another folder")
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)
            if made:
                with suppress(OSError):  # there is something in it
                    out.rmdir()
