"""Command line: `python -m empirical words`."""

from __future__ import annotations

from pathlib import Path

import click

from empirical import options
from theory.errors import InputError

PARTS = ("pairs", "scaling", "copy", "precision")
MOST_SEEDS = 100  # 7,000 runs of the full tier, hours of work
EXAMPLES = """\b
Examples:
  python -m empirical words --tier quick --seeds 1 --out runs/quick
  python -m empirical words --out runs/words
  python -m empirical words --parts copy,precision --seeds 5 --out runs/copy
  python -m empirical words --model smollm2 --out runs/constants
"""


@click.command("words", epilog=EXAMPLES)
@options.tier()
@click.option("--parts", default=",".join(PARTS), show_default=True, help="Some of these.")
@options.seeds(3, MOST_SEEDS, "of each training")
@options.first_seed()
@click.option("--model", help="A language model on constant strings instead: a folder, a GGUF file, or smollm2.")
@options.wants_json()
@options.out("models, JSON and figures", required=True)
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
    every = options.seed_range(seed, seeds)
    import torch

    from empirical.words.study import constants, study
    from empirical.words.text import render, render_constants

    torch.set_num_threads(1)
    if model is not None:
        data, paths = constants(model, out)
    else:
        data, paths = study(tier, chosen, every, out)
    text = render_constants if model is not None else render
    options.tell(paths, data, text(data), wants_data)
