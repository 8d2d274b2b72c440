"""Command line: `python -m empirical tasks` prints sequences with their walks marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from empirical import options
from theory.command_line import Option

FORMAT = "headproof sequences"
VERSION = 1
EXAMPLES = """\b
Examples:
  python -m empirical tasks number --sequences 5 --seed 0
  python -m empirical tasks letter --hops 2 --prepended 8
"""


@click.command("tasks", epilog=EXAMPLES)
@click.argument("name", metavar="TASK", type=click.Choice(["number", "letter", "index", "retrieval", "induction"]))
@click.option("--sequences", default=5, show_default=True, type=int, help="How many.")
@options.seed("sequences")
@click.option("--hops", cls=Option, show_default="the task's numbers, equally often", type=int, help="Of all walks.")
@click.option("--prepended", default=0, show_default=True, type=int, help="Irrelevant tokens in front.")
@options.wants_json()
def command(name: str, sequences: int, seed: int, hops: int | None, prepended: int, wants_data: bool) -> None:
    """Print sequences of TASK: number or letter (the paper's sizes), index, retrieval or induction.

    Tokens on the walk carry the order of the visit, from 0 at the last token; the answer ends the line. In JSON a walk
    is the positions of its tokens, from 1, in that order.
    """
    from constructions.reference import letter_walk, number_walk
    from empirical.tasks import index, induction, letter, number, retrieval

    tasks: dict[str, Callable[[], Any]] = {
        "number": number.NumberTask,
        "letter": letter.LetterTask,
        "index": index.IndexTask,
        "retrieval": retrieval.RetrievalTask,
        "induction": induction.InductionTask,
    }
    walks: dict[str, Callable[[Any], Any]] = {"number": number_walk, "letter": letter_walk}
    task = tasks[name]()
    batch = task.generate(sequences, seed, hops=hops, prepended=prepended)
    rows, lines = [], []
    for row, position in zip(batch.tokens.tolist(), batch.positions.tolist(), strict=True):
        tokens = task.vocabulary.decode(row)
        path: Sequence[int] = walks[name](tokens).path if name in walks else (len(tokens), position)
        words = [f"{token}[{path.index(at)}]" if at in path else str(token) for at, token in enumerate(tokens, 1)]
        lines.append(f"{' '.join(words)}  ->  {tokens[position - 1]}")
        rows.append(
            {"tokens": list(map(str, tokens)), "walk": list(dict.fromkeys(path)), "answer": str(tokens[position - 1])}
        )
    data = {"format": FORMAT, "version": VERSION, "task": name, "seed": seed, "sequences": rows}
    options.tell([], data, "\n".join(lines), wants_data)
