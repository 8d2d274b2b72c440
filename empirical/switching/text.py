"""A study as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from empirical.bands import listed
from empirical.intervals import over_seeds
from empirical.switching.measures import THRESHOLDS
from empirical.switching.stream import LOW

Found = Mapping[str, Any]
NAMES = {"lstm": "LSTM", "gbi": "GBI-LSTM", "shuffled": "shuffled labels"}
UNAIDED = {"label-free": "one step", "iterative": "iterative", "wide": "one step, 4 entries", "strange": "control"}
FOLLOWED = ("right", "auroc", "information", "brier", "confidence", "delay")


def render(data: Found) -> str:
    """What was measured, then every band."""
    found = {name: data["trainings"][name]["result"] for name in (*NAMES, "hull")}
    lines = [f"means over {len(data['seeds'])} seeds", "", "error of the newest target, by eighths of the stream"]
    for kind, name in NAMES.items():
        lines.append(f"  {name}: {_means(found[kind]['eighths'])}")
    lines += ["", "first step with a mean below .125 over the next 100, each seed"]
    for kind, name in NAMES.items():
        steps = ("never" if step is None else str(step) for step in found[kind]["first_below"])
        lines.append(f"  {name}: {', '.join(steps)}")
    lines += ["", "expected error, task 1 and 2; then on task 2 as task 1 goes on; shared units by threshold"]
    for kind in ("lstm", "gbi"):
        each = found[kind]
        lines.append(f"  {NAMES[kind]}: {_means(each['expected_error'])}")
        for name, curve in each["forgetting"].items():
            points = zip(each["forgetting_steps"], curve, strict=True)
            pairs = (f"{step}: {over_seeds(at).mean:.3f}" for step, at in points)
            lines.append(f"    {'z ' + name if kind == 'gbi' else 'no z'}, after {', '.join(pairs)}")
        shared = zip(THRESHOLDS, each["shared_units"], strict=True)
        lines.append(f"    shared units {', '.join(f'at {at:g}: {over_seeds(values)}' for at, values in shared)}")
    lines += ["", "realised error on a fresh stream"]
    online = {**found["gbi"]["online"], "LSTM": found["lstm"]["online"]["lstm"]}
    lines += [f"  {name}: {over_seeds(errors)}" for name, errors in online.items()]
    lines += ["", "new means: LSTM, one step, iterative, theory"]
    new, plain = found["gbi"]["new_means"], found["lstm"]["new_means"]
    for number, mean in enumerate(new["means"]):
        errors = (plain["none"][number], new["one-step"][number], new["iterative"][number])
        lines.append(
            f"  {mean:4.1f}: {' '.join(f'{over_seeds(each).mean:.4f}' for each in errors)} "
            f"{data['theory']['error'][number]:.4f}"
        )
    lines += ["", "three tasks, windows of the middle one: shares given to each"]
    for rule, seeds in found["hull"]["hull"].items():
        lines.append(f"  {rule}: {_means(list(zip(*(seed[1] for seed in seeds), strict=True)))}")
    return "\n".join(
        [*lines, "", *_unaided(data["trainings"]), "", *listed(data["bands"], quick=data["tier"] == "quick")]
    )


def _unaided(trainings: Found) -> list[str]:
    """What became of the networks that were told no task, which has no band."""
    lines = ["told no task, no bands: errors by eighths, z inferred before the target; right z by eighths"]
    for kind, name in UNAIDED.items():
        found = trainings[kind]["result"]
        lines += [f"  {name}: {_means(found['eighths'])}", f"    {_means(found['right_eighths'])}"]
    lines += ["", "expected error, task 1 and 2; on a fresh stream; on task 2 as task 1 goes on; predictions at e_k"]
    for kind, name in UNAIDED.items():
        found = trainings[kind]["result"]
        fresh = ", ".join(f"{way} {over_seeds(errors)}" for way, errors in found["online"].items())
        lines += [f"  {name}: {_means(found['expected_error'])}; {fresh}"]
        lines += [f"    {_means(found['forgetting']['inferred'])}; {_means(_ordered(found['vertices']))}"]
    heading = "a fresh stream: right z, AUROC, information in bits, Brier, confidence"
    lines += ["", f"{heading}, wrong of {LOW} after a switch"]
    for kind, name in {"gbi": "told", **UNAIDED}.items():
        for way, found in trainings[kind]["result"]["tracking"].items():
            numbers = ", ".join(str(over_seeds(found[measure])) for measure in FOLLOWED)
            lines.append(f"  {name}, {way}: {numbers}")
    return lines


def _ordered(rows: Sequence[Sequence[float]]) -> list[tuple[float, ...]]:
    """Entries x seeds, those of each seed in rising order."""
    return list(zip(*(sorted(seed) for seed in zip(*rows, strict=True)), strict=True))


def _means(rows: Any) -> str:
    return " ".join(f"{over_seeds(values).mean:.3f}" for values in rows)
