"""The command line of a companion script: exit code 0 if the proof holds, 1 if a step fails, 2 for bad usage."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence

import click

from theory import command_line
from theory.errors import Undecided

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class StepFailed(Exception):
    """A step of a proof whose check fails or stays undecided."""


def script(prove: Callable[[], None], name: str, about: str) -> click.Command:
    """The command that prints the proof of the module `name`."""

    def steps() -> None:
        try:
            prove()
        except Undecided as undecided:
            raise StepFailed(str(undecided)) from undecided

    return click.Command(
        f"python -m proofs.{name}",
        callback=steps,
        help=f"{about}\n\nPrints a proof and checks every step as it is printed. The exit code is 0 if all steps hold, "
        f"1 at the first that does not, and 2 for bad usage.\n\nExample: python -m proofs.{name}",
        context_settings=SETTINGS,
    )


def run(command: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; errors are one line."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without these letters still shows the proof
    try:
        return command_line.run(command, str(command.name), arguments)
    except StepFailed as failure:
        click.echo(f"error: {failure}", err=True)
        return 1
