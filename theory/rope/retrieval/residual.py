"""The residual of the repaired head R1 decodes queries with an integer at every scale.

The coordinate of the query is r + w and all others share 1 - w, where its own weight w is at least 1/n, as its logit is
maximal. Source: derived here for arXiv 2605.31558, Thm 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp
from random import Random
from typing import Any

import numpy as np

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Enclosure, Length, Positive, quantity
from theory.rope.retrieval.decoding import number, r1
from theory.rope.rotation import PAPER
from theory.rope.sequences import proper_sequences, retrieval

SEED = 3155


def margin(gain: Any, n: int, same: int, far: Any) -> Any:
    """The margin of one query token, `same` others of its letter, and tokens of relative weight `far` in other places.

    Generic over the arithmetic.
    """
    rest = (n - 1 - same) * far
    return gain + (1 - max(same, rest)) / (1 + same + rest)


@dataclass(frozen=True)
class Residual:
    """The least margin of R1 at the gain r is `bound`(r, n), over LI queries or over all."""

    bound: Callable[[Fraction, int], Fraction] = lambda gain, n: gain - 1 + Fraction(2, n)
    integer_queries: bool = True

    def __str__(self) -> str:
        queries = "LI" if self.integer_queries else "all"
        bounds = ", ".join(f"{self.bound(Fraction(1), n)} for n = {n}" for n in (2, 3, 4))
        return f"at r = 1 and every scale, the least margin of R1 over {queries} queries is {bounds}"


@claim(
    "retrieval-repaired-residual",
    source=Source(PAPER, "Thm 3.1", "derived"),
    quantifiers="for all A >= 2, I >= 1, n >= 2, r >= 0, beta >= 0; minimum over proper inputs of length n; equality",
    statement=str,
    variant=Residual(),
    controls={
        "r - 1 + 3/n": Residual(lambda gain, n: gain - 1 + Fraction(3, n)),
        "r - 1 + 1/n": Residual(lambda gain, n: gain - 1 + Fraction(1, n)),
        "r - 1 + 2/(n + 1)": Residual(lambda gain, n: gain - 1 + Fraction(2, n + 1)),
    },
    hypotheses=(Hypothesis("LI query", "the residual acts on these", Residual(integer_queries=False)),),
    printed="r = 0, whose least margin 2/n - 1 is never positive for n >= 2",
    does_not_show="anything about LL queries, which need the scale of retrieval-repaired-threshold",
)
def retrieval_repaired_residual(residual: Residual, thorough: bool) -> Iterator[Evidence]:
    """The sign of margin minus bound on every proper input, at several scales; random long inputs."""
    yield Enumeration("least margin, A = 2, I = 1", _least_margin(residual, 6 if thorough else 4))
    yield Search("random counts of tokens", _random_counts(residual, 2000 if thorough else 300), seed=SEED)


def _least_margin(residual: Residual, longest: int) -> Iterator[tuple[object, Outcome]]:
    inputs = list(proper_sequences(2, 1, longest))
    gains, scales = (Fraction(0), Fraction(1), Fraction(2)), (Fraction(0), Fraction(1, 2), Fraction(3))
    for n, gain, beta in product(range(2, longest + 1), gains, scales):
        signs = {
            r1(2, gain).soft_sign(tokens, retrieval(tokens)[-1], beta, residual.bound(gain, n))
            for tokens in inputs
            if len(tokens) == n and not (residual.integer_queries and number(tokens[-1]) is None)
        }
        undecided = None in signs and -1 not in signs
        yield {"n": n, "r": gain, "beta": beta}, Outcome.UNDECIDED if undecided else Outcome.of(signs - {1} == {0})


def _random_counts(residual: Residual, count: int) -> Iterator[Trial]:
    """The claimed bound against the margin of one query token, `same` of its letter and the rest a letter beside it."""
    rng = Random(SEED)
    for _ in range(count):
        n, letters, beta, gain = (
            rng.randint(2, 200),
            rng.randint(2, 26),
            10 ** rng.uniform(-2, 2),
            Fraction(rng.randint(0, 8), 4),
        )
        same = rng.choice((n - 1, rng.randint(0, n - 1)))
        far = exp(-beta * (1 - np.cos(2 * np.pi / letters)))
        found = margin(float(gain), n, same, far)
        # A quotient of sums of at most n + 1 terms, each rounded a few times, with beta in the exponent.
        allowance = (4 * beta + 2 * n + 8) * float(np.finfo(float).eps)
        yield Trial((n, letters, beta, gain, same), float(residual.bound(gain, n)), found, allowance)


@quantity("retrieval-residual-margin", unit="output coordinate", claim="retrieval-repaired-residual")
def residual_margin(n: Length, gain: Positive) -> Enclosure:
    """The least margin gain - 1 + 2/n of R1 on LI queries of length n, that of (a,1)^(n-1) (a,2) at every scale."""
    return Enclosure(gain - 1 + Fraction(2, n))
