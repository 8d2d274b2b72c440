"""Command line: `python -m empirical basin`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from empirical import options
from theory.command_line import Option
from theory.errors import InputError

if TYPE_CHECKING:
    from theory.arithmetic.ball import Real

EXAMPLES = """\b
Examples:
  python -m empirical basin number-12 --out basin
  python -m empirical basin model.json --words zeros:squares --epsilon 0.05
  python -m empirical basin smollm2 --longest 64 --out basin
  python -m empirical basin MODEL_FOLDER --words "4 8 15 16 23:4 8 42 16 23"
"""


@click.command("basin", epilog=EXAMPLES)
@click.argument("model")
@click.option("--words", default="zeros:chi", show_default=True, help="Two words, FIRST:SECOND; see below.")
@click.option(
    "--letters", cls=Option, metavar="A,B", show_default='0,1, or those of "0" and "1"', help="Tokens for 0 and 1."
)
@click.option(
    "--epsilon", default="1/10", show_default=True, help="Distance of outputs below which words are not told apart."
)
@click.option(
    "--longest",
    cls=Option,
    show_default="128, or 64 where large",
    type=click.IntRange(8, 100_000),
    help="Length that is measured.",
)
@click.option(
    "--steps",
    cls=Option,
    show_default="8, or 4 where large",
    type=click.IntRange(1, 1000),
    help="Greedy letters after a change.",
)
@options.seed("random places and words")
@options.threads(None)
@options.wants_json()
@options.out("JSON and figures")
def command(
    model: str,
    words: str,
    letters: str | None,
    epsilon: str,
    longest: int | None,
    steps: int | None,
    seed: int,
    threads: int | None,
    wants_data: bool,
    out: Path | None,
) -> None:
    """From which length on MODEL cannot tell two words apart: certified, estimated, and measured.

    MODEL is a checkpoint's card, a model shipped here (number-12, ...), `smollm2` if its package is installed, or a
    folder or GGUF file of a language model. Words are zeros, ones, chi (1 at powers of two), squares, per3 (1 at every
    fourth place), as `theory value` names them too (0^w, 1^w, sq, per_3), or token numbers; two finite words need one
    length and one last letter. A decoder that the theorem does not cover is refused by name, and so is a folder with
    results of another request.
    """
    from contextlib import nullcontext

    import torch

    from empirical.basin.measured import Plan
    from empirical.basin.output import as_json, save
    from empirical.basin.report import Request
    from empirical.basin.run import answer
    from empirical.basin.text import render
    from empirical.language.packaged import PACKAGED
    from empirical.lock import alone

    if threads is not None:
        torch.set_num_threads(threads)
    level = _epsilon(epsilon)
    large = model in PACKAGED or model.endswith(".gguf") or (Path(model) / "config.json").is_file()
    plan = Plan(
        longest or (64 if large else 128), steps=steps or (4 if large else 8), influence=1 if large else 3, seed=seed
    )
    request = Request(model, words, _two(letters), level, plan)
    with nullcontext() if out is None else alone(out):
        report = answer(request, out)
        paths = [] if out is None else save(report, out)
    options.tell(paths, as_json(report), render(report), wants_data)


def _epsilon(text: str) -> Real:
    from theory.arithmetic.ball import Real
    from theory.arithmetic.grammar import parse_number
    from theory.outcome import Outcome

    value = Real.of(parse_number(text))
    if (value > 0) is not Outcome.HOLDS or (value <= 1) is not Outcome.HOLDS:
        raise InputError(f"--epsilon {text} is not in (0, 1]: probabilities differ by some amount; give say 1/10")
    return value


def _two(letters: str | None) -> tuple[int, int] | None:
    if letters is None:
        return None
    found = options.numbers("--letters", letters)
    if len(found) != 2:
        raise InputError(f"--letters {letters[:60]!r} is not two token numbers; write them as 4,7")
    return found[0], found[1]
