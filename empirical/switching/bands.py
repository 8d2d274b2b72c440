"""Where every number has to lie, and whether it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from statistics import median
from typing import Any

from empirical.bands import Row, minus, row
from empirical.switching.measures import OTHER_SIGMA
from empirical.switching.plan import MEANS, WINDOW
from theory.inference.generalisation.recomposition import clipped_error

Found = Mapping[str, Any]


def rows(results: Mapping[str, Found]) -> list[Row]:
    """All bands whose numbers a study has: of two trainings and the control, and of three tasks."""
    lstm, gbi, shuffled = (results[name] for name in ("lstm", "gbi", "shuffled"))
    return [
        *_learning(lstm, gbi, shuffled),
        *_afterwards(lstm, gbi),
        *_agreement(gbi),
        *_online(lstm["online"], gbi),
        *_new_means(lstm["new_means"], gbi["new_means"]),
        *_hull(results["hull"]["hull"]),
    ]


def _learning(lstm: Found, gbi: Found, shuffled: Found) -> Iterator[Row]:
    for number, (ours, plain) in enumerate(zip(gbi["eighths"], lstm["eighths"], strict=True), 1):
        if number > 1:
            yield row(f"error of eighth {number}: GBI - LSTM", minus(ours, plain), most=0)
    yield row("error of eighth 2: GBI", gbi["eighths"][1], most=0.125)
    yield earlier(lstm["first_below"], gbi["first_below"], lstm["steps"])
    for number, (control, plain) in enumerate(zip(shuffled["eighths"], lstm["eighths"], strict=True), 1):
        yield row(f"error of eighth {number}: shuffled - LSTM", minus(control, plain), least=-0.03, most=0.03)
    for number, (control, ours) in enumerate(zip(shuffled["eighths"], gbi["eighths"], strict=True), 1):
        if number > 1:
            yield row(f"error of eighth {number}: shuffled - GBI", minus(control, ours), least=0.03)


def earlier(lstm: Sequence[int | None], gbi: Sequence[int | None], steps: int) -> Row:
    """How many times as late the LSTM is below the level: medians, and the least and largest ratio of a seed.

    A seed that never gets there counts as one that gets there at the end, so the ratio may be larger than said.
    """
    late, soon = ([max(1, steps if step is None else step) for step in found] for found in (lstm, gbi))
    ratios = [a / b for a, b in zip(late, soon, strict=True)]
    low, high = (min(ratios), max(ratios)) if len(ratios) > 1 else (None, None)
    ratio = median(late) / median(soon)
    return Row("first step below .125: LSTM / GBI, medians", ratio, low, high, least=2, median=True)


def _afterwards(lstm: Found, gbi: Found) -> Iterator[Row]:
    for task, errors in enumerate(gbi["expected_error"], 1):
        yield row(f"expected error, task {task}: GBI", errors, most=0.12)
    steps = gbi["forgetting_steps"]
    if 100 in steps:
        at = steps.index(100)
        for name, found, ends in (("LSTM", lstm, {"least": 0.12}), ("GBI", gbi, {"most": 0.06})):
            curve = found["forgetting"]["told"]
            yield row(f"forgetting after 100 steps: {name}", minus(curve[at], curve[0]), **ends)
    for step, told, inferred in zip(steps, gbi["forgetting"]["told"], gbi["forgetting"]["inferred"], strict=True):
        yield row(f"error after {step} steps: z inferred - told", minus(inferred, told), least=-0.01, most=0.01)
    for threshold, ours, plain in zip((0.1, 0.2), gbi["shared_units"], lstm["shared_units"], strict=False):
        yield row(f"shared units at {threshold}: GBI - LSTM", minus(ours, plain), most=0)


def _agreement(gbi: Found) -> Iterator[Row]:
    for kind, words in (("single", "one observation"), ("window", "window")):
        yield row(f"gradient and log-ratio, {words}: correlation", gbi[f"correlation_{kind}"], least=0.98)
        yield row(f"gradient on log-ratio, {words}: slope", gbi[f"slope_{kind}"], least=0.8, most=1.1)
    yield row(
        "correlation with the likelihood - with the log-ratio",
        minus(gbi["correlation_normalised"], gbi["correlation_single"]),
        most=0,
    )
    yield row("gradient and the network's own log-ratio: correlation", gbi["correlation_own"], least=0.999)
    yield row("windows given to the right task by one step", gbi["right_one_step"], least=0.97)


def _online(lstm: Found, gbi: Found) -> Iterator[Row]:
    found = gbi["online"]
    yield row("online error: Bayes - GBI filter", minus(found["bayes"], found["filter"]), most=0)
    yield row("online error: GBI filter - LSTM", minus(found["filter"], lstm["lstm"]), most=0)
    yield row("online error: GBI filter", found["filter"], most=0.13)
    yield row("posteriors of filters: correlation", gbi["posterior_correlation"], least=0.93)
    yield row("posteriors of filters: mean difference", gbi["posterior_difference"], most=0.07)


def theory(mean: float) -> float:
    """The error at a new mean if the networks were linear in z, with f(e_k) = m_k and the best z of a window."""
    return float(clipped_error(*MEANS, mean, OTHER_SIGMA, WINDOW))


def _new_means(lstm: Found, gbi: Found) -> Iterator[Row]:
    for mean, best, step, plain in zip(gbi["means"], gbi["iterative"], gbi["one-step"], lstm["none"], strict=True):
        predicted = theory(mean)
        if 0.1 < mean < 0.9:
            allowed = 0.002 if 0.25 < mean < 0.75 else 0.015
            yield row(f"mean {mean:g}: iterative - theory", [x - predicted for x in best], least=-allowed, most=allowed)
        else:
            roots = [_excess(x) - _excess(predicted) for x in best]
            yield row(f"mean {mean:g}: distance, iterative - theory", roots, least=-0.1, most=0.1)
        if 0.05 < mean < 1.05:
            yield row(f"mean {mean:g}: iterative - LSTM", minus(best, plain), most=0)
        if mean == 0.5:
            yield row("mean 0.5: one-step - iterative", minus(step, best), least=0)


def _excess(error: float) -> float:
    """The root of what is above the noise."""
    return sqrt(max(0.0, error - OTHER_SIGMA**2))


def _hull(found: Mapping[str, Sequence[Sequence[Sequence[float]]]]) -> Iterator[Row]:
    """Of rules x seeds x true tasks x given ones."""
    yield row("middle of 3 tasks, found by one step", _right(found["one-step"], 1), most=0.1)
    for rule in ("likelihoods", "offsets of the context"):
        yield row(f"middle of 3 tasks, found by {rule}", _right(found[rule], 1), least=0.85)
    for task in (0, 2):
        yield row(f"task {task + 1} of 3, found by one step", _right(found["one-step"], task), least=0.99)


def _right(shares: Sequence[Sequence[Sequence[float]]], task: int) -> list[float]:
    return [seed[task][task] for seed in shares]
