"""Command line: `python -m empirical flow`."""

from __future__ import annotations

import json
from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  python -m empirical flow number-4 --out flow/number-4
  python -m empirical flow runs/letter/model.json --sequences 2048 --seed 1 --json
"""


@click.command("flow", epilog=EXAMPLES)
@click.argument("model")
@click.option(
    "--sequences",
    default=1024,
    show_default=True,
    type=click.IntRange(max=65_536),
    help="How many are run through the model.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(0, 2**32),
    help="Of the sequences, and of random weights.",
)
@click.option("--tau", default=1e-4, show_default=True, help="Temperature of the weights of swaps, in the scores.")
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1, 1024), help="More only on idle cores.")
@click.option("--json", "as_json", is_flag=True, help="Print versioned JSON.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for JSON and figures; resumes from there."
)
def command(model: str, sequences: int, seed: int, tau: float, threads: int, as_json: bool, out: Path | None) -> None:
    """How MODEL gets from the last token to the answer, layer by layer.

    MODEL is what `python -m empirical train` wrote (its folder or card), or a model of the package, such as number-4.
    Attention from each link of the walk to the others, the answer as it can be read after each layer with the model's
    last map (logit lens), and the accuracy that is left without each head; random weights for comparison.
    """
    import torch

    from empirical.flow.output import report
    from empirical.scores.settings import Settings

    torch.set_num_threads(threads)
    data, text, paths = report(model, sequences, seed, out, Settings(tau=tau))
    for path in paths:
        click.echo(f"wrote {path}", err=True)
    click.echo(json.dumps(data, indent=1, allow_nan=False) if as_json else text)
