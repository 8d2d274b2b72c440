"""Headings and their texts, as `show` and `encodings` print them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import click


def print_lines(lines: Iterable[tuple[str, str | tuple[str, ...]]], width: int) -> None:
    """Print headings and texts, broken at words; clauses on lines of their own where one line does not hold all."""
    for head, text in lines:
        clauses = (text,) if isinstance(text, str) else text
        whole = f"{head}: {' '.join(clauses)}"
        if len(clauses) == 1 or len(whole) <= width:
            click.echo(_filled(whole, width, 0))
        else:
            click.echo(f"{head}:")
            for clause in clauses:
                click.echo(_filled(clause, width, 4))


def _filled(text: str, width: int, indent: int) -> str:
    return textwrap.fill(
        text,
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 4),
        break_long_words=False,
        break_on_hyphens=False,
    )
