"""The demo as text: attention under its tokens, gaps beside their bounds, and a verdict on each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.text import Text

from constructions.demo.counterexamples import BoundBroken, WrongOutput
from constructions.demo.demonstrations import Demonstration
from constructions.demo.report import Report
from constructions.demo.showcase import Showcase, View
from theory.arithmetic.ball import Real
from theory.rope.softmax.attention_loss import LOST
from theory.wording import counted

LABEL = 9
BLOCKS = " ▁▂▃▄▅▆▇█"
NOTHING = "~"
NO_TOKEN = f"{NOTHING} is a mixture of tokens, none of them exactly"
MOST_LINES = 3


def digits(value: Real, count: int = 12) -> str:
    """The number to `count` significant digits, all of them certain; shorter where it is exactly a short decimal."""
    exact = value.exact
    if exact is not None and exact == Fraction(short := f"{float(exact):.{count}g}"):
        return short
    return str(value.ball(64).str(count, radius=False))


def verdict(right: bool, good: str, bad: str) -> Text:
    """One or the other, in colour where there is colour."""
    return Text(good, "green") if right else Text(bad, "bold red")


def paragraph(console: Console, label: str | None, *parts: str | Text | tuple[str, str]) -> None:
    """Print text, wrapped at the width of the screen; with a label beside it, even if that is empty."""
    indent = 2 if label is None else LABEL + 3
    lines = Text.assemble(*parts).wrap(console, max(20, console.width - indent))
    for number, line in enumerate(lines):
        line.rstrip()
        console.print(Text.assemble((f"  {label if label and number == 0 else ''}".ljust(indent), "dim"), line))


def show_demonstration(console: Console, demonstration: Demonstration, showcase: Showcase) -> None:
    """Print a construction at work."""
    console.print()
    console.print(demonstration.title, style="bold")
    paragraph(console, None, demonstration.computes)
    for line in _patterns(showcase, console.width, console.encoding.startswith("utf")):
        console.print(line, no_wrap=True, crop=False)
    for label, parts in _facts(demonstration, showcase):
        paragraph(console, label, *parts)


def _patterns(showcase: Showcase, width: int, blocks: bool) -> Iterator[Text]:
    """Rows of tokens, weights and, between layers, tokens held, cut where the screen ends.

    Of an input that takes more than `MOST_LINES` such lines only the positions that are attended to are shown.
    """
    views = showcase.views
    weights = [view.last for view in views]
    states = [*(view.tokens for view in views[1:]), showcase.held]
    size = max(3, *(len(token or NOTHING) for row in (views[0].tokens, *states) for token in row))
    per_line = max(1, (width - 3 - LABEL) // (size + 1))
    places, several = list(range(len(showcase.held))), not showcase.single
    if shortened := len(places) > MOST_LINES * per_line:
        strongest = sorted(places, key=lambda at: max(row[at] for row in weights))[-per_line:]
        places = sorted({*strongest[1:], len(places) - 1})
    for start in range(0, len(places), per_line):
        part = places[start : start + per_line]
        if shortened:
            yield _row("position", [str(at + 1) for at in part], size, "dim")
        yield _row("tokens", [views[0].tokens[at] for at in part], size, "bold")
        for number, (row, state) in enumerate(zip(weights, states, strict=True), 1):
            if blocks and not several:
                yield _row("attention", [BLOCKS[round(8 * row[at])] * size for at in part], size)
            yield _row(f"layer {number} %" if several else "in %", [_percent(row[at]) for at in part], size)
            if several:
                yield _row("  holds", [state[at] for at in part], size, "dim")
    if any(state[at] is None for state in states for at in places):
        yield Text.assemble("  ", " " * LABEL, (f" {NO_TOKEN}", "dim"))


def _percent(weight: float) -> str:
    return f"{100 * weight:.0f}" if weight >= 0.005 else "."


def _row(label: str, cells: Sequence[str | None], size: int, style: str = "") -> Text:
    row = Text.assemble("  ", (f"{label:<{LABEL}}", "dim"))
    for cell in cells:
        row.append(f" {cell or NOTHING:>{size}}", style)
    row.rstrip()
    return row


def _facts(demonstration: Demonstration, showcase: Showcase) -> Iterator[tuple[str, Sequence[Any]]]:
    same = verdict(showcase.output == showcase.expected, "agrees", "WRONG")
    yield "output", [(showcase.output, "bold"), f"; the reference says {showcase.expected}: ", same]
    count, wrong = showcase.trials, showcase.wrong
    known = verdict(not wrong, "all agree", f"{len(wrong)} WRONG, first on {' '.join(wrong[:1])}")
    yield "", [f"{counted(count, 'random inputs')} of this kind: ", known]
    yield from _gap(showcase)
    yield "beta", [f"{showcase.beta:.6g} {demonstration.scale} (claim {demonstration.claim})"]
    yield "length", [f"guaranteed up to {showcase.guaranteed_length} tokens in {showcase.dtype}; {_turning(showcase)}"]


def _turning(showcase: Showcase) -> str:
    exact, rounded = str(showcase.angle), f"{float(showcase.angle.real):.4g}"
    if rounded == "0":
        return "no rotation"
    return f"theta = {exact}{'' if exact == rounded else f' = {rounded}'} rad per position"


def _gap(showcase: Showcase) -> Iterator[tuple[str, Sequence[Any]]]:
    """The layer with the smallest gap, and whether all layers are within their bounds."""
    views = [view for view in showcase.views if view.gap is not None]
    if not views:
        return
    view = min(views, key=_observed)
    gap = view.gap
    assert gap is not None
    where = f" (least of {len(views)} layers)" if len(views) > 1 else ""
    exact = "" if gap.exact is None else f"certified {digits(gap.exact)} here and "
    certified = f"{exact or 'certified '}at least {digits(gap.least)} on every input: "
    within = verdict(all(other.right for other in views), "holds", "VIOLATED")
    yield "logit gap", [f"{float(gap.observed):.12g} in torch{where}; ", certified, within]
    share = min(view.on_target or 0.0 for view in views)
    sure = f"{_share(1 - LOST)} is certified in exact arithmetic, {_share(view.promised)} with rounding in"
    yield "target", [f"has {_share(share)} of the attention here; on every input at least {sure} {showcase.dtype}"]


def _share(share: Fraction | float) -> str:
    return f"{100 * float(share):.3g} %"


def _observed(view: View) -> float:
    return float(view.gap.observed) if view.gap else 0.0


def show_counterexample(console: Console, found: BoundBroken | WrongOutput) -> None:
    """Print what is printed of a construction, and the input that breaks it."""
    paragraph(console, "printed", f"{found.printed}; refuted by {' '.join(found.tokens)}")
    if isinstance(found, BoundBroken):
        assert found.gap.exact is not None
        seen = (
            f"{found.case}: gap {float(found.gap.observed):.12g} in torch, {digits(found.gap.exact)} certified, "
            f"above the printed {digits(found.bound)} "
        )
    else:
        seen = (
            f"output {found.output}, but {found.expected} by the reference, at every beta; "
            f"the repaired head returns {found.repaired} "
        )
    shown = verdict(found.right, f"(claim {found.claim})", f"NOT SEEN (claim {found.claim})")
    paragraph(console, "", seen, shown)


def show_end(console: Console, report: Report) -> None:
    """Print where the figures are, how to go on, and the verdict on all outputs and gaps."""
    console.print()
    if report.figures:
        names = ", ".join(path.name for path in report.figures)
        paragraph(console, None, f"Figures in {report.figures[0].parent}: {names}.")
    else:
        paragraph(console, None, "No files were written. --out DIR draws figures of all this there.")
    if report.showcases or report.compact or report.inference:
        paragraph(console, None, "`python -m theory show CLAIM` prints a claim: statement, hypotheses, controls.")
        good = "Every output is that of the reference, and every gap and margin is within its certified bounds."
        bad = f"NOT AS PROVED: {', '.join(report.faults)}"
        paragraph(console, None, verdict(not report.faults, good, bad))
