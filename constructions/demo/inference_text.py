"""One gradient beside the posterior, as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from constructions.demo.certified import Certified
from constructions.demo.inference import OBSERVATIONS, STREAM
from constructions.demo.inferred import Inferred
from constructions.demo.text import LABEL, paragraph, verdict

TITLE = "A task variable: when one gradient is the posterior"
INTRODUCTION = (
    "A model takes a task variable z beside its data, and its weights are frozen. The gradient g of the log-likelihood "
    "in z, where all K tasks weigh the same, is one forward and one backward pass; the likelihoods of all tasks are K "
    "forward passes. Gaussian models, given one observation, in per cent for each of three tasks:"
)
COLUMNS = ("softmax(g)", "softmax(g - B)", "posterior")
WIDTH = 20


def show_inference(console: Console, found: Inferred) -> None:
    """Print what one gradient gives, and what it does not."""
    console.print()
    console.print(TITLE, style="bold")
    paragraph(console, None, INTRODUCTION)
    for line in _table(found):
        console.print(line, no_wrap=True, crop=False)
    for each in found.shares:
        paragraph(console, each.name, f"{each.reason} Shares as certified: ", *_ending(each.right, each.claim))
    hull = found.hull
    paragraph(
        console,
        "",
        f"Of {len(OBSERVATIONS)} observations from {OBSERVATIONS[0]} to {OBSERVATIONS[-1]}, the likelihoods choose the "
        f"task between the others at {hull.likeliest}, g at {hull.chosen or 'none'}: ",
        *_ending(hull.right, hull.claim),
    )
    shares = ", ".join(f"{share.observed:.9f}" for share in found.pooled)
    paragraph(
        console,
        "pool",
        f"Where likelihoods are added, 1/K + (g - 1)/K is the posterior: {shares} in torch, as certified: ",
        *_ending(all(share.right for share in found.pooled), found.pool_claim),
    )
    curved = found.curved
    paragraph(
        console,
        "tanh net",
        "Where z enters a net as an input, B varies with the data. With rho the range of B, softmax(g) and posterior "
        f"are within tanh(rho/4) in total variation, here {curved.variation.observed:.6f} of "
        f"{curved.bound.observed:.6f}, as certified: ",
        *_ending(curved.right, curved.claim),
    )
    paragraph(
        console,
        "filter",
        f"Of two tasks that switch, {STREAM} observations: g in place of the log-likelihoods gives the posteriors of "
        "Bayes' rule, up to rounding: ",
        *_ending(found.filtered.right, found.filtered.claim),
    )


def _ending(right: bool, claim: str) -> Iterator[str | Text]:
    yield verdict(right, "holds", "VIOLATED")
    yield f" (claim {claim})"


def _table(found: Inferred) -> Iterator[Text]:
    head = "".join(f"{column:>{WIDTH}}" for column in COLUMNS)
    yield Text(f"  {'':<{LABEL}}{head}", "dim")
    for each in found.shares:
        row = Text.assemble((f"  {each.name:<{LABEL}}", "dim"))
        for shares in (each.step, each.corrected, each.posterior):
            row.append(f"{_percent(shares):>{WIDTH}}")
        row.append(f"  {each.verdict}", "green" if each.verdict == "exact" else "yellow")
        yield row


def _percent(shares: tuple[Certified, ...]) -> str:
    return " ".join(f"{100 * share.observed:5.1f}" for share in shares)
