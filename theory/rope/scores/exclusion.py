"""A head cannot act positionally and symbolically at once unless its logits agree: the exclusion principle.

Source: arXiv 2511.11579, Thm 1, with the constants derived here. P and S are the squared deviations of Def. D.1 in
arXiv 2605.31558, Var is the population variance of the logits of the N earlier tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import sympy
from sympy import sqrt, symbols

from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.quantities import Enclosure, Matrix, quantity
from theory.rope.scores.acting import LogitMatrix, deviations

SEED = 2511
SIZE, POSITIONAL, SYMBOLIC, VARIANCE = symbols("N P S Var", positive=True)


def variance(logits: Sequence[Any], freedom: int = 0) -> Any:
    """The variance of exact logits: population variance, or the sample variance for `freedom` 1."""
    size = len(logits)
    squares = size * sum(value**2 for value in logits) - sum(logits) ** 2
    return squares * Fraction(1, size * (size - freedom))


@dataclass(frozen=True)
class Exclusion:
    """Var <= (sqrt P + sqrt S)^2 / sharp(N) and Var <= (P + S) / loose(N).

    Args:
        sharp, loose: 2 N^2 and N^2 in the statement.
        freedom: 1 for the sample variance.
        own_logit: count the logit of the query's own token among the logits.
    """

    sharp: Callable[[Any], Any] = lambda size: 2 * size**2
    loose: Callable[[Any], Any] = lambda size: size**2
    freedom: int = 0
    own_logit: bool = False

    def bounds(self) -> dict[str, sympy.Expr]:
        """The two bounds in P, S and N."""
        return {
            "sharp-bound": (sqrt(POSITIONAL) + sqrt(SYMBOLIC)) ** 2 / self.sharp(SIZE),
            "loose-bound": (POSITIONAL + SYMBOLIC) / self.loose(SIZE),
        }

    def claimed(self) -> sympy.Basic:
        spread = VARIANCE * SIZE / (SIZE - self.freedom)
        return sympy.And(*(sympy.Le(spread, bound) for bound in self.bounds().values()))

    def holds(self, M: LogitMatrix, own: Any) -> bool:
        P, S = deviations(M)
        logits = [row[c] for c, row in enumerate(M)] + [own] * self.own_logit
        spread = variance(logits, self.freedom)
        # Var <= (sqrt P + sqrt S)^2 / sharp without roots: the excess over P + S is at most 2 sqrt(PS).
        excess = self.sharp(len(M)) * spread - P - S
        return (excess <= 0 or excess**2 <= 4 * P * S) and self.loose(len(M)) * spread <= P + S


@claim(
    "rope-exclusion-principle",
    source=Source("2511.11579", "Thm 1", "reconstructed"),
    quantifiers="for all N >= 1 and all real N x N matrices, so for every head, input and query",
    statement=Exclusion.claimed,
    variant=Exclusion(),
    controls={
        "(P + S)/(2 N^2)": Exclusion(loose=lambda size: 2 * size**2),
        "(P + S)/(N (N + 1))": Exclusion(loose=lambda size: size * (size + 1)),
        "sample variance": Exclusion(freedom=1),
        "roots over 2 N (N + 1)": Exclusion(sharp=lambda size: 2 * size * (size + 1)),
    },
    hypotheses=(
        Hypothesis(
            "earlier tokens",
            "the logit of the query's own token is not among the logits",
            Exclusion(own_logit=True),
        ),
    ),
    does_not_show="the converse: M = [[0, 1], [1, 0]] has equal logits and acts in neither way",
)
def rope_exclusion_principle(exclusion: Exclusion, thorough: bool) -> Iterator[Evidence]:
    """Small integer matrices, exactly; sums of squares for symbolic ones; random matrices around the equality cases."""
    reach = 4 if thorough else 2
    yield Enumeration(f"N = 2 over -{reach}..{reach}, N = 3 over 0, 1, own logit 9", _small(exclusion, reach, thorough))
    yield Identity("differences are sums of squares, N <= 3", _squares(exclusion), reduce=sympy.expand)
    yield Search("matrices near equality, N <= 8", _near_equality(exclusion, 400 if thorough else 60), seed=SEED)


def _small(exclusion: Exclusion, reach: int, thorough: bool) -> Iterator[tuple[object, bool]]:
    for size, entries in ((2, range(-reach, reach + 1)), (3, range(-1 if thorough else 0, 2))):
        for flat in product(entries, repeat=size * size):
            M = [flat[size * c : size * (c + 1)] for c in range(size)]
            yield M, exclusion.holds(M, own=9)


def _squares(exclusion: Exclusion) -> Iterator[Equation]:
    """P + S - N^2 Var = 1/2 sum (2M - l_c - l_p)^2; with x = M - l_p, y = M - l_c the rest is Lagrange's identity."""
    for size in (2, 3):
        M = sympy.Matrix(size, size, symbols(f"m_0:{size * size}", real=True)).tolist()
        logits = [M[c][c] for c in range(size)]
        P, S = deviations(M)
        spread = variance(logits, exclusion.freedom)
        pairs = list(product(range(size), repeat=2))
        middle = sum((2 * M[c][p] - logits[c] - logits[p]) ** 2 for c, p in pairs)
        yield f"loose, N = {size}", P + S - exclusion.loose(size) * spread, middle / 2
        x, y = [M[c][p] - logits[p] for c, p in pairs], [M[c][p] - logits[c] for c, p in pairs]
        inner = sum(a * b for a, b in zip(x, y, strict=True))
        yield f"sharp, N = {size}", exclusion.sharp(size) * spread, P + S - 2 * inner
        crossed = sum((x[a] * y[b] - x[b] * y[a]) ** 2 for a, b in combinations(range(len(x)), 2))
        yield f"Cauchy-Schwarz, N = {size}", P * S - inner**2, crossed


