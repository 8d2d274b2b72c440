"""The runs of a study: each trains one decoder, measures it, and leaves a model and plain data in its folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from constructions.compact.decoder import CompactDecoder
from empirical.words.catalogue import letters
from empirical.words.copying import CopyPlan, accuracy, compare, learn_copying
from empirical.words.counted import Counted, flagged
from empirical.words.files import MODEL, save
from empirical.words.learning import learn
from empirical.words.margins import START, margins, measure
from empirical.words.plan import Plan
from empirical.words.precision import DTYPES, from_on, spacing

FRESH = 987_654  # the seed of prompts that no training has
PROMPTS = 200
BINS = 40


@dataclass(frozen=True)
class Pairs:
    """Words learned together, and margins at all lengths up to `longest`; with `family`, on other periods too."""

    plan: Plan
    longest: int
    family: int = 0

    @property
    def title(self) -> str:
        return _title(self.plan)

    def as_json(self) -> dict[str, Any]:
        return {"pairs": {"plan": self.plan.as_json(), "longest": self.longest, "family": self.family}}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        model, loss = learn(self.plan, lambda step: look())
        table = self.plan.model.max_length
        longest = self.longest if table is None else min(self.longest, table)
        digest = save(folder / MODEL, model, _card(self))
        found = measure(model, self.plan.words, self.plan.length, longest)
        told = found.told if found.told.any() else torch.ones_like(found.told)
        bins = edges(longest)
        result: dict[str, Any] = {
            "loss": loss,
            "weights_sha256": digest,
            "ranges": [asdict(part) for part in found.ranges],
            "learned_up_to": found.learned_up_to,
            "told_up_to": found.told_up_to,
            "oscillation": found.oscillation,
            "spread_of_zeros": found.spread,
            "bins": bins,
            "flip_gap": [None if gap is None else -gap for gap in binned(-found.flip_gap, bins)],
            "least_margin": binned(found.curves.masked_fill(~told, torch.inf).amin(0), bins),
        }
        if self.family:
            periods = [f"per{m}" for m in range(1, self.family + 1)]
            curves = margins(model, letters(periods, longest + 1))
            result["family_margins"] = [binned(curve, bins) for curve in curves]
        return result


@dataclass(frozen=True)
class Scaling:
    """0^w and a sparse word learned by one layer with flags, and margins by counting up to length 2^doublings."""

    plan: Plan
    doublings: int

    @property
    def title(self) -> str:
        return _title(self.plan)

    def as_json(self) -> dict[str, Any]:
        return {"scaling": {"plan": self.plan.as_json(), "doublings": self.doublings}}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        model, loss = learn(self.plan, lambda step: look())
        digest = save(folder / MODEL, model, _card(self))
        counted = Counted(self.plan, model)
        lengths = flagged(counted.beta, self.doublings)
        return {
            "loss": loss,
            "weights_sha256": digest,
            "exponents": [max(counted.exponents(n)) for n in (_near(lengths, self.plan.length), lengths[-1])],
            "oscillation": max(counted.oscillations(_near(lengths, self.plan.length))),
            "rounding": {name: rounded(self.plan, model, lengths, dtype) for name, dtype in DTYPES.items()},
            "flagged": [{**asdict(counted.at(n)), "length": str(n), "doublings": log2(n + 1)} for n in lengths],
        }


@dataclass(frozen=True)
class Copying:
    """A decoder that learned to copy, on constant prompts with the first, middle or last bit flipped."""

    plan: CopyPlan
    lengths: tuple[int, ...]

    @property
    def title(self) -> str:
        return f"copy-{self.plan.bits}-seed{self.plan.seed}"

    def as_json(self) -> dict[str, Any]:
        return {"copying": {"plan": self.plan.as_json(), "lengths": list(self.lengths)}}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        model, loss = learn_copying(self.plan, lambda step: look())
        digest = save(folder / MODEL, model, _card(self))
        tests = [1, self.plan.bits // 2, self.plan.bits]
        return {
            "loss": loss,
            "weights_sha256": digest,
            "accuracy": {str(bits): accuracy(model, bits, PROMPTS, FRESH) for bits in tests},
            "flipped": [
                asdict(compare(model, length, place))
                for length in self.lengths
                for place in dict.fromkeys((1, (length + 1) // 2, length))
            ],
        }


def rounded(plan: Plan, model: CompactDecoder, lengths: list[int], dtype: torch.dtype) -> dict[str, float | None]:
    """log2 of the lengths from which 0^w and the other word have gaps below half a spacing, and equal bits."""
    exact, rough = Counted(plan, model), Counted(plan, model, dtype)
    small, same = list[tuple[int, bool]](), list[tuple[int, bool]]()
    for n in lengths:
        (first, second), computed = exact.outputs(n), rough.outputs(n)
        spacings = (first - second).abs() / spacing(torch.maximum(first, second), dtype)
        small.append((n, bool(spacings.max() < 0.5)))
        same.append((n, bool(torch.equal(computed[0], computed[1]))))
    starts = {"predicted": from_on(small), "measured": from_on(same)}
    return {name: None if start is None else log2(start + 1) for name, start in starts.items()}


def edges(longest: int) -> list[int]:
    """Lengths from START on that begin a bin, and the end of the last: about even in the logarithm."""
    steps = torch.logspace(0, 1, BINS + 1, base=(longest + 1) / START, dtype=torch.float64)
    return sorted({int(x) for x in (START * steps).round()})


def binned(values: Tensor, bins: list[int]) -> list[float | None]:
    """The least value (n,) of each bin; None where there is none, or none but infinity."""
    least = [float(values[low - 1 : high - 1].min()) for low, high in pairwise(bins)]
    return [None if value == float("inf") else value for value in least]


def _title(plan: Plan) -> str:
    entry = plan.entry.replace(", ", "-").replace("..", "-to-").replace("+", "")
    return f"{entry}-{plan.encoding.replace(', ', '-').replace(' ', '')}-seed{plan.seed}"


def _card(work: Pairs | Scaling | Copying) -> dict[str, Any]:
    part = {Pairs: "pairs", Scaling: "scaling", Copying: "copy"}[type(work)]
    command = f"python -m empirical words --parts {part} --seed {work.plan.seed} --seeds 1, run {work.title}"
    return {"command": command, **work.as_json(), "torch": torch.__version__}


def _near(lengths: list[int], n: int) -> int:
    return max((length for length in lengths if length <= n), default=lengths[0])
