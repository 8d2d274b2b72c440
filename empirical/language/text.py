"""A study as text."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from empirical.language.arms import SMALL
from empirical.language.comparison import Correlation
from empirical.language.study import Observed
from empirical.language.verdicts import Verdict


def render(observed: Observed, null: Sequence[Correlation], answers: Sequence[Verdict], heads: int) -> str:
    """Kinds of heads, correlations, and verdicts."""
    lines = ["heads with the most attention of a kind: layer, head, attention, s_POS, s_SYM (first token in its place)"]
    for kind, places in observed.best(heads).items():
        for layer, head in places:
            found = observed.layers[layer].without_first
            scores = (float(each[:, head].mean()) for each in (found.positional, found.symbolic))
            attention = float(observed.kinds[layer][kind][head])
            lines.append(f"  {kind:15}({layer}, {head})  {attention:.2f}  " + "  ".join(f"{s:.3f}" for s in scores))
    lines += ["", "correlation over heads: Spearman [interval], Pearson [interval]; the same with random weights"]
    for trained, random in zip(observed.correlations, null, strict=True):
        lines.append(f"  {trained.what}: {trained}; random weights {random.spearman:+.2f}, {random.pearson:+.2f}")
    lines += ["", "planes removed: change [interval] verdict; controls; difference from their mean [interval] verdict"]
    for at, answer in enumerate(answers):
        if at == 0 or answers[at - 1].arm != answer.arm:
            lines.append(f"  {answer.arm}")
        controls = " ".join(f"{control:+.3f}" for control in answer.controls)
        lines.append(
            f"    {answer.measure:6}{answer.before:.3f}  {answer.change}; {controls or 'none'}; {answer.beyond or '-'}"
        )
    lines += [
        "",
        f"as predicted, or against: the interval is beyond {SMALL:g} on one side; none: within {SMALL:g} of 0 "
        "(as predicted, if none was predicted); undecided: all else.",
    ]
    return "\n".join(_wrapped(line) for line in lines)


def _wrapped(line: str) -> str:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return fill(line, 80, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
