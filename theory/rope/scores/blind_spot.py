"""What the scores cannot see: a swap may move attention away from both positions and leave their ratio.

Source: derived; arXiv 2605.31558, App. D, says that swaps are no loss of generality. They are none for Def. D.1
(`acting-by-swaps`), but each score compares two weights with each other only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from random import Random

import sympy
from sympy import symbols

from theory.claims import Source, claim
from theory.evidence import Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.rope.rotation import PAPER
from theory.rope.scores.acting import LogitMatrix, acts_positionally, acts_symbolically, deviations
from theory.rope.scores.definition import squared_cosine, swaps

SEED = 2605
Rule = Callable[[LogitMatrix], bool]


def full_scores(M: LogitMatrix) -> tuple[bool, bool]:
    """Whether s_POS = 1 and whether s_SYM = 1, for integer logits in the unit log 2; whatever tau, own logit 0."""
    pairs = swaps([[Fraction(2) ** entry for entry in row] for row in M], Fraction(1))
    positional, symbolic = (all(squared_cosine(u, v[::way]) == 1 for u, v in pairs) for way in (1, -1))
    return positional, symbolic


def keeps_ratios(M: LogitMatrix) -> bool:
    """Whether M[j][i] - M[i][j] = M[i][i] - M[j][j] for all i, j: swaps leave every ratio of two weights."""
    return all(M[j][i] - M[i][j] == M[i][i] - M[j][j] for i, j in combinations(range(len(M)), 2))


def reverses_ratios(M: LogitMatrix) -> bool:
    """Whether M[i][j] - M[j][i] = M[i][i] - M[j][j] for all i, j: swaps turn every ratio round."""
    return all(M[i][j] - M[j][i] == M[i][i] - M[j][j] for i, j in combinations(range(len(M)), 2))


@dataclass(frozen=True)
class FullScores:
    """Which logit matrices are said to have s_POS = 1, and which s_SYM = 1."""

    said: str = "iff M[j][i] - M[i][j] = l_i - l_j for all i, j; s_SYM = 1 iff M[i][j] - M[j][i] = l_i - l_j"
    positional: Rule = keeps_ratios
    symbolic: Rule = reverses_ratios

    def __str__(self) -> str:
        return f"s_POS = 1 {self.said}"


@claim(
    "score-blind-spot",
    source=Source(PAPER, "App. D", "derived"),
    quantifiers="for all heads, inputs with n >= 3 and tau > 0; two equivalences",
    statement=str,
    variant=FullScores(),
    controls={
        "s_POS = 1 iff positional": FullScores("iff P = 0", positional=lambda M: deviations(M)[0] == 0),
        "s_SYM = 1 iff symbolic": FullScores(
            "as stated; s_SYM = 1 iff S = 0", symbolic=lambda M: deviations(M)[1] == 0
        ),
        "both 1 iff all entries agree": FullScores(
            "as stated, unless s_SYM = 1 too, which needs equal entries",
            positional=lambda M: keeps_ratios(M) and (not reverses_ratios(M) or deviations(M) == (0, 0)),
        ),
        "neighbours only": FullScores(
            "iff it holds for neighbours i, i + 1",
            positional=lambda M: all(keeps_ratios([row[i : i + 2] for row in M[i : i + 2]]) for i in range(len(M) - 1)),
        ),
    },
    does_not_show="how far attention moves unseen; see the quantity swapped-attention",
)
def score_blind_spot(full: FullScores, thorough: bool) -> Iterator[Evidence]:
    """Integer matrices in units of log 2; the Lagrange identity behind cos = 1; the family f(p) + symmetric part."""
    cases = ((M, full_scores(M) == (full.positional(M), full.symbolic(M))) for M in _matrices(3 if thorough else 2))
    yield Enumeration("integer logits of size 2 and 3", cases)
    yield Identity("cosine 1 and the blind family", _blind(), reduce=sympy.expand)


def _matrices(entries: int) -> Iterator[list[list[int]]]:
    for size, values in ((2, range(-1, entries)), (3, range(entries))):
        for flat in product(values, repeat=size * size):
            yield [list(flat[size * c : size * (c + 1)]) for c in range(size)]


def _blind() -> Iterator[Equation]:
    """|u|^2 |v|^2 - <u, v>^2 is a square, so cos(u, v) = 1 iff u and v are parallel."""
    u, v = symbols("u_1:3", positive=True), symbols("v_1:3", positive=True)
    norms = (u[0] ** 2 + u[1] ** 2) * (v[0] ** 2 + v[1] ** 2)
    yield "Lagrange", norms - (u[0] * v[0] + u[1] * v[1]) ** 2, (u[0] * v[1] - u[1] * v[0]) ** 2
    size, common = 4, sympy.Symbol("d", real=True)
    f, moved = symbols(f"f_1:{size + 1}", real=True), symbols(f"e_0:{size * size}", real=True)
    M = [[f[p] + (common if c == p else moved[min(c, p) * size + max(c, p)]) for p in range(size)] for c in range(size)]
    for i, j in combinations(range(size), 2):
        yield f"blind, swap ({i + 1} {j + 1})", M[j][i] - M[i][j], M[i][i] - M[j][j]


@dataclass(frozen=True)
class Suffices:
    """That a sign read off the swaps implies that the head acts in one of the two ways."""

    said: str
    sign: Rule
    acts: Rule = acts_positionally

    def __str__(self) -> str:
        return self.said


def unmoved(M: LogitMatrix) -> bool:
    """Whether no swap of two contents changes the logit at either of their positions."""
    return all(M[j][i] == M[i][i] and M[i][j] == M[j][j] for i, j in combinations(range(len(M)), 2))


@claim(
    "score-swaps-printed",
    source=Source(PAPER, "App. D"),
    quantifiers="for all heads and inputs with n >= 3",
    statement=str,
    variant=Suffices("s_POS = 1 over all swaps implies that the head acts positionally", lambda M: full_scores(M)[0]),
    controls={
        "symbolic": Suffices("s_SYM = 1 implies symbolic", lambda M: full_scores(M)[1], acts_symbolically),
        "both scores": Suffices(
            "s_POS = s_SYM = 1 implies equal entries", lambda M: all(full_scores(M)), lambda M: deviations(M) == (0, 0)
        ),
        "unequal logits": Suffices(
            "s_POS = 1 and unequal logits imply positional",
            lambda M: full_scores(M)[0] and len({row[c] for c, row in enumerate(M)}) > 1,
        ),
    },
    expected=Outcome.REFUTED,
    near_miss=(
        "swaps suffice for logits",
        Suffices("if no swap changes a logit at its positions, the head acts positionally", unmoved),
    ),
    counterexample="[[0, 1], [1, 0]]",
    repaired_by="score-blind-spot",
    printed="restricting to swaps is no loss of generality, since every permutation is a product of swaps",
    does_not_show="that scores below 1 mislead",
)
def score_swaps_printed(suffices: Suffices, thorough: bool) -> Iterator[Evidence]:
    """Integer matrices in units of log 2, entries 0 first; random ones of which many pass the sign."""
    small = ([list(flat[:2]), list(flat[2:])] for flat in product(range(4 if thorough else 3), repeat=4))
    cases = ((M, suffices.acts(M)) for M in small if suffices.sign(M))
    yield Enumeration("all matrices over 0, 1, 2 of size 2 that pass the sign", cases)
    yield Search("random matrices, as failures to act", _random(suffices, 60), seed=SEED)


def _random(suffices: Suffices, count: int) -> Iterator[Trial]:
    """Logits of the position plus a symmetric part, of which every third is 0."""
    rng = Random(SEED)
    for case in range(count):
        size, reach = rng.randint(2, 5), case % 3
        f = [rng.randint(-4, 4) for _ in range(size)]
        part = {(c, p): rng.randint(-reach, reach) for c in range(size) for p in range(c)}
        M = [[f[p] + part.get((max(c, p), min(c, p)), 0) for p in range(size)] for c in range(size)]
        yield Trial(M, float(not suffices.acts(M)), 0.0, vacuous=not suffices.sign(M))
