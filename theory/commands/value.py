"""Command line: `python -m theory value`."""

from __future__ import annotations

import json
import textwrap

import click

from theory.claims import discover
from theory.command_line import bounded, known
from theory.errors import InputError
from theory.printing import as_json, describe, listing, listing_as_json
from theory.quantities import quantities


@click.command("value")
@click.argument("quantity", required=False)
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--list", "list_all", is_flag=True, help="Print all quantities, their arguments, units and claims.")
@click.option("--grammar", is_flag=True, help="Print the grammar of the arguments.")
@click.option("--json", "as_data", is_flag=True, help="Print the result as JSON.")
@click.option("--seconds", default=10, show_default=True, type=click.IntRange(1, 10**6), help="Computing time at most.")
def command(
    quantity: str | None, arguments: tuple[str, ...], list_all: bool, grammar: bool, as_data: bool, seconds: int
) -> None:
    """Print a quantity as a certified enclosure, a one-sided bound, or a numerical optimum named as such.

    Example: python -m theory value index-gap n=11 theta=pi/3 offset=5
    """
    if grammar:
        from theory.arithmetic import grammar as module

        click.echo(module.__doc__)
        return
    table = quantities()
    if list_all:
        click.echo(
            json.dumps(listing_as_json(table.values()), indent=1) if as_data else "\n".join(listing(table.values()))
        )
        return
    if quantity is None:
        raise InputError("no quantity was named; `python -m theory value --list` prints the names")
    if quantity not in table and quantity in discover():
        raise InputError(
            f"{quantity!r} is a claim, not a quantity; `python -m theory show {quantity}` prints it and its quantities"
        )
    known(quantity, table, "quantity", "python -m theory value --list")
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
