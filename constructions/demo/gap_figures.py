"""Gap against length for Index and Retrieval with the printed and the repaired bounds, and the gaps of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from constructions.demo.inputs import Settings
from constructions.demo.model_table import Row
from theory import symbols
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, evaluate, versine
from theory.drawing import BLUE, GREEN, GREY, ORANGE, RED
from theory.outcome import Outcome
from theory.rope.index.best_case import index_best_case_bound
from theory.rope.index.discrepancy import PRINTED, best_offset, query_gap
from theory.rope.retrieval.discrepancy_printed import MINIMUM
from theory.rope.retrieval.head import letter_step
from theory.rope.retrieval.letter_scale import hard_length_limit, smallest_gap
from theory.rope.retrieval.nope import nope_gap
from theory.rope.softmax.guarantees import index_angle

LONGEST = 1000
# The repaired bound may lie on the printed one: its dots stand out from a thin line.
PRINTED_BOUND: dict[str, Any] = {"color": RED, "linewidth": 0.9}
REPAIRED: dict[str, Any] = {"linestyle": ":", "linewidth": 2.2}
PLANE_42 = Angle.rope(10000, 128, 42)


def _lengths(longest: int, count: int = 160) -> list[int]:
    """All lengths up to 40, then evenly on a logarithmic scale."""
    further = np.geomspace(2, longest, count).round().astype(int).tolist()
    return sorted({*range(2, min(40, longest) + 1), *further})


def _floats(values: Sequence[Real]) -> list[float]:
    return [float(value) for value in values]


def _refuting(lengths: Sequence[int], gaps: Sequence[Real], bounds: Sequence[Real]) -> list[tuple[int, float]]:
    """The lengths at which a gap is certainly above its bound, and the gap."""
    cases = zip(lengths, gaps, bounds, strict=True)
    return [(n, float(gap)) for n, gap, bound in cases if (gap > bound) is Outcome.HOLDS]


def index_gap(settings: Settings) -> Figure:
    """The largest and the least gap over all inputs, against the printed bound, which only the least one meets."""
    angle = settings.angle or Angle.parse("1")
    lengths = _lengths(LONGEST)
    least = [query_gap(n, angle, 0) for n in lengths]
    largest = [query_gap(n, angle, best_offset(n, n - 1)) for n in lengths]
    formula = PRINTED.expression
    printed = [evaluate(formula, {symbols.n: n, symbols.theta: angle.real}) for n in lengths]
    figure = Figure(figsize=(6.8, 5.2))
    axis = figure.add_axes((0.1, 0.25, 0.87, 0.69))
    axis.plot(lengths, _floats(printed), label="printed for every input: min(1 − cos θ, 2π²/n²)", **PRINTED_BOUND)
    axis.plot(lengths, _floats(largest), color=BLUE, label="largest gap over all inputs", drawstyle="steps-post")
    axis.plot(lengths, _floats(least), color=GREEN, label="least gap over all inputs", drawstyle="steps-post")
    sharp = [index_best_case_bound(n)["sharp"].value for n in lengths]
    axis.plot(lengths, _floats(sharp), color=BLUE, label="repaired, for the largest: sharp over θ", **REPAIRED)
    worst = [query_gap(n, index_angle(n), 0) for n in lengths]
    axis.plot(lengths, _floats(worst), color=GREEN, label="repaired, for the least: 1 − cos(2π/n)", **REPAIRED)
    _mark(axis, _refuting(lengths, largest, printed))
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("length n (tokens)")
    axis.set_ylabel("logit gap of the target (|q||k| = 1)")
    axis.set_title(f"Index head, θ = {angle} rad per position")
    figure.legend(loc="lower center", ncols=2)
    return figure


def _mark(axis: Axes, points: Sequence[tuple[int, float]]) -> None:
    if points:
        n, gaps = zip(*points, strict=True)
        some = f"n = {n[0]} to {n[-1]}" if n == tuple(range(n[0], n[-1] + 1)) else f"first at n = {n[0]}"
        axis.plot(n, gaps, "x", color=RED, markersize=4, label=f"refutes the printed bound, {some}")


def retrieval_gap(settings: Settings) -> Figure:
    """The least gap over all inputs against both bounds, and its share of the printed one, said to be at most 1."""
    letters, angle = settings.letters, settings.slow_angle or PLANE_42
    limit = hard_length_limit(letters, angle)
    lengths = _lengths(limit)
    gaps = [smallest_gap(letters, n, angle) for n in lengths]
    step = Real.of(letter_step(letters))
    printed = [versine(MINIMUM.phase(n, angle.real, step, letters)) for n in lengths]
    repaired = [versine(MINIMUM.phase(n - 1, angle.real, step, letters)) for n in lengths]
    still = float(nope_gap(letters)["circle"].value)
    refuting = _refuting(lengths, gaps, printed)

    figure = Figure(figsize=(9, 4.2))
    left, right = (figure.add_axes((start, 0.12, 0.405, 0.77)) for start in (0.08, 0.58))
    left.axhline(still, color=GREY, linestyle=":", label="without rotation, every length: 1 − cos ω")
    left.plot(lengths, _floats(printed), label="printed: at most 1 − cos(ω − nθ)", **PRINTED_BOUND)
    left.plot(lengths, _floats(gaps), color=BLUE, label="least gap over all inputs")
    left.plot(lengths, _floats(repaired), color=GREEN, label="repaired: at most 1 − cos(ω − (n − 1)θ)", **REPAIRED)
    _mark(left, refuting)
    left.axvline(limit, color=BLUE, linewidth=0.8)
    left.annotate(
        f"beyond n = {limit}\nno β decodes all",
        (limit, 0.5),
        (-45, 0),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="right",
        va="center",
        color=BLUE,
    )
    left.set_xscale("log")
    left.set_yscale("log")
    left.set_ylabel("logit gap of the target (|q||k| = 1)")
    left.legend(loc="lower left")

    ratios, allowed = (
        _floats([value / bound for value, bound in zip(values, printed, strict=True)]) for values in (gaps, repaired)
    )
    right.axhline(1, label="printed: at most 1", **PRINTED_BOUND)
    right.plot(lengths, ratios, color=BLUE, label="least gap / printed bound")
    right.plot(lengths, allowed, color=GREEN, label="repaired / printed bound", **REPAIRED)
    known = dict(zip(lengths, ratios, strict=True))
    _mark(right, [(n, known[n]) for n, _ in refuting])
    right.set_xscale("log")
    right.set_ylim(bottom=0.9, top=max(1.02, 1.01 * max(allowed)))
    right.set_ylabel("ratio")
    right.legend(loc="lower left")
    for axis in (left, right):
        axis.set_xlabel("length n (tokens)")
    name = "plane 42 of 64, base 10000" if angle is PLANE_42 else str(angle)
    title = f"Printed Retrieval head, {letters} letters, θ = {float(angle.real):.4g} rad per position ({name})"
    figure.suptitle(title, fontsize=10)
    return figure


def models(rows: Sequence[Row]) -> Figure:
    """For each model the gaps of a positional head over its planes, and of a symbolic one on its slowest plane."""
    height = 1.5 + 0.22 * len(rows)
    figure = Figure(figsize=(7.5, height))
    axis = figure.add_axes((0.37, 1 / height, 0.6, 1 - 1.3 / height))
    places = range(len(rows))
    least = [min(float(gap) for gap in row.gaps) for row in rows]
    best = [float(row.positional_gap) for row in rows]
    axis.hlines(places, least, best, color=BLUE, alpha=0.35, linewidth=3, label="positional head, all planes")
    axis.plot(best, places, "o", color=BLUE, label="positional head, best plane")
    known = [(float(row.symbolic_gap), at) for at, row in enumerate(rows) if row.symbolic_gap is not None]
    if known:
        axis.plot(*zip(*known, strict=True), "s", color=ORANGE, label="symbolic head, slowest plane")
    beyond = [at for at, row in enumerate(rows) if row.symbolic_gap is None]
    if beyond:
        # At the edge where gaps end: these have none that is positive.
        axis.plot(
            [0.02] * len(beyond),
            beyond,
            "x",
            color=RED,
            label="symbolic head fails: no gap at this length",
            transform=axis.get_yaxis_transform(),
        )
    axis.set_xscale("log")
    axis.set_xlim(right=2)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.set_yticks(places, [f"{row.name(38)}, n = {row.length:,}" for row in rows])
    axis.set_xlabel("logit gap on the worst input of n tokens (|q||k| = 1)")
    axis.grid(axis="x", linewidth=0.3)
    figure.legend(loc="lower center", ncols=2)
    axis.set_title(f"One RoPE plane, n tokens: telling n offsets apart, or {rows[0].letters} letters")
    return figure
