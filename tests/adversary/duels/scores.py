"""Scores of a head, by the logit differences g and h of a swap before and after it."""

from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import sympy

from tests.adversary.duel import Axis, Duel, Pair
from tests.adversary.duels.retrieval import SHARE
from theory.rope.retrieval.head import retrieval_phase
from theory.rope.scores.acting import deviations
from theory.rope.scores.closed_form import G, H, cosines
from theory.rope.scores.exclusion import POSITIONAL, SIZE, SYMBOLIC, variance

# No two corners of the box agree in size: equality cases are lines through it.
DIFFERENCES = (Axis("g", -4.1, 5.2, "logit"), Axis("h", -3.3, 4.7, "logit"))


@cache
def _of(rule: Any, *symbols: sympy.Symbol) -> sympy.Expr:
    return sympy.sympify(rule(*symbols), strict=True)


def _positional(floors: Any, setting: Any, x: Any, ar: Any) -> Pair:
    values = {G: x[0], H: x[1]}
    return ar.formula(_of(floors.positional, G, H), values), ar.formula(cosines()[0], values)


def _symbolic(floors: Any, setting: Any, x: Any, ar: Any) -> Pair:
    values = {G: x[0], H: x[1]}
    return ar.formula(_of(floors.symbolic, G, H), values), ar.formula(cosines()[1], values)


def _sum(values: Any, ar: Any) -> Any:
    return sum(ar.formula(cosine, values) for cosine in cosines())


def _upper(total: Any, setting: Any, x: Any, ar: Any) -> Pair:
    values = {G: x[0], H: x[1]}
    return _sum(values, ar), ar.formula(sympy.Min(_of(total.upper, G), 2), values)


def _lower(total: Any, setting: Any, x: Any, ar: Any) -> Pair:
    return ar.number(total.lower), _sum({G: x[0], H: x[1]}, ar)


def _flat(flat: Any, setting: Any, x: Any, ar: Any) -> Pair | None:
    values = {G: x[0], H: x[1]}
    lowest = ar.least([ar.formula(cosine, values) for cosine in cosines()]) ** 2
    if not lowest > 0.5001:
        return None
    return ar.formula(sympy.cosh(G), {G: x[0]}), flat.bound(lowest)


def _matrix(size: int, x: Any) -> tuple[list[list[Any]], list[Any]]:
    rows = [[*x[size * c : size * (c + 1)]] for c in range(size)]
    return rows, [rows[c][c] for c in range(size)]


def _loose(exclusion: Any, size: int, x: Any, ar: Any) -> Pair | None:
    return _exclusion(exclusion, size, x, ar, "loose-bound")


def _sharp(exclusion: Any, size: int, x: Any, ar: Any) -> Pair | None:
    return _exclusion(exclusion, size, x, ar, "sharp-bound")


def _exclusion(exclusion: Any, size: int, x: Any, ar: Any, bound: str) -> Pair | None:
    rows, logits = _matrix(size, x)
    P, S = deviations(rows)
    if not (P > 1e-9 and S > 1e-9):
        return None
    if exclusion.own_logit:
        logits.append(x[-1])
    most = ar.formula(exclusion.bounds()[bound], {POSITIONAL: P, SYMBOLIC: S, SIZE: ar.number(size)})
    count = len(logits)
    return variance(logits, exclusion.freedom) if count else 0, most


def _entries(size: int) -> list[Axis]:
    axes = [Axis(f"M_{c}{p}", -1 - 0.1 * c, 1 + 0.07 * p, "logit") for c in range(size) for p in range(size)]
    return [*axes, Axis("own logit", -9, 9, "logit")]


def _retrieval(floor: Any, setting: tuple[int, tuple[int, ...]], x: Any, ar: Any) -> Pair:
    """The least cosine over the swaps: no weights on them, so no tau, get below it."""
    letters, left = setting
    left = (*left, left[0]) if floor.own_key else left
    size, scale, step = len(left), np.exp(x[1]), ar.number(Fraction(1, letters))
    length = len(setting[1]) + 1
    turns = x[0] * ar.number(Fraction(1, letters * length))
    places = np.arange(length - 1, length - 1 - size, -1)
    M = [scale * ar.cos_pi(2 * retrieval_phase(c, 0, places, step, turns)) for c in left]
    found = []
    for i, j in combinations(range(size), 2):
        g, h = M[i][i] - M[j][j], M[j][i] - M[i][j]
        found.append(ar.formula(cosines()[1], {G: g, H: h}))
    least = ar.formula(sympy.sech(G), {G: scale * floor.phase(length, 2 * ar.pi * turns)})
    return least, ar.least(found)


SCORES = [
    Duel(
        "rope-exclusion-principle",
        "variance, (P + S)/N^2, (N)",
        (2, 3, 4),
        _entries,
        _loose,
        ("(P + S)/(2 N^2)", "(P + S)/(N (N + 1))", "sample variance", "without earlier tokens"),
        sharp=True,
    ),
    Duel(
        "rope-exclusion-principle",
        "variance, (sqrt P + sqrt S)^2/(2 N^2), (N)",
        (2, 3, 4),
        _entries,
        _sharp,
        ("roots over 2 N (N + 1)", "sample variance", "without earlier tokens"),
        sharp=True,
    ),
    Duel(
        "score-robustness",
        "floor of the positional cosine",
        ((),),
        lambda _: DIFFERENCES,
        _positional,
        ("exchanged", "(g - h)/4"),
        sharp=True,
    ),
    Duel(
        "score-robustness",
        "floor of the symbolic cosine",
        ((),),
        lambda _: DIFFERENCES,
        _symbolic,
        ("exchanged", "(g + h)/4", "g alone"),
        sharp=True,
    ),
    Duel(
        "score-retrieval-floor",
        "floor of the symbolic cosine of all swaps, (A, left letters)",
        ((3, (0, 1)), (3, (0, 1, 2)), (4, (1, 1, 1, 1)), (4, (0, 3, 1, 1, 2))),
        lambda _: (SHARE, Axis("ln beta", -2, 3)),
        _retrieval,
        ("(n - 2) theta/2", "1 at every frequency", "n theta/4", "without earlier tokens"),
    ),
    Duel(
        "score-sum-bounds",
        "sum of the cosines of a swap",
        ((),),
        lambda _: DIFFERENCES,
        _upper,
        ("at most 1", "at most 1 + sech g"),
        sharp=True,
    ),
    Duel(
        "score-sum-bounds",
        "1 against the sum of the cosines of a swap",
        ((),),
        lambda _: (Axis("g", -30, 31, "logit"), Axis("h", -32, 33, "logit")),
        _lower,
        ("above 1.01",),
        strict=True,
    ),
    Duel(
        "score-uniform-attention",
        "cosh of the range of two logits",
        ((),),
        lambda _: DIFFERENCES,
        _flat,
        ("acosh(1/(1 - eps)^2)", "half the excess over 1"),
        sharp=True,
    ),
]
