"""Command line: `python -m empirical score`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from empirical import options
from theory.command_line import Option
from theory.errors import InputError

EXAMPLES = """\b
Examples:
  python -m empirical score MODEL_FOLDER --prompts prompts.txt --out scores
  python -m empirical score model.gguf --prompts prompts.txt --lengths 32,64 --out scores
  python -m empirical score MODEL_FOLDER --prompts numbers.txt --tokens --random-init --json
"""


@click.command("score", epilog=EXAMPLES)
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--prompts",
    required=True,
    type=click.Path(path_type=Path),
    help="UTF-8 text, one prompt a line, encoded as its tokenizer does.",
)
@click.option("--tokens", "as_tokens", is_flag=True, help="Prompts are token numbers, separated by spaces.")
@click.option(
    "--length",
    cls=Option,
    show_default="those of the shortest",
    type=int,
    help="Tokens of each prompt that are used.",
)
@click.option("--lengths", metavar="A,B", help="Compare two lengths side by side.")
@click.option("--against", type=click.Path(path_type=Path), help="Another model of the same shape, side by side.")
@click.option("--random-init", is_flag=True, help="Score the architecture with random weights as well.")
@click.option("--planes", is_flag=True, help="Each plane's share of the logits, and the scores of it alone (longer).")
@click.option("--query", default=-1, show_default=True, help="Position of the query: 1 for the first token, -1 last.")
@options.tau()
@click.option("--block", default=1, show_default=True, help="Tokens that are swapped together.")
@click.option("--temperature", default=1.0, show_default=True, help="Of the attention.")
@options.seed("random weights and intervals")
@click.option("--top", default=5, show_default=True, type=click.IntRange(0), help="Heads of either kind to print.")
@options.threads(None)
@options.wants_json()
@options.out("JSON, CSV and maps")
def command(
    model: Path,
    prompts: Path,
    as_tokens: bool,
    length: int | None,
    lengths: str | None,
    against: Path | None,
    random_init: bool,
    planes: bool,
    query: int,
    tau: float,
    block: int,
    temperature: float,
    seed: int,
    top: int,
    threads: int | None,
    wants_data: bool,
    out: Path | None,
) -> None:
    """Positional and symbolic score of every head of MODEL: a folder with config.json and safetensors, or a GGUF file.

    Weights are read into float32. A model is scored only after a self-test: the attention rebuilt from what was read
    must be its own. A prompt shorter than --length is refused.
    """
    import torch

    from empirical.lock import alone
    from empirical.scores.settings import Settings
    from empirical.survey.output import JSON, as_data, save
    from empirical.survey.request import Request, answer
    from empirical.survey.text import render_report

    if threads is not None:
        torch.set_num_threads(threads)
    settings = Settings(query, tau, temperature, block)
    request = Request(model, prompts, as_tokens, settings, length, _two(lengths), against, random_init, planes, seed)
    if out is not None and (out / JSON).exists():
        raise InputError(f"{out} already holds scores; give another folder, or remove {out / JSON}")
    with nullcontext() if out is None else alone(out):
        report, parts = answer(request, out)
        paths = [] if out is None else save(report, out)
        for part in parts:
            part.remove()
    options.tell(paths, as_data(report), render_report(report, top), wants_data)


def _two(lengths: str | None) -> tuple[int, int] | None:
    if lengths is None:
        return None
    found = options.numbers("--lengths", lengths)
    if len(found) != 2 or found[0] == found[1]:
        raise InputError(f"--lengths {lengths[:60]!r} is not two different numbers; write them as 32,64")
    return found[0], found[1]
