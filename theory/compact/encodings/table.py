"""All rows of the classification by name, and their text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from theory.compact.encodings import compact_rows, other_rows
from theory.compact.encodings.encoding import Encoding, decimal

ENCODINGS: dict[str, Encoding] = {row.name: row for row in (*compact_rows.ROWS, *other_rows.ROWS)}


def listing(width: int) -> Iterator[str]:
    """A line for each row (name, verdict, exponent c, models), and what the words in them mean."""
    names = max(map(len, ENCODINGS))
    yield f"{'encoding':{names}}  {'verdict':12}  {'c':14}  models"
    for row in ENCODINGS.values():
        line = f"{row.name:{names}}  {row.verdict.value:12}  {row.exponent:14}  {row.models}"
        yield line if len(line) <= width else f"{line[: width - 4].rstrip()} ..."
    yield ""
    for verdict in sorted({row.verdict for row in ENCODINGS.values()}, key=lambda verdict: verdict.rank):
        yield from _wrapped(f"{verdict.value}: {verdict.meaning}", width)
    yield from _wrapped(
        "c: logits range over c ln n at length n, where Delta is their range without the factor; kappa: two words of "
        "length n differ in n^kappa places",
        width,
    )
    yield from _wrapped("`python -m theory encodings NAME` has all of a row, and what holds of it", width)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="    ", break_on_hyphens=False)


def described(row: Encoding) -> Iterator[tuple[str, str]]:
    """Heads and texts of one row."""
    yield "encoding", row.name
    yield "what", row.what
    yield "models", row.models
    yield "position data", row.position
    yield "verdict", f"{row.verdict.value}: {row.verdict.meaning}"
    yield "what holds", row.holds
    if row.factor is not None:
        index = "of the query" if row.factor.query_indexed else "of the total length"
        yield "factor on logits", f"{row.factor.formula} ({index})"
    if row.exponent != "-":
        yield "exponent c", row.exponent
    for label, value in row.constants:
        yield label, decimal(value())
    yield "source", row.source
