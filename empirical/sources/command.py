"""Command line: `python -m empirical sources`."""

from __future__ import annotations

from pathlib import Path

import click

from empirical import options

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
    help="quick shows the parts at work, and proves nothing; small has 3 sources, full 5.",
)
@click.option(
    "--body",
    default="lstm",
    show_default=True,
    type=click.Choice(["lstm", "transformer"]),
    help="The transformer has RoPE, and as many parameters.",
)
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="NAME=FILE",
    help="A text of yours, UTF-8, plain or gzip, for the tier's source of that name; with a name that the tier has "
    "not, your texts are all the sources. May be repeated.",
)
@click.option("--held-out", multiple=True, metavar="NAME=FILE", help="The same for the texts that nothing trains on.")
@options.seeds(3, 64, "of every kind of model")
@options.first_seed()
@options.wants_json()
@options.out("models, JSON and figures", required=True)
def command(
    tier: str,
    body: str,
    sources: tuple[str, ...],
    held_out: tuple[str, ...],
    seeds: int,
    seed: int,
    wants_data: bool,
    out: Path,
) -> None:
    """Train character models on several real texts, told the source of each window or not, and let them infer it.

    Training losses, sources inferred from one gradient and from likelihoods, offsets, and texts of no source that a
    mixture z adapts to; with the tier's own texts every number beside its band.
    """
    import torch

    from empirical.sources.study import study
    from empirical.sources.text import render

    torch.set_num_threads(1)
    data, paths = study(tier, options.seed_range(seed, seeds), out, body, sources, held_out)
    options.tell(paths, data, render(data), wants_data)
