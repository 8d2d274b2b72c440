"""Runs pytest again and again, in processes that have the libraries imported already: python -m tests.mutation.server.

Reads lines of JSON, arguments of pytest and a file for the output, and answers each with an exit code. It is started in
a copy of the tree, and imports nothing that is mutated.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Any

import pytest

_LIBRARIES = ("sympy", "flint", "scipy.optimize", "scipy.special", "torch", "rich.progress", "coverage")
_WALL = 3600  # seconds of the clock, for a mutant that sleeps


def main() -> None:
    """Answer until the input ends."""
    for library in _LIBRARIES:
        import_module(library)
    child = 0

    def kill(number: int, _: Any) -> None:
        with suppress(ProcessLookupError):
            os.killpg(child or os.getpgrp(), signal.SIGKILL)
        if number == signal.SIGTERM:
            os._exit(1)

    signal.signal(signal.SIGTERM, kill)
    signal.signal(signal.SIGALRM, kill)
    for line in sys.stdin:
        arguments, output = json.loads(line)
        child = os.fork()
        if child == 0:
            _run(arguments, output)
        signal.alarm(_WALL)
        _, status = os.waitpid(child, 0)
        signal.alarm(0)
        kill(0, None)  # whatever the tests have left running
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run(arguments: list[str], output: str) -> None:
    os.setsid()
    sys.dont_write_bytecode = "--mutation-plan" in arguments
    for number in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(file, 1)
    os.dup2(file, 2)
    code = 1
    try:
        code = int(pytest.main(arguments))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
