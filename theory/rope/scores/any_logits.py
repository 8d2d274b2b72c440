"""Which logit matrices RoPE heads can have: all of them, once there is a coordinate for each earlier token.

Source: arXiv 2605.31558, App. C.1 and Def. D.1; the statement is derived here. M[c, p] is the logit of content c at
position p = 1..N against one query, which stays at position N + 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy
from flint import arb, arb_mat, fmpq, fmpq_mat
from sympy import symbols

from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.rope.rotation import PAPER, rope, rotation
from theory.rope.scores.realisation import Floats, Plane, determinant, least_keys, orbit, realise, residual_bound
from theory.symbols import r, theta

SEED = 2605
TANGENTS = tuple(Fraction(*pair) for pair in ((1, 3), (1, 2), (2, 3), (1, 1), (3, 2), (3, 1)))


@dataclass(frozen=True)
class Setting:
    """How many planes realise N x N matrices, and which: each by its frequency and its part of the query.

    A frequency is given by t = tan(theta/2), rational, so that its cosine and sine are rational too.
    """

    said: str
    planes: Callable[[int], int] = lambda size: (size + 1) // 2
    tangents: tuple[Fraction, ...] = TANGENTS
    alike: Callable[[Fraction], Fraction | None] = lambda t: None
    query: Callable[[int], list[Plane]] = lambda m: [(2, -1)] * (m - 1) + [(1, 3)]

    def __str__(self) -> str:
        return self.said

    def heads(self, size: int) -> Iterator[tuple[tuple[Fraction, ...], list[list[Any]]]]:
        """Frequencies and rows of every choice of planes for matrices of this size."""
        for m in (self.planes(size), self.planes(size) + 1):
            for chosen in combinations(self.tangents, m):
                tangents = (*chosen[: m - 1], self.alike(chosen[0]) or chosen[-1]) if m > 1 else chosen
                yield tangents, orbit([_turn(t) for t in tangents], self.query(m), size)


def _turn(t: Fraction) -> tuple[fmpq, fmpq]:
    cosine, sine = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    return fmpq(*cosine.as_integer_ratio()), fmpq(*sine.as_integer_ratio())


ALL = Setting("every N x N matrix is the logit matrix of a RoPE head with m planes, 2m >= N")


@claim(
    "rope-realises-any-logits",
    source=Source(PAPER, "App. C.1, Def. D.1", "derived"),
    quantifiers="for all N >= 1, N x N matrices, m >= N/2, distinct frequencies in (0, pi), and q with no zero plane",
    statement=str,
    variant=ALL,
    controls={
        "2m >= N - 1": Setting(
            "every N x N matrix is that of a head with 2m >= N - 1", planes=lambda size: max(1, size // 2)
        ),
        "3m >= N": Setting("every N x N matrix is that of a head with 3m >= N", planes=lambda size: -(-size // 3)),
    },
    hypotheses=(
        Hypothesis("distinct", "the frequencies are distinct", Setting("frequencies may agree", alike=lambda t: t)),
        Hypothesis(
            "below pi",
            "the frequencies are in (0, pi)",
            Setting("frequencies may be theta and 2 pi - theta", alike=lambda t: -t),
        ),
        Hypothesis(
            "above 0",
            "the frequencies are in (0, pi)",
            Setting("a frequency may be 0", tangents=(Fraction(0), *TANGENTS)),
        ),
        Hypothesis(
            "q_k",
            "no plane of the query is 0",
            Setting("a plane of q may be 0", query=lambda m: [(2, -1)] * (m - 1) + [(0, 0)]),
        ),
    ),
    does_not_show="anything about the size of the keys, which grows without bound as frequencies approach each other",
)
def rope_realises_any_logits(setting: Setting, thorough: bool) -> Iterator[Evidence]:
    """The rows R^r q have rank N exactly, small matrices come back from the definition, and a determinant says why."""
    sizes = range(1, 10 if thorough else 7)
    yield Enumeration(f"rational rotations, N <= {sizes[-1]}: rank N", _ranks(setting, sizes))
    yield Enumeration("every matrix over -1, 0, 1 of size 2, and every unit matrix of size 3", _returns(setting))
    yield Identity("determinant for N = 2m from R^r", _closed_form())
    quarter = Fraction(1, 4)
    domain = ((quarter, 1 + quarter), (2 - quarter, 3 - quarter))
    yield BoxCover("two planes apart from each other, 0 and pi: determinant not 0", domain, _invertible)
    yield Search("random matrices and frequencies in float64", _residuals(100 if thorough else 40), seed=SEED)


def _ranks(setting: Setting, sizes: Sequence[int]) -> Iterator[tuple[object, bool]]:
    for size in sizes:
        for tangents, rows in setting.heads(size):
            yield {"N": size, "tan(theta/2)": [str(t) for t in tangents]}, fmpq_mat(rows).rank() == size


def _returns(setting: Setting) -> Iterator[tuple[object, bool]]:
    """Realise each matrix, then read the logits (R^p k)^T R^(N+1) q off the head."""
    small = [[list(entries[:2]), list(entries[2:])] for entries in product((-1, 0, 1), repeat=4)]
    units = [[[int(3 * c + p == one) for p in range(3)] for c in range(3)] for one in range(9)]
    for M in small + units:
        size = len(M)
        tangents, rows = next(setting.heads(size))
        turns, query = [_turn(t) for t in tangents], setting.query(len(tangents))
        keys = least_keys(fmpq_mat(M), fmpq_mat(rows)).tolist()
        at_query = orbit(turns, query, size + 1)[0]
        seen = []
        for key in keys:
            placed = orbit(turns, list(zip(key[::2], key[1::2], strict=True)), size)[::-1]
            seen.append([sum(map(lambda a, b: a * b, at_position, at_query)) for at_position in placed])
        yield M, seen == M


def _closed_form() -> Iterator[Equation]:
    """A plane of q mixes the two columns of its unit plane with determinant |q_k|^2, so unit queries say the rest."""
    a, b = symbols("a b", real=True)
    mix, unit = sympy.Matrix([[a, b], [-b, a]]), sympy.Matrix([1, 0])
    yield "plane of q", (rotation(r * theta) * sympy.Matrix([a, b])).T, (rotation(r * theta) * unit).T * mix
    yield "mixing", mix.det(), a**2 + b**2
    for m in (1, 2):
        angles, query = symbols(f"theta_1:{m + 1}", real=True), sympy.Matrix([1, 0] * m)
        rows = sympy.Matrix.vstack(*((rope(angles, offset) * query).T for offset in range(1, 2 * m + 1)))
        yield f"m = {m}", rows.det(method="berkowitz"), determinant(angles, [1] * m, sympy.cos, sympy.sin)


def _invertible(*angles: arb) -> Outcome:
    offsets = range(1, 2 * len(angles) + 1)
    rows = [[f(offset * angle) for angle in angles for f in (arb.cos, arb.sin)] for offset in offsets]
    return Outcome.UNDECIDED if arb_mat(rows).det().contains(0) else Outcome.HOLDS


def _residuals(count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        size = int(random.integers(1, 13))
        angles = np.sort(random.uniform(0.05, 3.1, (size + 1) // 2 + int(random.integers(0, 3))))
        M = random.normal(size=(size, size))
        query, keys = realise(M, angles)
        seen = np.array([[_logit(query, size + 1, key, p, angles) for p in range(1, size + 1)] for key in keys])
        yield Trial(case, float(abs(seen - M).max()), residual_bound(keys, angles))


def _logit(query: Floats, query_position: int, key: Floats, position: int, angles: Floats) -> float:
    """(R^j k)^T R^i q, each side turned on its own."""
    q, k = (vector[::2] + 1j * vector[1::2] for vector in (query, key))
    turned = np.exp(1j * query_position * angles) * q * np.conj(np.exp(1j * position * angles) * k)
    return float(turned.real.sum())
