"""Command line: `python -m empirical words`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from theory.errors import InputError

PARTS = ("pairs", "scaling", "copy", "precision")
MOST_SEEDS = 100  # 7,000 runs of the full tier, hours of work
LAST_SEED = 2**32 - 1
EXAMPLES = """\b
Examples:
  python -m empirical words --tier quick --seeds 1 --out runs/quick
  python -m empirical words --out runs/words
  python -m empirical words --parts copy,precision --seeds 5 --out runs/copy
  python -m empirical words --model smollm2 --out runs/constants
"""


@click.command("words", epilog=EXAMPLES)
@click.option("--tier", default="full", show_default=True, type=click.Choice(["quick", "full"]))
@click.option("--parts", default=",".join(PARTS), show_default=True, help="Some of these.")
@click.option(
    "--seeds", default=3, show_default=True, type=click.IntRange(1, MOST_SEEDS), help="How many of each training."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, LAST_SEED), help="The first of them.")
@click.option("--model", help="A language model on constant strings instead: a folder, a GGUF file, or smollm2.")
@click.option("--json", "wants_data", is_flag=True, help="Print versioned JSON.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for models, JSON and figures; resumes there.",
)
def command(tier: str, parts: str, seeds: int, seed: int, model: str | None, wants_data: bool, out: Path) -> None:
    """Train small decoders on words, and compare what they learn with the theory of compact position data.

    Pairs and families of words by encoding; logits scaled by ln n around the threshold; the copy task; and rounding of
    the decoders that learned to copy. The full tier has 210 runs and takes about 15 CPU minutes.
    """
    chosen = [part.strip() for part in parts.split(",")]
    if unknown := [part for part in chosen if part not in PARTS]:
        raise InputError(f"--parts {unknown[0]!r} is no part; give some of {','.join(PARTS)}")
    if "precision" in chosen and "copy" not in chosen:
        raise InputError("--parts precision rounds the decoders of the part copy; give copy,precision")
    if seed + seeds - 1 > LAST_SEED:
        raise InputError(f"--seed {seed} with --seeds {seeds} goes beyond the last seed, {LAST_SEED}; give less")
    import torch

    from empirical.words.study import constants, study
    from empirical.words.text import render, render_constants

    torch.set_num_threads(1)
    if model is not None:
        data, paths = constants(model, out)
    else:
        data, paths = study(tier, chosen, range(seed, seed + seeds), out)
    for path in paths:
        click.echo(f"wrote {path}", err=True)
    text = render_constants if model is not None else render
    click.echo(json.dumps(data, indent=1, allow_nan=False) if wants_data else text(data))
