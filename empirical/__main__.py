"""Command line: `python -m empirical tasks | ...`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from empirical.ask.command import command as ask
from empirical.basin.command import command as basin
from empirical.dynamics.command import command as dynamics
from empirical.flow.command import command as flow
from empirical.frequencies.command import command as frequencies
from empirical.images.command import command as images
from empirical.language.command import command as language
from empirical.lengths.command import command as lengths
from empirical.sources.command import command as sources
from empirical.survey.command import command as score
from empirical.sweep.command import command as sweep
from empirical.switching.command import command as switching
from empirical.tasks.command import command as tasks
from empirical.training.command import command as train
from empirical.words.command import command as words
from theory import command_line


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Trained models: the papers' tasks, training on them, and scores of these models or your own."""


main.add_command(tasks)
main.add_command(score)
main.add_command(sweep)
main.add_command(train)
main.add_command(language)
main.add_command(ask)
main.add_command(basin)
main.add_command(dynamics)
main.add_command(flow)
main.add_command(frequencies)
main.add_command(images)
main.add_command(lengths)
main.add_command(sources)
main.add_command(switching)
main.add_command(words)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; 2 and one line on bad input."""
    return command_line.run(main, "python -m empirical", arguments)


if __name__ == "__main__":
    sys.exit(run())
