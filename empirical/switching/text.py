"""A study as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from empirical.bands import listed
from empirical.intervals import over_seeds
from empirical.switching.measures import THRESHOLDS

Found = Mapping[str, Any]
NAMES = {"lstm": "LSTM", "gbi": "GBI-LSTM", "shuffled": "shuffled labels"}


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
    return "\n".join([*lines, "", *listed(data["bands"])])


def _means(rows: Any) -> str:
    return " ".join(f"{over_seeds(values).mean:.3f}" for values in rows)
