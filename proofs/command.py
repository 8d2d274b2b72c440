"""The command line of a companion script: exit code 0 if the proof holds, 1 if a step fails, 2 for bad usage."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence

import click

from theory.errors import Undecided

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class StepFailed(Exception):
    """A step of a proof whose check fails or stays undecided."""


def script(prove: Callable[[], None], name: str, about: str) -> click.Command:
    """The command that prints the proof of the module `name`."""
    return click.Command(
        f"python -m proofs.{name}",
        callback=prove,
        help=f"{about}\n\nPrints a proof and checks every step as it is printed. The exit code is 0 if all steps hold, "
        f"1 at the first that does not, and 2 for bad usage.\n\nExample: python -m proofs.{name}",
        context_settings=SETTINGS,
    )


def run(command: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; errors are one line."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without these letters still shows the proof
    try:
        command.main(arguments, prog_name=command.name, standalone_mode=False)
    except (StepFailed, Undecided) as failure:
        click.echo(f"error: {failure}", err=True)
        return 1
    except click.ClickException as error:
        click.echo(f"error: {error.format_message().rstrip('.')}; `{command.name} --help` shows the usage", err=True)
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        # The reader has left; nothing is to be written any more, not even what is still buffered.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0
