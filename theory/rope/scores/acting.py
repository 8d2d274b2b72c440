"""When a head acts positionally or symbolically on an input, and how far it is from either.

Source: arXiv 2605.31558, Def. D.1. M[c][p] is the logit of content c at position p, for the N = n - 1 earlier tokens;
the query stays at n, and its own logit takes no part. The diagonal holds the logits of the input itself. The head acts
positionally if a permutation of the contents changes no position's logit, symbolically if it changes no content's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from math import factorial
from typing import Any

import sympy
from sympy import symbols

from theory.claims import Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity
from theory.rope.rotation import PAPER

LogitMatrix = Sequence[Sequence[Any]]
Permutation = Sequence[int]


def acts_positionally(M: LogitMatrix) -> bool:
    """Whether every position has one logit, whatever content stands there; entries are exact numbers."""
    return all(row[p] == M[p][p] for row in M for p in range(len(M)))


def acts_symbolically(M: LogitMatrix) -> bool:
    """Whether every content has one logit, wherever it stands; entries are exact numbers."""
    return all(entry == row[c] for c, row in enumerate(M) for entry in row)


def deviations(M: LogitMatrix) -> tuple[Any, Any]:
    """P and S: the sums of (M[c][p] - M[p][p])^2 and of (M[c][p] - M[c][c])^2 over all contents and positions."""
    size = range(len(M))
    positional = sum((M[c][p] - M[p][p]) ** 2 for c in size for p in size)
    symbolic = sum((M[c][p] - M[c][c]) ** 2 for c in size for p in size)
    return positional, symbolic


def permuted_deviations(M: LogitMatrix, chosen: Sequence[Permutation]) -> tuple[Any, Any]:
    """What Def. D.1 says of some permutations: the sums of its squared deviations over them and over the tokens."""
    size = range(len(M))
    positional = sum((M[pi[j]][j] - M[j][j]) ** 2 for pi in chosen for j in size)
    symbolic = sum((M[j][pi[j]] - M[j][j]) ** 2 for pi in chosen for j in size)
    return positional, symbolic


def swaps(size: int) -> list[Permutation]:
    """All transpositions of `size` tokens."""
    return [[{i: j, j: i}.get(at, at) for at in range(size)] for i, j in combinations(range(size), 2)]


@dataclass(frozen=True)
class Multiples:
    """How many times P and S the squared deviations amount to, over all permutations and over swaps alone."""

    permutations: Callable[[Any], Any] = lambda size: factorial(size - 1)
    swaps: Callable[[Any], Any] = lambda size: 1

    def __str__(self) -> str:
        everywhere, swapped = (rule(4) for rule in (self.permutations, self.swaps))
        return (
            "the squared deviations of Def. D.1 add up to (N-1)! P and (N-1)! S over all permutations and to P and S "
            f"over the swaps (N = 4: {everywhere} and {swapped} times), so swaps alone decide how a head acts"
        )


@claim(
    "acting-by-swaps",
    source=Source(PAPER, "Def. D.1 and App. D", "derived"),
    quantifiers="for all real N x N matrices, N >= 2; an equality",
    statement=str,
    variant=Multiples(),
    controls={
        "N! times over permutations": Multiples(permutations=factorial),
        "(N-2)! times over permutations": Multiples(permutations=lambda size: factorial(size - 2)),
        "N - 1 times over swaps": Multiples(swaps=lambda size: size - 1),
    },
    does_not_show="that swaps suffice for the scores, which see ratios of weights only: score-swaps-printed",
)
def acting_by_swaps(multiples: Multiples, thorough: bool) -> Iterator[Evidence]:
    """Sums over all permutations, for symbolic matrices and for every small integer matrix; Def. D.1 on the latter."""
    yield Enumeration("all matrices over 0, 1, 2 of size 2 and over 0, 1 of size 3", _small(multiples))
    sizes = range(2, 6 if thorough else 5)
    yield Identity(f"symbolic matrices, N <= {sizes[-1]}", _symbolic(multiples, sizes), reduce=sympy.expand)


def _small(multiples: Multiples) -> Iterator[tuple[object, bool]]:
    for size, entries in ((2, (0, 1, 2)), (3, (0, 1))):
        everything = list(permutations(range(size)))
        for flat in product(entries, repeat=size * size):
            M = [flat[size * c : size * (c + 1)] for c in range(size)]
            P, S = deviations(M)
            summed, swapped = permuted_deviations(M, everything), permuted_deviations(M, swaps(size))
            times, swap_times = multiples.permutations(size), multiples.swaps(size)
            equal = summed == (times * P, times * S) and swapped == (swap_times * P, swap_times * S)
            yield M, equal and (P == 0, S == 0) == (acts_positionally(M), acts_symbolically(M))


def _symbolic(multiples: Multiples, sizes: Sequence[int]) -> Iterator[Equation]:
    for size in sizes:
        M = sympy.Matrix(size, size, symbols(f"m_0:{size * size}", real=True)).tolist()
        for name, chosen, times in (
            ("permutations", list(permutations(range(size))), multiples.permutations(size)),
            ("swaps", swaps(size), multiples.swaps(size)),
        ):
            for kind, found, expected in zip("PS", permuted_deviations(M, chosen), deviations(M), strict=True):
                yield f"{kind} over {name}, N = {size}", found, times * expected
