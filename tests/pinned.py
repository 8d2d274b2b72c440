"""Tables of what checkers look at: the size of the evidence on a variant of a claim, and the first witness against it.

A check that quietly looks at less, or a control that is refuted for another reason, shows there. A line with the id of
a claim is followed by indented lines "label | sizes | witness".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter

import sympy

from theory.claims import STATEMENT, discover
from theory.evidence import Evidence

claims = cache(discover)


def rows(table: str) -> list[tuple[str, str, str]]:
    """The claims, labels and evidence of a table."""
    found, claim = [], ""
    for line in table.strip("\n").splitlines():
        if line.startswith("  "):
            label, _, rest = line.strip().partition(" | ")
            found.append((claim, label, rest))
        else:
            claim = line
    return found


def evidence(claim: str, label: str, size: Callable[[Evidence], str] = attrgetter("size")) -> str:
    """What the checker looks at now, written as in a table."""
    pieces = claims()[claim].examine(label).evidence
    witness = next((f" | {piece.witness}" for piece in pieces if piece.witness is not None), "")
    return "; ".join(map(size, pieces)) + witness


def variants(table: str) -> set[tuple[str, str]]:
    """All claims of a table with all their variants, listed or not."""
    return {(claim, label) for claim in {row[0] for row in rows(table)} for label in claims()[claim].variants()}


def formula(claim: str, label: str) -> str:
    """What the statement or a control says."""
    item = claims()[claim]
    return sympy.sstr(item.statement(item.variant if label == STATEMENT else item.controls[label]))
