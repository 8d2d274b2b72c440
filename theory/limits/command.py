"""Command line: `python -m theory limits`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click

from theory.arithmetic.ball import Real
from theory.arithmetic.grammar import parse_number
from theory.command_line import Folder, Option
from theory.errors import InputError
from theory.limits.bases import grid, scan_bases
from theory.limits.bases_text import render_bases
from theory.limits.data import as_data, bases_as_data
from theory.limits.model import Question, limits
from theory.limits.overview import markdown
from theory.limits.settings import made_up, stretched
from theory.limits.text import render
from theory.progress import progress_bar
from theory.rope.models.config import ModelRope, published_models, read_config
from theory.rope.precision.logit_rounding import FORMATS


@click.command("limits")
@click.argument("config", required=False, type=click.Path(path_type=Path))
@click.option(
    "--length",
    cls=Option,
    show_default="the model's context, or 8192 without one",
    type=click.IntRange(2),
    help="Tokens.",
)
@click.option(
    "--beta",
    "betas",
    cls=Option,
    multiple=True,
    show_default="10, 100",
    help="Logit scale, exact; may be repeated.",
)
@click.option("--letters", default=26, show_default=True, type=click.IntRange(2), help="Size A of the alphabet.")
@click.option(
    "--dtype",
    "formats",
    cls=Option,
    multiple=True,
    show_default="float32, bfloat16",
    type=click.Choice(list(FORMATS)),
    help="Format of the angles; may be repeated.",
)
@click.option("--base", help="Base of RoPE, without a model.")
@click.option("--head-dim", cls=Option, show_default="128", type=click.IntRange(2), help="Head width without a model.")
@click.option(
    "--scaling",
    nargs=2,
    metavar="KIND FACTOR",
    help="Scaling without a model: linear 4, yarn 8, ... of a model trained at length/FACTOR.",
)
@click.option(
    "--zero-planes", default=0, show_default=True, type=click.IntRange(0), help="Slowest planes set to zero (p-RoPE)."
)
@click.option("--target-length", type=click.IntRange(4, 10**8), help="Which bases suffice at this length?")
@click.option("--models", is_flag=True, help="Print a Markdown table of well-known models instead.")
@click.option("--json", "wants_data", is_flag=True, help="Print versioned JSON.")
@click.option("--out", type=Folder(), help="Folder for the figure, PNG and PDF.")
def command(
    config: Path | None,
    length: int | None,
    betas: tuple[str, ...],
    letters: int,
    formats: tuple[str, ...],
    base: str | None,
    head_dim: int | None,
    scaling: tuple[str, str] | None,
    zero_planes: int,
    target_length: int | None,
    models: bool,
    wants_data: bool,
    out: Path | None,
) -> None:
    """How far positional and symbolic heads reach under the RoPE settings of a CONFIG.json, or of --base.

    Example: python -m theory limits config.json --beta 10 --out figures
    """
    scales = tuple(Real.of(parse_number(text)) for text in betas or ("10", "100"))
    question = Question(scales, letters, formats or ("float32", "bfloat16"), zero_planes)
    if models:
        if config or base or length or target_length or wants_data or out:
            raise InputError("--models takes --beta, --letters, --dtype and --zero-planes alone; leave out the others")
        with progress_bar("models") as progress:
            click.echo(markdown(published_models(), question, progress), nl=False)
        return
    model = _model(config, length, base, head_dim, scaling)
    if target_length is not None:
        if out is not None:
            raise InputError("--out draws the limits of one model, not a scan of bases; leave out --target-length")
        _bases(model, target_length, question, wants_data)
        return
    with progress_bar("limits") as progress:
        found = limits(model, question, progress)
    if out is not None:
        from theory.limits.figure import draw

        for path in draw(found, out):
            click.echo(f"wrote {path}", err=True)
    click.echo(json.dumps(as_data(found), indent=1) if wants_data else render(found, _width()), nl=wants_data)


def _model(
    config: Path | None,
    length: int | None,
    base: str | None,
    head_dim: int | None,
    scaling: tuple[str, str] | None,
) -> ModelRope:
    if config is not None:
        if base or head_dim or scaling:
            raise InputError("CONFIG.json already has a base, widths and a scaling; give it or those options, not both")
        model = read_config(config)
        return stretched(model, length) if length else model
    return made_up(base, head_dim or 128, scaling, length or 8192)


def _bases(model: ModelRope, target: int, question: Question, wants_data: bool) -> None:
    kind, settings = next(iter(model.layers.items()))
    if len(model.layers) > 1:
        click.echo(f"note: the bases are those of layers of kind {kind}", err=True)
    with progress_bar("bases") as progress:
        rows = scan_bases(settings, target, question, grid(settings.base), progress)
    if wants_data:
        click.echo(json.dumps(bases_as_data(settings, target, question, rows), indent=1))
    else:
        click.echo(render_bases(settings, target, question, rows, _width()), nl=False)


def _width() -> int:
    return max(60, min(shutil.get_terminal_size((100, 24)).columns, 120))
