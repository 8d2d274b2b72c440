"""A study as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Found = Mapping[str, Any]


def render(data: Found) -> str:
    """Tables of all parts, the prediction beside what was measured."""
    found, lines = data["summary"], list[str]()
    if found["pairs"]:
        lines += ["words, encoding: prediction; learned up to n, each seed (told apart up to n)", ""]
    for row in found["pairs"]:
        prediction = f"{row['prediction']['verdict']} ({row['prediction']['claim']})"
        learned, told = (", ".join(map(str, row[name])) for name in ("learned_up_to", "told_up_to"))
        lines.append(f"{row['entry']}, {row['encoding']}: {prediction}; {learned} ({told})")
        ranges = [f"{part['first']}-{part['last']} {_interval(part['margin'])}" for part in row["ranges"]]
        lines.append(f"    least margin {'; '.join(ranges)}")
        lines.append(f"    largest range of logits {_interval(row['oscillation'])}, ln n = {row['ln_length']:.2f}")
    if found["scaling"]:
        lines += ["", "0 and a word, logits: c, prediction; first n at which one is lost, each seed; detector's", ""]
    for row in found["scaling"]:
        losses = ", ".join(_power(loss) for loss in row["first_loss"])
        verdicts = ", ".join(dict.fromkeys(row["predictions"]))
        own = f"; {_power(row['detector_first_loss'])}"
        slope = "" if row["slope"] is None else f"; slope {_interval(row['slope'])}"
        c = _interval(row["exponent"])
        lines.append(f"{row['word']}, {row['setting']}: {c}, {verdicts}; {losses}{own}{slope}")
    if found["copy"]:
        lines += ["", "copying 0^N with a bit flipped: N, bit: gap, log-perplexities, N pplx; copied; bound", ""]
    for row in found["copy"]:
        bounds = ", ".join("-" if bound is None else f"{bound:.4f}" for bound in row["bound"])
        differences = ", ".join(f"{difference:.4f}" for difference in row["difference"])
        lines.append(
            f"{row['length']}, {row['flipped']}: {row['gap']['mean']:.2e}, {row['alpha']['mean']:.1e}, "
            f"{row['beta']['mean']:.4f}, {_interval(row['bad_term'])}; {sum(row['copied'])} of {len(row['copied'])}; "
            f"{differences} <= {bounds}"
        )
    for row in found["precision"]:
        lines.append(
            f"{row['dtype']}: same bits from N = {_list(row['measured'])}, predicted {_list(row['predicted'])}; of the "
            f"most probable letter from {_list(row['top_measured'])}, predicted {_list(row['top_predicted'])}; noise "
            f"{row['noise']:.1e}; of {row['lengths']} cases small gaps and other bits {row['small_and_different']}, "
            f"larger gaps and the same bits {row['far_and_same']}, beyond gap + 2 errors {row['beyond_bound']}"
        )
    for row in data["witnesses"]:
        lines.append(
            f"{row['dtype']}, 1 + 1/{row['length']}: rounded {'1' if row['rounded_is_one'] else 'above 1'}, "
            f"by attention {'1' if row['attention_is_one'] else 'not 1'}; theory: 1 from n = {row['predicted']} on"
        )
    return "\n".join(lines)


def render_constants(data: Found) -> str:
    """A row for each length and place."""
    lines = [f"largest change of T after n equal tokens {symbol!r}: {x:.1e}" for symbol, x in data["spread"].items()]
    lines += ["", "string, N, place: gap at the end, oscillation of log T; log-perplexity of it before, after", ""]
    for at in data["changes"]:
        first = ", with a first token" if at["fronted"] else ""
        lines.append(
            f"{at['symbol']!r}{first}, {at['length']}, {at['place']}: {at['gap']:.2e}, {at['zeta']:.3g}; "
            f"{at['constant']:.4f}, {at['changed']:.4f}"
        )
    return "\n".join(lines)


def _interval(found: Found) -> str:
    ends = "" if found["low"] is None else f" [{found['low']:.3f}, {found['high']:.3f}]"
    return f"{found['mean']:.3f}{ends}"


def _list(values: Sequence[object]) -> str:
    return ", ".join("none" if value is None else str(value) for value in values)


def _power(length: str | None) -> str:
    """A length, as a power of two where it is long."""
    if length is None:
        return "none"
    n = int(length)
    return str(n) if n < 10**6 else f"2^{(n + 1).bit_length() - 1}"
