"""The amplitudes with the largest worst gap at given frequencies: a linear programme, solved in float64 and certified.

Source: derived here. Over a_k >= 0 of sum 1, max_a min_t sum_k a_k c_tk = min_mu max_k sum_t mu_t c_tk with c_tk = 1 -
cos t theta_k, t = 1..n-1, mu_t >= 0 of sum 1: any a is a lower bound and any mu an upper one. Where the float solution
has as many positive a as positive mu, both solve linear systems with the common value V; once these solutions are
positive and all other gaps above V, all other planes below it, in balls, V is the value of the programme.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, arb_mat, ctx

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, maximum, minimum, versine
from theory.errors import InputError, Undecided
from theory.rope.universal_limits.m_frequency_gaps import Floats, float_gap_error, float_gaps
from theory.wording import counted

LARGEST, MOST_PLANES = 2**23, 2**12  # entries of the float table of c_tk, and its columns
GRID = 2**48  # of rational amplitudes and weights
BITS = 128  # of the certificate
ADDED = 8  # offsets that a round of the float programme adds


@dataclass(frozen=True, eq=False)
class Programme:
    """Frequencies and a length with a near optimal primal and dual solution, both rational.

    Attributes:
        angles: theta_k, radians per position.
        n: the length; offsets are 1..n-1.
        amplitudes: a_k >= 0, with sum 1.
        weights: the positive mu_t, with sum 1.
    """

    angles: tuple[Angle, ...]
    n: int
    amplitudes: tuple[Fraction, ...]
    weights: Mapping[int, Fraction]

    @cached_property
    def lower(self) -> Real:
        """The worst gap of the amplitudes."""
        planes = [k for k, a in enumerate(self.amplitudes) if a]
        shares = np.array([float(self.amplitudes[k]) for k in planes])
        near = self._close(planes, shares)
        return minimum(Real.total(self.amplitudes[k] * self.height(t, k) for k in planes) for t in near)

    @cached_property
    def upper(self) -> Real:
        """The most that any single plane makes of the weights."""
        return maximum(
            Real.total(weight * self.height(t, k) for t, weight in self.weights.items())
            for k in range(len(self.angles))
        )

    def height(self, t: int, k: int) -> Real:
        """c_tk = 1 - cos(t theta_k)."""
        return versine(self.angles[k].real * t)

    def _close(self, planes: Sequence[int], shares: Floats, most: float | None = None) -> list[int]:
        """All offsets whose gap may be the least one, or at most `most`; the others are excluded in float64."""
        turns = np.array([float(self.angles[k].alpha) for k in planes])
        found = float_gaps(shares, turns, self.n - 1)
        # The frequencies and amplitudes are rounded too, which at most doubles the error of both sides.
        slack = 4 * float_gap_error(shares, turns, self.n)
        return [int(t) + 1 for t in np.flatnonzero(found <= (found.min() if most is None else most) + slack)]

    @cached_property
    def value(self) -> Real:
        """The value V; Undecided where the solution is degenerate, so that only `lower` and `upper` are known."""
        planes, offsets = [k for k, a in enumerate(self.amplitudes) if a], sorted(self.weights)
        if len(planes) == len(offsets):
            with ctx.workprec(BITS):
                if self._certified(planes, offsets):
                    return Real(lambda: _vertex(self._table(offsets, planes))[-1])
        raise Undecided(
            f"the best amplitudes of {counted(len(self.angles), 'planes')} at n={self.n} are degenerate; only bounds "
            f"are known: {float(self.lower):.12g} and {float(self.upper):.12g}"
        )

    def _table(self, offsets: Sequence[int], planes: Sequence[int]) -> list[list[arb]]:
        return [[self.height(t, k).enclose() for k in planes] for t in offsets]

    def _certified(self, planes: list[int], offsets: list[int]) -> bool:
        table = self._table(offsets, planes)
        *amplitudes, value = _vertex(table)
        *weights, _ = _vertex([list(column) for column in zip(*table, strict=True)])
        if not all(part > 0 for part in amplitudes + weights):
            return False
        shares = np.array([float(a) for a in amplitudes])
        others = [t for t in self._close(planes, shares, float(value)) if t not in offsets]
        idle = [k for k in range(len(self.angles)) if k not in planes]
        gaps = (_dot(amplitudes, row) for row in self._table(others, planes))
        columns = (_dot(weights, column) for column in zip(*self._table(offsets, idle), strict=True))
        return all(gap > value for gap in gaps) and all(column < value for column in columns)


def _dot(left: Iterable[arb], right: Iterable[arb]) -> arb:
    return sum((x * y for x, y in zip(left, right, strict=True)), arb(0))


def _vertex(table: list[list[arb]]) -> list[arb]:
    """The x of sum 1 for which all rows have the same product with x, and that product, last; NaN if it is unknown."""
    rows = [[*row, arb(-1)] for row in table] + [[arb(1)] * len(table) + [arb(0)]]
    right = [[arb(0)]] * len(table) + [[arb(1)]]
    try:
        return [entry for (entry,) in arb_mat(rows).solve(arb_mat(right)).tolist()]
    except ZeroDivisionError:
        return [arb.nan()] * len(rows)


def check_size(planes: int, n: int) -> None:
    """InputError without a plane, for n < 2, and for too large a table."""
    if planes < 1 or n < 2:
        raise InputError(f"{counted(planes, 'planes')}, n={n}: a worst gap needs a plane and an offset; give n >= 2")
    if planes > MOST_PLANES or planes * n > LARGEST:
        raise InputError(
            f"n={n} with {counted(planes, 'planes')} is too large a programme; give at most {MOST_PLANES} planes, and "
            f"planes times n at most {LARGEST}"
        )


def solve(angles: Sequence[Angle], n: int) -> Programme:
    """Near optimal amplitudes and weights. InputError as `check_size`."""
    check_size(len(angles), n)
    turns = np.array([float(angle.alpha) for angle in angles])
    table = np.stack([float_gaps(np.ones(1), turns[k : k + 1], n - 1) for k in range(len(angles))], axis=1)
    active = sorted({0, *(int(t) for t in table.mean(axis=1).argsort()[:ADDED])})
    while True:
        amplitudes, weights, value = _float_solution(table[active])
        gaps = table @ amplitudes
        worst = [int(t) for t in gaps.argsort()[:ADDED] if gaps[t] < value - 1e-12 and int(t) not in active]
        if not worst:
            break
        active += worst
    shares, mu = _rational(amplitudes), _rational(weights)
    return Programme(tuple(angles), n, shares, {t + 1: w for t, w in zip(active, mu, strict=True) if w})


def _float_solution(table: Floats) -> tuple[Floats, Floats, float]:
    """Amplitudes, weights and value of the programme of these rows, in float64."""
    from scipy.optimize import linprog

    rows, planes = table.shape
    found = linprog(
        np.r_[np.zeros(planes), -1],
        A_ub=np.hstack([-table, np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        A_eq=[[*np.ones(planes), 0]],
        b_eq=[1],
        bounds=[(0, None)] * planes + [(None, None)],
        method="highs",
    )
    if found.x is None:
        raise Undecided(f"the float programme of {counted(planes, 'planes')} was not solved: {found.message}")
    return found.x[:-1], -found.ineqlin.marginals, float(found.x[-1])


def _rational(parts: Floats) -> tuple[Fraction, ...]:
    """Nonnegative rationals of sum 1 near the given ones; what is below 2^-30 becomes 0."""
    whole = [int(part * GRID) if part > 2.0**-30 else 0 for part in parts]
    return tuple(Fraction(part, sum(whole)) for part in whole)
