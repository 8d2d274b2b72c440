"""Which bases suffice, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from textwrap import fill

from theory.arithmetic.ball import Real, exp, log, pi, versine
from theory.limits.bases import BaseLimits, least_base, one_plane_may, runs
from theory.limits.model import Question
from theory.limits.text import describe_settings, number
from theory.outcome import Outcome
from theory.rope.models.settings import RopeSettings
from theory.wording import counted

CAUTION = (
    "Between the bases scanned nothing is known of positional planes and of all planes together: those that suffice "
    "need not be an interval, so no least base can be found by halving, and a larger base may fail where a smaller one "
    "does not. At width 128 and 1,024 tokens all B_m >= 0 for base 4300, not for 5000, and again for 6500."
)


def render_bases(
    settings: RopeSettings, target: int, question: Question, rows: Sequence[BaseLimits], width: int
) -> str:
    """The answers for each mechanism."""
    lines = [f"Which bases suffice at {target:,} tokens"]
    about = describe_settings(settings, question.still).partition(", ")[2]
    low, high = number(rows[0].base), number(rows[-1].base)
    scales = ", ".join(number(beta) for beta in question.betas)
    lines.append(
        fill(
            f"{about}; beta = {scales}; {question.letters} letters. Scanned: {counted(len(rows), 'bases')} from "
            f"{low} to {high}; each verdict is certified for its base.",
            width,
        )
    )
    for title, answer in _answers(settings, target, question, rows):
        lines += ["", title, fill(answer, width, initial_indent="  ", subsequent_indent="  ")]
    lines += ["", fill(CAUTION, width)]
    return "\n".join(lines) + "\n"


def _answers(
    settings: RopeSettings, n: int, question: Question, rows: Sequence[BaseLimits]
) -> Iterator[tuple[str, str]]:
    answer = _spans(rows, lambda row: row.by_angle)
    if settings.kind == "default" and not question.still and settings.rotary_dim > 2:
        answer = f"exactly the bases above {number(least_base(settings, n, question.letters), 8)}; scanned: {answer}"
    yield "Symbolic, slowest plane, by its angle: (2n - 3) theta < 2 pi/A", answer
    for index, beta in enumerate(question.betas):

        def symbolic(row: BaseLimits, index: int = index) -> Outcome:
            return row.symbolic[index]

        answer = _spans(rows, symbolic)
        gap = versine(2 * pi / question.letters)
        if (exp(beta * gap) <= n - 1) is Outcome.HOLDS:
            answer = f"no base: it takes beta > {number(log(n - 1) / gap)} even where the plane stands still"
        yield f"Symbolic, slowest plane, softmax at beta {number(beta)}", answer
    for index, beta in enumerate(question.betas):

        def one_plane(row: BaseLimits, index: int = index) -> Outcome:
            return row.one_plane[index]

        answer = _spans(rows, one_plane)
        if not one_plane_may(n, beta):
            need = (Real.of(n) ** 2 / 9 - 1) / (2 * pi)
            answer = f"no base: n Bes(beta) >= 3, and it takes beta >= {number(need)} at any angle"
        yield f"Positional, one plane, beta {number(beta)}: F_{{0,n-1}} < 1 for some plane", answer
    for index, beta in enumerate(question.betas):

        def together(row: BaseLimits, index: int = index) -> Outcome:
            return row.together[index]

        yield f"Positional, all planes with equal amplitudes, beta {number(beta)}", _spans(rows, together)
    known = [row.beta for row in rows if row.beta is not None]
    if known:
        least, most = min(known, key=float), max(known, key=float)
        yield "  what they need", f"beta from {number(least, 5)} to {number(most, 5)}, by base"
    yield "Symbolic, all planes: B_m = sum_k cos(m theta_k) >= 0 for all m < n", _spans(rows, lambda row: row.positive)


def _spans(rows: Sequence[BaseLimits], holds: Callable[[BaseLimits], Outcome]) -> str:
    found = list(runs(rows, holds))
    if not found:
        return f"none of those scanned{_open(rows, holds)}"
    if found == [(rows[0].base, rows[-1].base)]:
        return "all that were scanned"
    return ", ".join(_span(rows, low, high) for low, high in found) + _open(rows, holds)


def _span(rows: Sequence[BaseLimits], low: Fraction, high: Fraction) -> str:
    count = sum(low <= row.base <= high for row in rows)
    return number(low) if count == 1 else f"{number(low)} .. {number(high)} ({count} bases)"


def _open(rows: Sequence[BaseLimits], holds: Callable[[BaseLimits], Outcome]) -> str:
    undecided = [number(row.base) for row in rows if holds(row) is Outcome.UNDECIDED]
    return f" (undecided: {', '.join(undecided)})" if undecided else ""
