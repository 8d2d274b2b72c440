"""Scores of the encoder in the package metatronnanoguard: `python -m tests.encoder_scores --out FOLDER`.

Its tokenizer is a pickle and is not opened: prompts are random token numbers, of which the model was never shown any.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click
import torch

from empirical.language.comparison import compare
from empirical.language.encoder import Encoder
from empirical.language.packaged import PACKAGED, packaged_file
from empirical.language.planes import plane_roles
from empirical.scores.bootstrap import Resampling
from empirical.scores.figure import draw
from empirical.scores.score import score_layer
from empirical.scores.settings import Settings
from theory import command_line

HEADS, SPECIAL = 4, 100


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the maps.")
@click.option("--prompts", default=50, show_default=True)
@click.option("--length", default=48, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(out: Path, prompts: int, length: int, seed: int) -> None:
    """Scores of all heads at the last token, to whose attention to both sides the definitions apply."""
    torch.set_num_threads(1)
    path = packaged_file(PACKAGED["nanoguard"])
    weights = torch.load(path, weights_only=True)["model_state_dict"]
    exact, rough = Encoder(weights, HEADS), Encoder(weights, HEADS, bfloat16=True)
    tokens = torch.randint(SPECIAL, exact.vocabulary, (prompts, length), generator=torch.Generator().manual_seed(seed))
    layers, roles = [], []
    for heads, other in zip(exact.heads(tokens), rough.heads(tokens), strict=True):
        found = score_layer(heads)
        layers.append(found)
        roles.append(plane_roles(heads, Settings()))
        assert heads.attention is not None and other.attention is not None
        rounding = float((heads.attention - other.attention).abs().max())
        moved = score_layer(replace(other, attention=None))
        scores = max(
            float((getattr(found, s) - getattr(moved, s)).mean(0).abs().max()) for s in ("positional", "symbolic")
        )
        fast = roles[-1].variation[:, roles[-1].fast].sum(1)
        print(f"layer {heads.layer}: angles in bfloat16 change attention by up to {rounding:.4f}, and mean scores,")
        print(f"  by what then enters the layer, by up to {scores:.0e}")
        for head in range(HEADS):
            values = (found.positional, found.symbolic, found.counted.nulls.random, found.relative_entropy())
            numbers = "  ".join(f"{float(value[:, head].mean()):.3f}" for value in values)
            print(f"  head {head}: s_POS, s_SYM, random null, relative entropy {numbers}; fast planes {fast[head]:.3f}")
    for correlation in compare(layers, roles, Resampling()):
        print(f"{correlation.what}: {correlation}")
    for file in draw({PACKAGED["nanoguard"].requirement: layers}, out):
        print(f"wrote {file}")


if __name__ == "__main__":
    sys.exit(command_line.run(main, "python -m tests.encoder_scores"))
