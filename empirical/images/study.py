"""A whole study: its runs one after the other in a folder where it goes on, and all results in one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from empirical.checkpoint import write_json
from empirical.held import refuse_others
from empirical.images.bands import rows
from empirical.images.sets import Sets, sets
from empirical.images.tiers import TIERS, Works, works
from empirical.images.works import Measuring, Training
from empirical.intervals import LEVEL
from empirical.lock import alone
from empirical.sweep.in_turn import carry_out_in_turn
from empirical.sweep.run import Run

FORMAT = "headproof images"
VERSION = 1
RESULTS = "images.json"


def study(
    data: str, tier: str, seeds: Sequence[int], out: Path, folder: Path | None = None
) -> tuple[dict[str, Any], list[Path]]:
    """Do what is not done yet, and return all results and the files they are in, figures included.

    A run that was killed begins anew; finished ones are not touched. Raises InputError for images that are missing or
    hostile, a folder that is in use or holds another study, and a run that fails.

    Args:
        data: "digits" or "fashion".
        tier: "quick" or "full".
        seeds: consecutive.
        out: the folder.
        folder: of Fashion-MNIST.
    """
    from empirical.images.figures import draw

    sizes = TIERS[data, tier]
    asked = {"format": FORMAT, "version": VERSION, "data": data, "tier": tier}
    with alone(out):
        refuse_others(out / RESULTS, asked)
        images = sets(data, folder, sizes.most)
        chosen = works(sizes, images, seeds)
        carry_out_in_turn([Run(work, {}) for work in chosen], out, "runs")
        found = {**asked, **gathered(chosen, images, seeds, out)}
        write_json(out / RESULTS, found)
        return found, [out / RESULTS, *draw(found, out)]


def gathered(chosen: Works, images: Sets, seeds: Sequence[int], out: Path) -> dict[str, Any]:
    """What all runs have found, and every band with whether it is met.

    "models" has an entry for every autoencoder: its plan, its "training" and what `measure` found, its "measures";
    "classifiers" plans and trainings; "costs" has "counts" and "times".
    """

    def trained(work: Training) -> dict[str, Any]:
        return {**work.plan.as_json(), "training": Run(work, {}).result(out)}

    def measured(work: Measuring) -> dict[str, Any]:
        return {**trained(work.of), "measures": Run(work, {}).result(out)}

    found: dict[str, Any] = {
        "seeds": list(seeds),
        "intervals": f"Student's t over seeds, {LEVEL:.0%}",
        "sets": images.as_json(),
        "models": [measured(work) for work in chosen.measured],
        "classifiers": [trained(work) for work in chosen.classifiers],
        "costs": Run(chosen.costs, {}).result(out),
    }
    seconds = [each["training"]["cpu_seconds"] for each in (*found["models"], *found["classifiers"])]
    bands = rows(found, images.name)
    return {
        "training_cpu_seconds": sum(seconds),
        "bands": [each.as_json() for each in bands],
        "met": sum(each.met for each in bands),
        **found,
    }
