"""Accuracy against length as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WIDTH = 80
SHOWN = 6  # lengths


def render(data: Mapping[str, Any]) -> str:
    """For each model the length at which accuracy halves, foreseen and measured, and accuracy at some lengths."""
    lengths = data["request"]["lengths"]
    step = max(1, (len(lengths) - 1) // (SHOWN - 1))
    places = [*list(range(0, len(lengths) - 1, step))[: SHOWN - 1], len(lengths) - 1]
    head = f"{'model':18} {'prefix':6} {'half of it at':>15}  accuracy (%) at length"
    lines = [head, f"{'':25} {'foreseen  found':>15} " + "".join(f"{lengths[place]:>7}" for place in places)]
    for model in data["models"]:
        for run in model["runs"]:
            longest = run["by_length"][-1]["length"]
            falls = [_length(value, longest) for value in (run["predicted"]["fall"], run["fall"])]
            shares = "".join(f"{100 * run['by_length'][place]['accuracy']:7.1f}" for place in places)
            lines.append(f"{model['name'][:18]:18} {run['prefixes']:6} {falls[0]:>8} {falls[1]:>6} {shares}")
    for some in data["over_seeds"]:
        shares = "".join(f"{100 * some['accuracy'][place]['mean']:7.1f}" for place in places)
        falls = [
            _length(None, lengths[-1]) if some[name] is None else f"{some[name]['mean']:.0f}"
            for name in ("foreseen", "found")
        ]
        lines.append(f"{some['models']} seeds, mean: {some['kind']}, {some['prefixes']} prefix")
        lines.append(f"{'':25} {falls[0]:>8} {falls[1]:>6} {shares}")
    lines += ["", "by hops, the length at which accuracy halves is foreseen at"]
    for model in data["models"]:
        for run in model["runs"]:
            longest = run["by_length"][-1]["length"]
            falls = [f"{hops}: {_length(n, longest)}" for hops, n in run["predicted"]["fall_by_hops"].items()]
            lines.append(f"{model['name'][:18]:18} {run['prefixes']:6} {', '.join(falls)}")
    return "\n".join(lines)


def _length(value: float | None, longest: int) -> str:
    return f">{longest}" if value is None else f"{value:.0f}"
