"""Everything that one run of the demo found, as one verdict and as versioned JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from constructions.demo.certified import Certified
from constructions.demo.compact import Compact
from constructions.demo.counterexamples import BoundBroken, WrongOutput
from constructions.demo.inferred import Inferred
from constructions.demo.model_table import Row
from constructions.demo.request import COMPACT, INFERENCE
from constructions.demo.showcase import Gap, Showcase, View
from theory.printing import as_json
from theory.quantities import Enclosure

JSON_VERSION = 1


@dataclass
class Report:
    """What was shown, by task; it grows while the demo runs."""

    seed: int
    showcases: dict[str, Showcase] = field(default_factory=dict)
    counterexamples: dict[str, BoundBroken | WrongOutput] = field(default_factory=dict)
    compact: Compact | None = None
    inference: Inferred | None = None
    rows: Sequence[Row] = ()
    figures: Sequence[Path] = ()

    @property
    def faults(self) -> list[str]:
        """The tasks and claims where something is not as proved."""
        found: dict[str, Any] = {**self.showcases, **self.counterexamples}
        if self.compact is not None:
            found[COMPACT] = self.compact
        if self.inference is not None:
            found[INFERENCE] = self.inference
        return [name for name, shown in found.items() if not shown.right]

    def as_json(self) -> dict[str, Any]:
        """Plain data; decimal bounds are strings, rounded outward."""
        return {
            "format": "headproof-demo",
            "version": JSON_VERSION,
            "seed": self.seed,
            "passed": not self.faults,
            "constructions": {task: _showcase(showcase) for task, showcase in self.showcases.items()},
            "counterexamples": {claim: _counterexample(found) for claim, found in self.counterexamples.items()},
            "compact": None if self.compact is None else _compact(self.compact),
            "inference": None if self.inference is None else _inference(self.inference),
            "models": [row.as_json() for row in self.rows],
            "figures": [str(path) for path in self.figures],
        }


def _showcase(showcase: Showcase) -> dict[str, Any]:
    return {
        "tokens": showcase.views[0].tokens,
        "layers": [_view(view) for view in showcase.views],
        "held": showcase.held,
        "output": showcase.output,
        "expected": showcase.expected,
        "random inputs": showcase.trials,
        "wrong": showcase.wrong,
        "inverse temperature": showcase.beta,
        "angle": str(showcase.angle),
        "guaranteed length": showcase.guaranteed_length,
        "dtype": showcase.dtype,
        "passed": showcase.right,
    }


def _view(view: View) -> dict[str, Any]:
    return {
        "tokens": view.tokens,
        "attention of the last query": view.last,
        "attention on the target": view.on_target,
        "gap": None if view.gap is None else _gap(view.gap),
        "passed": view.right,
    }


def _gap(gap: Gap) -> dict[str, Any]:
    return {
        "observed": float(gap.observed),
        "rounding allowance": float(gap.allowance),
        "on this input": None if gap.exact is None else as_json(Enclosure(gap.exact)),
        "on every input at least": as_json(Enclosure(gap.least)),
        "outcome": gap.outcome.value,
    }


def _compact(found: Compact) -> dict[str, Any]:
    together = found.together
    return {
        "learned together": {
            "words": [str(word) for word in together.words],
            "letters": [together.start, together.end],
            "margins": [_certified(margin) for margin in together.margins],
            "per cent changed": {str(percent): _certified(margin) for percent, margin in together.changed.items()},
            "passed": together.right,
        },
        "detectors on the powers of two": {
            rival.name: {
                "margins": {str(n): _certified(margin) for n, margin in rival.margins.items()},
                "wrong after": rival.errors,
                "predicted": rival.predicted,
                "least margin on 0^w": rival.zeros,
                "claim": rival.claim,
                "passed": rival.right,
            }
            for rival in found.rivals
        },
        "passed": found.right,
    }


def _inference(found: Inferred) -> dict[str, Any]:
    return {
        "models": {
            each.name: {
                "diagnosis": each.verdict,
                "step": [_certified(share) for share in each.step],
                "corrected": [_certified(share) for share in each.corrected],
                "posterior": [_certified(share) for share in each.posterior],
                "claim": each.claim,
                "passed": each.right,
            }
            for each in found.shares
        },
        "task between the others": {
            "chosen": found.hull.chosen,
            "likeliest": found.hull.likeliest,
            "claim": found.hull.claim,
            "passed": found.hull.right,
        },
        "pool": {"posterior": [_certified(share) for share in found.pooled], "claim": found.pool_claim},
        "tanh net": {
            "total variation": _certified(found.curved.variation),
            "bound": _certified(found.curved.bound),
            "claim": found.curved.claim,
            "passed": found.curved.right,
        },
        "filter": {
            "difference": found.filtered.difference,
            "rounding allowance": found.filtered.allowance,
            "claim": found.filtered.claim,
            "passed": found.filtered.right,
        },
        "passed": found.right,
    }


def _certified(number: Certified) -> dict[str, Any]:
    return {
        "observed": number.observed,
        "rounding allowance": float(number.allowance),
        "certified": as_json(Enclosure(number.exact)),
        "passed": number.right,
    }


def _counterexample(found: BoundBroken | WrongOutput) -> dict[str, Any]:
    shown: dict[str, Any] = {"printed": found.printed, "tokens": found.tokens, "passed": found.right}
    if isinstance(found, BoundBroken):
        return shown | {
            "case": found.case,
            "gap": _gap(found.gap),
            "printed bound": as_json(Enclosure(found.bound)),
        }
    return shown | {"expected": found.expected, "output": found.output, "repaired": found.repaired}
