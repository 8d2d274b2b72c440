"""The part that runs inside pytest: what each test executes, and the tests to run, in which order and how long.

pytest -p tests.mutation.plugin --mutation-record FOLDER     the lines that each test executes, a file a process
pytest -p tests.mutation.plugin --mutation-plan FILE         the tests that the plan names, in its order
"""

from __future__ import annotations

import json
import os
import resource
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

_MEMORY = 4 << 30  # bytes; a mutant that needs more takes the machine with it
_IMPORTS = 120  # seconds of computing time for whatever is not a test


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mutation")
    group.addoption("--mutation-record", type=Path, metavar="FOLDER")
    group.addoption("--mutation-plan", type=Path, metavar="FILE")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if (folder := config.getoption("mutation_record")) is not None:
        config.pluginmanager.register(Recorder(config.rootpath, folder))
    if (file := config.getoption("mutation_plan")) is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        _may_take(_IMPORTS)
        # A failure is all that is asked for, not the smallest example of it.
        settings.register_profile("mutation", settings(), phases=(Phase.explicit, Phase.generate))
        settings.load_profile("mutation")
        config.pluginmanager.register(Chooser(**json.loads(file.read_text(encoding="utf-8"))))


def _may_take(seconds: float) -> None:
    """End the process after so much more computing time: not of the clock, so that a busy machine kills no mutant."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 1, hard))


class Recorder:
    """Writes, for each test, its computing time and the lines of the library that it executes."""

    def __init__(self, root: Path, folder: Path) -> None:
        from coverage import Coverage

        self.root, self.folder = root, folder
        sources = [str(root / package) for package in ("theory", "constructions")]
        self.coverage = Coverage(data_file=None, config_file=False, source=sources, messages=False)
        self.seconds: dict[str, float] = {}

    def pytest_sessionstart(self) -> None:
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.coverage.switch_context(item.nodeid)
        before = sum(os.times()[:4])
        result = yield
        self.seconds[item.nodeid] = sum(os.times()[:4]) - before
        self.coverage.switch_context("")
        return result

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        lines: dict[str, dict[str, list[int]]] = {test: defaultdict(list) for test in self.seconds}
        data = self.coverage.get_data()
        for path in data.measured_files():
            module = Path(path).relative_to(self.root).as_posix()
            for line, tests in data.contexts_by_lineno(path).items():
                for test in set(tests) & lines.keys():
                    lines[test][module].append(line)
        record = {test: {"seconds": seconds, "lines": lines[test]} for test, seconds in self.seconds.items()}
        (self.folder / f"{os.getpid()}.json").write_text(json.dumps(record), encoding="utf-8")


class Chooser:
    """Runs tests in the order of a plan, each for at most so many seconds.

    The mutant may have renamed some, whose names are made of their parameters: so what is not among the `known` ones
    runs where its function does.
    """

    def __init__(self, tests: dict[str, float], known: list[str], **_: Any) -> None:
        self.seconds, self.known = tests, set(known)
        self.order = {test: place for place, test in enumerate(tests)}
        self.functions = {_function(test): place for test, place in self.order.items()}

    def _place(self, test: str) -> int | None:
        return self.order.get(test, None if test in self.known else self.functions.get(_function(test)))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        placed = [(place, item) for item in items if (place := self._place(item.nodeid)) is not None]
        items[:] = [item for _, item in sorted(placed, key=lambda pair: pair[0])]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        _may_take(self.seconds.get(item.nodeid, _IMPORTS))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        _may_take(_IMPORTS)


def _function(test: str) -> str:
    return test.partition("[")[0]
