"""Command line: `python -m empirical frequencies`."""

from __future__ import annotations

from pathlib import Path

import click

from empirical import options
from theory.command_line import Option

EXAMPLES = """\b
Examples:
  python -m empirical frequencies number-12 letter-12 --out frequencies
  python -m empirical frequencies number-4 --layer 1 --out frequencies
"""


@click.command("frequencies", epilog=EXAMPLES)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option(
    "--layer",
    cls=Option,
    show_default="the one with the most variation in one plane",
    type=int,
    help="To draw a plane of.",
)
@click.option("--sequences", default=256, show_default=True, type=click.IntRange(2, 65_536), help="To measure on.")
@click.option(
    "--drawn", default=24, show_default=True, type=click.IntRange(1, 4096), help="Sequences in pictures of a plane."
)
@options.seed("sequences and intervals")
@options.threads()
@options.wants_json()
@options.out("JSON and figures")
def command(
    models: tuple[str, ...],
    layer: int | None,
    sequences: int,
    drawn: int,
    seed: int,
    threads: int,
    wants_data: bool,
    out: Path | None,
) -> None:
    """Which planes carry the logits of each head of trained MODELs, with the head's scores.

    A MODEL is the name of one that comes with the package, or a card (model.json), or its folder. With --out there are
    also pictures of keys and queries on the foremost plane of a layer, before and after rotation. A model whose rows
    are in --out already is not measured again; a folder with results of another request is refused.
    """
    import torch

    from empirical.frequencies.run import run
    from empirical.frequencies.text import render
    from empirical.frequencies.use import Request
    from empirical.subjects import subjects

    torch.set_num_threads(threads)
    data, paths = run(subjects(models), Request(sequences, seed), layer, drawn, out)
    options.tell(paths, data, render(data["models"]), wants_data)
