"""One run of a sweep in its folder: done once, whoever starts it, and as often as it takes."""

from __future__ import annotations

import fcntl
import hashlib
import json
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from empirical.checkpoint import write_json
from theory.errors import InputError

RESULT, LOCK, TURN = "result.json", ".run-lock", ".turn"
FORMAT = "headproof sweep run"
VERSION = 1
_SECONDS = 0.5  # between two looks at whose turn it is

# torch's random state and its threads belong to the process: a Dask worker with many threads does one run at a time.
_process = threading.Lock()


class Work(Protocol):
    """What a run does: plain data, which goes to other processes."""

    @property
    def title(self) -> str:
        """Words for the name of a folder."""

    def as_json(self) -> dict[str, Any]:
        """All that decides the result, however the spec put it."""

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        """Do it, or go on with it, and return the result; `look` is called every now and then, and may raise."""


@dataclass(frozen=True)
class Run:
    """A run of a sweep, and the values that the grid chose for it."""

    work: Work
    point: Mapping[str, Any]

    @cached_property
    def name(self) -> str:
        """The name of its folder: it depends on what is done alone, so other grids find the run again."""
        text = json.dumps(self.work.as_json(), sort_keys=True)
        return f"{self.work.title}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    def folder(self, out: Path) -> Path:
        return out / "runs" / self.name

    def result(self, out: Path) -> dict[str, Any] | None:
        """What the run has found, None if it is not finished. Raises InputError if the file is not its own."""
        path = self.folder(out) / RESULT
        try:
            found = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError):
            found = None
        head = {"format": FORMAT, "version": VERSION, "work": self.work.as_json()}
        if not isinstance(found, dict) or {name: found.get(name) for name in head} != head or "result" not in found:
            raise InputError(f"{path} is not the result of this run; remove the file, or sweep in another folder")
        result: dict[str, Any] = found["result"]
        return result


class Ended(NamedTuple):
    """A run that came to its end, or why it did not."""

    name: str
    failure: str | None = None


def described(error: BaseException) -> str:
    """An error that nobody foresaw, in one line."""
    return textwrap.shorten(f"{type(error).__name__}: {error}", 300)


class _Superseded(Exception):
    """The sweep that started this run is over."""


def carry_out(run: Run, out: Path, turn: str) -> Ended:
    """Do a run of the sweep that has this turn in the folder `out`, unless it is done; an error becomes a failure."""
    folder = run.folder(out)
    look = _lookout(out / TURN, turn)
    try:
        with _process:
            look()
            folder.mkdir(parents=True, exist_ok=True)
            with _claimed(folder):
                if run.result(out) is None:
                    look()
                    result = run.work.carry_out(folder, look)
                    content = {"format": FORMAT, "version": VERSION, "work": run.work.as_json(), "result": result}
                    write_json(folder / RESULT, content)
    except _Superseded:
        return Ended(run.name, "the sweep was stopped")
    except InputError as error:
        return Ended(run.name, str(error))
    except Exception as error:  # one run that fails is no reason to lose the others
        return Ended(run.name, described(error))
    return Ended(run.name)


@contextmanager
def _claimed(folder: Path) -> Iterator[None]:
    """Keep every other process out of a run, waiting for one that is in it.

    A worker that a scheduler has lost may still be at work when its run is given to another. On one file system this
    lock is enough: its kernel (for NFS, its server) gives it to one open file at a time and takes it back when that
    process ends, however it ends, and from no process that lives. So whoever comes second waits: if the first finishes,
    there is a result and nothing is done again; if it dies, the second goes on from the last checkpoint, after the last
    write of the first. The file is never removed, or two processes could hold locks on two files of one name.
    """
    with (folder / LOCK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _lookout(path: Path, turn: str) -> Callable[[], None]:
    """A function that raises _Superseded once the file no longer says that it is this sweep's turn."""
    due = 0.0

    def look() -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + _SECONDS
            try:
                theirs = path.read_text()
            except FileNotFoundError:
                theirs = ""
            if theirs != turn:
                raise _Superseded

    return look
