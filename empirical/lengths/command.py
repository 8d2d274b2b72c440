"""Command line: `python -m empirical lengths`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from empirical.options import numbers

EXAMPLES = """\b
Examples:
  python -m empirical lengths number-4 letter-4 --out lengths
  python -m empirical lengths runs/number-4-seed-1 --lengths 17,50,100 --out short
"""


@click.command("lengths", epilog=EXAMPLES)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option("--lengths", metavar="A,B,...", help="Of whole inputs, rising.  [default: 21 of them, 17 to 5000]")
@click.option("--prefixes", default=8, show_default=True, help="Independent ones, for each number of hops.")
@click.option("--sequences", default=16, show_default=True, help="Behind each prefix.")
@click.option("--seed", default=0, show_default=True, help="Of sequences and prefixes.")
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1, 1024), help="Of the computation.")
@click.option("--json", "as_data", is_flag=True, help="Print versioned JSON.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for all files; resumes there.",
)
def command(
    models: tuple[str, ...],
    lengths: str | None,
    prefixes: int,
    sequences: int,
    seed: int,
    threads: int,
    as_data: bool,
    out: Path,
) -> None:
    """Accuracy of trained MODELs with irrelevant targets in front, against length.

    A MODEL is the name of one that comes with the package, or a card (model.json), or its folder. What their planes
    and logit scales foresee is in prediction.json before anything is measured. Models that differ in their seed alone
    share a column of the figures.
    """
    import torch

    from empirical.lengths.measure import LENGTHS, Request
    from empirical.lengths.run import run
    from empirical.lengths.text import render
    from empirical.lock import alone
    from empirical.subjects import subjects

    torch.set_num_threads(threads)
    request = Request(LENGTHS if lengths is None else numbers("--lengths", lengths), prefixes, sequences, seed)
    found = subjects(models)
    for one in found:
        request.require(one)
    with alone(out):
        data, paths = run(found, request, out)
    for path in paths:
        click.echo(f"wrote {path}", err=True)
    click.echo(json.dumps(data, indent=1, allow_nan=False) if as_data else render(data))
