"""Command line: `python -m empirical switching`."""

from __future__ import annotations

from pathlib import Path

import click

from empirical import options

EXAMPLES = """\b
Examples:
  python -m empirical switching --tier quick --seeds 2 --out runs/quick
  python -m empirical switching --out runs/switching
  python -m empirical switching --seeds 16 --seed 200 --out runs/more --json
"""


@click.command("switching", epilog=EXAMPLES)
@options.tier()
@options.seeds(8, 64, "are trained side by side")
@options.first_seed(100)
@click.option("--units", default=100, show_default=True, type=click.IntRange(1, 512), help="Of every LSTM.")
@options.wants_json()
@options.out("models, JSON and figures", required=True)
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
    data, paths = study(tier, options.seed_range(seed, seeds), units, out)
    options.tell(paths, data, render(data), wants_data)
