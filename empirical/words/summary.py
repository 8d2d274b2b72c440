"""What the seeds of a study say together, entry by entry, beside what the theory predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from math import log
from typing import Any

import numpy as np

from empirical.intervals import over_seeds
from empirical.words.catalogue import word as named
from empirical.words.prediction import kappa, predict
from theory.arithmetic.ball import exp
from theory.compact.copy_task.perplexity_numbers import copy_perplexity_bound
from theory.compact.evasions.models import growing_content
from theory.compact.isolation.detector import BoundedDetector, errors
from theory.compact.words import Infinite

Row = dict[str, Any]
Found = Mapping[str, Any]


def summary(runs: Sequence[Found]) -> dict[str, list[Row]]:
    """Rows of each part."""
    return {
        "pairs": _rows(runs, "pairs", lambda run: (run["plan"]["entry"], _encoding(run["plan"])), _pairs),
        "scaling": _rows(runs, "scaling", lambda run: (run["plan"]["words"][1], _setting(run["plan"])), _scaling),
        "copy": _copying([run["result"] for run in runs if "copying" in run]),
        "precision": _rounding([run["result"] for run in runs if "rounding" in run]),
    }


def _rows(
    runs: Iterable[Found],
    part: str,
    key: Callable[[Found], tuple[str, str]],
    row: Callable[[tuple[str, str], Sequence[Found]], Row],
) -> list[Row]:
    """A row for each group of runs that differ in their seed alone."""
    groups: dict[tuple[str, str], list[Found]] = {}
    for run in runs:
        if part in run:
            groups.setdefault(key(run[part]), []).append({**run[part], **run["result"]})
    return [row(name, group) for name, group in groups.items()]


def _encoding(plan: Found) -> str:
    return "flags" if plan["flags"] else str(plan["model"]["encoding"])


def _setting(plan: Found) -> str:
    cap, factor = plan["model"]["softcap"], plan["model"]["log_scaling"]
    return f"log {factor:g}, cap {cap:g}" if factor is not None else "no cap" if cap is None else f"cap {cap:g}"


def _pairs(name: tuple[str, str], group: Sequence[Found]) -> Row:
    """Which lengths the words are told apart at, and the least margin of each range of lengths."""
    entry, encoding = name
    plan = group[0]["plan"]
    largest = [max(head for layer in run["oscillation"] for head in layer) for run in group]
    return {
        "entry": entry,
        "encoding": encoding,
        "prediction": asdict(predict(plan["words"], encoding)),
        "learned_up_to": [run["learned_up_to"] for run in group],
        "told_up_to": [run["told_up_to"] for run in group],
        "ranges": [
            {
                "first": parts[0]["first"],
                "last": parts[0]["last"],
                "margin": asdict(over_seeds([part["all"] for part in parts])),
                "informative": _some([part["informative"] for part in parts]),
            }
            for parts in zip(*(run["ranges"] for run in group), strict=True)
        ],
        "oscillation": asdict(over_seeds(largest)),
        "ln_length": log(plan["length"]),
        "spread_of_zeros": max(run["spread_of_zeros"] for run in group),
    }


def _some(values: Sequence[float | None]) -> Row | None:
    numbers = [value for value in values if value is not None]
    return asdict(over_seeds(numbers)) if len(numbers) == len(values) else None


def _scaling(name: tuple[str, str], group: Sequence[Found]) -> Row:
    """The exponent c that was trained, what it predicts, and the first length at which one of the words is lost."""
    word, setting = name
    factor = group[0]["plan"]["model"]["log_scaling"]
    exponents = [run["exponents"][-1] if factor is not None else 0.0 for run in group]
    ranges = [run["oscillation"] for run in group]
    beta = named(word)
    row: Row = {
        "word": word,
        "setting": setting,
        "kappa": str(kappa(word)),
        "exponent": asdict(over_seeds(exponents)),
        "predictions": [predict(("0", word), "flags", c).verdict for c in exponents],
        "oscillation": asdict(over_seeds(ranges)),
        "first_loss": [next((at["length"] for at in run["flagged"] if _least(at) <= 0), None) for run in group],
        "last_margin": asdict(over_seeds([_least(run["flagged"][-1]) for run in group])),
        "last_length": group[0]["flagged"][-1]["length"],
        "slope": _some([_slope(run, beta) for run in group]),
        "rounding": {name: [run["rounding"][name] for run in group] for name in group[0]["rounding"]},
    }
    lengths = [int(at["length"]) for at in group[0]["flagged"]]
    # The detector of the theory, at the largest exponent that the cap allows, or at the range that was trained.
    if factor is not None:
        allowed = Fraction(factor) * Fraction(2 * group[0]["plan"]["model"]["softcap"])
        feature = growing_content(allowed).feature
    else:
        feature = BoundedDetector(exp(Fraction(round(10 * row["oscillation"]["mean"]), 10)))
    row["detector_first_loss"] = _text(next(errors(feature, beta, lengths, beta), None))
    return row


def _slope(run: Found, beta: Infinite) -> float | None:
    """Of ln(gap/K(n)) against ln n, by least squares where the gap is small but no rounding; theory has c - 1."""
    points = [
        (log(int(at["length"])), log(at["gap"] / beta.nonzero(int(at["length"]))))
        for at in run["flagged"]
        if 1e-11 < at["gap"] < 1e-3 and int(at["length"]) > run["plan"]["length"]
    ]
    if len(points) < 3:
        return None
    x, y = np.array(points).T
    return float(np.polyfit(x, y, 1)[0])


def _least(at: Found) -> float:
    return min(float(at["zeros"]), float(at["ones"]))


def _text(length: int | None) -> str | None:
    return None if length is None else str(length)


def _copying(results: Sequence[Found]) -> list[Row]:
    """Gaps and perplexities by length and place of the flipped bit, and whether the repaired bound holds."""
    rows = []
    for same in zip(*(result["flipped"] for result in results), strict=True):
        numbers = ("gap", "zeta", "least_right", "flipped_bit", "alpha", "beta")
        bad = [at["length"] * at["beta"] for at in same]
        rows.append(
            {
                "length": same[0]["length"],
                "flipped": same[0]["flipped"],
                **{name: asdict(over_seeds([at[name] for at in same])) for name in numbers},
                "bad_term": asdict(over_seeds(bad)),
                "copied": [at["beta_copied"] for at in same],
                "answered_alpha": [at["answered_alpha"] for at in same],
                "bound": [_bound(at) for at in same],
                "difference": [abs(at["alpha"] - at["beta"]) for at in same],
            }
        )
    return rows


def _bound(at: Found) -> float | None:
    """The largest difference of the log-perplexities by the claim; None where its hypotheses do not hold."""
    margin, close = Fraction(at["least_right"]) - Fraction(1, 2), Fraction(at["gap"])
    if not 0 < margin < Fraction(1, 2) or close > margin:
        return None
    return float(copy_perplexity_bound(at["length"], margin, close, Fraction(at["least"])).value)


def _rounding(results: Sequence[Found]) -> list[Row]:
    """Lengths of collapse as predicted and measured, one of each seed; and how often a small gap was, or was none."""
    if not results:
        return []
    rows = []
    for name in results[0]:
        found = [at for result in results for at in result[name]["lengths"]]
        starts = [key for key in results[0][name] if key != "lengths"]
        rows.append(
            {
                "dtype": name,
                **{key: [result[name][key] for result in results] for key in starts},
                "noise": max(at["noise"] for at in found),
                "small_and_different": sum(at["top_spacings"] < 0.5 and not at["top_same"] for at in found),
                "far_and_same": sum(at["top_spacings"] >= 0.5 and at["top_same"] for at in found),
                "beyond_bound": sum(at["computed"] > at["gap"] + 2 * at["error"] for at in found),
                "lengths": len(found),
            }
        )
    return rows
