"""What decoders on words learn together, as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from constructions.demo.certified import Certified
from constructions.demo.compact import FLAGGED, PROMPT, SHORT, Compact, Rival, Together
from constructions.demo.text import LABEL, digits, paragraph, verdict
from theory.arithmetic.ball import Real
from theory.compact.isolation.detector import LEARNED

TITLE = "Compact position data: what one decoder can learn together"
SHOWN = FLAGGED[2:11]
INTRODUCTION = (
    "A decoder has learned a word if the next letter leads by a fixed margin after every long prefix. With position "
    "data in a compact set a few changed letters of many hardly move it: what it has learned it says of every word "
    "nearby, so that words can be learned together only if they stay apart."
)


def show_compact(console: Console, found: Compact) -> None:
    """Print what is learned together and what is not."""
    console.print()
    console.print(TITLE, style="bold")
    paragraph(console, None, INTRODUCTION)
    paragraph(console, "together", *_together(found.together))
    paragraph(
        console,
        "near",
        "0^w and the word that has 1 at 1, 2, 4, 8, ... differ at few places. Detectors see whether a power of two "
        "comes next and, through one head, whether there were ones. The lead of the 1 that comes, over the 0, after so "
        "many letters:",
    )
    for line in _table(found.rivals):
        console.print(line, no_wrap=True, crop=False)
    for rival in found.rivals:
        paragraph(console, rival.name, *_rival(rival))
    least = min(rival.zeros for rival in found.rivals)
    paragraph(
        console,
        "0^w",
        f"is learned by all three: margin {least:.9g} in torch, certified at least {digits(LEARNED, 9)} at every n. "
        f"Lengths tried: 1 to {SHORT}, and 2^j - 1 up to {FLAGGED[-1]}.",
    )


def _together(together: Together) -> Iterator[str | Text]:
    low, high = together.margins
    yield (
        f"{', '.join(map(str, together.words))}, where per_m has a one after every m zeros, by one layer of uniform "
        f"attention: margin {_between(low, high)} in torch after {together.start} to {together.end} letters of each, "
        f"certified {digits(low.exact, 9)}. After {PROMPT} zeros of which the first "
        f"{', '.join(map(str, together.changed))} % are made ones it says 0 still, with margin "
        f"{', '.join(f'{each.observed:.6g}' for each in together.changed.values())}, as certified: "
    )
    yield verdict(together.right, "holds", "VIOLATED")
    yield f" (claim {together.claim})"


def _between(low: Certified, high: Certified) -> str:
    ends = [f"{each.observed:.9g}" for each in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _table(rivals: tuple[Rival, ...]) -> Iterator[Text]:
    yield Text.assemble((f"  {'letters':<{LABEL}}", "dim"), *(f"{n:>7}" for n in SHOWN))
    for rival in rivals:
        row = Text.assemble((f"  {rival.name:<{LABEL}}", "dim"))
        for n in SHOWN:
            margin = rival.margins[n].observed
            row.append(f"{margin:>7.3f}", "red" if margin <= 0 else "green")
        yield row


def _rival(rival: Rival) -> Iterator[str | Text]:
    yield f"{rival.reason} "
    if rival.errors:
        yield f"Wrong after {rival.errors[0]} letters, and before every power of two from there on, as certified: "
    else:
        least: Real = min((each.exact for each in rival.margins.values()), key=float)
        yield f"Right at every length tried, with margin {digits(least, 6)} or more, as certified: "
    yield verdict(rival.right, "holds", "VIOLATED")
    yield f" (claim {rival.claim})"
