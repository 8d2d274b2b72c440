"""The constructions that the demo shows, and what is said of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from constructions.demo.building import (
    index,
    letter_task,
    number_task,
    reflexive,
    retrieval_printed,
    retrieval_repaired,
)
from constructions.demo.counterexamples import BoundBroken, WrongOutput, collision, index_bound, retrieval_bound
from constructions.demo.inputs import Settings
from constructions.demo.showcase import Showcase


@dataclass(frozen=True)
class Demonstration:
    """A construction of the demo.

    Attributes:
        title: its name.
        computes: what it computes, in sentences.
        tokens: the kind of its tokens, "symbols" or "pairs".
        scale: where its inverse temperature comes from, as the end of a sentence.
        claim: the claim that this rests on.
        run: builds it and shows it at work.
        counterexamples: what is printed of it and false.
    """

    title: str
    computes: str
    tokens: str
    scale: str
    claim: str
    run: Callable[[Settings], Showcase]
    counterexamples: tuple[Callable[[], BoundBroken | WrongOutput], ...] = ()


DEMONSTRATIONS = {
    "index": Demonstration(
        "Index head",
        "An integer v becomes the token v places back if that is a letter. All else stays.",
        "symbols",
        "follows from the least gap of this length",
        "index-circle-bound",
        index,
        (index_bound,),
    ),
    "retrieval-printed": Demonstration(
        "Retrieval head, as printed",
        "A pair of letters xy becomes the pair with left letter y. A pair with an integer stays.",
        "pairs",
        "is forced by pairs with an integer, whose gap to a copy of their letter is 1 - cos theta",
        "retrieval-collision-threshold",
        retrieval_printed,
        (retrieval_bound, collision),
    ),
    "retrieval-repaired": Demonstration(
        "Retrieval head, repaired",
        "The same function. Positions do not turn it, and a residual keeps pairs with an integer.",
        "pairs",
        "follows from the gap, which is the same at every length",
        "retrieval-repaired",
        retrieval_repaired,
    ),
    "reflexive": Demonstration(
        "Reflexive head",
        "Every token stays. Attention goes to the position of the query.",
        "symbols",
        "follows from the least gap of this length",
        "index-circle-bound",
        reflexive,
    ),
    "number-task": Demonstration(
        "Number task, a decoder of Index layers",
        "From the last token on, an integer v steps v places back. The letter that ends the walk is the answer.",
        "symbols",
        "follows from the least gap of this length, in every layer",
        "number-decoder-margins",
        number_task,
    ),
    "letter-task": Demonstration(
        "Letter task, a decoder of repaired Retrieval layers",
        "From the last pair on, xy steps to the pair with left letter y. The first pair with an integer is the answer.",
        "pairs",
        "follows from the gap, also where other positions hold shares of tokens",
        "letter-decoder-path-condition",
        letter_task,
    ),
}
