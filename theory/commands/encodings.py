"""Command line: `python -m theory encodings`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console

from theory.command_line import known
from theory.commands.lines import print_lines
from theory.compact.encodings.classify import classify
from theory.compact.encodings.components import Classification
from theory.compact.encodings.table import ENCODINGS, described, listing
from theory.rope.models.config import read_json


@click.command("encodings")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print which positional encodings are compact, one of them by NAME, or what a config.json of that NAME has.

    Example: python -m theory encodings alibi
    """
    width = min(Console().width, 110)
    if name is None:
        click.echo("\n".join(listing(width)))
    elif name not in ENCODINGS and (name.endswith(".json") or Path(name).exists()):
        print_lines(_classified(classify(read_json(name))), width)
    else:
        known(name, ENCODINGS, "encoding", "python -m theory encodings")
        print_lines(described(ENCODINGS[name]), width)


def _classified(found: Classification) -> Iterator[tuple[str, str]]:
    yield "verdict", f"{found.verdict.value}: {found.verdict.meaning}"
    for component in found.components:
        row = component.encoding
        yield row.name, "; ".join(filter(None, (row.verdict.value, component.detail)))
    for component in found.deciding:
        yield f"what holds of {component.encoding.name}", component.encoding.holds
