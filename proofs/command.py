"""The command line of a companion script: exit code 0 if the proof holds, 1 if a step fails, 2 for bad usage."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import click

from theory import command_line

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class StepFailed(Exception):
    """A step of a proof whose check fails or stays undecided."""


def run(command: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; errors are one line."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without these letters still shows the proof
    try:
        return command_line.run(command, str(command.name), arguments)
    except StepFailed as failure:
        click.echo(f"error: {failure}", err=True)
        return 1
