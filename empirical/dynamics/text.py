"""Learning dynamics as text."""

from __future__ import annotations

from empirical.dynamics.snapshots import KINDS
from empirical.dynamics.summary import LEARNT, Summary
from empirical.intervals import OverSeeds


def render(found: Summary, seeds: int) -> str:
    """What was learnt and when, and the heads at the end."""
    over = f"mean over {seeds} seeds [interval]" if seeds > 1 else "one seed, no intervals"
    lines = [over, "", "test accuracy at the end, in all and by hops"]
    lines += [f"  {hops:4} {shown(value, '.2%')}" for hops, value in found.test.items()]
    lines += ["", f"steps until {LEARNT:.0%} of the walks of some hops are right, and the accuracy by hops then"]
    for each in found.learning:
        if each.steps is None:
            lines.append(f"  {each.hops}: not reached")
            continue
        then = "  ".join(f"{hops}: {value.mean:.0%}" for hops, value in each.then.items())
        missing = "" if each.seeds == seeds else f" ({each.seeds} of {seeds} seeds)"
        lines.append(f"  {each.hops}: {shown(each.steps, '.0f')}{missing}; {then}")
    lines += ["", "heads at the end: s_POS, s_SYM, entropy as a part of that of uniform attention"]
    for (layer, head), curves in found.heads.items():
        numbers = "   ".join(shown(curve[-1], ".3f") for curve in curves.values())
        lines.append(f"  L{layer}H{head}  {numbers}")
    lines += ["", "heads of each kind at the end"]
    for gamma, counts in found.counts.items():
        numbers = ", ".join(f"{name} {shown(counts[name][-1], '.2g')}" for name in KINDS)
        lines.append(f"  gamma {gamma:g}: {numbers}")
    return "\n".join(lines)


def shown(value: OverSeeds, form: str) -> str:
    """A mean and its interval."""
    if value.low is None or value.high is None:
        return f"{value.mean:{form}}"
    return f"{value.mean:{form}} [{value.low:{form}}, {value.high:{form}}]"
