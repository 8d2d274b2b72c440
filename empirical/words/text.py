"""A study as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

Found = Mapping[str, Any]


def render(data: Found) -> str:
    """Tables of all parts, the prediction beside what was measured."""
    found, lines = data["summary"], list[str]()
    if found["pairs"]:
        lines += [
            "WORDS LEARNED TOGETHER",
            "First line: the words and how positions are told; whether the theory allows them to be learned "
            "together for ever, and the claim that says so; up to which n they were learned, and up to which n "
            "told apart where they end alike and go on differently, one number a seed.",
            "",
        ]
    for row in found["pairs"]:
        prediction = f"{row['prediction']['verdict']} ({row['prediction']['claim']})"
        learned, told = (", ".join(map(str, row[name])) for name in ("learned_up_to", "told_up_to"))
        lines.append(
            f"{row['entry']}, {row['encoding']}: {prediction}; learned up to {learned}; told apart up to {told}"
        )
        ranges = [f"n = {part['first']} to {part['last']}: {_interval(part['margin'])}" for part in row["ranges"]]
        lines.append(f"    least margin, {'; '.join(ranges)}")
        lines.append(f"    largest range of logits {_interval(row['oscillation'])}, ln n = {row['ln_length']:.2f}")
    if found["scaling"]:
        lines += [
            "",
            "LOGITS SCALED BY LN N",
            "The word that is learned beside 0, and how its logits are scaled and capped; c, the range of the "
            "logits over ln n; what the theory says of that c; the first n at which one of the words is lost, "
            "one number a seed, and the same for the detector of the theory; slope of ln(gap / number of ones) "
            "against ln n.",
            "",
        ]
    for row in found["scaling"]:
        losses = ", ".join(_power(loss) for loss in row["first_loss"])
        verdicts = ", ".join(dict.fromkeys(row["predictions"]))
        own = f"; detector {_power(row['detector_first_loss'])}"
        slope = "" if row["slope"] is None else f"; slope {_interval(row['slope'])}"
        c = _interval(row["exponent"])
        lines.append(f"{row['word']}, {row['setting']}: c = {c}, {verdicts}; lost at {losses}{own}{slope}")
    if found["copy"]:
        lines += [
            "",
            "COPYING N ZEROS, AND THE SAME WITH ONE BIT FLIPPED",
            "Gap: the largest change of a probability. Surprise: log-perplexity, nats a letter, of the zeros "
            "and of the prompt with the flipped bit; then N times the latter. How many seeds copy that prompt. "
            "Difference of the two surprises, and the most that the theory allows it (-: its conditions do not "
            "hold), one number a seed.",
            "",
        ]
    for row in found["copy"]:
        bounds = ", ".join("-" if bound is None else f"{bound:.4f}" for bound in row["bound"])
        differences = ", ".join(f"{difference:.4f}" for difference in row["difference"])
        lines.append(
            f"N = {row['length']}, bit {row['flipped']}: gap {row['gap']['mean']:.2e}; surprise "
            f"{row['alpha']['mean']:.1e} and {row['beta']['mean']:.4f}, N times {_interval(row['bad_term'])}; copied "
            f"by {sum(row['copied'])} of {len(row['copied'])}; difference {differences}, at most {bounds}"
        )
    if found["precision"]:
        lines += [
            "",
            "ROUNDING",
            "Prompts of N bits that differ in the first: from which N on the outputs are the same bits, and "
            "from which N on gaps in float64 are below half a spacing of floats, which predicts it; one number "
            "a seed.",
            "",
        ]
    for row in found["precision"]:
        lines.append(
            f"{row['dtype']}: same bits from N = {_list(row['measured'])}, predicted {_list(row['predicted'])}; of the "
            f"most probable letter from {_list(row['top_measured'])}, predicted {_list(row['top_predicted'])}; noise "
            f"of batches {row['noise']:.1e}; of {row['lengths']} cases, gap below half a spacing but other bits: "
            f"{row['small_and_different']}, larger gap but the same bits: {row['far_and_same']}, computed difference "
            f"above the gap and two errors: {row['beyond_bound']}"
        )
    if data["witnesses"]:
        lines += [
            "",
            "AN AVERAGE OF N NUMBERS, ONE OF THEM 2 AND THE OTHERS 1",
            "1 + 1/n rounded once, and as attention computes it; then the n from which on it is 1 by theory.",
            "",
        ]
    for row in data["witnesses"]:
        lines.append(
            f"{row['dtype']}, 1 + 1/{row['length']}: rounded {'1' if row['rounded_is_one'] else 'above 1'}, "
            f"by attention {'1' if row['attention_is_one'] else 'not 1'}; theory: {row['predicted']}"
        )
    return "\n".join(_wrapped(line) for line in lines).lstrip("\n")


def render_constants(data: Found) -> str:
    """A row for each length and place."""
    lines = [f"largest change of T after n equal tokens {symbol!r}: {x:.1e}" for symbol, x in data["spread"].items()]
    lines += [
        "",
        "Strings of N equal tokens, and the same with the token at one place changed. Gap: the largest "
        "change of a probability of the next token; range of the change of the logarithms of the "
        "probabilities; log-perplexity of the string, nats a token, before and after the change.",
        "",
    ]
    for at in data["changes"]:
        first = ", with a first token" if at["fronted"] else ""
        lines.append(
            f"{at['symbol']!r}{first}, N = {at['length']}, place {at['place']}: gap {at['gap']:.2e}; range "
            f"{at['zeta']:.3g}; nats {at['constant']:.4f} to {at['changed']:.4f}"
        )
    return "\n".join(_wrapped(line) for line in lines).lstrip("\n")


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


def _wrapped(line: str) -> str:
    """Within 80 columns; what follows a row's first line stands further in."""
    indent = " " * (len(line) - len(line.lstrip()) + (0 if line.endswith(".") else 2))
    return fill(line, 80, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
