"""The table of models as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_UP, Context

from rich.console import Console

from constructions.demo.model_table import Row
from constructions.demo.text import digits, paragraph
from theory.arithmetic.ball import Real
from theory.printing import decimal_bounds
from theory.rope.retrieval.nope import nope_gap


def show_models(console: Console, found: Sequence[Row]) -> None:
    """Print the rows, and what the columns mean."""
    letters = found[0].letters
    console.print()
    console.print("What a head on one RoPE plane of a model can tell apart", style="bold")
    for number, line in enumerate(_lines(found)):
        console.print(line.rstrip(), style="dim" if number < 3 else "", no_wrap=True, crop=False)
    still = nope_gap(letters)["circle"]
    for text in (
        "n: tokens that a query sees, the context length or a sliding window. gap: logit of the target less that of "
        "the strongest competitor, for |q||k| = 1, on the worst input of n tokens. beta: an inverse temperature, in "
        "1/logit, that suffices, rounded up; in a model it is |q||k|/sqrt(d_head), times the squared attention factor "
        "of a scaling.",
        "Positional: a head that looks back by any number of tokens below n, on the plane where its gap is largest. "
        "No frequency has a gap above 1 - cos(2 pi/n). beta = ln 3/gap.",
        f"Symbolic: a head that looks for one of {letters} letters, 2 pi/{letters} apart on the slowest plane. Beyond "
        "the limit it fails at every beta. beta = ln(n - 1)/gap. Without rotation its gap is "
        f"{digits(still.value, 4)} at every length.",
    ):
        paragraph(console, None, text)


# Heading, unit, width, and the cell of a row.
Column = tuple[str, str, int, Callable[[Row], str]]
SEEN: list[Column] = [("n", "tokens", 8, lambda row: _tokens(row.length))]
POSITIONAL: list[Column] = [
    ("plane", "of all", 8, lambda row: f"{row.best}/{len(row.planes)}"),
    ("period", "tokens", 7, lambda row: short(row.planes[row.best - 1].wavelength)),
    ("gap", "logit", 9, lambda row: short(row.positional_gap)),
    ("beta", "", 8, lambda row: short(row.positional_beta, up=True)),
]
SYMBOLIC: list[Column] = [
    ("limit", "tokens", 8, lambda row: _tokens(row.limit)),
    ("gap", "logit", 7, lambda row: short(row.symbolic_gap)),
    ("beta", "", 6, lambda row: short(row.symbolic_beta, up=True)),
]
NAMES = 19


def _lines(found: Sequence[Row]) -> Iterator[str]:
    """Three lines of heading, then a line a row."""
    groups = [("", SEEN), ("positional, best plane", POSITIONAL), ("symbolic, slowest", SYMBOLIC)]
    widths = [sum(column[2] for column in columns) for _, columns in groups]
    yield " " * NAMES + "".join(
        f" {f' {title} ' if title else '':{'-' if title else ' '}^{width - 1}}"
        for (title, _), width in zip(groups, widths, strict=True)
    )
    columns = [column for _, columns in groups for column in columns]
    for part in (0, 1):
        yield " " * NAMES + "".join(f"{column[part]:>{column[2]}}" for column in columns)
    for row in found:
        name = "  sliding window" if row.sliding else row.name(NAMES)
        yield f"{name:{NAMES}}" + "".join(f"{column[3](row):>{column[2]}}" for column in columns)


def _tokens(count: int) -> str:
    if count < 10**7:
        return str(count)
    return f"{Context(prec=3, rounding=ROUND_DOWN).create_decimal(count):.2e}".replace("e+", "e")


def short(value: Real | None, up: bool = False) -> str:
    """Three significant digits, rounded to nearest or up; a dash for no number."""
    if value is None:
        return "-"
    low, high = decimal_bounds(value)
    rounded = Context(prec=3, rounding=ROUND_UP if up else ROUND_HALF_EVEN).create_decimal(high if up else low)
    return f"{rounded:f}" if -3 <= rounded.adjusted() < 6 else f"{rounded:.2e}".replace("e+", "e")
