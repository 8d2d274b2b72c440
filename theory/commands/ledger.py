"""Command line: `python -m theory ledger`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed

import click
from rich.console import Console

from theory.claims import Claim, discover
from theory.command_line import ended, ignore_interruptions, known
from theory.progress import progress_bar
from theory.table import render
from theory.verdicts import Ledger, Run


@click.command("ledger")
@click.argument("claim", nargs=-1)
@click.option("--list", "names_only", is_flag=True, help="Print the names of the claims and stop.")
@click.option("--thorough", is_flag=True, help="Run every enumeration and box to its stated bound.")
@click.option("--json", "as_data", is_flag=True, help="Print the ledger as versioned JSON.")
@click.option(
    "--jobs",
    default=min(2, os.cpu_count() or 1),
    show_default=True,
    type=click.IntRange(1),
    help="Processes.",
)
def command(claim: tuple[str, ...], names_only: bool, thorough: bool, as_data: bool, jobs: int) -> None:
    """Run the checkers of all claims, or of the CLAIMs named, and print the ledger.

    Example: python -m theory ledger index-discrepancy-printed
    """
    chosen = _select(claim)
    if names_only:
        for name, item in chosen.items():
            click.echo(f"{name:45} {item.source}")
        return
    result = Ledger(chosen, _examine_all(chosen, thorough, jobs))
    if as_data:
        click.echo(json.dumps(result.as_json(), indent=1))
    else:
        width = Console().width if sys.stdout.isatty() else 140
        click.echo(render(result, width=width, color=sys.stdout.isatty()), nl=False)
    if result.complaints():
        sys.exit(1)


def _select(ids: tuple[str, ...]) -> Mapping[str, Claim]:
    claims = discover()
    for name in ids:
        known(name, claims, "claim", "python -m theory ledger --list")
    return {name: claims[name] for name in ids} if ids else claims


def _examine_all(chosen: Mapping[str, Claim], thorough: bool, jobs: int) -> list[Run]:
    tasks = [(name, label) for name, item in chosen.items() for label in item.variants()]
    runs: list[Run] = []
    with ended(ProcessPoolExecutor(min(jobs, len(tasks)), initializer=ignore_interruptions)) as pool:
        pending = [pool.submit(_examine, name, label, thorough) for name, label in tasks]
        with progress_bar("checking") as progress:
            for future in as_completed(pending):
                runs.append(future.result())
                if progress:
                    progress(len(runs), len(tasks))
    return runs


def _examine(claim_id: str, label: str, thorough: bool) -> Run:
    claim = discover()[claim_id]
    return Run.of(claim, label, claim.examine(label, thorough))
