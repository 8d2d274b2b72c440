"""The cases by which the steps of proofs.exclusion_principle are checked, from logit matrices and their attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy
from sympy import Expr, cos, cosh, exp, sin, sqrt, symbols

from theory.arithmetic.ball import Real
from theory.evidence import Case, Equation
from theory.rope.retrieval.head import retrieval_phase
from theory.rope.scores.acting import LogitMatrix, acts_positionally, acts_symbolically, deviations
from theory.rope.scores.blind_spot import full_scores, keeps_ratios, reverses_ratios
from theory.rope.scores.closed_form import G, H, cosines, cosines_at
from theory.rope.scores.definition import after_swap, attention, swapped_attention
from theory.rope.scores.exclusion import POSITIONAL, SIZE, SYMBOLIC, Exclusion, variance
from theory.rope.scores.floor import R_I, R_J
from theory.rope.scores.sum import score_range_bound
from theory.symbols import beta, theta

EXCLUSION = Exclusion()


def logits_of(M: LogitMatrix) -> list[Any]:
    """The diagonal: the logits of the input itself."""
    return [row[c] for c, row in enumerate(M)]


def bounds(M: LogitMatrix) -> list[Expr]:
    """The two bounds of the exclusion principle for a matrix, the sharper one first."""
    P, S = deviations(M)
    values = {POSITIONAL: P, SYMBOLIC: S, SIZE: len(M)}
    return [sympy.expand(bound.subs(values, simultaneous=True)) for bound in EXCLUSION.bounds().values()]


def spread(longest: int) -> Iterator[Equation]:
    """The variance from the differences of all pairs of logits."""
    for size in range(1, longest + 1):
        logits = symbols(f"l_1:{size + 1}", real=True)
        pairs = sum((a - b) ** 2 for a, b in product(logits, repeat=2))
        yield f"N = {size}", 2 * size**2 * variance(logits), pairs


def tight(longest: int) -> Iterator[Equation]:
    """Heads that act positionally or symbolically, and those whose entries are means of two logits."""
    for size in range(1, longest + 1):
        logits, positions = symbols(f"l_1:{size + 1}", real=True), range(size)
        found = variance(logits)
        positional = [[logits[p] for p in positions] for _ in positions]
        symbolic = [[logits[c] for _ in positions] for c in positions]
        means = [[(logits[c] + logits[p]) / 2 for p in positions] for c in positions]
        yield f"positional, N = {size}", found, bounds(positional)[0]
        yield f"symbolic, N = {size}", found, bounds(symbolic)[0]
        yield f"means, N = {size}", found, bounds(means)[1]


def matrices(values: Sequence[int]) -> Iterator[list[list[int]]]:
    """All matrices of size 2 over some integers, then all of size 3 over 0 and 1."""
    for size, entries in ((2, values), (3, (0, 1))):
        for flat in product(entries, repeat=size * size):
            yield [list(flat[size * c : size * (c + 1)]) for c in range(size)]


def means_only() -> Iterator[Case]:
    """The second bound is attained exactly where twice each entry is the sum of its two logits."""
    for M in matrices(range(-2, 3)):
        logits, (P, S) = logits_of(M), deviations(M)
        attained = variance(logits) == Fraction(P + S, EXCLUSION.loose(len(M)))
        yield M, attained == all(2 * M[c][p] == logits[c] + logits[p] for c, p in product(range(len(M)), repeat=2))


def example(M: LogitMatrix) -> tuple[Any, ...]:
    """A row of the table: variance, P, S and the two bounds."""
    return (variance(logits_of(M)), *deviations(M), *bounds(M))


def pure() -> Iterator[Case]:
    """A head that acts positionally has h = g at each swap, one that acts symbolically h = -g."""
    for M in matrices(range(3)):
        if acts_positionally(M):
            yield M, keeps_ratios(M)
        if acts_symbolically(M):
            yield M, reverses_ratios(M)


def weights_of_a_swap() -> Iterator[Equation]:
    """Two weights over the root of their product; inner products and lengths of u and v."""
    a, b = symbols("a b", real=True)
    yield "first weight", exp(a) / exp((a + b) / 2), exp((a - b) / 2)
    yield "second weight", exp(b) / exp((a + b) / 2), exp(-(a - b) / 2)
    u, v = ((exp(difference / 2), exp(-difference / 2)) for difference in (H, G))
    for name, other, cosine in zip(("u, v", "u, reversed v"), (v, v[::-1]), cosines(), strict=True):
        yield name, u[0] * other[0] + u[1] * other[1], 2 * cosine * sqrt(cosh(G) * cosh(H))
    yield "length of v", v[0] ** 2 + v[1] ** 2, 2 * cosh(G)


def ranges(allowed: Sequence[Fraction]) -> Iterator[tuple[object, ...]]:
    """Largest range of the logits when both scores are at least 1 - eps."""
    for eps in allowed:
        yield f"{float(1 - eps):g}", f"{float(score_range_bound(Real.of(eps)).value):.4f}"


def shares(M: LogitMatrix, i: int, j: int) -> tuple[list[Fraction], list[Fraction]]:
    """Attention before and after a swap of positions i < j, for integer logits in units of log 2, own logit 0."""
    weights = [[Fraction(2) ** entry for entry in row] for row in M]
    swapped = after_swap(weights, i - 1, j - 1)
    return attention(logits_of(weights), Fraction(1)), attention(swapped, Fraction(1))


def symmetric_part() -> Iterator[Case]:
    """Each score is 1 exactly where its deviations are a symmetric matrix."""
    for M in matrices(range(-1, 2)):
        logits, pairs = logits_of(M), list(combinations(range(len(M)), 2))
        positional = all(M[c][p] - logits[p] == M[p][c] - logits[c] for c, p in pairs)
        symbolic = all(M[c][p] - logits[c] == M[p][c] - logits[p] for c, p in pairs)
        yield M, full_scores(M) == (positional, symbolic)


def both_full() -> Iterator[Case]:
    """Where both scores are 1, the logits agree and the matrix is symmetric; and conversely."""
    for M in matrices(range(-1, 2)):
        symmetric = all(M[c][p] == M[p][c] for c, p in combinations(range(len(M)), 2))
        yield M, all(full_scores(M)) == (symmetric and len(set(logits_of(M))) == 1)


def moved(steps: Sequence[int]) -> Iterator[tuple[int, Fraction, Fraction]]:
    """The weight of both earlier tokens before and after their swap, in the family of the text."""
    for step in steps:
        before, after = shares(family(step), 1, 2)
        yield step, sum(before[:2], Fraction(0)), sum(after[:2], Fraction(0))


def family(step: int) -> list[list[int]]:
    """Two tokens with logit K in their own places and -K in each other's."""
    return [[step, -step], [-step, step]]


