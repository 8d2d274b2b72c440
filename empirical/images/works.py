"""The runs of a study: trainings, and what is measured on them, which can be measured anew without training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from empirical import checkpoint
from empirical.images import costs, measures, training
from empirical.images.networks import Autoencoder, Classifier
from empirical.images.plan import Plan
from empirical.images.sets import Sets
from empirical.sweep.run import Run
from empirical.sweep.trained import restored

MODEL = "model.json"
MEASURES = 3  # raised with every change of what is measured
COSTS = 3  # the same of costs


@dataclass(frozen=True)
class Training:
    """One network, left as a checkpoint beside how it went."""

    plan: Plan
    sets: Sets

    @property
    def title(self) -> str:
        return self.plan.title

    def as_json(self) -> dict[str, Any]:
        return {"data": self.sets.name, "images": self.sets.train.digest, "plan": self.plan.as_json()}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        found = training.train(self.plan, self.sets.train, look)
        return {
            "weights_sha256": checkpoint.save(folder / MODEL, found.network.state_dict(), {"network": self.as_json()}),
            "losses": found.losses,
            "cpu_seconds": found.cpu_seconds,
        }

    def network(self, runs: Path) -> Autoencoder | Classifier:
        """The trained network, frozen, from the folder of all runs. Raises InputError if its files are not its own."""
        described = {"network": self.as_json()}
        return restored(runs / Run(self, {}).name / MODEL, self.plan.network(self.sets.train), described)

    def autoencoder(self, runs: Path) -> Autoencoder:
        found = self.network(runs)
        assert isinstance(found, Autoencoder)
        return found


@dataclass(frozen=True)
class Measuring:
    """All that is measured on one autoencoder.

    Args:
        of: its training.
        classifiers: trainings of those beside it; the first has its seed.
        others: whether it is asked about images of no class.
    """

    of: Training
    classifiers: Sequence[Training]
    others: bool

    @property
    def title(self) -> str:
        return f"measures-{self.of.title}"

    def as_json(self) -> dict[str, Any]:
        sets = self.of.sets.as_json()["images"]
        return {
            "measures": MEASURES,
            "of": self.of.as_json(),
            "classifiers": [each.as_json() for each in self.classifiers],
            "images": {name: each for name, each in sets.items() if self.others or name in ("train", "test")},
        }

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        runs, sets = folder.parent, self.of.sets
        classifiers = []
        for each in self.classifiers:
            network = each.network(runs)
            assert isinstance(network, Classifier)
            classifiers.append(network)
        outside = sets.outside if self.others else {}
        return measures.measure(self.of.autoencoder(runs), classifiers, sets.train, sets.test, outside, look)


@dataclass(frozen=True)
class Costing:
    """What inference by decoders of a size costs, counted and timed.

    Args:
        pixels, width, hidden: their sizes.
        repeats: of every timing.
    """

    pixels: int
    width: int
    hidden: int
    repeats: int

    @property
    def title(self) -> str:
        return "costs"

    def as_json(self) -> dict[str, Any]:
        return {"costs": COSTS, **asdict(self)}

    def carry_out(self, folder: Path, look: Callable[[], object]) -> dict[str, Any]:
        sizes = (self.pixels, self.width, self.hidden)
        return {"counts": costs.counts(*sizes), "times": costs.times(*sizes, self.repeats, look)}
