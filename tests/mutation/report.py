"""What came of a session: figures, survivors, and the mutants that are known to change nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from cosmic_ray.work_item import WorkResult

from tests.mutation.trial import TIMEOUT

# Module, line before and line after, and why no test can tell them apart.
EQUIVALENT = Path(__file__).parent / "equivalent.json"


@dataclass(frozen=True)
class Tried:
    """A mutant and what came of it."""

    module: str
    line: int
    before: str
    after: str
    result: WorkResult
    reason: str | None  # why it is equivalent, if it is listed as such

    @property
    def outcome(self) -> str:
        if self.result.is_killed:
            return "timed out" if self.result.output == TIMEOUT else "killed"
        return "equivalent" if self.reason is not None else "survived"

    def __str__(self) -> str:
        before, after = (shorten(line, 200) for line in (self.before, self.after or "(nothing)"))
        return f"{self.module}:{self.line} `{before}` -> `{after}`"


def reasons() -> dict[tuple[str, str, str], str]:
    """Why a mutant is equivalent, by module, line before and line after."""
    rows = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return {(row["module"], row["before"], row["after"]): row["reason"] for row in rows}


def share(tried: Iterable[Tried]) -> float:
    """Percentage killed, timed out among them, of all but those listed as equivalent."""
    counted = [mutant for mutant in tried if mutant.outcome != "equivalent"]
    return 100 * sum(mutant.outcome != "survived" for mutant in counted) / max(1, len(counted))


def report(tried: list[Tried], title: str) -> str:
    """Markdown: the figures, then survivors and equivalent mutants one by one."""
    by_outcome = {
        outcome: sorted((mutant for mutant in tried if mutant.outcome == outcome), key=str)
        for outcome in ("killed", "timed out", "survived", "equivalent")
    }
    lines = [f"## {title}", "", "| mutants | " + " | ".join(by_outcome) + " | killed, of those not equivalent |"]
    lines += ["|---" * (len(by_outcome) + 2) + "|"]
    figures = " | ".join(str(len(mutants)) for mutants in by_outcome.values())
    lines += [f"| {len(tried)} | {figures} | {share(tried):.1f} % |"]
    stale = [mutant for mutant in tried if mutant.reason is not None and mutant.outcome != "equivalent"]
    for heading, mutants in (
        ("Survived", by_outcome["survived"]),
        ("Equivalent", by_outcome["equivalent"]),
        ("Listed as equivalent, but some test tells them apart; take them off the list", stale),
    ):
        if mutants:
            lines += ["", f"{heading}:", ""]
            lines += [f"- {mutant}" + (f": {mutant.reason}" if mutant.reason else "") for mutant in mutants]
    return "\n".join(lines) + "\n"
