"""One mutant on trial: which tests, in a copy of the tree, and what they say of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from cosmic_ray import plugins
from cosmic_ray.mutating import use_mutation
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkerOutcome, WorkResult

from tests.mutation.rules import is_thorough, statement_at
from theory.errors import InputError

TIMEOUT = "timeout"
BUDGET = 30.0  # seconds of computing time, as recorded, of the tests that are tried on one mutant
_ALLOWED, _THOROUGH = 20.0, 600.0  # seconds beyond ten times what a test took when it was recorded
# One thread a process, as in conftest.py; and the order of sets is the same in every run.
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_ENVIRONMENT = {**_THREADS, "PYTHONHASHSEED": "0"}
Record = dict[str, Any]  # test: its seconds, and the lines that it executes by module


class Tree:
    """A copy of the tree, in which pytest runs, see tests/mutation/server.py."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.mutation.server"],
            cwd=folder,
            env={**os.environ, **_ENVIRONMENT},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # so that Ctrl-C reaches the user's process alone
        )

    def pytest(self, *arguments: str) -> tuple[int, str]:
        """Exit code and the end of the output. Raises InputError where the server has been ended."""
        assert self._server.stdin is not None and self._server.stdout is not None
        output = self.folder.with_suffix(".txt")
        command = ["-q", "-p", "no:cacheprovider", "-p", "tests.mutation.plugin", *arguments]
        with suppress(BrokenPipeError, ValueError):
            print(json.dumps((command, str(output))), file=self._server.stdin, flush=True)
        if not (answer := self._server.stdout.readline()):
            raise InputError("what runs the tests has been ended from outside; type the command again to go on")
        return int(answer), output.read_text(encoding="utf-8", errors="replace")[-3000:]

    def stop(self) -> None:
        """End the tests under way, with whatever they have started, and the server."""
        self._server.terminate()
        self._server.wait()


def plan(mutant: MutationSpec, source: str, record: Record) -> dict[str, Any]:
    """The tests for a mutant, up to the budget, cheap ones first, each with the computing time that it may take.

    Those that execute its line come before those that execute its function, then its module, then its folder. What only
    a thorough run reaches is tried by thorough runs of the claims.
    """
    module, line, thorough = mutant.module_path.as_posix(), mutant.start_pos[0], is_thorough(source, mutant.start_pos)
    statement = statement_at(source, line)
    folder = module.rpartition("/")[0]

    def rank(test: str) -> tuple[int, float]:
        executed, seconds = record[test]["lines"], record[test]["seconds"]
        own = executed.get(module, ())
        beside = any(other.rpartition("/")[0] == folder for other in executed)
        nearness = (line in own, any(number in statement for number in own), own, beside, True)
        return next(place for place, near in enumerate(nearness) if near), seconds

    chosen, total = list[str](), 0.0
    for test in sorted(record, key=rank):
        if thorough and not test.endswith("[statement]"):
            continue
        total += record[test]["seconds"]
        if rank(test)[0] == 4 or (chosen and total > BUDGET):
            break
        chosen.append(test)
    files = {test.partition("::")[0] for test in chosen}
    known = [test for test in record if test.partition("::")[0] in files]
    allowed = {test: 10 * record[test]["seconds"] + (_THOROUGH if thorough else _ALLOWED) for test in chosen}
    return {"tests": allowed, "known": known, "files": sorted(files), "thorough": thorough}


def trial(tree: Tree, mutant: MutationSpec, record: Record) -> WorkResult:
    """Apply a mutant to a copy of the tree, run its tests up to the first that fails, and take it back."""
    path = tree.folder / mutant.module_path
    before = path.stat()
    tests = plan(mutant, path.read_text(encoding="utf-8"), record)
    file = tree.folder.with_suffix(".json")
    file.write_text(json.dumps(tests), encoding="utf-8")
    flags = ["--mutation-plan", str(file), "-n", "0", "-x", "--tb=line", *["--thorough"] * tests["thorough"]]
    claims, others = ([name for name in tests["files"] if _holds_tests(name) == kind] for kind in (False, True))
    code, output = 0, ""
    try:
        with use_mutation(path, plugins.get_operator(mutant.operator_name)(), mutant.occurrence):
            for files in (claims, others):  # the claims first: they import less
                if files and code in (0, 5):  # 5: there was no test at all
                    code, output = tree.pytest(*flags, *files)
    finally:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # so that its compiled form counts again
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return WorkResult(WorkerOutcome.NORMAL, TIMEOUT, TestOutcome.KILLED)
    return WorkResult(WorkerOutcome.NORMAL, output, TestOutcome.SURVIVED if code in (0, 5) else TestOutcome.KILLED)


def _holds_tests(file: str) -> bool:
    return file.rpartition("/")[2].startswith("test_")
