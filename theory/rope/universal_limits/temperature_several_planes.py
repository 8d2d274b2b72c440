"""What an aligned head of m planes needs to decode Index: an inverse temperature of order m n^(2/m), not n^2.

Source: derived here for arXiv 2605.31558, App. F.2.1. By claim competitor-weight-floor a query fails at all frequencies
once (n + 1) M >= 4 (any integer offset), n M >= 3 (offset n - 1, and F_{0,n-1} < 1), n M >= 7 (letters), where M = prod
Bes(beta a_k). With a_k = B/m, M >= (1 + 2 pi beta B/m)^(-m/2), so n M < 3 asks for beta B > (m/2 pi) ((n/3)^(2/m) - 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import sympy
from flint import arb
from sympy import And, Expr, Implies, Rational, Symbol, pi

from theory import symbols
from theory.arithmetic.ball import Real, evaluate
from theory.claims import Hypothesis, Source, claim
from theory.evidence import BoxCover, Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Count, Length2, quantity
from theory.rope.index.weights import decoding_bound
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.dyadic_frequencies import dyadic
from theory.rope.universal_limits.m_frequency_gaps import (
    HALF_TURN,
    HALVES,
    UNEVEN,
    Amplitudes,
    at_most,
    ball,
    climb,
    float_gap_error,
    float_gaps,
    frequency_sets,
)
from theory.rope.universal_limits.positional_temperature import INTEGER, LAST, LETTER, QUERIES, Query
from theory.rope.universal_limits.weight_floor import ONE, end_weight, weight
from theory.symbols import beta, n

SEED = 2615
CLAIM = "temperature-several-planes"
B = Symbol("B", positive=True)


def last_plain(m: int) -> Expr:
    """The lower bound on beta B for m planes of amplitude B/m, offset n - 1."""
    return sympy.Integer(m) / (2 * pi) * ((n / 3) ** Rational(2, m) - 1)


@dataclass(frozen=True)
class Several:
    """What each kind of Index query needs of beta, for heads of several planes with aligned phases.

    Args:
        letter, integer, last: the kinds of query.
        plain: beta B at equal amplitudes B/m and offset n - 1, from m.
        aligned: whether the phases are aligned, or a target at offset n - 1 may stand in the middle of its arc.
    """

    letter: Query = LETTER
    integer: Query = INTEGER
    last: Query = LAST
    plain: Callable[[int], Expr] = last_plain
    aligned: bool = True

    @property
    def statement(self) -> Expr:
        mass = Symbol("prod_k Bes(beta*a_k)")
        kinds = {"letters": self.letter, "integers": self.integer, "offset_n-1": self.last}
        needed = (Implies(Symbol(f"{name}_decode"), query.condition(mass)) for name, query in kinds.items())
        return And(*needed, Implies(Symbol("offset_n-1_decode, a_k=B/2"), beta * B > self.plain(2)))

    def fails_at(self, length: int, offset: int, amplitudes: Amplitudes) -> list[arb]:
        """Inverse temperatures at which all inputs with this offset are said to fail, unless they are 0."""
        query = self.letter if offset == 0 else self.last if offset == length - 1 else self.integer
        found = [query.needed(length, amplitudes)]
        if offset == length - 1 and len({*amplitudes}) == 1:
            found.append(evaluate(self.plain(len(amplitudes)), {n: length}))
        return [scale.at(64) for scale in found if (scale > 0) is Outcome.HOLDS]


@claim(
    CLAIM,
    source=Source(PAPER, "App. F.2.1", "derived"),
    quantifiers="for all m, frequencies, a_k >= 0, n >= 2; aligned phases; the last part at a_k = B/m, here m = 2",
    statement=lambda several: several.statement,
    variant=Several(),
    controls={
        "offset n - 1: n M < 2": Several(last=Query(2)),
        "integers: (n + 1) M < 3": Several(integer=Query(3, 1)),
        "several planes need n^2": Several(plain=lambda m: ((n / 3) ** 2 - 1) / (2 * pi)),
        "three times as much": Several(plain=lambda m: 3 * last_plain(m)),
    },
    hypotheses=(
        Hypothesis("aligned", "the logit is sum a_k cos(t theta_k), for a target at an end", Several(aligned=False)),
    ),
    does_not_show="that a head needs no more than this: that takes frequencies that spread evenly on a torus",
)
def temperature_several_planes(several: Several, thorough: bool) -> Iterator[Evidence]:
    """Rational and dyadic frequencies, all pairs in boxes, random heads: at the beta that is just said to fail."""
    if not several.aligned:
        yield Enumeration("an end target in the middle of its arc", _unaligned(several))
    yield Enumeration("dyadic planes", _cases(several, [(m, 2**m, dyadic(m)) for m in range(2, 9 if thorough else 7)]))
    near = [
        (1, length, (Fraction(1, reach + c),))
        for length in (9, 17, 33)
        for reach in (length, length // 2)
        for c in (2, 3)
    ]
    yield Enumeration("one plane near the best", _cases(several, near))
    lattices = [(m, order, turns) for m, order in ((2, 9), (3, 6)) for turns in frequency_sets(m, order)]
    yield Enumeration("two and three planes at rational turns", _cases(several, lattices))
    for amplitudes, length, offset in ((HALVES, 9, 8), (UNEVEN, 9, 4), *[(HALVES, 17, 0), (UNEVEN, 17, 16)] * thorough):
        for scale in several.fails_at(length, offset, amplitudes):
            decide = partial(_fails, amplitudes, length, offset, scale)
            yield BoxCover(f"all pairs, n = {length}, offset {offset}", (HALF_TURN, HALF_TURN), decide)
    yield Identity("(1 + 2 pi beta B/m)^(m/2) = n/3 at the plain bound", _plain())
    yield Search("random heads", _random(several, 2000 if thorough else 200), seed=SEED)


def _unaligned(several: Several) -> Iterator[Case]:
    for length in (17, 101):
        for scale in several.fails_at(length, length - 1, ONE):
            yield {"n": length}, end_weight(length - 1, _held(scale)) >= 1


def _held(ball: arb) -> Real:
    return Real(lambda: ball)


def _cases(several: Several, heads: Iterable[tuple[int, int, tuple[Fraction, ...]]]) -> Iterator[Case]:
    for m, length, turns in heads:
        amplitudes = (Fraction(1, m),) * m
        for offset in (0, length // 2, length - 1):
            for scale in several.fails_at(length, offset, amplitudes):
                case = {"n": length, "offset": offset, "turns": [*map(str, turns)]}
                yield case, _fails(amplitudes, length, offset, scale, *map(ball, turns))


def _fails(amplitudes: Amplitudes, length: int, offset: int, scale: arb, *turns: arb) -> Outcome:
    return at_most(arb(decoding_bound(offset)), weight(amplitudes, turns, offset, length - 1 - offset, scale))


def _plain() -> Iterator[Equation]:
    for m in range(1, 7):
        yield f"m = {m}", (1 + 2 * pi * last_plain(m) / m) ** Rational(m, 2), n / sympy.Integer(3)


def _random(several: Several, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        m, length = int(random.integers(1, 6)), int(random.integers(8, 60))
        offset = int(random.choice([0, length // 2, length - 1]))
        parts = [int(part) for part in random.integers(1, 4, m)]
        amplitudes = tuple(Fraction(part, sum(parts)) for part in parts)
        weights = np.array([float(a) for a in amplitudes])
        turns = climb(random, weights, max(offset, length - 1 - offset))
        for scale in several.fails_at(length, offset, amplitudes):
            against = np.exp(-float(scale) * float_gaps(weights, turns, length - 1))
            found = float(against[:offset].sum() + against[: length - 1 - offset].sum())
            error = float(scale) * float_gap_error(weights, turns, length) + length * np.finfo(np.float64).eps
            yield Trial((case, m, length, offset), float(decoding_bound(offset)), found, found * error)


@quantity("several-planes-needed-beta", unit="inverse temperature", claim=CLAIM)
def several_planes_needed_beta(n: Length2, planes: Count) -> dict[str, Bound]:
    """What an aligned head of equal planes with norms of sum 1 needs at length n at least, at any frequencies.

    For letters, any integer offset, and offset n - 1: the root of n M = 7, (n + 1) M = 4 or n M = 3, and the `plain`
    bound (m/2 pi) ((n/3)^(2/m) - 1) below the last one.
    """
    alike = ((Fraction(1, planes), planes),)
    found = {name: Bound("lower", query.needed_alike(n, alike)) for name, query in QUERIES.items()}
    return found | {"last plain": Bound("lower", evaluate(last_plain(planes), {symbols.n: n}))}
