"""Command line: `python -m theory ledger | show | value | limits`."""

from __future__ import annotations

import inspect
import json
import os
import sys
import textwrap
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import Any

import click
import sympy
from rich.console import Console
from rich.progress import Progress

from theory import command_line
from theory.arithmetic.real import Real
from theory.claims import STATEMENT, Claim, discover
from theory.command_line import bounded
from theory.errors import InputError
from theory.limits.command import command as limits
from theory.outcome import Outcome
from theory.quantities import as_json, describe, quantities
from theory.table import Ledger, Run, render


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Claims about transformers, their verdicts, and the numbers that belong to them."""


main.add_command(limits)


def _examine(claim_id: str, label: str, thorough: bool) -> Run:
    claim = discover()[claim_id]
    return Run.of(claim, label, claim.examine(label, thorough))


def _select(ids: tuple[str, ...]) -> dict[str, Claim]:
    claims = discover()
    for name in ids:
        _known(name, claims, "claim", "python -m theory ledger --list")
    return {name: claims[name] for name in ids} if ids else claims


def _known(name: str, table: dict[str, Any], noun: str, remedy: str) -> None:
    if name not in table:
        near = [other for other in table if name in other or other in name][:3]
        hint = f"did you mean {', '.join(near)}? " if near else ""
        raise InputError(f"no {noun} is called {name!r}; {hint}`{remedy}` prints the names")


@main.command()
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
def ledger(claim: tuple[str, ...], names_only: bool, thorough: bool, as_data: bool, jobs: int) -> None:
    """Run the checkers of all claims, or of the CLAIMs named, and print the ledger.

    Example: python -m theory ledger index-discrepancy-printed
    """
    chosen = _select(claim)
    if names_only:
        for name, item in chosen.items():
            click.echo(f"{name:45} {item.source}")
        return
    tasks = [(name, label) for name, item in chosen.items() for label in item.variants()]
    runs: list[Run] = []
    with (
        ProcessPoolExecutor(min(jobs, len(tasks))) as pool,
        Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as progress,
    ):
        bar = progress.add_task("checking", total=len(tasks))
        pending: list[Future[Run]] = [pool.submit(_examine, name, label, thorough) for name, label in tasks]
        for future in as_completed(pending):
            runs.append(future.result())
            progress.advance(bar)
    result = Ledger(chosen, runs)
    if as_data:
        click.echo(json.dumps(result.as_json(), indent=1))
    else:
        width = Console().width if sys.stdout.isatty() else 140
        click.echo(render(result, width=width, color=sys.stdout.isatty()), nl=False)
    if result.complaints():
        sys.exit(1)


@main.command()
@click.argument("claim")
@click.option("--latex", is_flag=True, help="Print formulas as LaTeX.")
def show(claim: str, latex: bool) -> None:
    """Print a claim: statement, hypotheses, printed form, witness, controls, what it does not show.

    Example: python -m theory show index-discrepancy-worst-case
    """
    claims = discover()
    _known(claim, claims, "claim", "python -m theory ledger --list")
    item = claims[claim]

    def formula(variant: Any) -> str:
        value = item.statement(variant)
        if isinstance(value, sympy.Basic):
            return sympy.latex(value) if latex else sympy.sstr(value)
        return str(value)

    lines = [
        ("claim", item.id),
        ("source", str(item.source)),
        ("quantifiers", item.quantifiers),
        ("statement", formula(item.variant)),
        ("expected", item.expected.name.lower()),
        ("as printed", item.printed),
        ("counterexample", "" if item.counterexample is None else str(item.counterexample)),
        ("repaired by", item.repaired_by),
        ("repairs", ", ".join(other.id for other in claims.values() if other.repaired_by == item.id)),
    ]
    for hypothesis in item.hypotheses:
        need = (
            "not known to be necessary"
            if hypothesis.dropped is None
            else "necessary: the checker refutes the claim without it"
        )
        lines.append((hypothesis.name, f"{hypothesis.text} ({hypothesis.remark or need})"))
    for label, (variant, expected) in item.variants().items():
        if label != STATEMENT:
            due = "must hold" if expected is Outcome.HOLDS else "must be refuted"
            lines.append((label, f"{formula(variant)} [{due}]"))
    lines.append(("does not show", item.does_not_show))
    lines.append(("checked by", (item.check.__doc__ or "").strip()))
    lines.append(("quantities", ", ".join(q.name for q in quantities().values() if q.claim == item.id)))
    width = min(Console().width, 110)
    for head, text in lines:
        if text:
            click.echo(textwrap.fill(f"{head}: {text}", width, subsequent_indent="    ", break_long_words=False))


@main.command()
@click.argument("quantity", required=False)
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--list", "listing", is_flag=True, help="Print all quantities, their arguments, units and claims.")
@click.option("--grammar", is_flag=True, help="Print the grammar of the arguments.")
@click.option("--json", "as_data", is_flag=True, help="Print the result as JSON.")
@click.option("--seconds", default=10, show_default=True, type=click.IntRange(1, 10**6), help="Computing time at most.")
def value(
    quantity: str | None, arguments: tuple[str, ...], listing: bool, grammar: bool, as_data: bool, seconds: int
) -> None:
    """Print a quantity as a certified enclosure, a one-sided bound, or a numerical optimum named as such.

    Example: python -m theory value index-gap n=11 theta=pi/3 offset=5
    """
    if grammar:
        from theory.arithmetic import grammar as module

        click.echo(module.__doc__)
        return
    table = quantities()
    if listing:
        _list(table, as_data)
        return
    if quantity is None:
        raise InputError("no quantity was named; `python -m theory value --list` prints the names")
    _known(quantity, table, "quantity", "python -m theory value --list")
    asked = textwrap.shorten(" ".join((quantity, *arguments)), 100)
    click.echo(bounded(seconds, asked, _answer, quantity, _pairs(arguments), as_data))


def _answer(quantity: str, arguments: dict[str, str], as_data: bool) -> str:
    chosen = quantities()[quantity]
    results = chosen.evaluate(arguments)
    if not as_data:
        lines = [f"{name} = {describe(result)}" for name, result in results.items()]
        return "\n".join((*lines, f"unit: {chosen.unit}; claim: {chosen.claim}"))
    data = {
        "quantity": quantity,
        "arguments": arguments,
        "unit": chosen.unit,
        "claim": chosen.claim,
        "results": {name: as_json(result) for name, result in results.items()},
    }
    return json.dumps(data, indent=1, allow_nan=False)


def _pairs(arguments: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals or not key:
            raise InputError(f"argument {argument!r} has no name; write it as key=value, for example n=11")
        if key in pairs:
            raise InputError(f"argument {key!r} is given twice; give it once")
        pairs[key] = text
    return pairs


def _list(table: dict[str, Any], as_data: bool) -> None:
    if as_data:
        rows = [
            {
                "name": q.name,
                "summary": q.summary,
                "unit": q.unit,
                "claim": q.claim,
                "arguments": {k: p.describe for k, (p, _) in q.parameters.items()},
            }
            for q in table.values()
        ]
        click.echo(json.dumps(rows, indent=1))
        return
    for item in table.values():
        click.echo(f"{item.name}  [{item.unit}; {item.claim}]\n    {item.summary}")
        for name, (parameter, default) in item.parameters.items():
            click.echo(f"      {name}: {parameter.describe}{_optional(default)}")


def _optional(default: Any) -> str:
    """How an argument that may be left out is marked, with its default as one would type it."""
    if default is inspect.Parameter.empty:
        return ""
    if default is None:
        return " (optional)"
    if isinstance(default, Real) and default.exact is not None:
        default = default.exact
    return f" (default {list(default) if isinstance(default, tuple) else default})"


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; 2 and one line on bad input."""
    return command_line.run(main, "python -m theory", arguments)


if __name__ == "__main__":
    sys.exit(run())
