"""The limits as text for a terminal of some width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from textwrap import fill

from theory.arithmetic.ball import Real
from theory.limits.model import LayerLimits, Limits, PlaneLimits, SetLimits
from theory.limits.symbolic import LONGEST
from theory.quantities import Bound, Enclosure, Result
from theory.rope.models.settings import RopeSettings
from theory.wording import counted

LEGEND = (
    "positional: the longest input on which an integer query decodes the first token, F_{0,n-1}(beta, theta) < 1.",
    "symbolic: the longest input on which every letter query finds its token: by the angle alone, (2n - 3) theta < "
    "2 pi/A, and where softmax at beta is to decode it as well.",
    "worst gap: the least sum_k a_k (1 - cos(t theta_k)) over 1 <= t < n; for the best amplitudes that of a linear "
    "programme, and an upper bound for all amplitudes where it is another number.",
    "beta that decodes: above it an integer query decodes the first token, its logits sum_k a_k cos(t theta_k).",
    "angles keep up to: no rounding of an angle t theta costs a target its place up to this length, a lower bound; "
    "cosines are exact. positions collide at: if positions are rounded too, two of them are one at this length.",
)


def render(found: Limits, width: int) -> str:
    """The whole report."""
    model, question = found.model, found.question
    parts = [fill(f"{model.name}: limits of its RoPE at {model.context_length:,} tokens", width)]
    parts.append(
        fill(
            f"Assumed: logit scale beta = {_scales(question.betas)} (all that multiplies a logit of norm 1), "
            f"{question.letters} letters on a circle. Lengths are exact, other numbers certified to the digits "
            "shown, and bounds written as bounds.",
            width,
        )
    )
    for layer in found.layers:
        parts += ["", *_layer(layer, found, width)]
    parts.append("")
    parts += [fill(line, width, subsequent_indent="  ") for line in LEGEND]
    return "\n".join(parts) + "\n"


def _scales(betas: Iterable[Real]) -> str:
    return ", ".join(number(beta) for beta in betas)


def number(value: Real | Fraction, digits: int = 6) -> str:
    """A number rounded to as many of `digits` digits as are certain; integers with separators."""
    exact = value if isinstance(value, Fraction) else value.exact
    if exact is not None and exact.denominator == 1:
        return tokens(int(exact))
    if exact is not None:
        return f"{float(exact):.{digits}g}"
    ball = Real.of(value).ball(64)
    ends = float(ball.lower()), float(ball.upper())
    for size in range(digits, 0, -1):
        low, high = (_rounded(end, size) for end in ends)
        if low == high:
            return low
    return f"{low} .. {high}"


def _rounded(value: float, digits: int) -> str:
    text = f"{value:#.{digits}g}"
    return f"{int(text[:-1]):,}" if text.endswith(".") else text


def tokens(length: int) -> str:
    """A length with separators; powers of ten where it is long, and "more" where it is capped."""
    if length >= LONGEST:
        return "> 10^18"
    return f"{length:,}" if length < 10**9 else f"{length:.3g}"


def describe_settings(settings: RopeSettings, still: int = 0) -> str:
    """One line: base, widths, scaling."""
    planes = settings.rotary_dim // 2
    width = f"head width {settings.head_dim}"
    if settings.rotary_dim != settings.head_dim:
        width += f", {settings.rotary_dim} of it turned"
    line = f"base {number(settings.base)}, {counted(planes, 'planes')} ({width}), scaling {settings.kind}"
    if still:
        line += f", the slowest {still} set to zero"
    if settings.attention_factor.exact != 1:
        line += f"; attention factor {number(settings.attention_factor, 5)}, its square is part of beta"
    return line


def _layer(layer: LayerLimits, found: Limits, width: int) -> Iterator[str]:
    title = "all layers" if layer.kind == "all" else f"layers of kind {layer.kind}"
    yield fill(f"== {title}: {describe_settings(layer.settings, found.question.still)}", width, subsequent_indent="   ")
    window = found.model.sliding_window
    if layer.kind == "sliding_attention" and layer.length != found.model.context_length:
        yield f"   a window of {layer.length:,} tokens"
    elif layer.kind == "all" and window is not None and window < found.model.context_length:
        yield f"   layers with a sliding window see {window:,} tokens of these"
    yield f"   planes without a whole turn within {layer.length:,} tokens: {layer.slow} of {len(layer.planes)}"
    yield ""
    yield "Reach of one plane, in tokens"
    yield from _table(layer.planes, found.question.betas)
    yield ""
    yield f"All planes together, amplitudes of sum 1, n = {layer.length:,}"
    yield from _sets(layer)


def _table(planes: Sequence[PlaneLimits], betas: Sequence[Real]) -> list[str]:
    names = [f"beta {number(beta)}" for beta in betas]
    head = ["plane", "wavelength", *names, "angle", *names]
    rows = [head]
    first = 1
    for (positional, by_angle, symbolic), group in groupby(planes, lambda p: (p.positional, p.by_angle, p.symbolic)):
        members = list(group)
        last = first + len(members) - 1
        lengths = [_wavelength(plane.wavelength) for plane in members]
        span = lengths[0] if lengths[0] == lengths[-1] else f"{lengths[0]} .. {lengths[-1]}"
        name = str(first) if first == last else f"{first}-{last}"
        rows.append([name, span, *map(tokens, (*positional, by_angle, *symbolic))])
        first = last + 1
    sizes = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  " + "  ".join(cell.rjust(size) for cell, size in zip(row, sizes, strict=True)) for row in rows]
    before = 2 + sum(sizes[:2]) + 4
    across = sum(sizes[2 : 2 + len(names)]) + 2 * (len(names) - 1)
    return [" " * before + "positional".center(across) + "  " + "symbolic", *lines]


def _wavelength(value: Real | None) -> str:
    if value is None:
        return "still"
    return f"{float(value):.4g}" if float(value) < 10**4 else tokens(round(float(value)))


def _sets(layer: LayerLimits) -> Iterator[str]:
    pair = (layer.equal, layer.best)
    rows = [("amplitudes", "equal", "best"), ("worst gap", *map(gap_text, pair)), ("at offset", *map(_offsets, pair))]
    rows.append(("beta that decodes", *(beta_text(each.beta) for each in pair)))
    for limits in zip(layer.equal.formats, layer.best.formats, strict=True):
        rows.append((f"{limits[0].name} angles keep up to", *(f">= {tokens(limit.kept)}" for limit in limits)))
    for limit in layer.equal.formats:
        rows.append((f"{limit.name} positions collide at", tokens(limit.lost), tokens(limit.lost)))
    sizes = [max(len(row[column]) for row in rows) for column in range(3)]
    for name, *cells in rows:
        yield f"  {name.ljust(sizes[0])}  " + "  ".join(c.rjust(s) for c, s in zip(cells, sizes[1:], strict=True))


def gap_text(found: SetLimits) -> str:
    """The worst gap, and the upper bound where it is another number."""
    if found.ceiling is None:
        return number(found.gap)
    low, high = number(found.gap), number(found.ceiling)
    return low if low == high else f"{low} .. {high}"


def _offsets(found: SetLimits) -> str:
    return str(found.offsets[0]) if len(found.offsets) == 1 else f"{found.offsets[0]}, .."


def beta_text(beta: Result) -> str:
    """The inverse temperature that decodes."""
    match beta:
        case Enclosure(value):
            return number(value, 5)
        case Bound(_, value):
            return f"<= {number(value, 5)}"
    return "none"
