"""Command line: `python -m empirical sources`."""

from __future__ import annotations

import json
from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  python -m empirical sources --tier quick --out runs/quick
  python -m empirical sources --out runs/sources
  python -m empirical sources --body transformer --out runs/sources-transformer --json
  python -m empirical sources --source mails=mails.txt --source notes=notes.txt \\
    --held-out book=book.txt --out runs/mine
"""


@click.command("sources", epilog=EXAMPLES)
@click.option(
    "--tier",
    default="full",
    show_default=True,
    type=click.Choice(["quick", "small", "full"]),
    help="quick: seconds, shows the parts at work and proves nothing; small: 3 sources, minutes; full: 5 sources.",
)
@click.option("--body", default="lstm", show_default=True, type=click.Choice(["lstm", "transformer"]))
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1, 64))
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**32), help="The first of them.")
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="NAME=FILE",
    help="UTF-8 text, plain or gzip, in place of the tier's source of that name; with a name that the tier has not, "
    "your files are all the sources.",
)
@click.option("--held-out", multiple=True, metavar="NAME=FILE", help="The same for the texts that nothing trains on.")
@click.option("--json", "wants_data", is_flag=True, help="Print versioned JSON.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for models, JSON and figures; resumes there.",
)
def command(
    tier: str,
    body: str,
    seeds: int,
    seed: int,
    sources: tuple[str, ...],
    held_out: tuple[str, ...],
    wants_data: bool,
    out: Path,
) -> None:
    """Train character models on several real texts, told the source of each window or not, and let them infer it.

    Training losses, sources inferred from one gradient and from likelihoods, offsets, and texts of no source that a
    mixture z adapts to; every number beside its band.
    """
    import torch

    from empirical.sources.study import study
    from empirical.sources.text import render

    torch.set_num_threads(1)
    data, paths = study(tier, range(seed, seed + seeds), out, body, sources, held_out)
    for path in paths:
        click.echo(f"wrote {path}", err=True)
    click.echo(json.dumps(data, indent=1, allow_nan=False) if wants_data else render(data))