def _near_equality(exclusion: Exclusion, count: int) -> Iterator[Trial]:
    """The loose form is sharp where M[c][p] is the mean of two logits; noise of falling size leads there."""
    rng = Random(SEED)
    for case in range(count):
        size, noise = rng.randint(2, 8), 10 ** (case % 5)
        logits = [rng.randint(-1000, 1000) for _ in range(size)]
        M = [[logits[c] + logits[p] + (c != p) * rng.randint(-noise, noise) for p in range(size)] for c in range(size)]
        P, S = deviations(M)
        spread = variance([2 * value for value in logits], exclusion.freedom)
        bound = Fraction(P + S, exclusion.loose(size))
        # Both sides are exact and rounded once.
        yield Trial(case, float(spread), float(bound), allowance=2.0**-52 * float(bound), vacuous=bound == 0)


@quantity("exclusion-bounds", unit="squared logit", claim="rope-exclusion-principle")
def exclusion_bounds(M: Matrix) -> dict[str, Enclosure]:
    """Variance of the logits of a matrix M[c][p], its P and S, and the two bounds (P+S)/N^2 and with square roots."""
    size = M.rows
    if M.cols != size:
        raise InputError(f"M is {M.rows} x {M.cols}, so contents and positions differ in number; give a square matrix")
    entries = [[Real.of(entry) for entry in row] for row in M.tolist()]
    P, S = deviations(entries)
    logits = [entries[c][c] for c in range(size)]
    mean = Real.total(logits) / size
    values = {POSITIONAL: P, SYMBOLIC: S, SIZE: size}
    return {
        "variance": Enclosure(Real.total((value - mean) ** 2 for value in logits) / size),
        "positional-deviation": Enclosure(P),
        "symbolic-deviation": Enclosure(S),
        **{name: Enclosure(evaluate(bound, values)) for name, bound in Exclusion().bounds().items()},
    }