def unseen(steps: Sequence[int]) -> Iterator[Case]:
    """In the family both scores are 1, and all but a few 2^-K of the attention leaves the two tokens."""
    for step, before, after in moved(steps):
        full = full_scores(family(step)) == (True, True)
        yield f"K = {step}", full and 1 - before < Fraction(1, 2**step) and after < Fraction(2, 2**step)


def least_symbolic(M: LogitMatrix) -> float:
    """s_SYM in the limit of small tau, for integer logits whose first and last tokens are least and most attended."""
    g, h = M[0][0] - M[-1][-1], M[-1][0] - M[0][-1]
    return float(cosines_at(Real.of(g), Real.of(h))[1])


def leaves(M: LogitMatrix) -> Iterator[Case]:
    """A matrix that keeps the ratio of every swap, and whose swap (1 3) takes attention from position 3."""
    found = swapped_attention(sympy.Matrix(M), Real.of(0), 1, 3)
    yield "s_POS = 1", keeps_ratios(M)
    yield "acts positionally", not acts_positionally(M)
    yield "position 3", 6 * found["after-3"].value < found["before-3"].value


def sum_of_differences() -> tuple[Expr, Expr]:
    """G + h of the Retrieval head from its logits, and as a product; a is the angle of a letter from the wanted one."""
    a, r = symbols("a_i a_j", real=True), (R_I, R_J)
    M = [[cos(retrieval_phase(angle, 0, offset, 1, theta)) for offset in r] for angle in a]
    turned = sin((R_I - R_J) * theta / 2) * sin((sum(a) + (R_I + R_J) * theta) / 2) * cos((a[0] - a[1]) / 2)
    return beta * (M[0][0] - M[1][1] + M[1][0] - M[0][1]), -4 * beta * turned


def swapped(M: LogitMatrix, i: int, j: int) -> Iterator[tuple[object, ...]]:
    """Rows of a table: attention by position before and after a swap, own logit 0."""
    found = swapped_attention(sympy.Matrix(M), Real.of(0), i, j)
    for time in ("before", "after"):
        yield time, *(f"{float(found[f'{time}-{position}'].value):.4f}" for position in range(1, len(M) + 2))
