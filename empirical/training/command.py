"""Command line: `python -m empirical train` trains a decoder on a task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from empirical import options
from theory.command_line import Option
from theory.progress import progress_bar

EXAMPLES = """\b
Examples:
  python -m empirical train number --recipe fast --seed 0 --out runs/number
  python -m empirical train letter --recipe fast --layers 4 --threads 2 --out runs/letter-4
  python -m empirical train number --recipe paper --out runs/paper --resume
"""


@click.command("train", epilog=EXAMPLES)
@click.argument("task", metavar="TASK", type=click.Choice(["number", "letter"]))
@click.option("--recipe", default="fast", show_default=True, type=click.Choice(["fast", "paper"]))
@click.option("--alphabet", cls=Option, show_default="8", type=int, help="Letters of the letter task.")
@click.option("--layers", default=12, show_default=True, type=int)
@click.option("--heads", default=1, show_default=True, type=int, help="Of a layer.")
@click.option("--width", default=128, show_default=True, type=int, help="Of the residual stream; all heads together.")
@click.option("--steps", cls=Option, show_default="the recipe's", type=int, help="Of the training.")
@options.seed("data, initial weights, order and dropout")
@options.threads()
@click.option("--snapshots", is_flag=True, help="Keep the model of every report, for learning dynamics.")
@click.option("--resume", is_flag=True, help="Go on with the training in --out, if there is one.")
@options.wants_json()
@options.out("model and metrics", required=True, resumes=False)
def command(
    task: str,
    recipe: str,
    alphabet: int | None,
    layers: int,
    heads: int,
    width: int,
    steps: int | None,
    seed: int,
    threads: int,
    snapshots: bool,
    resume: bool,
    wants_data: bool,
    out: Path,
) -> None:
    """Train a decoder on TASK, number or letter, with the paper's sizes of sequences and data.

    Much of the letter task can be guessed without a walk, with any alphabet; docs/lengths.md says how much.

    The folder gets model.json and the weights it names (safetensors), and metrics.jsonl: a line a report. A training
    that was stopped or killed goes on with --resume, and ends with the same bits on the same machine.
    """
    from empirical.decoder_config import DecoderConfig
    from empirical.tasks.letter import LetterTask
    from empirical.training.loop import MODEL, train
    from empirical.training.plan import TASKS, Plan
    from empirical.training.recipe import RECIPES
    from theory.errors import InputError

    if alphabet is not None and task != "letter":
        raise InputError(f"--alphabet {alphabet} belongs to the letter task; leave it out for the {task} task")
    chosen = RECIPES[recipe] if steps is None else replace(RECIPES[recipe], steps=steps)
    kind = TASKS[task]() if alphabet is None else LetterTask(alphabet=alphabet)
    model = DecoderConfig(kind.vocabulary_size, layers=layers, heads=heads, width=width, dropout=chosen.dropout)
    plan = Plan(kind, model, chosen, seed, threads)
    words = {
        "recipe": recipe,
        "alphabet": alphabet,
        "layers": layers,
        "heads": heads,
        "width": width,
        "steps": steps,
        "seed": seed,
    }
    options = " ".join(f"--{name} {value}" for name, value in words.items() if value is not None)
    facts = {"command": f"python -m empirical train {task} {options} --threads {threads}"}
    with progress_bar("training") as show:

        def watch(step: int) -> None:
            if show:
                show(step, chosen.steps)

        card = train(plan, out, resume=resume, snapshots=snapshots, facts=facts, watch=watch)
    click.echo(json.dumps(card, indent=1) if wants_data else _summary(card, out / MODEL))


def _summary(card: Mapping[str, Any], path: Path) -> str:
    test = card["metrics"]["test"]
    by_hops = ", ".join(f"{hops}: {share:.2%}" for hops, share in test["by_hops"].items())
    return (
        f"test accuracy {test['accuracy']:.2%} (by hops {by_hops})\n"
        f"{card['cpu_seconds']['training'] / 60:.1f} CPU minutes of training\n{path}"
    )
