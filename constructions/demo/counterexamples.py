"""Small inputs that break what is printed of the heads, seen on torch heads and not only in theory.

Source: arXiv 2605.31558, Thm 3.1, 3.2 and Remark 3.2; the counterexamples are derived in theory.rope.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import S

from constructions import heads, reference
from constructions.demo.showcase import Gap, View, Wanted
from constructions.reference import Integer, Letter, Pair
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, versine
from theory.outcome import Outcome
from theory.rope.index.discrepancy import index_printed_bound, query_gap
from theory.rope.retrieval.discrepancy_printed import MINIMUM
from theory.rope.retrieval.head import letter_step
from theory.rope.retrieval.letter_scale import smallest_gap


@dataclass(frozen=True, eq=False)
class BoundBroken:
    """An input whose logit gap exceeds the upper bound that is printed for it."""

    claim: str
    printed: str
    tokens: tuple[str, ...]
    case: str
    gap: Gap
    bound: Real

    @property
    def right(self) -> bool:
        """Whether torch shows the gap that theory gives, and it is certainly above the printed bound."""
        exact = self.gap.exact
        return exact is not None and Outcome.every((self.gap.outcome, exact > self.bound)) is Outcome.HOLDS


@dataclass(frozen=True)
class WrongOutput:
    """An input on which a printed head is wrong at every inverse temperature, and its repair is right."""

    claim: str
    printed: str
    tokens: tuple[str, ...]
    expected: str
    output: str
    repaired: str

    @property
    def right(self) -> bool:
        """Whether the fault shows, as proved, and the repair removes it."""
        return self.output != self.expected == self.repaired


def index_bound() -> BoundBroken:
    """The printed bound on the Index head, as a maximum over inputs, fails first at n = 4."""
    n, angle = 4, Angle.turn(1, 3)
    tokens = (Letter(0), Letter(1), Letter(0), Integer(1))
    head = heads.IndexHead(2, 1, n, angle, hard=True)
    exact = query_gap(n, angle, 1)
    wanted = Wanted([2], [0, 1, 3], exact, exact)
    gap = View.of(head, head.embed(head.ids(tokens)), tokens, wanted).gap
    assert gap is not None, "the query has competitors"
    bound = index_printed_bound(n, angle).value
    return BoundBroken(
        "index-discrepancy-printed",
        "gap at most min(1 - cos theta, 2 pi^2/n^2) on every input",
        tuple(map(str, tokens)),
        f"n = {n}, theta = {angle}",
        gap,
        bound,
    )


def retrieval_bound() -> BoundBroken:
    """The printed bound on the Retrieval head fails even as a minimum over inputs, at this angle up to n = 23."""
    n, letters, angle = 8, 8, Angle.rope(10000, 128, 42)
    # The match stands at offset n - 2, the letter below it at n - 1; all else is a letter on the other side.
    match, below, away = Letter(4), Letter(3), Letter(0)
    tokens = (
        Pair(below, Integer(1)),
        Pair(match, Integer(1)),
        *(Pair(away, Integer(1)) for _ in range(n - 3)),
        Pair(away, match),
    )
    head = heads.RetrievalHead(letters, 1, n, "printed", angle=angle)
    exact = smallest_gap(letters, n, angle)
    rivals = [at for at in range(n) if at != 1]
    gap = View.of(head, head.embed(head.ids(tokens)), tokens, Wanted([1], rivals, exact, exact)).gap
    assert gap is not None, "the query has competitors"
    step = Real.of(letter_step(letters))
    return BoundBroken(
        "retrieval-discrepancy-smallest-printed",
        "gap at most 1 - cos(omega - n theta), even on the worst input",
        tuple(map(str, tokens)),
        f"n = {n}, {letters} letters, theta = {float(angle.real):.4g} (plane 42 of 64, base 10000)",
        gap,
        versine(MINIMUM.phase(n, angle.real, step, letters)),
    )


def collision() -> WrongOutput:
    """(a,1), (a,1), (a,2): without rotation all three keys look alike, and the more frequent token wins."""
    tokens = [Pair(Letter(0), Integer(value)) for value in (1, 1, 2)]
    printed = heads.RetrievalHead(2, 2, len(tokens), "printed", angle=Angle(S.Zero), hard=True)
    repaired = heads.RetrievalHead(2, 2, len(tokens))
    return WrongOutput(
        "retrieval-letter-integer-collision",
        "without rotation, theta = 0, the head is right and keeps its gap",
        tuple(map(str, tokens)),
        str(reference.retrieval_at(tokens, len(tokens))),
        str(printed.decode(tokens)[-1]),
        str(repaired.decode(tokens)[-1]),
    )
