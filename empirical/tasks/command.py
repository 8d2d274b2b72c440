"""Command line: `python -m empirical tasks` prints sequences with their walks marked."""

from __future__ import annotations

import time

import click

EXAMPLES = """\b
Examples:
  python -m empirical tasks number --sequences 5 --seed 0
  python -m empirical tasks letter --hops 2 --prepended 8
"""


@click.command("tasks", epilog=EXAMPLES)
@click.argument("name", metavar="NAME", type=click.Choice(["number", "letter"]))
@click.option("--sequences", default=5, show_default=True, type=int, help="How many to generate.")
@click.option("--show", default=10, show_default=True, type=click.IntRange(0), help="How many of them to print.")
@click.option("--seed", default=0, show_default=True, type=int)
@click.option("--hops", type=int, help="Of all walks; by default 1 to 4, equally often.")
@click.option("--prepended", default=0, show_default=True, type=int, help="Irrelevant targets in front.")
def command(name: str, sequences: int, show: int, seed: int, hops: int | None, prepended: int) -> None:
    """Print sequences of the number or the letter task at the paper's sizes.

    Tokens on the walk carry the order of the visit, from 0 at the last token; the answer is at the end of the line.
    """
    from constructions.reference import letter_walk, number_walk
    from empirical.tasks.letter import LetterTask
    from empirical.tasks.number import NumberTask

    task = NumberTask() if name == "number" else LetterTask()
    walk = number_walk if name == "number" else letter_walk
    start = time.process_time()
    batch = task.generate(sequences, seed, hops=hops, prepended=prepended)
    seconds = time.process_time() - start
    for row in batch.tokens[:show].tolist():
        tokens = task.vocabulary.decode(row)
        found = walk(tokens)  # type: ignore[arg-type]
        words = [
            f"{token}[{found.path.index(at)}]" if at in found.path else str(token) for at, token in enumerate(tokens, 1)
        ]
        click.echo(f"{' '.join(words)}  ->  {found.answer} in {found.hops} hops")
    click.echo(f"{sequences} sequences of {batch.tokens.shape[1]} tokens in {seconds:.2g} s of computing time")
