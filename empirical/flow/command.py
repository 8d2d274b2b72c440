"""Command line: `python -m empirical flow`."""

from __future__ import annotations

from pathlib import Path

import click

from empirical import options

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
@options.seed("sequences and random weights")
@options.tau()
@options.threads()
@options.wants_json()
@options.out("JSON and figures")
def command(
    model: str, sequences: int, seed: int, tau: float, threads: int, wants_data: bool, out: Path | None
) -> None:
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
    options.tell(paths, data, text, wants_data)
