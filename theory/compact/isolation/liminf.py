"""The lower limit of the distances is no pseudometric; the upper limit is one.

Source: derived here, for the distance of infinite words in arXiv 2505.10606. The witness y has blocks of 0 and 1 in
turn, the block j ending at N_j = 2^(j^2): each block is almost all of the word so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Annotated, Literal

import sympy

from theory.arithmetic.grammar import parse_number
from theory.claims import Hypothesis, Source, claim
from theory.compact.words import ZEROS, altered, hamming
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.quantities import Exact, Parameter, quantity

CLAIM = "liminf-not-a-pseudometric"
J = sympy.Symbol("j", integer=True, positive=True)
MOST = 60  # N_60 has 3,601 binary digits
Limit = Literal["liminf", "limsup"]
Law = Literal["triangle", "transitive", "separates"]
# What block ends grow to, and from which block on a ratio of ends counts as none.
Ends = Callable[[int], int]


def squares_of_two(j: int) -> int:
    """N_j = 2^(j^2)."""
    return 1 << j * j


def ones_of(ends: Ends, blocks: int) -> list[int]:
    """How many ones y has up to the end of block 0, 1, ..., blocks; block j has the letter j mod 2."""
    found, total, before = [], 0, 0
    for j in range(blocks + 1):
        total += (ends(j) - before) * (j % 2)
        before = ends(j)
        found.append(total)
    return found


@dataclass(frozen=True)
class Distance:
    """What a limit of d_H(n) obeys, and the blocks of the witness against the other limit."""

    limit: Limit = "limsup"
    law: Law = "triangle"
    ends: Ends = squares_of_two

    def __str__(self) -> str:
        obeys = {
            "triangle": "d(x, z) <= d(x, y) + d(y, z)",
            "transitive": "d(x, y) = d(y, z) = 0 implies d(x, z) = 0",
            "separates": "d(x, y) = 0 implies x = y",
        }[self.law]
        return (
            f"{self.limit} d_H: {obeys}; for blocks that end at {', '.join(str(self.ends(j)) for j in range(4))}, ... "
            "liminf d_H(0^w, y) = liminf d_H(y, 1^w) = 0"
        )

    def along(self, blocks: int) -> tuple[Fraction, Fraction, Fraction]:
        """d(0^w, y), d(y, 1^w) and d(0^w, 1^w) as far as the last two block ends show them.

        At the ends of even blocks y is nearest to 0^w, at those of odd ones to 1^w; one limit takes the smaller, the
        other the larger of the two.
        """
        shares = [Fraction(ones, self.ends(j)) for j, ones in enumerate(ones_of(self.ends, blocks))][-2:]
        pick = min if self.limit == "liminf" else max
        return pick(shares), pick(1 - share for share in shares), Fraction(1)


@claim(
    CLAIM,
    source=Source("2505.10606", "distance of infinite words", "derived"),
    quantifiers="for all infinite words: the upper limit; three words against the lower limit",
    statement=str,
    variant=Distance(),
    controls={
        "triangle for liminf": Distance("liminf"),
        "liminf d = 0 is transitive": Distance("liminf", "transitive"),
        "limsup d = 0 only for equal words": Distance(law="separates"),
    },
    hypotheses=(Hypothesis("blocks that outgrow all before", "N_(j-1)/N_j -> 0", Distance(ends=lambda j: 1 << j)),),
    does_not_show="that isolation fails with liminf: it holds, and says more than with limsup",
)
def liminf_not_a_pseudometric(claimed: Distance, thorough: bool) -> Iterator[Evidence]:
    """The witness by exact block sums; all triples of short words; the share of the last block in closed form."""
    yield Enumeration("three words", _witness(claimed, 12 if thorough else 8))
    yield Enumeration("all triples of words of one length", _triples(claimed, 3 if thorough else 2))
    yield Identity("the share of all earlier blocks", _blocks(), sympy.simplify)


def _witness(claimed: Distance, blocks: int) -> Iterator[Case]:
    least = [min(share, 1 - share) for share in _shares(claimed.ends, blocks)]
    for j in range(2, blocks):
        # All that comes before block j + 1 is 2^(1 - 2 (j + 1)) of the word at most.
        yield {"distance at the end of block": j + 1}, least[j + 1] <= Fraction(2, 4 ** (j + 1))
    first, second, whole = claimed.along(blocks)
    small = Fraction(1, 4**blocks) * 8  # what the blocks leave undecided of a limit 0
    verdict = {
        "triangle": whole <= first + second,
        "transitive": max(first, second) > small or whole <= small,
        "separates": True,
    }[claimed.law]
    yield {"words": "0^w, y, 1^w", "d": [*map(str, (first, second, whole))]}, verdict
    if claimed.law == "separates":
        length = 4 ** (blocks + 2)
        apart = Fraction(altered((1,), ZEROS).nonzero(length), length)
        yield {"words": "0^w, 1 0^w", "n": length, "d": str(apart)}, apart > small


def _shares(ends: Ends, blocks: int) -> list[Fraction]:
    return [Fraction(ones, ends(j)) for j, ones in enumerate(ones_of(ends, blocks))]


def _triples(claimed: Distance, longest: int) -> Iterator[Case]:
    """The triangle holds at every length, and so for the upper limits."""
    for n in range(1, longest + 1):
        for x, y, z in product(product(range(3), repeat=n), repeat=3):
            yield {"x": x, "y": y, "z": z}, hamming(x, z) <= hamming(x, y) + hamming(y, z)


def _blocks() -> Iterator[Equation]:
    yield "N_(j-1)/N_j", 2 ** ((J - 1) ** 2) / sympy.Integer(2) ** (J**2), sympy.Integer(2) ** (1 - 2 * J)


def _number(text: str) -> int:
    value = parse_number(text)
    if not value.is_Integer or not 0 <= value <= MOST:
        raise InputError(f"{text} is no number of a block; give a whole number from 0 to {MOST}")
    return int(value)


Block = Annotated[int, Parameter("number of a block (integer >= 0)", _number)]


@quantity("block-word-distance", unit="share of letters", claim=CLAIM)
def block_word_distance(block: Block) -> dict[str, Exact]:
    """The distances of y from 0^w and from 1^w up to the end of a block, N_j = 2^(j^2)."""
    ones, length = ones_of(squares_of_two, block)[-1], squares_of_two(block)
    return {"from 0^w": Exact(Fraction(ones, length)), "from 1^w": Exact(Fraction(length - ones, length))}
