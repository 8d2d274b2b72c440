"""The ledger as a table for people."""

from __future__ import annotations

from collections import Counter
from io import StringIO
from typing import Any

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from theory.verdicts import KINDS, Ledger
from theory.wording import counted

_WIDE = 120  # columns from which every cell of a row has a column of its own
_STATUS = {"printed": "", "reconstructed": " (reconstructed)", "derived": " (derived)"}
_COLORS = {"holds": "green", "refuted": "magenta", "undecided": "red", "not run": "dim"}


def _sizes(pieces: list[dict[str, Any]]) -> str:
    parts = []
    for kind in KINDS:
        sizes = [piece["count"] for piece in pieces if piece["kind"] == kind]
        if sizes:
            parts.append(f"{kind} {sum(sizes):,}")
    return ", ".join(parts)


def _table(ledger: Ledger, width: int) -> Table:
    """A row a claim; where there is little room, its evidence and source stand below its name."""
    wide = width >= _WIDE
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(
        "claim" if wide else "claim, evidence and its size, source", no_wrap=wide, ratio=None if wide else 1
    )
    for heading in ("expected", "observed", "controls", *(("evidence and its size", "source") if wide else ())):
        table.add_column(heading, no_wrap=not heading.endswith(("size", "source")))
    for claim in ledger.claims.values():
        observed = ledger.observed(claim)
        refuted, controls = ledger.controls(claim)
        verdict = (
            claim.expected.name.lower(),
            Text(observed, style=_COLORS[observed]),
            f"{refuted}/{controls}" if ledger.checked[claim.id] else "-",
        )
        sizes = _sizes(ledger.evidence(claim))
        source = f"{claim.source.paper} {claim.source.item}{_STATUS[claim.source.status]}"
        if wide:
            table.add_row(claim.id, *verdict, sizes, source)
        else:
            below = Padding("\n".join(filter(None, (sizes, source))), (0, 0, 0, 2))
            table.add_row(Group(claim.id, below), *verdict)
    return table


def render(ledger: Ledger, width: int, color: bool = False) -> str:
    """The ledger as a table of `width` columns, with totals and complaints below it."""
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
    )
    console.print(_table(ledger, width))
    observed = Counter(ledger.observed(claim) for claim in ledger.claims.values())
    verdicts = ", ".join(f"{count} {name}" for name, count in sorted(observed.items()))
    console.print(f"\n{counted(len(ledger.claims), 'claims')}: {verdicts}")
    console.print(
        "claims by kind of evidence: "
        + ", ".join(f"{kind} {ledger.totals()[kind]}" for kind in KINDS if ledger.totals()[kind])
    )
    console.print("controls: how many variants that must be refuted were refuted, of how many there are")
    for complaint in ledger.complaints():
        console.print(Text(f"FAULT {complaint}", style="bold red"))
    return out.getvalue()
