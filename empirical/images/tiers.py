"""What a study trains and measures, by its images and its tier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from empirical.images.plan import Plan
from empirical.images.sets import Sets
from empirical.images.works import Costing, Measuring, Training


@dataclass(frozen=True)
class Tier:
    """Sizes of a study.

    Args:
        seeds: how many, if nothing else is asked for.
        hidden: units of a layer.
        epochs, classifier_epochs, batch: of trainings.
        ensemble: classifiers in it.
        widths: of the concat decoders of the sweep, trained with `sweep_seeds` seeds.
        control: whether there are decoders of permuted labels.
        most: images of a set; None for all.
        repeats: of timings.
    """

    seeds: int
    hidden: int
    epochs: int
    classifier_epochs: int
    batch: int
    ensemble: int
    widths: tuple[int, ...]
    sweep_seeds: int
    control: bool
    most: int | None
    repeats: int


TIERS = {
    ("digits", "full"): Tier(5, 128, 40, 30, 64, 5, (4, 8, 32, 64), 3, True, None, 15),
    ("digits", "quick"): Tier(2, 128, 20, 15, 64, 2, (4, 32), 1, True, None, 3),
    ("fashion", "full"): Tier(3, 256, 8, 5, 128, 5, (), 0, False, None, 15),
    ("fashion", "quick"): Tier(2, 128, 3, 3, 64, 2, (), 0, False, 1000, 3),
}
MODES = {"concat": 4, "gated": 8, "free": 0}  # decoders and the widths of their codes


@dataclass(frozen=True)
class Works:
    """All runs of a study."""

    classifiers: list[Training]
    autoencoders: list[Training]
    measured: list[Measuring]
    costs: Costing

    def __iter__(self) -> Iterator[Training | Measuring | Costing]:
        yield from self.classifiers
        yield from self.autoencoders
        yield from self.measured
        yield self.costs


def works(tier: Tier, sets: Sets, seeds: Sequence[int]) -> Works:
    """The runs: what is trained, in order, and after that what is measured."""
    first = seeds[0]

    def classifier(seed: int) -> Training:
        return Training(Plan("classifier", seed, 0, tier.hidden, tier.classifier_epochs, tier.batch), sets)

    def autoencoder(mode: str, width: int, seed: int, permuted: bool = False) -> Training:
        return Training(Plan(mode, seed, width, tier.hidden, tier.epochs, tier.batch, permuted=permuted), sets)

    members = [classifier(seed) for seed in range(first, first + max(tier.ensemble, len(seeds)))]
    main = [autoencoder(mode, width, seed) for mode, width in MODES.items() for seed in seeds]
    further = [autoencoder("concat", width, seed) for width in tier.widths for seed in seeds[: tier.sweep_seeds]]
    further += [autoencoder("concat", MODES["concat"], seed, True) for seed in seeds if tier.control]
    rest = [each for each in further if each not in main]
    measured = []
    for each in main + rest:
        own = members[each.plan.seed - first]
        beside = [own, *(other for other in members if other is not own)][: tier.ensemble]
        measured.append(Measuring(each, beside, each in main))
    costs = Costing(sets.train.pixels.shape[1], MODES["gated"], tier.hidden, tier.repeats)
    return Works(members, main + rest, measured, costs)
