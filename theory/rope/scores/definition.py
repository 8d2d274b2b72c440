"""The positional and the symbolic score of a head on an input, by their definition.

Source: arXiv 2511.11579, Sec. 3, and arXiv 2605.31558, App. D, in its version for single tokens. D(x) is the attention
of the query at n over all keys. A swap exchanges the contents at two earlier positions i < j; the query stays. With
v = (D_i, D_j) before and u = (D_i, D_j) after it, the positional score averages cos(u, v) over all swaps and the
symbolic score cos(u, reversed v), both weighted by a softmax of |D_i(x) - D_j(x)|/tau. The papers do not print tau;
as it falls to 0, only the swap of the most and the least attended token counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Any

from flint import arb, ctx

from theory.arithmetic.ball import Real, RealLike, exp
from theory.errors import InputError
from theory.quantities import Count, Enclosure, Matrix, Number, Positive, quantity
from theory.rope.scores.acting import LogitMatrix

ONE = Real.of(1)
Pair = tuple[Any, Any]


def normalised(weights: Sequence[Any]) -> list[Any]:
    """Each weight over the sum of all."""
    total = Real.total(weights) if isinstance(weights[0], Real) else sum(weights[1:], weights[0])
    return [weight / total for weight in weights]


def attention(weights: Sequence[Any], own: Any) -> list[Any]:
    """D: the shares of earlier tokens with these unnormalised weights, then that of the query's own token."""
    return normalised([*weights, own])


def after_swap(weights: LogitMatrix, i: int, j: int) -> list[Any]:
    """The weights by position once the contents at i and j (from 0) are exchanged."""
    content = {i: j, j: i}
    return [weights[content.get(p, p)][p] for p in range(len(weights))]


def swaps(weights: LogitMatrix, own: Any) -> list[tuple[Pair, Pair]]:
    """(u, v) of every swap i < j, for unnormalised weights e^(beta M[c][p]) and e^(beta own)."""
    before = attention([row[c] for c, row in enumerate(weights)], own)
    found = []
    for i, j in combinations(range(len(weights)), 2):
        after = attention(after_swap(weights, i, j), own)
        found.append(((after[i], after[j]), (before[i], before[j])))
    return found


def dot(u: Pair, v: Pair) -> Any:
    """The scalar product."""
    return u[0] * v[0] + u[1] * v[1]


def squared_cosine(u: Pair, v: Pair) -> Any:
    """The square of the cosine between two vectors of positive entries."""
    return dot(u, v) ** 2 / (dot(u, u) * dot(v, v))


def scores(M: Sequence[Sequence[RealLike]], own: RealLike, beta: RealLike, tau: RealLike) -> tuple[Real, Real]:
    """s_POS and s_SYM of logits M[c][p] and the query's own logit, at inverse temperature beta > 0 and tau > 0.

    Raises InputError for fewer than two earlier tokens.
    """
    if len(M) < 2:
        raise InputError(f"an input with {len(M)} earlier token has no swap, so no score; give n >= 3")
    logits = {id(row): [Real.of(entry) for entry in row] for row in M}  # a row that stands several times, once
    scale, rate, last = Real.of(beta), Real.of(tau), Real.of(own)

    @cache
    def averages(precision: int) -> tuple[arb, arb]:
        factor, times = scale.enclose(), 1 / rate.enclose()
        powers = {key: [(factor * entry.enclose()).exp() for entry in row] for key, row in logits.items()}
        weights = [powers[id(row)] for row in M]
        D = attention([row[c] for c, row in enumerate(weights)], (factor * last.enclose()).exp())
        total = positional = symbolic = arb(0)
        for i, j in combinations(range(len(M)), 2):
            # Cosines do not see the length of u, so attention after the swap needs no normalisation.
            u, v = (weights[j][i], weights[i][j]), (D[i], D[j])
            share = (abs(v[0] - v[1]) * times).exp()
            total += share
            share *= (dot(u, u) * dot(v, v)).rsqrt()
            positional += share * dot(u, v)
            symbolic += share * dot(u, v[::-1])
        return positional / total, symbolic / total

    return Real(lambda: averages(ctx.prec)[0]), Real(lambda: averages(ctx.prec)[1])


def as_results(found: tuple[Real, Real]) -> dict[str, Enclosure]:
    """The two scores under their names."""
    return {"s-pos": Enclosure(found[0]), "s-sym": Enclosure(found[1])}


def logit_rows(M: Any) -> list[list[Real]]:
    """The rows of a SymPy matrix M[c][p]. InputError unless it is square."""
    if M.rows != M.cols:
        raise InputError(f"M is {M.rows} x {M.cols}, so contents and positions differ in number; give a square matrix")
    return [[Real.of(entry) for entry in row] for row in M.tolist()]


@quantity("positional-symbolic-scores", unit="1", claim="score-logit-closed-form")
def positional_symbolic_scores(M: Matrix, own: Number, tau: Positive, beta: Positive = ONE) -> dict[str, Enclosure]:
    """s_POS and s_SYM of a head with logits M[c][p] on the earlier tokens and `own` on the query's own."""
    return as_results(scores(logit_rows(M), own, beta, tau))


@quantity("swapped-attention", unit="share of the attention", claim="score-blind-spot")
def swapped_attention(M: Matrix, own: Number, i: Count, j: Count, beta: Positive = ONE) -> dict[str, Enclosure]:
    """Attention by position, the query's own last, before and after the contents at positions i and j are exchanged."""
    rows = logit_rows(M)
    if max(i, j) > len(rows):
        raise InputError(f"position {max(i, j)} is not among the {len(rows)} earlier ones; give i, j <= {len(rows)}")
    weights = [[exp(beta * entry) for entry in row] for row in rows]
    before = attention([row[c] for c, row in enumerate(weights)], exp(beta * own))
    after = attention(after_swap(weights, i - 1, j - 1), exp(beta * own))
    return {
        f"{time}-{position}": Enclosure(share)
        for time, shares in (("before", before), ("after", after))
        for position, share in enumerate(shares, 1)
    }
