from collections.abc import Iterator
from typing import Any

import pytest

PROPERTY = "adversary"
WIDTH = 78


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("headproof").addoption(
        "--adversary", action="store_true", help="give every duel its full number of evaluations"
    )


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the whole budget is spent; False where only the folders above are named, which do not load this file."""
    return bool(request.config.getoption("adversary", default=False))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if rows := list(_rows(terminalreporter)):
        terminalreporter.section("adversary")
        write = terminalreporter.write_line
        write(f"{'claim: duel, (setting)':{WIDTH}}  {'outcome':9}  evaluations  largest ratio  controls")
        for row in sorted(rows, key=lambda row: row["name"]):
            exposed = f"{row['exposed']}/{row['controls']}" if row["controls"] else "-"
            write(
                f"{row['name'][:WIDTH]:{WIDTH}}  {row['outcome']:9}  {row['evaluations']:11,}  "
                f"{row['ratio']:13.9f}  {exposed:>8}"
            )
        total = {key: sum(row[key] for row in rows) for key in ("evaluations", "spent", "exposed", "controls")}
        held = [row["ratio"] for row in rows if row["outcome"] == "holds"]
        refuted = sum(row["outcome"] == "refuted" for row in rows)
        write(
            f"{len(rows)} duels of {len({row['claim'] for row in rows})} claims: {len(held)} held, {refuted} refuted; "
            f"{total['spent']:,} evaluations, {total['evaluations']:,} of them of "
            f"statements; largest ratio where a claim holds {max(held, default=0):.12g}; controls exposed "
            f"{total['exposed']} of {total['controls']} tried"
        )


def _rows(terminalreporter: Any) -> Iterator[dict[str, Any]]:
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                yield from (value for name, value in report.user_properties if name == PROPERTY)
