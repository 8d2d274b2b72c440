"""The runs of a study: trainings, which leave models, and measures of these models, which can be done anew alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from empirical import checkpoint
from empirical.sources import adaptation, inference, training
from empirical.sources.networks import SourceModel, build
from empirical.sources.plan import KINDS, TIERS, Plan, Sizes, plans
from empirical.sources.texts import Text
from empirical.sweep.run import Run
from empirical.sweep.trained import restored

MODEL = "model.json"
MEASURES = 1  # raised with every change of what is measured: measures of another version are done anew
EVERY = 10  # steps of a training that a point of its curve is the mean of
STARTS, SPAN = (0, 100, 200, 400, 800), 50  # steps at which means over so many steps begin
FOREIGN = "pycode"  # the source whose z is tried on texts held out; the last one if there is none of that name


@dataclass(frozen=True)
class Training:
    """One model."""

    kind: str
    plan: Plan
    sources: Sequence[Text]

    @property
    def title(self) -> str:
        return f"{self.plan.body}-{self.kind}-{self.plan.seed}"

    def as_json(self) -> dict[str, Any]:
        return {"training": self.plan.as_json(), "sources": [text.as_json() for text in self.sources]}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        model, losses = training.train(self.plan, self.sources, look)
        return {
            "weights_sha256": checkpoint.save(folder / MODEL, model.state_dict(), self.as_json()),
            "parameters": sum(weight.numel() for weight in model.parameters()),
            "losses": losses,
            "curve": means(losses, range(0, len(losses), EVERY), EVERY),
            "parts": means(losses, [start for start in STARTS if start + SPAN <= len(losses)], SPAN),
            "last": means(losses, [max(len(losses) - SPAN, 0)], SPAN)[0],
        }

    def model(self, runs: Path) -> SourceModel:
        """The trained model, frozen, from the folder of all runs. Raises InputError for files that are not its own."""
        return restored(runs / Run(self, {}).name / MODEL, build(self.plan), self.as_json())


@dataclass(frozen=True)
class Measures:
    """All that is measured on one model."""

    training: Training
    held_out: Sequence[Text]
    sizes: Sizes

    @property
    def title(self) -> str:
        return f"measures-{self.training.title}"

    def as_json(self) -> dict[str, Any]:
        return {
            "measures": MEASURES,
            "of": self.training.as_json(),
            "held_out": [text.as_json() for text in self.held_out],
            "sizes": self.sizes.as_json(),
        }

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        model, plan, sources = self.training.model(folder.parent), self.training.plan, self.training.sources
        if plan.mode == "none":
            found = inference.without_z(model, plan, sources, self.sizes)
            look()
            return found | adaptation.moved(model, plan, self.held_out, self.sizes)
        found = inference.inferred(model, plan, sources, self.sizes)
        look()
        foreign = next((text for text in sources if text.name == FOREIGN), sources[-1])
        return found | adaptation.adapted(model, plan, self.held_out, foreign, self.sizes)


def means(values: Sequence[float], starts: Sequence[int], span: int) -> list[float]:
    """Means over so many values from every start on, of fewer where they end."""
    parts = [values[start : start + span] for start in starts]
    return [sum(part) / len(part) for part in parts]


def works(
    tier: str, seeds: Sequence[int], body: str, sources: Sequence[Text], held_out: Sequence[Text]
) -> dict[str, list[Measures]]:
    """The models of a tier by kind, one a seed, and what is measured on them."""
    by_seed = [plans(tier, len(sources), seed, body) for seed in seeds]
    return {
        kind: [Measures(Training(kind, each[kind], sources), held_out, TIERS[tier].sizes) for each in by_seed]
        for kind in KINDS
    }
