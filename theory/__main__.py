"""Command line: `python -m theory encodings | ledger | limits | show | value`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from theory import command_line
from theory.modules import load

_MODULES = {
    "encodings": "theory.commands.encodings",
    "ledger": "theory.commands.ledger",
    "limits": "theory.limits.command",
    "show": "theory.commands.show",
    "value": "theory.commands.value",
}


class _Commands(click.Group):
    """Imports a command when it is asked for, so that a module that cannot be imported is an error of one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load(_MODULES[cmd_name]).command if cmd_name in _MODULES else None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Claims about transformers, their verdicts, and the numbers that belong to them."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; 2 and one line on bad input."""
    return command_line.run(main, "python -m theory", arguments)


if __name__ == "__main__":
    sys.exit(run())
