"""Command line: `python -m constructions.demo` shows the constructions at work, beside what is proved of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console

from constructions.demo.request import ALL, CONSTRUCTIONS, DTYPES, FIXED, Request
from theory import command_line
from theory.command_line import Folder, Option

EXAMPLES = """\b
Examples:
  python -m constructions.demo --out figures
  python -m constructions.demo --task index --length 12 --angle 1
  python -m constructions.demo --task number-task --input "n h n v 1 3 2"
  python -m constructions.demo --config path/to/config.json
"""
HEADING = "headproof: hand-written attention heads, beside what is proved of them"


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}, epilog=EXAMPLES)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="NAME",
    type=click.Choice([*CONSTRUCTIONS, *FIXED, ALL]),
    cls=Option,
    show_default=ALL,
    help=f"What to show; may be repeated. One of {', '.join([*CONSTRUCTIONS, *FIXED, ALL])}.",
)
@click.option(
    "--length",
    cls=Option,
    show_default="17",
    type=int,
    help="Tokens of an input; with --task models, of the table too.",
)
@click.option(
    "--angle",
    cls=Option,
    show_default="the best one for the length",
    metavar="ANGLE",
    help="Radians per position of the heads that attend by position and, with --task retrieval-printed, of that head: "
    "an exact number such as 1, 2*pi/17 or rope(base=10000,d=128,k=2).",
)
@click.option("--alphabet", cls=Option, show_default="8", type=int, help="Number of letters.")
@click.option("--integers", cls=Option, show_default="8", type=int, help="Integer tokens are 1 up to this number.")
@click.option(
    "--hops", cls=Option, show_default="up to 4", type=int, help="Hops of the walks in the number and the letter task."
)
@click.option(
    "--dtype",
    metavar="DTYPE",
    type=click.Choice(DTYPES),
    default=DTYPES[0],
    show_default=True,
    help=f"Of weights and arithmetic: {', '.join(DTYPES)}.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random inputs.")
@click.option("--input", "text", metavar="TOKENS", help='An input of yours: "n h n v 1 3 2", or pairs "c2 b1 fa ec".')
@click.option(
    "--config",
    "configs",
    multiple=True,
    metavar="FILE",
    help="The config.json of a model, for the table of models: alone, or beside the others with --task models or all.",
)
@click.option("--out", type=Folder(), metavar="DIR", help="Write figures there, as PNG and SVG.")
@click.option("--json", "as_data", is_flag=True, help="Print versioned JSON.")
def main(as_data: bool, **asked: Any) -> None:
    """Show hand-built attention heads and decoders at work: inputs, attention, outputs, logit gaps.

    Outputs are compared with a plain-Python reference, gaps and margins with certified bounds. It goes on with what one
    decoder with compact position data can learn and with what one gradient says of a task, and ends with a table of
    what a head on one plane of well-known models can tell apart. The exit code is 0 if all agrees, 1 if not, and 2 for
    bad input.
    """
    console = Console(highlight=False, quiet=as_data)
    console.print(HEADING, style="bold")
    sys.stdout.flush()
    with console.status("loading"):
        from constructions.demo import session  # brings torch and SymPy along
    report = session.run(console, Request(**asked))
    if as_data:
        click.echo(json.dumps(report.as_json(), indent=1))
    if report.faults:
        sys.exit(1)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; 1 if an output or a gap is wrong, 2 and one line on bad input."""
    return command_line.run(main, "python -m constructions.demo", arguments)


if __name__ == "__main__":
    sys.exit(run())
