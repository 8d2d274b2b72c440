"""Command line: `python -m empirical ask`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from empirical import options
from theory.command_line import Option
from theory.errors import InputError

EXAMPLES = """\b
Examples:
  python -m empirical ask smollm2 --lengths 5,9,17 --out answers
  python -m empirical ask MODEL_FOLDER --task index --chat --out answers
  python -m empirical ask NAME --url http://localhost:8000/v1 --out answers
  python -m empirical ask NAME --url https://HOST/v1 --key-variable KEY --out answers
"""


@click.command("ask", epilog=EXAMPLES)
@click.argument("model")
@click.option(
    "--url",
    cls=Option,
    show_default="MODEL is on the disk",
    help="Ask MODEL at this OpenAI-compatible endpoint.",
)
@click.option("--key-variable", metavar="NAME", help="Environment variable with the key of the endpoint.")
@click.option("--completions", is_flag=True, help="Ask the endpoint for completions, not in a chat.")
@click.option("--chat", is_flag=True, help="Ask a model on the disk in the form of its chat template.")
@click.option(
    "--task",
    "tasks",
    cls=Option,
    multiple=True,
    show_default="both",
    type=click.Choice(["index", "retrieval"]),
    help="One or both.",
)
@click.option("--lengths", default="5,9,17,33", show_default=True, metavar="A,B,...", help="Tokens of a sequence.")
@click.option("--questions", default=40, show_default=True, type=click.IntRange(1), help="Of each task and length.")
@click.option("--shots", default=4, show_default=True, type=click.IntRange(0), help="Solved examples before each.")
@click.option("--tokens", default=16, show_default=True, type=click.IntRange(1, 1024), help="At most, of an answer.")
@click.option("--retries", default=5, show_default=True, type=click.IntRange(0, 100), help="Of a request that fails.")
@options.seed("sequences")
@options.threads(None)
@options.wants_json()
@options.out("answers, JSON and figure", required=True)
def command(
    model: str,
    url: str | None,
    key_variable: str | None,
    completions: bool,
    chat: bool,
    tasks: tuple[str, ...],
    lengths: str,
    questions: int,
    shots: int,
    tokens: int,
    retries: int,
    seed: int,
    threads: int | None,
    wants_data: bool,
    out: Path,
) -> None:
    """Ask MODEL one-hop tasks in words, and count exact answers by length and by place.

    MODEL is a folder with config.json and safetensors, a GGUF file, `smollm2`, or a name at the --url. Index asks for
    the letter v places back, Retrieval for the token that begins with a letter.
    """
    import torch

    from empirical.ask.endpoint import Endpoint
    from empirical.ask.local import Local
    from empirical.ask.output import draw, render
    from empirical.ask.questions import Quiz
    from empirical.ask.run import RESULT, ask, by_length
    from empirical.lock import alone
    from theory.progress import progress_bar

    if threads is not None:
        torch.set_num_threads(threads)
    if url is None and (key_variable is not None or completions):
        raise InputError("--key-variable and --completions are for an endpoint; give its --url, or leave them out")
    if url is not None and chat:
        raise InputError("--chat is for a model on the disk; an endpoint is asked in a chat unless --completions")
    quiz = Quiz(tuple(tasks) or Quiz.tasks, options.numbers("--lengths", lengths), questions, shots, seed)
    asked: Endpoint | Local
    if url is None:
        asked = Local(model, chat=chat, tokens=tokens)
    else:
        asked = Endpoint(url, model, key_variable, chat=not completions, tokens=tokens, retries=retries)
    with alone(out):
        with progress_bar("asking") as progress:
            answers = ask(asked, asked.about, quiz, out, progress)
        paths = [out / RESULT, *draw(answers, str(asked.about["model"]), out)]
        data = json.loads((out / RESULT).read_text())
    options.tell(paths, data, render(by_length(answers)), wants_data)
