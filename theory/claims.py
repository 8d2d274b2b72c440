"""Claims as data: quantifiers, named hypotheses, controls and witnesses, and one checker that is run on all of them.

A checker takes a *variant* of its statement (the constant, formula or rule that the statement asserts) and yields
evidence. The same checker runs on the statement, on every control (a variant that must be refuted), on every hypothesis
that is dropped (refuted too) and, where the printed statement is false, on a true near miss (which must hold): so no
verdict can be hard-wired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from theory.errors import InputError
from theory.evidence import Enumeration, Evidence
from theory.modules import load, theory_modules
from theory.outcome import Outcome

Checker = Callable[[Any, bool], Iterable[Evidence]]
STATEMENT = "statement"


@dataclass(frozen=True)
class Source:
    """Where a statement stands: paper (arXiv number, or "classical"), item; printed, reconstructed, or derived here."""

    paper: str
    item: str
    status: Literal["printed", "reconstructed", "derived"] = "printed"

    def __str__(self) -> str:
        paper = f"arXiv {self.paper}" if self.paper[0].isdigit() else self.paper
        return f"{paper}, {self.item} [{self.status}]"


@dataclass(frozen=True)
class Hypothesis:
    """A named hypothesis, and the variant of the statement without it that the checker must refute.

    `dropped` None says that the hypothesis is not known to be necessary; `remark` may say why.
    """

    name: str
    text: str
    dropped: Any = None
    remark: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a checker observed on one variant."""

    outcome: Outcome
    evidence: tuple[Evidence, ...]

    @property
    def witness(self) -> Any:
        """The first witness of an exact refutation, in the order in which the checker enumerates."""
        refuting = (e for e in self.evidence if isinstance(e, Enumeration) and e.outcome is Outcome.REFUTED)
        return next((e.witness for e in refuting), None)


@dataclass(frozen=True)
class Claim:
    """A statement with everything that is needed to try it.

    Args:
        id: kebab-case name.
        source: where it comes from.
        quantifiers: over what, minimum or maximum, range of lengths, strict or not.
        statement: the statement made by a variant, as a SymPy object or a sentence.
        variant: what the claim itself asserts.
        controls: at least two named variants that the checker must refute.
        check: the checker, `check(variant, thorough)`.
        expected: HOLDS, or REFUTED for a printed statement that is false.
        near_miss: for a refuted claim, a named variant that holds.
        counterexample: for a refuted claim, the smallest witness, as the checker's enumeration reports it.
        repaired_by: for a refuted claim, the id of the claim that repairs it.
        printed: the printed form, where it differs from the statement.
        does_not_show: what a reader might wrongly take from it.
    """

    id: str
    source: Source
    quantifiers: str
    statement: Callable[[Any], Any]
    variant: Any
    controls: Mapping[str, Any]
    check: Checker
    hypotheses: tuple[Hypothesis, ...] = ()
    expected: Outcome = Outcome.HOLDS
    near_miss: tuple[str, Any] | None = None
    counterexample: Any = None
    repaired_by: str = ""
    printed: str = ""
    does_not_show: str = ""
    module: str = field(default="", compare=False)

    def variants(self) -> dict[str, tuple[Any, Outcome]]:
        """Everything the checker is run on, by label, with the outcome that is expected of it."""
        runs = {STATEMENT: (self.variant, self.expected)}
        runs |= {f"control: {name}": (variant, Outcome.REFUTED) for name, variant in self.controls.items()}
        runs |= {
            f"without {hypothesis.name}": (hypothesis.dropped, Outcome.REFUTED)
            for hypothesis in self.hypotheses
            if hypothesis.dropped is not None
        }
        if self.near_miss is not None:
            name, variant = self.near_miss
            runs[f"near miss: {name}"] = (variant, Outcome.HOLDS)
        return runs

    def examine(self, label: str, thorough: bool = False) -> Verdict:
        """Run the checker on one variant. A control or dropped hypothesis stops at its first refutation."""
        variant, _ = self.variants()[label]
        evidence: list[Evidence] = []
        for piece in self.check(variant, thorough):
            evidence.append(piece)
            if piece.outcome is Outcome.REFUTED and label != STATEMENT:
                break
        return Verdict(Outcome.every(piece.outcome for piece in evidence), tuple(evidence))


def claim(id: str, **fields: Any) -> Callable[[Checker], Claim]:
    """Turn a checker into the claim that it checks; see `Claim` for the fields."""

    def wrap(check: Checker) -> Claim:
        return Claim(id=id, check=check, module=check.__module__, **fields)

    return wrap


def claims_of(module: str) -> list[Claim]:
    """The claims that a module defines, in the order of their definition."""
    values = vars(load(module)).values()
    return [value for value in values if isinstance(value, Claim) and value.module == module]


@cache
def discover() -> Mapping[str, Claim]:
    """Every claim of the package by id. Raises InputError when two share an id or a module cannot be imported."""
    found: dict[str, Claim] = {}
    for module in theory_modules():
        for item in claims_of(module):
            if item.id in found:
                raise InputError(f"claim id {item.id!r} is used in {found[item.id].module} and {module}; rename one")
            found[item.id] = item
    return MappingProxyType(found)
