"""A key that is the query turned by r positions attends best to offset r, with the worst gap of its planes.

Source: arXiv 2410.06205, Prop. 3.1 (any distance can be singled out) and Thm 5.3 (diagonal and previous-token heads).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import lcm

import sympy
from sympy import Matrix, cos, symbols

from theory.arithmetic.ball import Real
from theory.arithmetic.ball import cos as cosine
from theory.arithmetic.cosine_sums import smallest_is
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Evidence, Identity
from theory.outcome import Outcome
from theory.rope.index.discrepancy import TURN
from theory.rope.index.window import angle_of, rational_turns
from theory.rope.rotation import logit, rope
from theory.rope.universal_limits.worst_gap import worst_gap
from theory.symbols import i, j, r

BARBERO = "2410.06205"


@dataclass(frozen=True)
class AlignedKey:
    """Key R^(sign r) q: its logit, and the length whose worst gap is that of a target at offset r of n keys.

    Args:
        sign: of the rotation that makes the key.
        length: a function of n and r.
        offset: the offset at which the logit is largest, a function of n and r.
        returns: admit planes that a common step below n turns back.
    """

    sign: int = 1
    length: Callable[[int, int], int] = lambda n, r: max(r, n - 1 - r) + 1
    offset: Callable[[int, int], int] = lambda n, r: r
    returns: bool = False

    def __str__(self) -> str:
        n, r = 9, 5
        return (
            f"k = R^({'' if self.sign > 0 else '-'}r) q has logit sum_k |q_k|^2 cos((i - j - r) theta_k); of n = {n} "
            f"keys that with i - j = {self.offset(n, r)} alone has the largest logit at r = {r}, by the worst gap of "
            f"length {self.length(n, r)}"
        )


@claim(
    "barbero-basics",
    source=Source(BARBERO, "Prop. 3.1 and Thm 5.3", "reconstructed"),
    quantifiers="for all q, frequencies, n >= 2 and 0 <= r < n such that no t < n turns all planes back",
    statement=str,
    variant=AlignedKey(),
    controls={
        "turned the other way": AlignedKey(sign=-1),
        "the nearest key wins": AlignedKey(offset=lambda n, r: 0),
        "the gap of length n": AlignedKey(length=lambda n, r: n),
        "offsets behind the target only": AlignedKey(length=lambda n, r: max(n - r, 2)),
    },
    hypotheses=(Hypothesis("no return", "no t < n makes all t theta_k multiples of 2 pi", AlignedKey(returns=True)),),
    does_not_show="that the gap stays away from 0 as n grows",
)
def barbero_basics(key: AlignedKey, thorough: bool) -> Iterator[Evidence]:
    """The logit from the definition with m planes; all logits of two planes at rational turns, all n and r."""
    yield Identity("m planes", ((f"m = {m}", *_polar(key, m)) for m in (1, 2, 3)))
    yield Enumeration("two planes of rational turns", _cases(key, *((8, 9) if thorough else (5, 6))))


def _polar(key: AlignedKey, m: int) -> tuple[sympy.Expr, sympy.Expr]:
    angles = symbols(f"theta_1:{m + 1}", real=True)
    query = Matrix(symbols(f"q_1:{2 * m + 1}", real=True))
    defined = logit(query, i, rope(angles, key.sign * r) * query, j, angles)
    norms = [query[2 * k] ** 2 + query[2 * k + 1] ** 2 for k in range(m)]
    return defined, sum(norm * cos((i - j - r) * angle) for norm, angle in zip(norms, angles, strict=True))


def _cases(key: AlignedKey, order: int, longest: int) -> Iterator[Case]:
    for turns in combinations(list(rational_turns(2, order)), 2):
        angles, common = [angle_of(x) for x in turns], lcm(*(x.denominator for x in turns))
        # Planes with |q_k| = 1; a logit is that of the definition at offset t - r.
        value = [Real.total(cosine(TURN * (t * x)) for x in turns) for t in range(common)]
        for n, offset in product(range(2, longest + 1), range(longest)):
            if offset >= n or (common < n and not key.returns):
                continue
            best = key.offset(n, offset)
            logits = [value[(t - key.sign * offset) % common] for t in range(n)]
            gaps = [logits[best] - other for t, other in enumerate(logits) if t != best]
            gap = worst_gap(key.length(n, offset), angles, [1, 1]).gap
            outcomes = Outcome.every(each > 0 for each in gaps), smallest_is(gaps, gap, common)
            yield {"turns": [*map(str, turns)], "n": n, "r": offset}, Outcome.every(outcomes)
