"""A report in words: what is certified, what is an estimate, and what was measured."""

from __future__ import annotations

from math import log
from textwrap import fill

from empirical.basin.measured import Measured
from empirical.basin.pair import name, shortened
from empirical.basin.report import Report
from theory.compact.certificate.certificate import Bounds, Reach

WIDTH = 80
_PRACTICAL = 10**7  # letters of a prompt


def render(report: Report) -> str:
    """The report, 80 columns wide."""
    lines = [f"{report.subject.name}, sha256 {report.subject.sha256[:12]}"]
    if report.pair.infinite is not None and report.letters != (0, 1):
        lines.append("letters 0 and 1 are tokens {} and {}".format(*report.letters))
    lines += [_sentence(report, "certified", report.certificate), _sentence(report, "estimate", report.guess)]
    lines.append(_logits(report))
    lines.append(
        f"outputs on s, ss, ssss, ... up to {report.longest} letters are within {report.spread:.1e} of each other: 0 "
        "where positions enter the logits of attention only"
    )
    if report.at is not None:
        certified, estimated, measured = report.at
        lines.append(
            f"the two words, {report.pair.length} letters, {len(report.pair.places)} differ: outputs at most "
            f"{certified:.3g} apart (certified), {estimated:.3g} (estimate), {measured:.3g} measured"
        )
    for found in report.measured:
        lines += ["", *_measured(found, report)]
    return "\n".join(
        fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False) if line else "" for line in lines
    )


def _sentence(report: Report, label: str, bounds: Bounds) -> str:
    reaches, epsilon = report.reaches(bounds), float(report.request.epsilon)
    first, second = (shortened(name(word), 30) for word in (report.pair.first, report.pair.second))
    pair = reaches["pair"]
    if report.pair.infinite is None:
        count = len(report.pair.places)
        what = f"{count} changed letter{'s' * (count > 1)}, the last one the same"
    else:
        what = f"{first} from {second} where both have the same last letter"
    by_lag = bounds.constants.by_lag
    text = f"{label}: "
    if pair.logarithm is None:
        reason = "keys are weighed by their lag, and" if by_lag else "they differ at a fixed share of places, so that"
        text += f"of {first} and {second} nothing is said at any length: {reason} a change near the end always counts"
        if not by_lag:
            text += " or may count"
        text += f"; the first letter alone, changed, moves no probability by more than {epsilon:g} from "
        text += f"length {reaches['one letter']} on"
        pair = reaches["one letter"]
    else:
        where = " if these are the first letters" if by_lag else ""
        text += (
            f"from length {pair} on this model cannot tell {what}{where} by more than {epsilon:g} in any probability"
        )
    return f"{text}; {_practical(pair)}" + (" (no certificate: seen on samples)" if label == "estimate" else "")


def _practical(reach: Reach) -> str:
    if reach.length is not None and reach.length <= _PRACTICAL:
        return "prompts of that length exist"
    return "no prompt of any practical length is covered"


def _logits(report: Report) -> str:
    seen = [x for layer in report.sight.oscillations for x in layer]
    certified = [float(x.upper()) for layer in report.certificate.constants.oscillations for x in layer]
    if not seen:
        return "no layers: only the last letter counts"
    low, high, ln_n = min(seen), max(seen), log(report.longest)
    verdict = (
        "length decides: ln n is above all of them"
        if ln_n > high
        else f"length does not decide yet: it would where ln n is above Delta^, from n = 10^{high / log(10):.1f} on"
    )
    return (
        f"logits: Delta^ {low:.3g} to {high:.3g} seen (certified: at most {max(certified):.4g}), ln n = {ln_n:.2f} at "
        f"n = {report.longest}; {verdict}"
    )


def _measured(found: Measured, report: Report) -> list[str]:
    word = shortened(found.word, 40)
    if not found.lengths:
        return [f"{word}: too short to measure"]
    plan = report.request.plan
    lines = [
        f"measured on {word}",
        "          one letter changed, distance of outputs:         least k that moves",
        "    n  margin  earliest latest  random  worst   last     the prediction",
    ]
    for at in found.lengths:
        one = {c.placement: c.distance for c in at.changes if c.k == 1}
        worst = max(at.influence) if at.influence else None
        cells = [one.get("earliest"), one.get("latest"), one.get("random"), worst, at.last]
        moved = {c.placement: c.k for c in reversed(at.changes) if c.moved}
        least = min(moved.items(), key=lambda item: item[1], default=None)
        radius = "none" if least is None else f"{least[1]} ({least[0]})"
        margin = "     -" if at.margin is None else f"{at.margin:6.3f}"
        lines.append(f"{at.n:5}  {margin}  " + " ".join(_cell(x) for x in cells) + f"  {radius}")
    rejoined = [c.rejoined for at in found.lengths for c in at.changes if c.rejoined is not None]
    lines.append(
        f"greedy continuation of {plan.steps} letters is that of the word after {sum(rejoined)} of {len(rejoined)} "
        f"changes; runs of one word differ by up to {max(at.noise for at in found.lengths):.1e}"
    )
    for kind in ("earliest", "random"):
        slope, length = found.slope(kind), found.collapse(kind, plan.collapse)
        if slope is not None:
            below = "not reached" if length is None else f"from {length} on"
            lines.append(
                f"{kind} letter: distance goes as n^{slope:.2f} over the last two octaves (in the end n^-1 times "
                f"logarithms, by the theory); below {plan.collapse:g} {below}"
            )
    return lines


def _cell(distance: float | None) -> str:
    return "    -  " if distance is None else f"{distance:7.1e}"
