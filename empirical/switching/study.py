"""A whole study: its trainings one after the other in a folder where it goes on, and all results in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from empirical.checkpoint import write_json
from empirical.held import refuse_others
from empirical.intervals import LEVEL
from empirical.lock import alone
from empirical.sweep.in_turn import carry_out_in_turn
from empirical.sweep.run import Run
from empirical.switching.bands import rows, theory
from empirical.switching.works import EVERY, Training, works

FORMAT = "headproof switching"
VERSION = 2
RESULTS = "switching.json"


def study(tier: str, seeds: Sequence[int], units: int, out: Path) -> tuple[dict[str, Any], list[Path]]:
    """Do what is not done yet, and return all results and the files they are in, figures included.

    A training that was killed begins anew with its measures; finished ones are not touched. Raises InputError for a
    folder that is in use or holds the results of another study, and for a training that fails.
    """
    from empirical.switching.figures import draw

    chosen = works(tier, seeds, units)
    runs = {name: Run(work, {}) for name, work in chosen.items()}
    asked = {"format": FORMAT, "version": VERSION, "tier": tier, "seeds": list(seeds), "units": units}
    with alone(out):
        refuse_others(out / RESULTS, asked)
        carry_out_in_turn(list(runs.values()), out, "trainings")
        results = {name: run.result(out) or {} for name, run in runs.items()}
        data = gathered(asked, chosen, results)
        write_json(out / RESULTS, data)
        return data, [out / RESULTS, *draw(data, out)]


def gathered(
    asked: Mapping[str, Any], chosen: Mapping[str, Training], results: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    """What all trainings have found, and every band with whether it is met."""
    gbi = chosen["gbi"]
    found = rows(results)
    return {
        **asked,
        "intervals": f"Student's t over seeds, {LEVEL:.0%}; of medians the least and largest value",
        "every": EVERY,
        "bands": [each.as_json() for each in found],
        "met": sum(each.met for each in found),
        "theory": {"means": list(gbi.sizes.means), "error": [theory(mean) for mean in gbi.sizes.means]},
        "trainings": {name: {**work.as_json(), "result": results[name]} for name, work in chosen.items()},
    }
