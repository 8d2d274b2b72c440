"""The frame of a companion script: a proof that is read from top to bottom, each step checked as it is printed."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import click

from proofs.command import SETTINGS, StepFailed
from proofs.typeset import SPACE, display, plain
from theory.claims import STATEMENT, Claim
from theory.errors import Undecided
from theory.evidence import Evidence
from theory.outcome import Outcome
from theory.wording import counted

WIDTH = 80
_MOST = 5  # checks of one kind that are listed one by one
_BLANK = re.compile(r"[ \n]+")
_RELATION = re.compile(r" ([=≈≤≥<>+-]) ")
_READING = """Below each numbered step stands how it was checked while this page was printed. "Symbolic": both sides of
an identity, starting from the definitions, were reduced to the same expression for all values of the symbols. "Exact":
every case up to the stated bound was decided without rounding. "Certified": interval arithmetic covered the whole of
the stated region. "Sampled": an adversary searched at random. A check of finitely many cases guards the argument
against slips; what covers all cases is the argument. Names in square brackets are claims; the command `python -m
theory show NAME` prints one of them with its hypotheses, and with variants that are refuted."""


@dataclass(frozen=True)
class Table:
    """A table: its head, and its rows, one text or number a column."""

    head: Sequence[object]
    rows: Iterable[Sequence[object]]

    def __str__(self) -> str:
        cells = [[str(cell) for cell in row] for row in (self.head, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["   ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


class Companion:
    """A proof on standard output: sections, paragraphs and numbered steps.

    Paragraphs and steps have parts: a text, or on lines of its own a SymPy object or a table. A step also has pieces of
    evidence, or claims, whose checkers are then run. Raises StepFailed at the first step that is not checked.
    """

    def __init__(self, title: str, source: str) -> None:
        self.steps = 0
        self.say(f"{title}\n{'=' * len(title)}\n{source}", _READING)

    def section(self, heading: str) -> None:
        """Start a section."""
        click.echo(f"\n{heading}\n{'-' * len(heading)}\n")

    def say(self, *parts: object) -> None:
        """Print a paragraph."""
        for part in parts:
            self._print(part, "", "")

    def step(self, *parts: object) -> None:
        """Print one step of the argument, then check it."""
        self.steps += 1
        first = f"({self.steps})".ljust(5)
        words = [part for part in parts if not isinstance(part, Evidence | Claim)]
        for part in words:
            self._print(part, " " * 5, first)
            first = " " * 5
        checks = [part for part in parts if isinstance(part, Evidence | Claim)]
        if not checks:
            raise StepFailed(f"step {self.steps} has no check")
        for check in checks:
            if isinstance(check, Claim):
                self._examine(check)
            else:
                self._check(check)
        click.echo()

    def not_shown(self, *claims: Claim) -> None:
        """Print what a reader might wrongly take from these claims."""
        for claim in claims:
            self._print(f"[{claim.id}] does not show {plain(claim.does_not_show)}.", "  ", "- ")

    def done(self) -> None:
        """Print the closing line."""
        click.echo(f"\nAll {self.steps} steps are checked.")

    def _print(self, part: object, indent: str, first: str) -> None:
        if isinstance(part, str):
            click.echo(part if "\n=" in part else _wrapped(part, indent, first))
        else:
            text = str(part) if isinstance(part, Table) else display(part)
            click.echo(textwrap.indent(text, indent + "    "))
        click.echo()

    def _check(self, evidence: Evidence) -> None:
        mark = "checked" if evidence.outcome is Outcome.HOLDS else evidence.outcome.name
        self._note(f"{mark}, {evidence.kind}: {_described(evidence)}")
        if evidence.outcome is not Outcome.HOLDS:
            raise StepFailed(f"step {self.steps}: {evidence.name} {evidence.outcome.value} at {evidence.witness}")

    def _examine(self, claim: Claim) -> None:
        """A claim holds; or it fails at its known counterexample, and its near miss holds."""
        self._judge(claim, STATEMENT, f"[{claim.id}]", claim.expected)
        if claim.near_miss is not None:
            name = claim.near_miss[0]
            self._judge(claim, f"near miss: {name}", f'[{claim.id}] in the variant "{name}"', Outcome.HOLDS)

    def _judge(self, claim: Claim, label: str, name: str, expected: Outcome) -> None:
        verdict = claim.examine(label)
        found = "holds" if verdict.outcome is Outcome.HOLDS else f"is {verdict.outcome.value}"
        if verdict.witness is not None:
            found += f"; the first counterexample is {verdict.witness}"
        right = verdict.outcome is expected and (
            expected is Outcome.HOLDS or str(verdict.witness) == str(claim.counterexample)
        )
        self._note(plain(f"{'checked' if right else 'WRONG'}: {name} {found}"))
        for kind in dict.fromkeys(piece.kind for piece in verdict.evidence):
            pieces = [_described(piece) for piece in verdict.evidence if piece.kind == kind]
            if len(pieces) > _MOST:
                pieces[1:-1] = [f"... ({len(pieces)}{SPACE}such checks) ..."]
            self._note(f"{kind}: {'; '.join(pieces)}", deeper="  ")
        if not right:
            raise StepFailed(f"step {self.steps}: {name} {found}, which was not expected")

    def _note(self, text: str, deeper: str = "") -> None:
        click.echo(_wrapped(text, " " * 11 + deeper, " " * 7 + deeper))


def script(
    name: str, about: str | None, title: str, source: str, parts: Sequence[Callable[[Companion], None]]
) -> click.Command:
    """The command `python -m proofs.NAME`, which prints and checks the parts of a proof one after the other."""

    def prove() -> None:
        try:
            proof = Companion(title, source)
            for part in parts:
                part(proof)
            proof.done()
        except Undecided as undecided:
            raise StepFailed(str(undecided)) from undecided

    return click.Command(
        f"python -m proofs.{name}",
        callback=prove,
        help=f"{about}\n\nPrints a proof and checks every step as it is printed. The exit code is 0 if all steps hold, "
        f"1 at the first that does not, and 2 for bad usage.\n\nExample: python -m proofs.{name}",
        context_settings=SETTINGS,
    )


def _described(evidence: Evidence) -> str:
    """What was looked at, and how much of it."""
    size = counted(evidence.count, evidence.unit).replace(" ", SPACE)
    return f"{plain(evidence.name)} ({size})"


def _wrapped(text: str, indent: str, first: str) -> str:
    """A paragraph within the width; inline formulas are kept together."""
    text = _RELATION.sub(rf"{SPACE}\1{SPACE}", _BLANK.sub(" ", text))
    filled = textwrap.fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return filled.replace(SPACE, " ")
