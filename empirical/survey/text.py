"""Surveys as text: how scores were taken, and the most positional and most symbolic heads."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from textwrap import fill

from empirical.scores.bootstrap import Resampling
from empirical.scores.random_weights import RandomWeights
from empirical.scores.records import Row
from empirical.survey.output import Report
from empirical.survey.survey import Survey

WIDTH = 80  # of a terminal
_HEAD = """\
        s_POS           s_SYM            no swap of  attention  null scores
head    mean  interval  mean  interval  first token  entr  1st  pure rand  all"""


def render_report(report: Report, top: int) -> str:
    """All surveys of a model that was trained, differences, and what random weights score."""
    texts = [
        render(survey, report.rows[label], report.resampling, top)
        for label, survey in report.surveys.items()
        if survey.subject.seed is None
    ]
    if report.differences:
        texts.append(render_differences(report.differences, top))
    if report.null is not None:
        texts.append(render_null(report.null))
    return "\n\n".join(texts)


def render(survey: Survey, rows: Sequence[Row], resampling: Resampling, top: int) -> str:
    """One survey: what was scored and how, then `top` heads of either kind, by the difference of their two scores."""
    test = survey.self_test
    facts = (
        f"{survey.subject}:",
        f"{len(survey.layers)} layers, {len(rows)} heads, "
        f"{len(survey.prompts)} prompt{'s' * (len(survey.prompts) > 1)} of {survey.length} tokens",
        str(survey.settings),
        f"intervals: {resampling}" if len(survey.prompts) > 1 else "no intervals: there is one prompt",
        f"self-test passed; error as a part of what rounding allows: layout {test.layout:.2g}, "
        f"identity {test.identity:.2g}, attention {test.attention:.2g}, shift {test.shift:.2g}",
        f"pure heads: {_pure(rows, 'pure')}; without swaps of the first token {_pure(rows, 'pure_without_first')}",
    )
    lines = [_wrapped(fact) for fact in facts]
    by_difference = sorted(rows, key=lambda row: row["s_sym"] - row["s_pos"])
    for name, some in (("positional", by_difference[:top]), ("symbolic", by_difference[::-1][:top])):
        lines += ["", f"most {name}, by the difference of the scores", _HEAD, *map(_row, some)]
    return "\n".join(lines)


def render_null(null: RandomWeights) -> str:
    """The scores of heads with random weights, over all layers."""
    lines = []
    for name, spreads in (("s_POS", null.positional), ("s_SYM", null.symbolic)):
        every = spreads.values()
        mean = sum(spread.mean for spread in every) / len(every)
        low, high = min(spread.low for spread in every), max(spread.high for spread in every)
        lines.append(f"{name} {mean:.3f} on average, 95 % of the heads of any layer within [{low:.3f}, {high:.3f}]")
    return _wrapped(f"random weights (seed {null.seeds[0]}): " + "; ".join(lines))


def render_differences(rows: Sequence[Row], top: int) -> str:
    """The heads whose scores differ most between two surveys; `rows` as from `difference_rows`."""
    lines = ["largest differences, second minus first", "head    s_POS [interval]         s_SYM [interval]"]
    for row in sorted(rows, key=lambda row: -max(abs(row["s_pos"]), abs(row["s_sym"])))[:top]:
        lines.append(f"{_name(row):6}  {_signed(row, 's_pos')}  {_signed(row, 's_sym')}")
    return "\n".join(lines)


def _pure(rows: Sequence[Row], column: str) -> str:
    kinds = [row[column] for row in rows]
    return f"{kinds.count('positional')} positional, {kinds.count('symbolic')} symbolic"


def _row(row: Row) -> str:
    without_first = f"{_number(row['s_pos_without_first'])} {_number(row['s_sym_without_first'])}"
    nulls = " ".join(_number(row[f"null_{name}"]) for name in ("pure", "random", "everything"))
    return (
        f"{_name(row):6}  {_interval(row, 's_pos')} {_interval(row, 's_sym')}   {without_first}  "
        f"{_number(row['relative_entropy'])} {_number(row['first_weight'])}  {nulls}"
    )


def _name(row: Row) -> str:
    return f"L{row['layer']}H{row['head']}"


def _number(value: float | None) -> str:
    """With two digits, or a mark where there is none: without a swap, or with one prompt."""
    return "   -" if value is None else f"{value:.2f}"


def _interval(row: Row, name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{row[name]:.3f} " + ("        -" if low is None else f"{low:.2f}-{high:.2f}")


def _wrapped(text: str) -> str:
    return fill(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _signed(row: Row, name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{row[name]:+.3f} [{low:+.3f}, {high:+.3f}]" if not isnan(low) else f"{row[name]:+.3f} [one prompt]"
