"""Command line: `python -m theory show`."""

from __future__ import annotations

import textwrap

import click
from rich.console import Console

from theory.claims import STATEMENT, Claim, discover
from theory.command_line import known
from theory.commands.lines import print_lines
from theory.commands.sentences import clauses, differing, in_words
from theory.compact.encodings.table import ENCODINGS, described
from theory.errors import InputError
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
    if claim not in claims and claim in (table := quantities()):
        owner = table[claim].claim
        raise InputError(f"{claim!r} is a quantity, not a claim; `python -m theory show {owner}` prints its claim")
    known(claim, claims, "claim", "python -m theory ledger --list")
    item = claims[claim]
    lines: list[tuple[str, str | tuple[str, ...]]] = [
        ("claim", item.id),
        ("source", str(item.source)),
        ("quantifiers", item.quantifiers),
        ("statement", clauses(item.statement(item.variant), latex)),
        ("expected", item.expected.name.lower()),
        ("as printed", item.printed),
        ("counterexample", "" if item.counterexample is None else in_words(item.counterexample)),
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
    lines += [(label, _variant(item, label, latex)) for label in item.variants() if label != STATEMENT]
    lines.append(("does not show", item.does_not_show))
    lines.append(("checked by", (item.check.__doc__ or "").strip()))
    lines.append(("quantities", ", ".join(q.name for q in quantities().values() if q.claim == item.id)))
    print_lines(((head, text) for head, text in lines if text), min(Console().width, 110))


def _variant(item: Claim, label: str, latex: bool) -> tuple[str, ...]:
    """A variant, and what is due of it; of a dropped hypothesis, which it is, and where it is refuted without it."""
    variant, expected = item.variants()[label]
    stated = item.statement(item.variant)
    text = differing(item.statement(variant), stated, latex)
    due = "must hold" if expected is Outcome.HOLDS else "must be refuted"
    for hypothesis in item.hypotheses:
        if label == f"without {hypothesis.name}":
            if item.statement(variant) == stated:
                text = (f'the same, where it is not required that "{hypothesis.text}"',)
            found = (each.witness for each in item.examine(label).evidence if each.outcome is Outcome.REFUTED)
            due = next((f"refuted at {textwrap.shorten(in_words(witness), 240)}" for witness in found), due)
    return *text[:-1], f"{text[-1]} [{due}]"
