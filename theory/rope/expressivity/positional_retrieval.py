"""Positional heads that compute Retrieval, with a margin that falls like 1/n, once values or the residual help.

Source: derived; they refute arXiv 2605.31558, Remark 3.1, for the heads of its Def. C.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.quantities import Exact, Length, Length2, quantity
from theory.rope.expressivity.positional_heads import PositionalHead, candidates, hinting, mostly_own
from theory.rope.rotation import PAPER
from theory.rope.sequences import pair_alphabet, proper_sequences, show
from theory.rope.tasks.letter_task import PROPER

SEED = 2605


@dataclass(frozen=True)
class Margin:
    """That a positional head decodes every proper input, with this least margin over those of a length."""

    head: PositionalHead
    worst: Callable[[int], Fraction]
    shortest: int = 1

    def __str__(self) -> str:
        small = ", ".join(str(self.worst(length)) for length in (2, 3, 4))
        return f"{self.head}: decodes all proper inputs, least margin {small}, ... at n = 2, 3, 4, ..."

    def inputs(self, letters: int, integers: int, longest: int) -> Iterator[tuple[object, bool]]:
        """Each proper input, and at last whether the least margin of each length is attained."""
        alphabet, least = pair_alphabet(letters, integers), dict[int, Fraction]()
        for tokens in proper_sequences(letters, integers, longest):
            length = len(tokens)
            if length >= self.shortest:
                margin = self.head.margin(tokens, alphabet)
                least[length] = min(margin, least.get(length, margin))
                yield f"{show(tokens)}: margin {margin}", margin >= self.worst(length)
        for length, margin in least.items():
            yield f"n = {length}: least margin {margin}", margin == self.worst(length)

    def forms(self, letters: int, integers: int) -> Iterator[tuple[object, bool]]:
        """Lengths up to 1000, by a bound over all their inputs at once."""
        alphabet = pair_alphabet(letters, integers)
        for length in (1, 2, 3, 4, 5, 17, 100, 1000):
            if length >= self.shortest:
                yield {"n": length}, self.head.least_margin(length, alphabet) >= self.worst(length)

    def random(self, count: int) -> Iterator[Trial]:
        """Random inputs over 8 letters and 3 integers; observed is the margin claimed, the bound is the true one."""
        alphabet = pair_alphabet(8, 3)
        for tokens in PROPER.random(count, longest=17):
            if len(tokens) >= self.shortest:
                yield Trial(show(tokens), float(self.worst(len(tokens))), float(self.head.margin(tokens, alphabet)))

    def evidence(self, thorough: bool) -> Iterator[Evidence]:
        for letters, integers, longest in ((2, 2, 6), (3, 2, 4)) if thorough else ((2, 2, 3),):
            name = f"all proper inputs of up to {longest} tokens over {letters} letters and {integers} integers"
            yield Enumeration(name, self.inputs(letters, integers, longest))
        yield Enumeration("lengths up to 1000, margins as linear forms", self.forms(3 if thorough else 2, 2))
        yield Search("random inputs of up to 17 tokens", self.random(60 if thorough else 15), seed=SEED)


def gated_margin(n: int) -> Fraction:
    """The least margin of GATED over the proper inputs of length n >= 1."""
    return Fraction(1, n)


def hinted_margin(n: int) -> Fraction:
    """The least margin of HINTED over the proper inputs of length n >= 2."""
    return Fraction(1, 10 * (n - 1))


GATED = PositionalHead("uniform weights, W_V = 1, W_R = 2 on what the query may look for", residual=candidates(2))
HINTED = PositionalHead("weight 9/10 on the query, W_V hints by 4, W_R = 0", mostly_own(Fraction(1, 10)), hinting(4))


@claim(
    "positional-retrieves-with-residual",
    source=Source(PAPER, "Remark 3.1 and Def. C.1", "derived"),
    quantifiers="for all A >= 2, I >= 1, n >= 1 and all proper inputs of length n; an equality for the least margin",
    statement=str,
    variant=Margin(GATED, gated_margin),
    controls={
        "margin 2/n": Margin(GATED, lambda n: Fraction(2, n)),
        "residual of 1/2": Margin(
            PositionalHead("uniform weights, W_R = 1/2", residual=candidates(Fraction(1, 2))), gated_margin
        ),
    },
    hypotheses=(
        Hypothesis(
            "residual",
            "F(x, a) = W_R x + a with W_R != 0",
            Margin(PositionalHead("uniform weights, W_V = 1, W_R = 0"), gated_margin),
        ),
    ),
    does_not_show="a margin that long inputs keep: positional-retrieve-margin excludes it",
)
def positional_retrieves_with_residual(margin: Margin, thorough: bool) -> Iterator[Evidence]:
    """All short proper inputs; a lower bound over all inputs of each length; random long inputs."""
    yield from margin.evidence(thorough)


@claim(
    "positional-retrieves-with-values",
    source=Source(PAPER, "Remark 3.1 and Def. C.1", "derived"),
    quantifiers="for all A >= 2, I >= 1, n >= 2 and all proper inputs of length n; an equality for the least margin",
    statement=str,
    variant=Margin(HINTED, hinted_margin, shortest=2),
    controls={
        "margin 1/(5 (n - 1))": Margin(HINTED, lambda n: Fraction(1, 5 * (n - 1)), shortest=2),
        "weight 1/2 on the query": Margin(
            PositionalHead("weight 1/2 on the query, W_V hints by 4", mostly_own(Fraction(1, 2)), hinting(4)),
            lambda n: Fraction(1, 2 * (n - 1)),
            shortest=2,
        ),
        "hints by 1": Margin(
            PositionalHead("weight 9/10 on the query, W_V hints by 1", mostly_own(Fraction(1, 10)), hinting(1)),
            hinted_margin,
            shortest=2,
        ),
    },
    hypotheses=(
        Hypothesis(
            "values",
            "W_V is not the identity",
            Margin(
                PositionalHead("weight 9/10 on the query, W_V = 1", mostly_own(Fraction(1, 10))),
                hinted_margin,
                shortest=2,
            ),
        ),
    ),
    does_not_show="that one-hot values can do it: positional-cannot-retrieve-identity",
)
def positional_retrieves_with_values(margin: Margin, thorough: bool) -> Iterator[Evidence]:
    """All short proper inputs; a lower bound over all inputs of each length; random long inputs."""
    yield from margin.evidence(thorough)


@quantity("positional-retrieval-margin", unit="output coordinate", claim="positional-retrieves-with-residual")
def positional_retrieval_margin(n: Length) -> Exact:
    """Least margin with which uniform attention and a gated residual decode the proper inputs of length n."""
    return Exact(gated_margin(n))


@quantity("positional-values-margin", unit="output coordinate", claim="positional-retrieves-with-values")
def positional_values_margin(n: Length2) -> Exact:
    """Least margin with which weight 9/10 on the query and hinting values decode the proper inputs of length n."""
    return Exact(hinted_margin(n))
