"""Options that commands share, in one wording, and the values they hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from empirical.capture.prompts import DIGITS, is_number
from theory.command_line import Folder, Option
from theory.errors import InputError

LAST_SEED = 2**32 - 1
SEED = click.IntRange(0, LAST_SEED)

F = TypeVar("F", bound=Callable[..., Any])


def tier() -> Callable[[F], F]:
    """`--tier quick|full`, as `tier: str`."""
    words = "quick shows the parts at work, and proves nothing."
    return click.option("--tier", default="full", show_default=True, type=click.Choice(["quick", "full"]), help=words)


def seeds(default: int | str, most: int, of: str) -> Callable[[F], F]:
    """`--seeds N`, how many, as `seeds: int` from 1 to `most`; goes with `first_seed`.

    A default in words is None, and the command knows the number.
    """
    return click.option(
        "--seeds",
        cls=Option,
        default=default if isinstance(default, int) else None,
        show_default=default if isinstance(default, str) else True,
        type=click.IntRange(1, most),
        help=f"How many {of}.",
    )


def first_seed(default: int = 0) -> Callable[[F], F]:
    """`--seed N`, the first of `--seeds`, as `seed: int`; `seed_range` has them all."""
    return click.option("--seed", default=default, show_default=True, type=SEED, help="The first of them.")


def seed_range(first: int, count: int) -> range:
    """The seeds of `--seed` and `--seeds`. InputError where they go beyond the last."""
    if first + count - 1 > LAST_SEED:
        raise InputError(f"--seed {first} with --seeds {count} goes beyond the last seed, {LAST_SEED}; give less")
    return range(first, first + count)


def seed(of: str) -> Callable[[F], F]:
    """`--seed N`, of all that is drawn at random, as `seed: int`."""
    return click.option("--seed", default=0, show_default=True, type=SEED, help=f"Of {of}.")


def threads(default: int | None = 1) -> Callable[[F], F]:
    """`--threads N` of the computation, as `threads: int`, or None, by default, where torch is to choose."""
    return click.option(
        "--threads",
        cls=Option,
        default=default,
        show_default="torch's own" if default is None else True,
        type=click.IntRange(1, 1024),
        help="Of the computation; more pay on idle cores only.",
    )


def tau() -> Callable[[F], F]:
    """`--tau X` of the scores, as `tau: float`."""
    return click.option("--tau", default=1e-4, show_default=True, help="Temperature of the weights of swaps.")


def wants_json() -> Callable[[F], F]:
    """`--json`, as `wants_data: bool`."""
    return click.option("--json", "wants_data", is_flag=True, help="Print versioned JSON.")


def out(of: str, required: bool = False, resumes: bool = True) -> Callable[[F], F]:
    """`--out FOLDER`, as `out: Path`, or None where it is not required and not given."""
    return click.option(
        "--out",
        required=required,
        type=Folder(),
        help=f"Folder for {of}; resumes there." if resumes else f"Folder for {of}.",
    )


def tell(paths: Iterable[Path], data: Mapping[str, Any], text: str, wants_data: bool) -> None:
    """Name the files that were written, on stderr, and print the result: as JSON where this is wanted, or its text."""
    for path in paths:
        click.echo(f"wrote {path}", err=True)
    click.echo(json.dumps(data, indent=1, allow_nan=False) if wants_data else text)


def numbers(option: str, text: str) -> tuple[int, ...]:
    """The whole numbers of an option, separated by commas. InputError for anything else, and for absurd ones."""
    words = [word.strip() for word in text.split(",")]
    if wrong := [word for word in words if not is_number(word)]:
        word = wrong[0]
        if word.isascii() and word.isdigit():
            raise InputError(f"{option} has {word[:20]}, which is too large; give numbers of at most {DIGITS} digits")
        raise InputError(f"{option} {text[:60]!r} has {word[:20]!r}, which is no number; write them as 5,9,17")
    return tuple(map(int, words))
