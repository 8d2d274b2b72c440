"""What every claim says and what its checker looks at, kept in `pinned.json`: a check that looks at less turns red.

    python -m tests.pinned [CLAIM ...]

writes what is true now into that file, for all claims or for those named; the change is there to be read before it is
kept. For each variant: what its statement says, the sizes of its evidence with checksums of the cases and the first
witness, and for the statement the same of a thorough run. A claim that is not in the file is let pass.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

import click

from theory import command_line
from theory.claims import STATEMENT, Claim, discover
from theory.errors import InputError
from theory.evidence import Evidence, Search
from theory.progress import progress_bar

FILE = Path(__file__).parent / "pinned.json"
Table = dict[str, dict[str, list[str]]]  # claim, variant: what it says, what is looked at, what thoroughly


@cache
def pinned() -> Table:
    """The table in the file."""
    table: Table = json.loads(FILE.read_text(encoding="utf-8"))
    return table


def looked_at(evidence: Iterable[Evidence]) -> str:
    """The sizes of evidence with checksums of the cases, and the first witness."""
    pieces = list(evidence)
    witness = next((f" | {piece.witness}" for piece in pieces if piece.witness is not None), "")
    return "; ".join(map(_one, pieces)) + witness


def _one(piece: Evidence) -> str:
    size = f"{piece.count:,} {piece.unit} {piece.fingerprint:08x}"
    if isinstance(piece, Search):  # so few digits are the same on every machine
        size += f", ratio {piece.largest_ratio:.3g}, mean {piece.mean_ratio:.3g}, allowance {piece.allowance:.2g}"
    return size


def says(claim: Claim, label: str) -> str:
    """What the statement says of a variant."""
    return str(claim.statement(claim.variants()[label][0]))


def complaint(claim: Claim, label: str, evidence: Iterable[Evidence], thorough: bool) -> str | None:
    """How a claim differs from the table: what a variant says, or what its checker looked at."""
    expected = pinned().get(claim.id, {}).get(label)
    if expected is None or (thorough and label != STATEMENT):
        return None
    for now, before in ((says(claim, label), expected[0]), (looked_at(evidence), expected[1 + thorough])):
        if now != before:
            remedy = f"where that is meant, `python -m tests.pinned {claim.id}` writes it down"
            return f"{claim.id}, {label}: was\n  {before}\nand is\n  {now}\n{remedy}"
    return None


def _examine(name: str) -> tuple[str, dict[str, list[str]]]:
    claim = discover()[name]

    def evidence(label: str, thorough: bool) -> str:
        return looked_at(claim.examine(label, thorough).evidence)

    rows = {label: [says(claim, label), evidence(label, False)] for label in claim.variants()}
    rows[STATEMENT].append(evidence(STATEMENT, True))
    return name, rows


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("claim", nargs=-1)
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1), help="Processes.")
def main(claim: tuple[str, ...], jobs: int) -> None:
    """Write what the claims say and what their checkers look at into tests/pinned.json: all, or the CLAIMs named.

    Example: python -m tests.pinned index-logit
    """
    if unknown := set(claim) - discover().keys():
        raise InputError(f"no claim is called {min(unknown)!r}; `python -m theory ledger --list` prints the names")
    names = list(claim or discover())
    table = {name: rows for name, rows in pinned().items() if name in discover()} if FILE.exists() else {}
    with progress_bar("checking") as progress, ProcessPoolExecutor(min(jobs, len(names))) as pool:
        for done, (name, rows) in enumerate(pool.map(_examine, names), start=1):
            table[name] = rows
            if progress is not None:
                progress(done, len(names))
    FILE.write_text(text({name: table[name] for name in sorted(table)}), encoding="utf-8")


def text(table: Table) -> str:
    """JSON with a line for each variant."""
    line = partial(json.dumps, ensure_ascii=False)
    claims = (
        f"{line(name)}: {{\n" + ",\n".join(f"  {line(label)}: {line(row)}" for label, row in rows.items()) + "\n}"
        for name, rows in table.items()
    )
    return "{\n" + ",\n".join(claims) + "\n}\n"


if __name__ == "__main__":
    sys.exit(command_line.run(main, "python -m tests.pinned"))
