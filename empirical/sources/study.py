"""A whole study: trainings and measures one after the other in a folder where it goes on, and all results in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from empirical.checkpoint import write_json
from empirical.held import refuse_others
from empirical.intervals import LEVEL
from empirical.lock import alone
from empirical.sources import texts
from empirical.sources.works import EVERY, MEASURES, SPAN, STARTS, Measures, works
from empirical.sweep.in_turn import carry_out_in_turn
from empirical.sweep.run import Run

FORMAT = "headproof sources"
VERSION = 1
RESULTS = "sources.json"


def study(
    tier: str,
    seeds: Sequence[int],
    out: Path,
    body: str = "lstm",
    sources: Sequence[str] = (),
    held_out: Sequence[str] = (),
) -> tuple[dict[str, Any], list[Path]]:
    """Do what is not done yet, and return all results and the files they are in, figures included.

    A training that was killed begins anew; finished ones are not touched, also where what is measured has changed.
    Sources and texts held out are NAME=FILE, those of the tier if none are given; for others there are no bands.
    Raises InputError for texts that are missing, for a folder that is in use or holds results of another request, and
    for a training that fails.
    """
    from empirical.sources.bands import rows
    from empirical.sources.figures import draw

    learned, other = texts.sources(tier, sources), texts.held_out(tier, held_out)
    texts.refuse_shared(learned, other)
    request = {
        "format": FORMAT,
        "version": VERSION,
        "tier": tier,
        "body": body,
        "sources": [text.as_json() for text in learned],
        "held_out": [text.as_json() for text in other],
    }
    chosen = works(tier, seeds, body, learned, other)
    with alone(out):
        refuse_others(out / RESULTS, request)
        results = carried_out(chosen, out)
        found = [] if sources or held_out else rows(results)  # bands are of the tier's own texts
        data = {
            **request,
            "seeds": list(seeds),
            "intervals": f"Student's t over seeds, {LEVEL:.0%}",
            "measures": MEASURES,
            "every": EVERY,
            "parts": [[start + 1, start + SPAN] for start in STARTS],
            "bands": [each.as_json() for each in found],
            "met": sum(each.met for each in found),
            "models": {kind: described(chosen[kind], results[kind]) for kind in chosen},
        }
        write_json(out / RESULTS, data)
        return data, [out / RESULTS, *draw(data, out)]


def carried_out(chosen: Mapping[str, Sequence[Measures]], out: Path) -> dict[str, list[dict[str, Any]]]:
    """Train and measure what is not done yet: of every kind what was found, one dict a seed."""
    in_turn = [work for seed in zip(*chosen.values(), strict=True) for work in seed]  # whole seeds first
    carry_out_in_turn([Run(work.training, {}) for work in in_turn], out, "trainings")
    carry_out_in_turn([Run(work, {}) for work in in_turn], out, "measures")
    return {kind: [_found(work, out) for work in works] for kind, works in chosen.items()}


def _found(work: Measures, out: Path) -> dict[str, Any]:
    """What the training and the measures have found; all single losses stay in the training's own file."""
    trained, measured = (Run(each, {}).result(out) or {} for each in (work.training, work))
    return {name: value for name, value in trained.items() if name != "losses"} | measured


def described(works: Sequence[Measures], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One kind of model: its plan, without a seed, and what was found, one dict a seed."""
    plan = works[0].training.plan.as_json()
    return {
        "plan": {name: value for name, value in plan.items() if name != "seed"},
        "sizes": works[0].sizes.as_json(),
        "results": list(results),
    }
