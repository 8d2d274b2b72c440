"""The frame of a companion script: text in order, each step checked as it is printed."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

import sympy

from theory.claims import discover
from theory.evidence import Evidence
from theory.outcome import Outcome

WIDTH = 96


class StepFailed(Exception):
    """A step of a proof whose evidence does not hold."""


@dataclass
class Companion:
    """A proof to be read from top to bottom.

    Raises StepFailed at the first step whose evidence is refuted or undecided.
    """

    title: str
    source: str
    out: TextIO = field(default_factory=lambda: sys.stdout)
    steps: int = 0

    def __post_init__(self) -> None:
        self._print(f"{self.title}\n{'=' * len(self.title)}\n{self.source}\n")

    def section(self, heading: str) -> None:
        """Start a section."""
        self._print(f"{heading}\n{'-' * len(heading)}\n")

    def say(self, text: str) -> None:
        """Print a paragraph."""
        self._print(_wrap(text) + "\n")

    def formula(self, expression: sympy.Basic) -> None:
        """Print a SymPy object on lines of its own."""
        self._print(textwrap.indent(sympy.pretty(expression, use_unicode=True, wrap_line=False), "    ") + "\n")

    def step(self, text: str, *evidence: Evidence) -> None:
        """Print one step of the argument with the evidence that checks it."""
        self.steps += 1
        self._print(_wrap(f"({self.steps}) {text}"))
        for piece in evidence:
            mark = {Outcome.HOLDS: "checked", Outcome.REFUTED: "FAILS", Outcome.UNDECIDED: "UNDECIDED"}[piece.outcome]
            self._print(f"    [{mark}, {piece.kind}: {piece.name}; {piece.size}]")
            if piece.outcome is not Outcome.HOLDS:
                raise StepFailed(f"step {self.steps} is {piece.outcome}: {piece.name}, witness {piece.witness}")
        self._print("")

    def claim(self, claim_id: str) -> None:
        """Print a claim of the ledger and run its checker on the statement: the verdict must be the expected one."""
        self.steps += 1
        claim = discover()[claim_id]
        self._print(_wrap(f"({self.steps}) Claim {claim.id} ({claim.source}): {claim.quantifiers}."))
        statement = claim.statement(claim.variant)
        if isinstance(statement, sympy.Basic):
            self.formula(statement)
        else:
            self._print(textwrap.indent(_wrap(str(statement)), "    "))
        verdict = claim.examine("statement")
        for piece in verdict.evidence:
            self._print(f"    [{piece.outcome}, {piece.kind}: {piece.name}; {piece.size}]")
        if verdict.outcome is not claim.expected:
            raise StepFailed(f"step {self.steps}: {claim.id} is {verdict.outcome}, expected {claim.expected}")
        if verdict.witness is not None:
            self._print(f"    counterexample: {verdict.witness}")
        self._print("")

    def done(self) -> None:
        """Print the closing line."""
        self._print(f"All {self.steps} steps are checked.")

    def _print(self, text: str) -> None:
        print(text, file=self.out, flush=True)


def _wrap(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), WIDTH)


def main(proof: Callable[[], None]) -> None:
    """Run a companion script; exit code 1 when a step fails."""
    try:
        proof()
    except StepFailed as failure:
        print(f"error: {failure}", file=sys.stderr)
        sys.exit(1)
