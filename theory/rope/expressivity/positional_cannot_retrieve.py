"""Which positional heads cannot compute Retrieval: those that copy one-hot tokens and add nothing.

Source: arXiv 2605.31558, Remark 3.1 and App. F.2.3, which says it of all positional heads, by reference to
arXiv 2511.11579, Thm 4. With values or a residual of one's choice it is false: `positional-retrieves-with-residual`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, islice
from random import Random

import sympy
from sympy import symbols

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.rope.expressivity.positional_heads import PositionalHead, mostly_own, simplex
from theory.rope.expressivity.positional_retrieval import GATED, HINTED
from theory.rope.rotation import PAPER
from theory.rope.sequences import Pair, matches, pair_alphabet, proper_sequences

SEED = 2605
ALPHABET = pair_alphabet(2, 1)
QUERY: Pair = ("a", "b")
# A head, as its name and its margin on an input.
Read = tuple[str, Callable[[Sequence[Pair]], Fraction]]


def read(head: PositionalHead) -> Read:
    """The head on inputs over two letters and one integer."""
    return head.name, lambda tokens: head.margin(tokens, ALPHABET)


def one_hot(weights: Sequence[Fraction]) -> PositionalHead:
    """The head with these weights at their own length that copies one-hot tokens and adds nothing."""
    return PositionalHead(f"weights {', '.join(map(str, weights))}, W_V = 1, W_R = 0", lambda length: weights)


def copying(length: int) -> Iterator[Read]:
    """One-hot heads: equal weights, most on the query, and all weights that are multiples of 1/4."""
    yield read(PositionalHead("uniform weights, W_V = 1, W_R = 0"))
    yield read(PositionalHead("weight 9/10 on the query, W_V = 1, W_R = 0", mostly_own(Fraction(1, 10))))
    yield from (read(one_hot(weights)) for weights in simplex(length, 4))


def by_content(length: int) -> Iterator[Read]:
    """A head whose weights depend on contents: all of the weight on the wanted token."""
    yield "all weight on the match, W_V = 1, W_R = 0", lambda tokens: Fraction(len(matches(tokens, length)))


def among(*heads: PositionalHead) -> Callable[[int], Iterator[Read]]:
    """These heads, then the copying ones."""
    return lambda length: chain(map(read, heads), copying(length))


@cache
def inputs(length: int) -> list[tuple[Pair, ...]]:
    """Proper inputs of a length over two letters and one integer that end with `ab`."""
    return [tokens for tokens in proper_sequences(2, 1, length) if len(tokens) == length and tokens[-1] == QUERY]


def single_match(length: int, place: int) -> tuple[Pair, ...]:
    """The query `ab` after tokens `a1`, but `b1` at one place, from 1 to n - 1."""
    return *[("a", 1)] * (place - 1), ("b", 1), *[("a", 1)] * (length - 1 - place), QUERY


@dataclass(frozen=True)
class Fails:
    """That each of some heads decodes a proper input of each length wrongly.

    Args:
        said: the heads, in words.
        heads: the heads that are tried at a length.
        least: the shortest length.
        ties: a margin of 0 is wrong too.
        every: all inputs are decoded wrongly, rather than one.
    """

    said: str
    heads: Callable[[int], Iterator[Read]] = copying
    least: int = 3
    ties: bool = True
    every: bool = False

    def __str__(self) -> str:
        how = "all proper LL inputs" if self.every else "some proper LL input"
        tie = "" if self.ties else "; a tie is not wrong"
        return f"{self.said} decodes {how} of length n >= {self.least} wrongly{tie}"

    def cases(self, longest: int) -> Iterator[tuple[object, bool]]:
        for length in range(self.least, longest + 1):
            for name, margin in self.heads(length):
                margins = [margin(tokens) for tokens in inputs(length)]
                wrong = [value < 0 or (self.ties and value == 0) for value in margins]
                yield f"n={length}: {name}", all(wrong) if self.every else any(wrong)

    def long(self, lengths: Sequence[int]) -> Iterator[Trial]:
        """Longer inputs with one match: the least margin, of which the statement says that it is not positive."""
        for length in lengths:
            for name, margin in islice(self.heads(length), 4):
                least = min(margin(single_match(length, place)) for place in range(1, length))
                yield Trial(f"n={length}: {name}", float(least), 0.0)


@claim(
    "positional-cannot-retrieve-printed",
    source=Source(PAPER, "Remark 3.1 and App. F.2.3"),
    quantifiers="for all n >= 3 and all positional heads of Def. C.1: W_V and W_R are arbitrary",
    statement=str,
    variant=Fails("every positional head", among(GATED, HINTED)),
    controls={
        "F(x, a) = a": Fails("every positional head with W_R = 0", among(HINTED)),
        "W_V = 1": Fails("every positional head with W_V = 1", among(GATED)),
        "up to ties": Fails("every positional head", among(GATED), ties=False),
    },
    expected=Outcome.REFUTED,
    near_miss=("W_V = 1 and F(x, a) = a", Fails("every positional head with W_V = 1 and W_R = 0")),
    counterexample=f"n=3: {GATED.name}",
    repaired_by="positional-cannot-retrieve-identity",
    printed="Retrieval cannot be computed by a purely positional head",
    does_not_show="that positional heads retrieve robustly: positional-retrieve-margin",
)
def positional_cannot_retrieve_printed(fails: Fails, thorough: bool) -> Iterator[Evidence]:
    """All proper inputs that end with `ab`, two letters and one integer, n = 3 and 4; longer ones with one match."""
    yield Enumeration("heads on all short inputs", fails.cases(5 if thorough else 4))
    yield Search("heads on longer inputs", fails.long((5, 8, 12)), seed=SEED)


@claim(
    "positional-cannot-retrieve-identity",
    source=Source("2511.11579", "Thm 4", "reconstructed"),
    quantifiers="for all n >= 3, A >= 2 and heads with weights that depend on the query token and on positions only",
    statement=str,
    variant=Fails("every such head with W_V = 1, one-hot tokens and F(x, a) = a"),
    controls={
        "all inputs fail": Fails("every such head", every=True),
        "ties are correct": Fails("every such head", ties=False),
    },
    hypotheses=(
        Hypothesis("weights", "weights do not depend on contents", Fails("every head with W_V = 1, F = a", by_content)),
        Hypothesis("one-hot copies", "W_V = 1 and F(x, a) = a", Fails("every positional head", among(GATED))),
        Hypothesis("n >= 3", "there are two earlier tokens", Fails("every such head", least=2)),
    ),
    does_not_show="anything about values or residuals of one's choice: see positional-retrieves-with-values",
)
def positional_cannot_retrieve_identity(fails: Fails, thorough: bool) -> Iterator[Evidence]:
    """A grid of weights on all short inputs; random weights; and two inputs whose margins cannot both be positive."""
    yield Enumeration("weights on a grid, all short inputs", fails.cases(5 if thorough else 4))
    yield Identity("sum of two margins", _two_margins(6 if thorough else 5), reduce=sympy.expand)
    yield Search("random weights on longer inputs", _random(200 if thorough else 40), seed=SEED)


def _two_margins(longest: int) -> Iterator[Equation]:
    """With the match at place 1 or 2 the margins over `a1` add up to minus twice the other earlier weights."""
    for length in range(3, longest + 1):
        weights = symbols(f"w_1:{length + 1}", nonnegative=True)
        margins = []
        for place in (1, 2):
            tokens = single_match(length, place)
            mass = {
                token: sum(w for w, other in zip(weights, tokens, strict=True) if other == token) for token in tokens
            }
            margins.append(mass["b", 1] - mass["a", 1])
        yield f"n = {length}", sum(margins), -2 * sum(weights[2:-1])


def _random(count: int) -> Iterator[Trial]:
    rng = Random(SEED)
    for _ in range(count):
        length = rng.randint(3, 10)
        parts = [rng.randint(0, 10 ** rng.randint(0, 3)) + 1 for _ in range(length)]
        _, margin = read(one_hot([Fraction(part, sum(parts)) for part in parts]))
        least = min(margin(single_match(length, place)) for place in range(1, length))
        yield Trial(parts, float(least), 0.0)
