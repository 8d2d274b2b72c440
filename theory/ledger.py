"""The ledger: a pytest plugin that collects claims from the modules that define them, and the table of their verdicts.

`pytest theory` makes one test of each variant of each claim (statement, controls, dropped hypotheses, near miss),
adds the evidence that ordinary tests submit through the `ledger` fixture, and ends with a row for each claim. Reports
carry the evidence, so the table is the same under pytest-xdist, `-k`, `--lf` or a single test; what was not run is
shown as such.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import theory
from theory.claims import STATEMENT, Claim, Verdict, claims_of, discover
from theory.evidence import Evidence
from theory.table import render
from theory.verdicts import Ledger, Run

_ROOT = Path(theory.__file__).parent
_PROPERTY = "ledger"


class Mismatch(AssertionError):
    """A checker observed another outcome than the ledger expects."""


class ClaimItem(pytest.Item):
    """One variant of one claim."""

    def __init__(self, *, claim: Claim, label: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.claim, self.label = claim, label
        self.verdict: Verdict  # once it has run

    def runtest(self) -> None:
        _, expected = self.claim.variants()[self.label]
        verdict = self.verdict = self.claim.examine(self.label, thorough=self.config.getoption("thorough"))
        run = Run.of(self.claim, self.label, verdict)
        self.user_properties.append((_PROPERTY, run.as_json()))
        if verdict.outcome is not expected:
            lines = "\n".join(
                f"  {piece.kind}: {piece.name}: {piece.outcome.name}, witness {piece.witness}"
                for piece in verdict.evidence
            )
            raise Mismatch(
                f"{self.claim.id}, {self.label}: expected {expected.name}, observed {verdict.outcome.name}\n{lines}"
            )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, Mismatch) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.claim.check.__code__.co_firstlineno - 1, self.name


class ClaimFile(pytest.File):
    """A theory module, collected for its claims."""

    def collect(self) -> Iterator[ClaimItem]:
        module = ".".join(("theory", *self.path.relative_to(_ROOT).with_suffix("").parts))
        for claim in claims_of(module):
            for label in claim.variants():
                yield ClaimItem.from_parent(self, name=f"{claim.id}[{label}]", claim=claim, label=label)


class Submissions:
    """Evidence that a test hands to a claim (hand-built or trained models, property-based searches)."""

    def __init__(self, node: pytest.Item) -> None:
        self._node, self._claims = node, discover()

    def submit(self, claim_id: str, evidence: Evidence) -> None:
        """Add `evidence` for the claim's statement; fails the test when it disagrees with the expected verdict."""
        if claim_id not in self._claims:
            raise KeyError(f"no claim is called {claim_id!r}; `python -m theory ledger --list` names them")
        claim = self._claims[claim_id]
        run = Run(claim.id, STATEMENT, evidence.outcome.name.lower(), (evidence.as_json(),), from_checker=False)
        self._node.user_properties.append((_PROPERTY, run.as_json()))
        if evidence.outcome is not claim.expected:
            raise Mismatch(
                f"{claim.id}: {evidence.kind} evidence {evidence.name!r} observed {evidence.outcome.name}, "
                f"expected {claim.expected.name}; witness {evidence.witness}"
            )


@pytest.fixture
def ledger(request: pytest.FixtureRequest) -> Submissions:
    """Submit evidence to a claim: `ledger.submit("index-feasibility", Constructed(...))`."""
    return Submissions(request.node)


class LedgerPlugin:
    """Gathers the reports of all processes and prints the ledger."""

    def __init__(self, config: pytest.Config) -> None:
        self._config, self._runs = config, list[Run]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            properties: list[tuple[str, Any]] = report.user_properties
            runs = [Run.from_json(value) for name, value in properties if name == _PROPERTY]
            if runs and not self._runs:
                discover()  # asked for at the end; of several processes this one waits now, and all wait then
            self._runs += runs

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._runs and Ledger(discover(), self._runs).complaints() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._runs:
            return
        ledger = Ledger(discover(), self._runs)
        terminalreporter.section("ledger")
        width = terminalreporter._tw.fullwidth if terminalreporter.isatty else 140
        terminalreporter.write(render(ledger, width, color=terminalreporter._tw.hasmarkup))
        if (path := self._config.getoption("ledger_file")) is not None:
            path.write_text(json.dumps(ledger.as_json(), indent=1) + "\n")
            terminalreporter.write_line(f"ledger written to {path}")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("headproof")
    group.addoption(
        "--thorough",
        action="store_true",
        help="run every enumeration and box to the bounds that the claims state",
    )
    group.addoption("--ledger", dest="ledger_file", metavar="FILE", type=Path, help="write the ledger as JSON")


def pytest_configure(config: pytest.Config) -> None:
    # Before the run, since all its work would be lost.
    if (path := config.getoption("ledger_file")) is not None and (path.is_dir() or not os.access(path.parent, os.W_OK)):
        raise pytest.UsageError(f"--ledger {path} cannot be written; name a file in a directory where you may write")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(LedgerPlugin(config), "headproof-ledger")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    hidden = file_path.name.startswith(("test_", "_", "conftest"))
    if file_path.suffix == ".py" and not hidden and file_path.is_relative_to(_ROOT):
        return ClaimFile.from_parent(parent, path=file_path)
    return None
