"""Command line: `python -m empirical frequencies`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import click

from theory.progress import progress_bar

EXAMPLES = """\b
Examples:
  python -m empirical frequencies number-12 letter-12 --out frequencies
  python -m empirical frequencies number-4 --layer 1 --out frequencies
"""
FORMAT = "headproof frequency use"
VERSION = 1


@click.command("frequencies", epilog=EXAMPLES)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option("--layer", type=int, help="To draw a plane of.  [default: the one with the most variation in one plane]")
@click.option("--sequences", default=256, show_default=True, type=click.IntRange(2, 65_536), help="To measure on.")
@click.option(
    "--drawn", default=24, show_default=True, type=click.IntRange(1, 4096), help="Sequences in pictures of a plane."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of sequences and intervals.")
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1, 1024), help="Of the computation.")
@click.option("--json", "as_json", is_flag=True, help="Print versioned JSON.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for all files; resumes there.")
def command(
    models: tuple[str, ...],
    layer: int | None,
    sequences: int,
    drawn: int,
    seed: int,
    threads: int,
    as_json: bool,
    out: Path | None,
) -> None:
    """Which planes carry the logits of each head of trained MODELs, with the head's scores.

    A MODEL is the name of one that comes with the package, or a card (model.json), or its folder. With --out there are
    also pictures of keys and queries on the foremost plane of a layer, before and after rotation. A model whose rows
    are in --out already is not measured again; a folder with results of another request is refused.
    """
    import shutil
    from contextlib import nullcontext
    from dataclasses import asdict

    import torch

    from empirical.checkpoint import write_json
    from empirical.frequencies.figure import draw_plane, draw_use
    from empirical.frequencies.plane import plane_of
    from empirical.frequencies.text import render
    from empirical.frequencies.use import Request, rows, steepest
    from empirical.held import refuse_others
    from empirical.kept import kept, key
    from empirical.lock import alone
    from empirical.subjects import subjects
    from theory.errors import InputError

    torch.set_num_threads(threads)
    request = Request(sequences, seed)
    found = subjects(models)
    for one in found:
        if layer is not None and layer not in range(one.model.config.layers):
            raise InputError(f"--layer {layer} is not of {one.name}; choose among 0..{one.model.config.layers - 1}")
    asked = {"format": FORMAT, "version": VERSION, "request": asdict(request)}
    asked |= {"pictures": {"layer": layer, "drawn": drawn}, "weights": {one.name: one.card["sha256"] for one in found}}
    data = []
    with nullcontext() if out is None else alone(out), progress_bar("measuring") as show:
        if out is not None:
            refuse_others(out / "frequencies.json", asked)
        for done, one in enumerate(found):
            of = key({"weights": one.card["sha256"], **asdict(request)})
            heads = kept(out and out / ".parts" / f"{one.name}.json", of, partial(rows, one, request))
            data.append({"name": one.name, "kind": one.kind, "weights_sha256": one.card["sha256"], "heads": heads})
            if show:
                show(done + 1, len(found))
        report = {**asked, "models": data}
        if out is not None:
            write_json(out / "frequencies.json", report)
            paths = [out / "frequencies.json", *draw_use(data, out)]
            for one, model in zip(found, data, strict=True):
                row = steepest(row for row in model["heads"] if layer in (None, row["layer"]))
                place = row["layer"], row["head"], row["foremost_by_variation"][0]
                plane = plane_of(one, *place, drawn, seed)
                paths += draw_plane(plane, one.name, out, f"plane-{one.name}-layer-{row['layer']}")
            shutil.rmtree(out / ".parts", ignore_errors=True)
            for path in paths:
                click.echo(f"wrote {path}", err=True)
    click.echo(json.dumps(report, indent=1, allow_nan=False) if as_json else render(data))
