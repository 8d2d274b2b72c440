"""How large a worst gap the frequencies of RoPE allow at best: V(n), which falls like a logarithm, not like n^-2.

Source: derived here for arXiv 2605.31558, Thm 3.2, which takes one plane. Over amplitudes a_k >= 0 of sum 1 the worst
gap of aligned planes is largest at V(n), the value of a linear programme
(`theory.rope.universal_limits.amplitude_programme`); by claim m-frequency-two-sided-gap no other phases do better at a
target with n - 1 keys on either side. Planes are numbered 1 to d/2, plane k turns by base^(-2 (k-1)/d) a position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import sympy
from sympy import Expr, IndexedBase, Symbol, symbols

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, evaluate, minimum, pi, versine
from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Exact, Length2, Result, quantity
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.amplitude_programme import Programme, check_size, solve
from theory.rope.universal_limits.m_frequency_gaps import float_gap_error, float_gaps
from theory.rope.universal_limits.one_frequency_phase import OPTIMUM, A, B, neighbours

SEED = 2617
CLAIM = "rope-optimal-amplitudes"
RESOLUTION = Fraction(1, 10**9)
Value = Callable[[Sequence[Angle], int], Real]


def rope_angles(base: int, d: int) -> tuple[Angle, ...]:
    """The angles of the standard frequencies, fastest first."""
    return tuple(Angle.rope(base, d, k) for k in range(1, d // 2 + 1))


@cache
def programme(angles: tuple[Angle, ...], n: int) -> Programme:
    """The solved programme of these angles."""
    return solve(angles, n)


def optimum(angles: Sequence[Angle], n: int) -> Real:
    """V(n): the largest worst gap over all amplitudes of sum 1."""
    return programme(tuple(angles), n).value


def equal(angles: Sequence[Angle], n: int) -> Real:
    """The worst gap at equal amplitudes."""
    return minimum(Real.total(versine(angle.real * t) for angle in angles) / len(angles) for t in range(1, n))


@dataclass(frozen=True)
class Largest:
    """The largest worst gap is `value`, called `said`; `ends` has end targets with their best phase obey as well."""

    said: str = "min_mu max_k sum_t mu_t (1 - cos(t theta_k))"
    value: Value = optimum
    ends: bool = False

    @property
    def statement(self) -> Expr:
        return sympy.Eq(Symbol("max_a min_t sum_k a_k (1 - cos(t theta_k))"), Symbol(self.said))


@claim(
    CLAIM,
    source=Source(PAPER, "Thm 3.2", "derived"),
    quantifiers="for all n >= 2 and frequencies: max over a_k >= 0 of sum 1, min over 1 <= t < n; mu_t >= 0 of sum 1",
    statement=lambda largest: largest.statement,
    variant=Largest(),
    controls={
        "equal amplitudes are best": Largest("min_t (2/d) sum_k (1 - cos(t theta_k))", equal),
        "2 pi^2/n^2": Largest("2 pi^2/n^2", lambda angles, n: 2 * (pi / n) ** 2),
        "the fastest plane at t = 1": Largest("1 - cos(theta_1)", lambda angles, n: versine(angles[0].real)),
    },
    hypotheses=(
        Hypothesis("two-sided", "the target has n - 1 keys on either side, or phases are aligned", Largest(ends=True)),
    ),
    does_not_show="that a trained head has these amplitudes, or that one set is good at all lengths",
)
def rope_optimal_amplitudes(largest: Largest, thorough: bool) -> Iterator[Evidence]:
    """Near optimal amplitudes and weights from the definition, in balls; duality; adversaries over amplitudes."""
    sets = [(10_000, 128, 17), (10_000, 128, 100), (500_000, 64, 60), (3, 8, 12)]
    more = [(base, 128, n) for base in (10_000, 500_000, 1_000_000) for n in (17, 100, 850, 5000)]
    if largest.ends:
        yield Enumeration("one plane of angle 1 at an end target", [_end(largest)])
    yield Enumeration("between a head and a weighting", _between(largest, sets + more * thorough))
    yield Identity("duality, term by term", _duality(3, 4))
    yield Search("climbed amplitudes", _climbed(largest, 300 if thorough else 12), seed=SEED)


def _end(largest: Largest) -> Case:
    """Three positions, the target at the first: the best phase beats the aligned one."""
    angles, n = [Angle(sympy.S.One)], 3
    left, right = neighbours(angles[0], 0, n - 1)
    return {"d": 2, "n": n}, evaluate(OPTIMUM, {A: left, B: right}) <= largest.value(angles, n)


def _between(largest: Largest, sets: list[tuple[int, int, int]]) -> Iterator[Case]:
    for base, d, n in sets:
        angles = rope_angles(base, d)
        solved, said = programme(angles, n), largest.value(angles, n)
        outcomes = (solved.lower <= said, said <= solved.upper, solved.upper - solved.lower <= RESOLUTION)
        yield {"base": base, "d": d, "n": n}, Outcome.every(outcomes)


def _duality(planes: int, offsets: int) -> Iterator[Equation]:
    """The gaps weighted by mu and the planes weighted by a have one sum, so min over t <= max over k."""
    c, (a, mu) = (
        IndexedBase("c", real=True),
        (symbols(f"{name}_1:{size + 1}") for name, size in (("a", planes), ("mu", offsets))),
    )
    gaps = sum(weight * sum(share * c[t, k] for k, share in enumerate(a)) for t, weight in enumerate(mu))
    columns = sum(share * sum(weight * c[t, k] for t, weight in enumerate(mu)) for k, share in enumerate(a))
    yield "sum_t mu_t sum_k a_k c_tk", gaps, columns


def _climbed(largest: Largest, count: int) -> Iterator[Trial]:
    """Random amplitudes, then steps towards the plane that raises the worst offset most."""
    random = np.random.default_rng(SEED)
    for case in range(count):
        base, d, n = int(random.choice([100, 10_000])), int(random.choice([8, 32])), int(random.integers(3, 60))
        angles = rope_angles(base, d)
        turns = np.array([float(angle.alpha) for angle in angles])
        shares = random.dirichlet(np.ones(d // 2))
        for step in range(60):
            t = int(float_gaps(shares, turns, n - 1).argmin()) + 1
            best = np.eye(d // 2)[int((2 * np.sin(np.pi * t * turns) ** 2).argmax())]
            shares += (best - shares) / (step + 2)
        observed = float(float_gaps(shares, turns, n - 1).min())
        allowance = 2 * float_gap_error(shares, turns, n)
        yield Trial((case, base, d, n), observed, float(largest.value(angles, n)), allowance)


@quantity("rope-optimal-gap", unit="logit; planes; offsets", claim=CLAIM)
def rope_optimal_gap(base: Count, d: Count, n: Length2) -> dict[str, Result]:
    """V(n) of the frequencies base^(-2 (k-1)/d): the largest worst gap over the offsets 1..n-1 at amplitudes of sum 1.

    `planes` are those with positive amplitude, `offsets` those that then have the worst gap.
    """
    check_size(d // 2, n)
    solved = programme(rope_angles(base, d), n)
    found: dict[str, Result] = {
        "gap": Enclosure(solved.value),
        "planes": Exact([k + 1 for k, share in enumerate(solved.amplitudes) if share]),
        "offsets": Exact(sorted(solved.weights)),
    }
    return found
