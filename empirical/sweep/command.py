"""Command line: `python -m empirical sweep`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

import click

from empirical import options
from theory.command_line import Option
from theory.errors import InputError

EXAMPLES = """\b
Examples:
  python -m empirical sweep docs/sweep.yaml --out runs/sweep
  python -m empirical sweep docs/sweep.yaml --out runs/sweep --jobs 8
  python -m empirical sweep docs/sweep.yaml --out /shared/sweep --engine dask --scheduler tcp://HOST:8786
"""


@click.command("sweep", epilog=EXAMPLES)
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--engine", default="local", show_default=True, type=click.Choice(["local", "dask"]))
@click.option(
    "--jobs", cls=Option, show_default="one for each core", type=click.IntRange(1), help="Runs at a time, with local."
)
@click.option("--scheduler", metavar="ADDRESS", help="Of the Dask cluster, with dask. Its workers share --out.")
@options.wants_json()
@options.out("runs, JSON and CSV", required=True)
def command(spec: Path, engine: str, jobs: int | None, scheduler: str | None, wants_data: bool, out: Path) -> None:
    """Many trainings or scorings: all runs that SPEC, a YAML file, describes by a grid.

    Every run has a folder in --out, and one thread. results.json and results.csv list all runs. What was stopped or
    killed goes on when the same command is given again, and runs that are done are not done again. Exit code 1 if a run
    failed.
    """
    from joblib import cpu_count

    from empirical.sweep.engine_dask import run_on_cluster
    from empirical.sweep.engine_local import run_locally
    from empirical.sweep.sweep import sweep

    if engine == "local":
        if scheduler is not None:
            raise InputError(f"--scheduler {scheduler} is for a cluster; add --engine dask")
        at_once = jobs or cpu_count()
        data, files = sweep(spec, out, lambda runs, folder, turn: run_locally(runs, folder, turn, at_once))
    else:
        if jobs is not None:
            raise InputError(f"--jobs {jobs} is for the local engine; a cluster does as many runs as it has workers")
        if scheduler is None:
            raise InputError("--engine dask needs the address of a scheduler; give --scheduler tcp://HOST:PORT")
        data, files = sweep(spec, out, lambda runs, folder, turn: run_on_cluster(runs, folder, turn, scheduler))
    options.tell(files, data, _text(data), wants_data)
    for failed in data["failed"]:
        click.echo(f"failed: {failed['run']}: {failed['failure']}", err=True)
    if data["failed"]:
        raise click.exceptions.Exit(1)


def _text(data: Mapping[str, Any]) -> str:
    lines = [f"{len(data['runs'])} runs done, {len(data['failed'])} failed"]
    for run in data["runs"]:
        numbers = {name: value for name, value in run["result"].items() if not isinstance(value, str)}
        text = f"  {run['run']}: " + ", ".join(f"{name} {value:.4g}" for name, value in numbers.items())
        lines.append(fill(text, 80, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False))
    return "\n".join(lines)
