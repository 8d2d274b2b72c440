"""Command line: `python -m empirical dynamics`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from empirical import options
from theory.command_line import Option

EXAMPLES = """\b
Examples:
  python -m empirical dynamics --task number --layers 4 --steps 1000 --seeds 0 1 2 --out runs/number-4
  python -m empirical dynamics --task letter --layers 12 --seeds 0 --out runs/letter-12 --json
"""


class ManyValues(click.Command):
    """A command whose option --seeds takes all the numbers after it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words: list[str] = []
        for word in args:
            again = words and word.isdecimal() and len(words) > 1 and words[-2] == "--seeds"
            words += ["--seeds", word] if again else [word]
        return super().parse_args(ctx, words)


@click.command("dynamics", cls=ManyValues, epilog=EXAMPLES)
@click.option("--task", required=True, type=click.Choice(["number", "letter"]))
@click.option(
    "--seeds",
    cls=Option,
    metavar="N ...",
    default=[0],
    show_default="0",
    multiple=True,
    type=options.SEED,
    help="The seeds themselves, of one training each.",
)
@click.option("--recipe", default="fast", show_default=True, type=click.Choice(["fast", "paper"]))
@click.option("--layers", default=12, show_default=True, type=int)
@click.option("--heads", default=1, show_default=True, type=int, help="Of a layer.")
@click.option("--width", default=128, show_default=True, type=int, help="Of the residual stream.")
@click.option("--steps", cls=Option, show_default="the recipe's", type=int, help="Of the training.")
@click.option("--report", cls=Option, show_default="the recipe's", type=int, help="Steps from snapshot to snapshot.")
@click.option("--prompts", default=256, show_default=True, type=int, help="Sequences that heads are scored on.")
@options.tau()
@options.threads()
@options.wants_json()
@options.out("JSON, figure and trainings", required=True)
def command(
    task: str,
    seeds: tuple[int, ...],
    recipe: str,
    layers: int,
    heads: int,
    width: int,
    steps: int | None,
    report: int | None,
    prompts: int,
    tau: float,
    threads: int,
    wants_data: bool,
    out: Path,
) -> None:
    """Train on a task under each of some seeds, and score the heads of every snapshot.

    Accuracy by hops, both scores and the entropy of every head, and how many heads are pure, over the training, with
    intervals over the seeds. The folder gets dynamics.json, a figure, and a folder for each training. What was stopped
    or killed goes on from there with the same command.
    """
    from empirical.decoder_config import DecoderConfig
    from empirical.dynamics.output import report as made
    from empirical.dynamics.study import Study
    from empirical.scores.settings import Settings
    from empirical.training.plan import TASKS, Plan
    from empirical.training.recipe import RECIPES

    changes: dict[str, Any] = {"steps": steps, "report": report}
    chosen = replace(RECIPES[recipe], **{name: value for name, value in changes.items() if value is not None})
    kind = TASKS[task]()
    model = DecoderConfig(kind.vocabulary_size, layers=layers, heads=heads, width=width, dropout=chosen.dropout)
    study = Study(Plan(kind, model, chosen, seeds[0], threads), seeds, prompts, Settings(tau=tau))
    data, text, paths = made(study, out)
    options.tell(paths, data, text, wants_data)
