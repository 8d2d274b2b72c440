"""Command line: `python -m empirical switching`."""

from __future__ import annotations

import json
from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  python -m empirical switching --tier quick --seeds 2 --out runs/quick
  python -m empirical switching --out runs/switching
  python -m empirical switching --seeds 16 --seed 200 --out runs/more --json
"""


@click.command("switching", epilog=EXAMPLES)
@click.option("--tier", default="full", show_default=True, type=click.Choice(["quick", "full"]))
@click.option("--seeds", default=8, show_default=True, type=click.IntRange(1, 64), help="Trained side by side.")
@click.option("--seed", default=100, show_default=True, type=click.IntRange(0, 2**32), help="The first of them.")
@click.option("--units", default=100, show_default=True, type=click.IntRange(1, 512), help="Of every LSTM.")
@click.option("--json", "wants_data", is_flag=True, help="Print versioned JSON.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for models, JSON and figures; resumes there.",
)
def command(tier: str, seeds: int, seed: int, units: int, wants_data: bool, out: Path) -> None:
    """Train LSTMs on a stream that switches between Gaussian tasks, told the task or not, and let them infer it.

    Learning, forgetting, shared units, gradients beside likelihoods, filters on a fresh stream, means that were not
    learned, and three tasks of which one lies between the others; every number beside its band. Then LSTMs that are
    told no task and infer one while they learn: how far it follows the true one.
    """
    import torch

    from empirical.switching.study import study
    from empirical.switching.text import render

    torch.set_num_threads(1)
    data, paths = study(tier, range(seed, seed + seeds), units, out)
    for path in paths:
        click.echo(f"wrote {path}", err=True)
    click.echo(json.dumps(data, indent=1, allow_nan=False) if wants_data else render(data))
