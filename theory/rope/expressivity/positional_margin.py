"""No positional head retrieves with a margin that long inputs keep: it is at most 2 C/(n - 1).

Source: derived. The output coordinate c is r_c(x_n) + sum_j w_j M[c][x_j], with M = U W_V E and C = max |M[c][s]|; the
weights depend on the query and on positions only. Two inputs that differ in the token at the earlier position j of
least weight, c* in one and c' in the other, have margins that add up to at most
w_j (M[c*][c*] - M[c*][c'] + M[c'][c'] - M[c'][c*]) <= 4 C w_j, since everything else is the same in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import sympy
from sympy import Expr, Symbol, symbols

from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.quantities import Bound, Length2, Positive, quantity
from theory.rope.expressivity.positional_cannot_retrieve import ALPHABET, QUERY
from theory.rope.expressivity.positional_heads import PositionalHead, candidates
from theory.rope.expressivity.positional_retrieval import GATED, HINTED
from theory.rope.rotation import PAPER
from theory.rope.scores.definition import ONE
from theory.rope.sequences import Pair
from theory.symbols import n

SEED = 2605
# Both may be what `ab` looks for, and are proper wherever they stand.
MATCHES: tuple[Pair, Pair] = (("b", 1), ("b", "b"))
SIGNED = PositionalHead(
    "uniform weights, values 1 on the token and -1 elsewhere",
    values=lambda token, coordinate: Fraction(1 if token == coordinate else -1),
    residual=candidates(4),
)
Margin = Callable[[PositionalHead, Sequence[Pair]], Fraction]


def by_position(head: PositionalHead, tokens: Sequence[Pair]) -> Fraction:
    """The margin of the positional head."""
    return head.margin(tokens, ALPHABET)


def by_content(head: PositionalHead, tokens: Sequence[Pair]) -> Fraction:
    """The margin of a head with the same values that puts all of its weight on the match."""
    weights = [Fraction(token in MATCHES) for token in tokens]
    return PositionalHead(head.name, lambda length: weights, head.values, head.residual).margin(tokens, ALPHABET)


def pair_of_inputs(length: int, place: int) -> list[tuple[Pair, ...]]:
    """The two inputs of the proof: `ab` after tokens `a1`, but at one place one or the other match."""
    rest = [("a", 1)] * (place - 1), [("a", 1)] * (length - 1 - place)
    return [(*rest[0], match, *rest[1], QUERY) for match in MATCHES]


def largest_value(head: PositionalHead) -> Fraction:
    """C: the largest |M[c][s]|."""
    return max(abs(head.values(token, coordinate)) for token in ALPHABET for coordinate in ALPHABET)


@dataclass(frozen=True)
class MarginBound:
    """That heads decode with a margin of at most bound(C, n)."""

    bound: Callable[[Any, Any], Any] = lambda largest, length: 2 * largest / (length - 1)
    margin: Margin = by_position

    def __str__(self) -> str:
        heads = "a positional head" if self.margin is by_position else "a head"
        return f"{heads} decodes some proper input with a margin of at most {self.bound(Symbol('C'), n)}"

    def least(self, head: PositionalHead, length: int) -> Fraction:
        """The least margin over the inputs of the proof."""
        places = range(1, length)
        return min(self.margin(head, tokens) for place in places for tokens in pair_of_inputs(length, place))

    def cases(self, longest: int) -> Iterator[tuple[object, bool]]:
        for length in range(3, longest + 1):
            for head in (GATED, HINTED, SIGNED):
                least = self.least(head, length)
                yield f"n={length}, {head}: {least}", least <= self.bound(largest_value(head), length)


@claim(
    "positional-retrieve-margin",
    source=Source(PAPER, "Remark 3.1", "derived"),
    quantifiers="for all n >= 2, A >= 2, I >= 1, r, W_V, U and weights by query token and position",
    statement=str,
    variant=MarginBound(),
    controls={
        "C/(n - 1)": MarginBound(lambda largest, length: largest / (length - 1)),
        "2 C/n^2": MarginBound(lambda largest, length: 2 * largest / length**2),
        "0": MarginBound(lambda largest, length: 0 * largest),
    },
    hypotheses=(Hypothesis("weights", "weights do not depend on contents", MarginBound(margin=by_content)),),
    does_not_show="that softmax reaches 2 C/(n - 1): signed values do as the query's own weight falls to 0",
)
def positional_retrieve_margin(bound: MarginBound, thorough: bool) -> Iterator[Evidence]:
    """Three heads that do retrieve; the sum of two margins for symbolic heads; random heads with a gate."""
    yield Enumeration("heads that retrieve, inputs of the proof", bound.cases(30 if thorough else 12))
    yield Identity("sum of two margins", _exchange(5 if thorough else 4), reduce=sympy.expand)
    yield Search("random values and weights behind a gate", _random(bound, 300 if thorough else 40), seed=SEED)


def _exchange(longest: int) -> Iterator[Equation]:
    for length in range(2, longest + 1):
        weights = symbols(f"w_1:{length + 1}", nonnegative=True)
        M = {(c, s): Symbol(f"M_{c}_{s}", real=True) for c in range(2) for s in range(len(ALPHABET))}

        def output(coordinate: int, tokens: Sequence[Pair], weights: Any = weights, M: Any = M) -> Expr:
            spread = (w * M[coordinate, ALPHABET.index(token)] for w, token in zip(weights, tokens, strict=True))
            return sum(spread, Symbol(f"r_{coordinate}", real=True))

        first, second = (ALPHABET.index(match) for match in MATCHES)
        for place in range(1, length):
            one, other = pair_of_inputs(length, place)
            margins = output(0, one) - output(1, one) + output(1, other) - output(0, other)
            exchanged = M[0, first] - M[0, second] + M[1, second] - M[1, first]
            yield f"n = {length}, j = {place}", margins, weights[place - 1] * exchanged


def _random(bound: MarginBound, count: int) -> Iterator[Trial]:
    """Values in -1..1, most of them those of SIGNED, and nearly equal weights: the margins come close to the bound."""
    rng = Random(SEED)
    for case in range(count):
        length = rng.randint(2, 12)
        parts = [10 + rng.randint(0, case % 10) for _ in range(length - 1)] + [rng.randint(0, 2)]
        table = {
            (s, c): SIGNED.values(s, c) if rng.random() < 0.9 else Fraction(rng.randint(-10, 10), 10)
            for s in ALPHABET
            for c in ALPHABET
        }
        head = _tabulated([Fraction(part, sum(parts)) for part in parts], table)
        yield Trial(case, float(bound.least(head, length)), float(bound.bound(largest_value(head), length)))


def _tabulated(weights: Sequence[Fraction], table: Mapping[tuple[Pair, Pair], Fraction]) -> PositionalHead:
    return PositionalHead("tabulated", lambda length: weights, lambda s, c: table[s, c], candidates(4))


@quantity("positional-margin-bound", unit="output coordinate", claim="positional-retrieve-margin")
def positional_margin_bound(n: Length2, largest: Positive = ONE) -> Bound:
    """Largest margin with which a positional head can decode all proper inputs of length n; `largest` is C."""
    return Bound("upper", Real.of(MarginBound().bound(largest, n)))
