"""EM for the weights of a linear pool: what a step gains, and how fast it comes near the maximum.

ell(z+) - ell(z) = n KL(z+||z) + sum_i KL(r_i(z)||r_i(z+)), and ell* - ell(z_T) <= n KL(z*||z_0)/(T + 1).

Source: derived here. For every task with r_ik > 0, log p_{z+}(x_i)/p_z(x_i) = log z+_k/z_k + log r_ik/r+_ik; average
over r_i, add over i. The same with z* in place of z+ and joint convexity give ell* - ell(z) <= n (KL(z*||z) -
KL(z*||z+)), which telescopes.

The rate is sharp for every T: of one datum with likelihoods 1 for one and q for all other of K = q^-(T+1) tasks, T
steps from u leave log(1/q) - log 2 or more, and the rate is log(1/q).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import log
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import results
from theory.inference.linear_pool import search
from theory.inference.linear_pool.shared import SharedPool, shared_pool
from theory.inference.simplex import Vector, kullback_leibler, normalised, uniform
from theory.outcome import Outcome
from theory.quantities import Amount, Count, Matrix, Optimum, Result, quantity

CLAIM = "gbi-em-monotone-rate"
SEED = 2410
LONGEST = 6
SMALL = Fraction(1, 10**30)


@quantity("em-gain", unit="nats", claim=CLAIM)
def em_gain(p: Matrix, step: Count = 1) -> dict[str, Result]:
    """What EM step number `step` from u gains in log-likelihood, its part n KL(z+||z), and the z that it reaches.

    Rows of p are observations. Raises InputError for steps whose fractions are too long.
    """
    if step > LONGEST:
        raise InputError(f"step = {step} gives fractions too long to work with; give at most {LONGEST}")
    pool = shared_pool(p)
    before, z = _iterates(pool, step)[-2:]
    return results(gain=gain(pool, before, z), divergence=pool.observations * kullback_leibler(z, before), z=z)


@quantity("em-gap", unit="nats", claim=CLAIM)
def em_gap(p: Matrix, steps: Amount = 0, power: Count = 1) -> dict[str, Result]:
    """The maximum of ell and z* by a numerical search, the gap ell* - ell(z_T) from u, and n KL(z*||u)/(T + 1)^power.

    The last bounds the gap for power 1, and for no other. Raises InputError for more steps than the search itself
    takes, and for rows that float64 cannot hold.
    """
    if steps > search.MOST:
        raise InputError(f"steps = {steps} is more than the search takes; give at most {search.MOST}")
    array = _floats(shared_pool(p))
    count, tasks = array.shape
    best, top = search.maximiser(array)
    z = start = np.full(tasks, 1 / tasks)
    for _ in range(steps):
        z = search.em_step(array, z)
    how = f"EM in float64 until no task can gain more than {search.TOLERANCE:g}"
    found = {
        "maximum": top,
        "gap": top - search.level(array, z),
        "bound": rate(count, search.divergence(best, start), steps, power),
        **{f"z*-{k}": float(share) for k, share in enumerate(best, 1)},
    }
    return {name: Optimum(value, how) for name, value in found.items()}


def _floats(pool: SharedPool) -> np.ndarray:
    try:
        array = np.array([[float(entry) for entry in row] for row in pool.rows])
    except OverflowError:
        array = np.full((1, 1), np.inf)
    if not (np.isfinite(array).all() and (array.max(axis=-1) > 0).all()):
        raise InputError("p has a row that float64 cannot hold; multiply the row by a number, which changes no gap")
    return array


def _iterates(pool: SharedPool, steps: int) -> list[Vector]:
    """u, and what EM makes of it."""
    found: list[Vector] = [uniform(pool.tasks)]
    for _ in range(steps):
        found.append(pool.em_step(found[-1]))
    return found


def gain(pool: SharedPool, before: Vector, after: Vector) -> Any:
    """ell(after) - ell(before), as one logarithm an observation."""
    ratios = (
        sum(a * p for a, p in zip(after, row, strict=True)) / sum(b * p for b, p in zip(before, row, strict=True))
        for row in pool.rows
    )
    return sum(log(ratio) for ratio in ratios)


def rate(observations: Any, divergence: Any, steps: Any, power: int = 1) -> Any:
    """N KL(z*||z_0)/(T + 1)^power."""
    return observations * divergence / (steps + 1) ** power


@dataclass(frozen=True)
class Ascent:
    """What is said of EM.

    Args:
        copies: c in gain >= c n KL(z+||z).
        power: of T + 1 in the rate.
        counted: whether the number n of observations is a factor of both.
        share: a factor of the rate from T = 1 on.
        interior: whether z_0 is interior, or a vertex.
    """

    copies: int = 1
    power: int = 1
    counted: bool = True
    share: Fraction = Fraction(1)
    interior: bool = True

    def __str__(self) -> str:
        n, divergence, T = sympy.symbols("n KL(z*||z_0) T", positive=True)
        factor = f"{self.copies} {'n ' if self.counted else ''}".removeprefix("1 ")
        limit = rate(n if self.counted else sympy.S.One, divergence, T, self.power)
        later = "" if self.share == 1 else f", times {self.share} from T = 1 on"
        return f"ell(z+) - ell(z) >= {factor}KL(z+||z); ell* - ell(z_T) <= {limit}{later}"

    def left(self, observations: int, divergence: Any, steps: int) -> Any:
        """What T steps leave at most."""
        most = rate(observations if self.counted else 1, divergence, steps, self.power)
        return most * self.share if steps and self.share != 1 else most

    def least_gain(self, pool: SharedPool, before: Vector, after: Vector) -> Any:
        return self.copies * (pool.observations if self.counted else 1) * kullback_leibler(after, before)


@claim(
    CLAIM,
    source=Source("2407.17356", "E-step over z", "derived"),
    quantifiers="for all n, K and likelihoods >= 0 without a row of zeros, interior z_0 and T >= 0; the gain is an "
    "equality where all responsibilities stay; the rate is one at T = 0, and approached at every T as K grows",
    statement=str,
    variant=Ascent(),
    controls={
        "twice the divergence": Ascent(copies=2),
        "rate 1/(T + 1)^2": Ascent(power=2),
        "no factor n": Ascent(counted=False),
        "nine tenths of the rate from T = 1 on": Ascent(share=Fraction(9, 10)),
    },
    hypotheses=(Hypothesis("interior", "all entries of z_0 are positive", Ascent(interior=False)),),
    does_not_show="that EM is that slow for few tasks: it converges geometrically where z* is interior and the "
    "likelihoods tell the tasks apart",
)
def em_monotone_rate(ascent: Ascent, thorough: bool) -> Iterator[Evidence]:
    """Disjoint supports; rational rows; many tasks, which come near; a tied vertex; symbols; random rows in float64."""
    yield Enumeration("gain of a step", _gains(ascent, 3 if thorough else 2))
    yield Enumeration("rate from u or a vertex", _certain(ascent))
    yield Enumeration("many tasks", _approached(ascent, 4 if thorough else 2))
    yield Enumeration("a vertex tied to first order", _tied(ascent, 200 if thorough else 100))
    yield Identity("two observations of two tasks", _symbols(ascent), lambda x: sympy.expand(sympy.expand_log(x)))
    yield Search("random rows", _random(ascent, 100 if thorough else 20), seed=SEED)


def _gains(ascent: Ascent, largest: int) -> Iterator[Case]:
    """Disjoint supports give equality, up to balls; then rows of small integers."""
    disjoint = SharedPool(((Fraction(1), Fraction(0)), (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))))
    u, z = uniform(2), disjoint.em_step()
    lead = Real.of(gain(disjoint, u, z)) - ascent.least_gain(disjoint, u, z)
    yield {"rows": "disjoint supports"}, abs(lead) <= SMALL
    rows = [tuple(map(Fraction, row)) for row in product(range(1, largest + 1), repeat=2) if len(set(row)) > 1]
    for chosen, start in product(product(rows, repeat=2), (u, normalised((1, 3)))):
        pool = SharedPool(chosen)
        after = pool.em_step(start)
        found = Real.of(gain(pool, start, after)) + SMALL
        yield {"rows": chosen, "z": start}, found >= ascent.least_gain(pool, start, after)


def _certain(ascent: Ascent) -> Iterator[Case]:
    """N equal data that one task alone explains: ell* - ell(u) = n log K. A vertex of another task never moves."""
    for tasks, n in product((2, 3, 4), (1, 3)):
        pool = SharedPool((tuple(Fraction(k == 0) for k in range(tasks)),) * n)
        if ascent.interior:
            gap = pool.observations * Real.of(log(Fraction(tasks)))
            yield {"K": tasks, "n": n}, gap <= ascent.left(n, log(Fraction(tasks)), 0) + SMALL
    # From e_2 the step returns e_2, though e_1 is better by n log(3/2) and any finite bound would fall with T.
    pool, start = SharedPool(((Fraction(3), Fraction(2)),)), (Fraction(0), Fraction(1))
    z = start if not ascent.interior else uniform(2)
    for _ in range(8):
        z = pool.em_step(z)
    yield {"p": (3, 2), "z_0": "e_2" if not ascent.interior else "u"}, z[0] > Fraction(9, 10)


def _approached(ascent: Ascent, most: int) -> Iterator[Case]:
    """K = m^(T+1) tasks, all but one of likelihood 1/m, as two; what is left lies within log 2 of log m."""
    for steps, m in product(range(1, most + 1), (2, 100, 10**6)):
        tasks = m ** (steps + 1)
        pool = SharedPool(((Fraction(1), Fraction(1, m)),))
        z: Vector = (Fraction(1, tasks), 1 - Fraction(1, tasks))
        for _ in range(steps):
            z = pool.em_step(z)
        gap = -Real.of(pool.log_likelihood(z))
        holds = [gap <= ascent.left(1, log(Fraction(tasks)), steps), gap >= log(Fraction(m, 2)) - SMALL]
        yield {"T": steps, "m": m}, Outcome.every(holds)


def _tied(ascent: Ascent, steps: int) -> Iterator[Case]:
    """Rows (1, 3/2), (1, 1/2): z* = e_1 and ell* = 0, and KL(e_1||u) = log 2."""
    rows = ((Fraction(1), Fraction(3, 2)), (Fraction(1), Fraction(1, 2)))
    array, z = np.array(rows, dtype=float), np.full(2, 0.5)
    # Far above the rounding of so many steps.
    margin = 1e-9
    for step in range(1, steps + 1):
        z = search.em_step(array, z)
        gap, limit = -search.level(array, z), float(ascent.left(2, np.log(2), step))
        yield {"T": step}, Outcome.settled(gap + margin < limit, gap - margin > limit)


def _symbols(ascent: Ascent) -> Iterator[Equation]:
    """Gain - n KL(z+||z) = sum_i KL(r_i||r+_i), term by term, for symbols as responsibilities and as z."""
    p = sympy.symbols("p_11 p_12 p_21 p_22", positive=True)
    a, b = sympy.symbols("z_1 z_2", positive=True)
    c, d = sympy.symbols("z+_1 z+_2", positive=True)
    e = sympy.symbols("P_1 P_2 P+_1 P+_2", positive=True)  # sum_k z_k p_ik before and after
    n = 2 * ascent.copies if ascent.counted else ascent.copies
    first = ((a * p[0] / e[0], b * p[1] / e[0]), (a * p[2] / e[1], b * p[3] / e[1]))
    after = ((c * p[0] / e[2], d * p[1] / e[2]), (c * p[2] / e[3], d * p[3] / e[3]))
    inner = sum(kullback_leibler(r, s) for r, s in zip(first, after, strict=True))
    # z+ is the mean of the first responsibilities, whose sums are 1.
    mean = tuple(sum(column) / 2 for column in zip(*first, strict=True))
    outer = n * (mean[0] * sympy.log(c / a) + mean[1] * sympy.log(d / b))
    gained = sum(sum(r) * sympy.log(e[index + 2] / e[index]) for index, r in enumerate(first))
    yield "gain", gained, outer + inner


def _random(ascent: Ascent, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks, n = (int(random.integers(2, 6)) for _ in range(2))
        p = random.gamma(0.4, size=(n, tasks)) + 1e-6
        best, top = search.maximiser(p, 3000)
        z = np.full(tasks, 1 / tasks) if ascent.interior else np.eye(tasks)[0]
        divergence = search.divergence(best, z) if ascent.interior else np.inf
        for step in range(4):
            # The search for the maximum ends with at most that left to gain.
            left = max(0.0, float(search.gradient(p, best).max()) - n) + 1e-9
            yield Trial((case, step), top - search.level(p, z), float(ascent.left(n, divergence, step)), left)
            z = search.em_step(p, z)
