"""Command line: `python -m theory show`."""

from __future__ import annotations

from typing import Any

import click
import sympy
from rich.console import Console

from theory.claims import STATEMENT, discover
from theory.command_line import known
from theory.commands.encodings import show as print_lines
from theory.compact.encodings.table import ENCODINGS, described
from theory.outcome import Outcome
from theory.quantities import quantities


@click.command("show")
@click.argument("claim")
@click.option("--latex", is_flag=True, help="Print formulas as LaTeX.")
def command(claim: str, latex: bool) -> None:
    """Print a claim: statement, hypotheses, printed form, witness, controls, what it does not show; or an encoding.

    Example: python -m theory show index-discrepancy-worst-case
    """
    claims = discover()
    if claim in ENCODINGS:
        print_lines(described(ENCODINGS[claim]), min(Console().width, 110))
        return
    known(claim, claims, "claim", "python -m theory ledger --list")
    item = claims[claim]

    def formula(variant: Any) -> str:
        value = item.statement(variant)
        if isinstance(value, sympy.Basic):
            return sympy.latex(value) if latex else sympy.sstr(value)
        return str(value)

    lines = [
        ("claim", item.id),
        ("source", str(item.source)),
        ("quantifiers", item.quantifiers),
        ("statement", formula(item.variant)),
        ("expected", item.expected.name.lower()),
        ("as printed", item.printed),
        ("counterexample", "" if item.counterexample is None else str(item.counterexample)),
        ("repaired by", item.repaired_by),
        ("repairs", ", ".join(other.id for other in claims.values() if other.repaired_by == item.id)),
    ]
    for hypothesis in item.hypotheses:
        need = (
            "not known to be necessary"
            if hypothesis.dropped is None
            else "necessary: the checker refutes the claim without it"
        )
        lines.append((hypothesis.name, f"{hypothesis.text} ({hypothesis.remark or need})"))
    for label, (variant, expected) in item.variants().items():
        if label != STATEMENT:
            due = "must hold" if expected is Outcome.HOLDS else "must be refuted"
            lines.append((label, f"{formula(variant)} [{due}]"))
    lines.append(("does not show", item.does_not_show))
    lines.append(("checked by", (item.check.__doc__ or "").strip()))
    lines.append(("quantities", ", ".join(q.name for q in quantities().values() if q.claim == item.id)))
    print_lines(((head, text) for head, text in lines if text), min(Console().width, 110))
