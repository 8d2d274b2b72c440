"""The ledger as data: what was observed on every claim, and what is to be complained of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from textwrap import shorten
from typing import Any

from theory.claims import STATEMENT, Claim, Verdict
from theory.outcome import Outcome
from theory.wording import counted

JSON_VERSION = 1
KINDS = ("symbolic", "exact", "certified", "sampled", "constructed", "trained")


@dataclass(frozen=True)
class Run:
    """What was observed on one variant of one claim, as plain data that travels between processes."""

    claim: str
    label: str
    outcome: str
    evidence: tuple[dict[str, Any], ...]
    witness: str | None = None
    from_checker: bool = True

    @classmethod
    def of(cls, claim: Claim, label: str, verdict: Verdict) -> Run:
        witness = None if verdict.witness is None else str(verdict.witness)
        pieces = tuple(piece.as_json() for piece in verdict.evidence)
        return cls(claim.id, label, verdict.outcome.name.lower(), pieces, witness)

    def reason(self, expected: str) -> str:
        """The first piece of evidence that is not as expected, with its witness."""
        for piece in self.evidence:
            if piece["outcome"] != expected:
                witness = f" at {piece['witness']}" if piece["witness"] is not None else f", {piece['size']}"
                return " " + shorten(f"({piece['kind']}, {piece['name']}: {piece['outcome']}{witness})", 240)
        return ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Run:
        return cls(**{**data, "evidence": tuple(data["evidence"])})


class Ledger:
    """All claims, and the runs seen of them."""

    def __init__(self, claims: Mapping[str, Claim], runs: Iterable[Run]) -> None:
        self.claims = claims
        self.checked: dict[str, dict[str, Run]] = defaultdict(dict)
        self.submitted: dict[str, list[Run]] = defaultdict(list)
        for run in runs:
            if run.from_checker:
                self.checked[run.claim][run.label] = run
            else:
                self.submitted[run.claim].append(run)

    def observed(self, claim: Claim) -> str:
        """The outcome seen on the statement, by the checker and by everything submitted to it."""
        if STATEMENT not in self.checked[claim.id]:
            return "not run"
        outcomes = {run.outcome for run in (self.checked[claim.id][STATEMENT], *self.submitted[claim.id])}
        return next(iter(outcomes)) if len(outcomes) == 1 else "undecided"

    def evidence(self, claim: Claim) -> list[dict[str, Any]]:
        """The pieces of evidence that agree with the expected verdict."""
        runs = [
            *([self.checked[claim.id][STATEMENT]] if STATEMENT in self.checked[claim.id] else []),
            *self.submitted[claim.id],
        ]
        return [piece for run in runs for piece in run.evidence if piece["outcome"] == claim.expected.name.lower()]

    def complete(self, claim: Claim) -> bool:
        """Whether the checker was seen on every variant of the claim."""
        return claim.variants().keys() <= self.checked[claim.id].keys()

    def controls(self, claim: Claim) -> tuple[int, int]:
        """How many controls and dropped hypotheses were refuted, and how many there are."""
        labels = [
            label
            for label, (_, expected) in claim.variants().items()
            if label != STATEMENT and expected is Outcome.REFUTED
        ]
        seen = self.checked[claim.id]
        return sum(label in seen and seen[label].outcome == "refuted" for label in labels), len(labels)

    def complaints(self) -> list[str]:
        """What keeps the claims that were run from being trusted; claims that were not run in full are left alone."""
        found = []
        for claim in self.claims.values():
            variants = claim.variants()
            for run in (*self.checked[claim.id].values(), *self.submitted[claim.id]):
                expected = variants[run.label][1].name.lower()
                if run.outcome != expected:
                    what = run.label if run.from_checker else "submitted evidence"
                    is_so = "holds" if run.outcome == "holds" else f"is {run.outcome}"
                    found.append(f"{claim.id}: {what} {is_so}, expected {expected}{run.reason(expected)}")
            if self.complete(claim):
                found += self._incomplete(claim)
        return found

    def _incomplete(self, claim: Claim) -> list[str]:
        found = []
        if len(claim.controls) < 2:
            found.append(f"{claim.id}: {counted(len(claim.controls), 'controls')}, at least two are needed")
        kinds = {piece["kind"] for piece in self.evidence(claim)}
        if len(kinds) < 2:
            found.append(f"{claim.id}: kinds of evidence {sorted(kinds)}, at least two are needed")
        if claim.expected is Outcome.REFUTED:
            seen = self.checked[claim.id][STATEMENT].witness
            if claim.near_miss is None:
                found.append(f"{claim.id}: refuted, so it needs a true near miss")
            if claim.counterexample is None or seen != str(claim.counterexample):
                found.append(f"{claim.id}: smallest counterexample declared {claim.counterexample}, found {seen}")
            if claim.repaired_by not in self.claims:
                found.append(f"{claim.id}: repaired by {claim.repaired_by!r}, which is no claim")
        return found

    def totals(self) -> Counter[str]:
        """Claims by kind of evidence."""
        return Counter(kind for claim in self.claims.values() for kind in {p["kind"] for p in self.evidence(claim)})

    def as_json(self) -> dict[str, Any]:
        """The ledger as versioned plain data."""
        return {
            "format": "headproof-ledger",
            "version": JSON_VERSION,
            "claims": [
                {
                    "id": claim.id,
                    "source": str(claim.source),
                    "expected": claim.expected.name.lower(),
                    "observed": self.observed(claim),
                    "complete": self.complete(claim),
                    "variants": {label: run.as_json() for label, run in self.checked[claim.id].items()},
                    "submitted": [run.as_json() for run in self.submitted[claim.id]],
                    "counterexample": None if claim.counterexample is None else str(claim.counterexample),
                    "repaired_by": claim.repaired_by or None,
                }
                for claim in self.claims.values()
            ],
            "totals": dict(self.totals()),
            "complaints": self.complaints(),
        }
