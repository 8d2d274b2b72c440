"""Isolation as it is often worded, "no other distinct sequence", is false: eventually equal words are learned together.

Source: arXiv 2505.10606, the isolation theorem at the level of captions and abstract. A decoder that always says 0 has
learned 0^w, and 1 0^w as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from flint import arb

from theory.claims import Source, claim
from theory.compact.isolation.models import Decoder, averaging, constant_decoder
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, altered, constant, periodic
from theory.evidence import BoxCover, Case, Enumeration, Evidence
from theory.outcome import Outcome

HORIZON = 40
# From small to large; those that begin with their own letters are 0^w from there on.
WORDS = (
    ZEROS,
    *(altered(start, ZEROS) for start in ((1,), (0, 1), (1, 1), (1, 0, 1), (1, 1, 1, 1))),
    POWERS,
    SQUARES,
    periodic(1),
    constant(1),
)
DECODERS = (
    constant_decoder(Fraction(1, 10)),
    constant_decoder(Fraction(1, 3)),
    averaging(Fraction(1, 10), Fraction(2, 5)),
    averaging(Fraction(0), Fraction(1)),
)
Positions = list[int]


@dataclass(frozen=True)
class Distinct:
    """Of two words at liminf distance 0 that are distinct in this sense at most one is learned.

    Args:
        said: what counts as distinct.
        distinct: the same, of the positions up to the horizon at which the words differ.
    """

    said: str
    distinct: Callable[[Positions], bool]

    def __str__(self) -> str:
        return f"of two words at liminf d_H = 0 that {self.said} at most one is learned"


# The words that are tried differ at positions up to 4 only, or beyond every bound.
OFTEN = Distinct("differ at infinitely many positions", lambda where: any(i > 4 for i in where))


@claim(
    "isolation-printed",
    source=Source("2505.10606", "isolation theorem, abstract", "reconstructed"),
    quantifiers="for all decoders with omega(x) -> 0 and all pairs of words",
    statement=str,
    variant=Distinct("are distinct", bool),
    controls={
        "two letters or more": Distinct("differ at two or more positions", lambda where: len(where) > 1),
        "beyond the first letter": Distinct("differ beyond position 1", lambda where: any(i > 1 for i in where)),
        "one of each class": Distinct("are distinct of one class of words at limsup d_H = 0", bool),
    },
    expected=Outcome.REFUTED,
    near_miss=("not eventually equal", OFTEN),
    counterexample={"decoder": "T(1) = 1/10", "words": ["0^w", "1+0^w"]},
    repaired_by="isolation",
    printed="around a learnable sequence no other distinct sequence is learnable",
    does_not_show="that the theorem fails: read modulo eventual equality it is true",
)
def isolation_printed(claimed: Distinct, thorough: bool) -> Iterator[Evidence]:
    """Pairs of words from small to large before four decoders; all decoders that are blind to the word."""
    horizon = 4 * HORIZON if thorough else HORIZON
    yield Enumeration("pairs of words", _pairs(claimed, horizon))
    blind = ((Fraction(0), Fraction(12, 25)),)
    yield BoxCover("all T(1) in [0, 0.48], 0^w with 1 0^w and chi", blind, lambda one: _blind(claimed, one))


def _pairs(claimed: Distinct, horizon: int) -> Iterator[Case]:
    for decoder, (first, second) in ((d, pair) for d in DECODERS for pair in combinations(WORDS, 2)):
        where = [i for i in range(1, horizon + 1) if first.letter(i) != second.letter(i)]
        # These words have distances that converge; those that part by half or more of the letters are far apart.
        if 3 * len(where) < horizon and claimed.distinct(where):
            both = learned(decoder, first, horizon) and learned(decoder, second, horizon)
            yield {"decoder": str(decoder), "words": [str(first), str(second)]}, not both


def learned(decoder: Decoder, word: Infinite, horizon: int) -> bool:
    """Whether the second half of the letters up to the horizon is predicted, by half of the decoder's margin."""
    lengths = range(horizon // 2, horizon)
    return all(2 * decoder.lead(word.prefix(n), word.letter(n + 1)) >= decoder.margin for n in lengths)


def _blind(claimed: Distinct, one: arb) -> Outcome:
    """T(1) below 1/2: the lead of 0 is 1 - 2 T(1), on every word."""
    outcomes = []
    for other in (altered((1,), ZEROS), POWERS):
        where = [i for i in range(1, HORIZON + 1) if other.letter(i)]
        if claimed.distinct(where):
            # 0^w is learned; the other word is, if it has no ones in the second half.
            late = any(i > HORIZON // 2 for i in where)
            outcomes.append(Outcome.settled(late or not one < arb(1) / 2, not late and one < arb(1) / 2))
    return Outcome.every(outcomes)
