"""Command line: `python -m empirical lengths`."""

from __future__ import annotations

from pathlib import Path

import click

from empirical import options
from theory.command_line import Option

EXAMPLES = """\b
Examples:
  python -m empirical lengths number-4 letter-4 --out lengths
  python -m empirical lengths runs/number-4-seed-1 --lengths 17,50,100 --out short
"""


@click.command("lengths", epilog=EXAMPLES)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option(
    "--lengths", cls=Option, metavar="A,B,...", show_default="21 of them, 17 to 5000", help="Of whole inputs, rising."
)
@click.option("--prefixes", default=8, show_default=True, help="Independent ones, for each number of hops.")
@click.option("--sequences", default=16, show_default=True, help="Behind each prefix.")
@options.seed("sequences and prefixes")
@options.threads()
@options.wants_json()
@options.out("JSON and figures", required=True)
def command(
    models: tuple[str, ...],
    lengths: str | None,
    prefixes: int,
    sequences: int,
    seed: int,
    threads: int,
    wants_data: bool,
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
    request = Request(LENGTHS if lengths is None else options.numbers("--lengths", lengths), prefixes, sequences, seed)
    found = subjects(models)
    for one in found:
        request.require(one)
    with alone(out):
        data, paths = run(found, request, out)
    options.tell(paths, data, render(data), wants_data)
