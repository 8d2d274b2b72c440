"""Command line: `python -m empirical images`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from empirical import options
from theory.command_line import Option

EXAMPLES = """\b
Examples:
  python -m empirical images --tier quick --out runs/quick
  python -m empirical images --out runs/digits
  python -m empirical images --data fashion --out runs/fashion --json
  python -m empirical images --data fashion --fashion my/folder --seeds 5 --seed 10 --out runs/more
"""


@click.command("images", epilog=EXAMPLES)
@click.option("--data", default="digits", show_default=True, type=click.Choice(["digits", "fashion"]))
@options.tier()
@options.seeds("by data and tier, 2 to 5", 64, "of every kind of model")
@options.first_seed()
@click.option(
    "--fashion",
    cls=Option,
    show_default="where the Debian package has them",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with the four files of Fashion-MNIST.",
)
@options.wants_json()
@options.out("models, JSON and figures", required=True)
def command(
    data: str, tier: str, seeds: int | None, seed: int, fashion: Path | None, wants_data: bool, out: Path
) -> None:
    """Train autoencoders that are told the class of an image, and let them infer it.

    Accuracy of one gradient step, its repairs, several steps and the likelihoods of all classes; how well each tells
    images of no class; what each costs; every number beside its band.
    """
    import torch

    from empirical.images.study import study
    from empirical.images.text import render
    from empirical.images.tiers import TIERS

    torch.set_num_threads(1)
    chosen = options.seed_range(seed, seeds or TIERS[data, tier].seeds)
    found, paths = study(data, tier, chosen, out, fashion)
    options.tell(paths, found, "\n".join([render(found), "", *spent(found)]), wants_data)


def spent(found: Mapping[str, Any]) -> Iterator[str]:
    """What every training took, those that differ in nothing but their seed on one line."""
    yield f"CPU seconds of trainings, each seed: {found['training_cpu_seconds']:.1f} in all"
    by_kind: dict[str, list[str]] = {}
    for each in (*found["models"], *found["classifiers"]):
        width = f"-{each['width']}" if each["width"] else ""
        name = f"{each['kind']}{width}{', permuted' * each['permuted']}"
        by_kind.setdefault(name, []).append(f"{each['training']['cpu_seconds']:.1f}")
    yield from (f"  {name}: {' '.join(seconds)}" for name, seconds in by_kind.items())
