"""Command line: `python -m proofs` lists the companion scripts."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import click

from proofs.command import SETTINGS, run


def scripts() -> dict[str, str]:
    """The first line of every module of this folder that can be run, by its name."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        runs = any(isinstance(node, ast.If) and "__main__" in ast.unparse(node.test) for node in module.body)
        if runs:
            found[path.stem] = (ast.get_docstring(module) or "").partition("\n")[0]
    return found


@click.command("python -m proofs", context_settings=SETTINGS)
def main() -> None:
    """List the companion scripts, each of which prints a proof and checks every step as it is printed.

    Example: python -m proofs
    """
    click.echo("Companion scripts. Each prints a proof and checks every step as it is printed.\n")
    for name, about in scripts().items():
        click.echo(f"python -m proofs.{name}\n    {about}")


if __name__ == "__main__":
    sys.exit(run(main))
