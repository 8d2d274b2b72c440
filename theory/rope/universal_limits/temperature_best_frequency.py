"""How little inverse temperature the best angle of one plane needs: about n^2/(18 pi) at an end, n^2/(32 pi) midway.

Source: derived here; it makes the end of arXiv 2605.31558, App. F.2.1, quantitative. A target with T competitors on its
longer side needs at least what `theory.rope.universal_limits.positional_temperature` says, at every angle. At 2 pi/(T +
c) the keys are evenly spaced, and as c grows slowly with T their weights tend to those of a lattice on a line, e^(-u
k^2) with u = 2 pi^2 beta/T^2. Their sum is 1 at u = u*, and u* exceeds pi/9 (one side) or pi/4 (two sides) by what the
images in theta_3(u) = sqrt(pi/u) theta_3(pi^2/u) add: 2e-12 and 1.4e-5 of it. The limit of min beta*/T^2 lies between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, log, sqrt

import numpy as np
import sympy
from flint import arb, ctx
from sympy import Expr, Rational, Symbol, pi

from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, evaluate
from theory.arithmetic.root import falling_root
from theory.claims import Source, claim
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Evidence, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Bound, Exact, Length2, Offset, Optimum, quantity
from theory.rope.index.temperature import beta_threshold
from theory.rope.index.weights import decoding_bound
from theory.rope.index.window import angle_of, check_query, reach
from theory.rope.rotation import PAPER
from theory.rope.universal_limits.one_frequency import TURN
from theory.rope.universal_limits.positional_temperature import INTEGER, LAST, query_kind
from theory.symbols import n

SEED = 2616
LONGEST = 2**16
CLAIM = "temperature-best-frequency"
HOW = "a bounded search over the angles 2 pi/(T + c)"


@cache
def lattice_root(sides: int) -> Real:
    """The u at which `sides` sums of e^(-u k^2), k = 1, 2, ..., are 1."""

    def excess(u: arb) -> arb:
        # Terms up to K, and at most a geometric series from K + 1 on.
        last = int((ctx.prec / u.lower()).sqrt().ceil().unique_fmpz() or 0) + 1
        terms = sum(((-u * k * k).exp() for k in range(1, last + 1)), arb(0))
        tail = (-u * (last + 1) ** 2).exp() / (1 - (-u * (2 * last + 3)).exp())
        return sides * (terms + arb(0).union(tail)) - 1

    return falling_root(excess, Fraction(1, 10), Fraction(2))


def spread(T: int) -> int:
    """How many steps of the angle 2 pi/(T + c) are left free: enough for T e^(-u c^2) to stay bounded."""
    return ceil(1 + 1.5 * sqrt(log(T + 1)))


T, c, u = Symbol("T", positive=True), Symbol("c", positive=True), Symbol("u", positive=True)
MOST = u / (2 * pi**2) * (T + c + 2) ** 2
ENDS, MIDDLE = LAST.plain_bound.subs(n, T + 1), INTEGER.plain_bound.subs(n, 2 * T + 1)


@dataclass(frozen=True)
class Best:
    """What all angles need, and what 2 pi/(T + c) needs at most, for a target with T keys on one side or on both.

    Args:
        ends: what is needed at the offset n - 1 = T, an expression in T.
        middle: what is needed midway, n = 2 T + 1.
        most: what is enough, in T, c and u, u = u* of `lattice_root`.
        free: c, from T.
    """

    ends: Expr = ENDS
    middle: Expr = MIDDLE
    most: Expr = MOST
    free: Callable[[int], int] = spread

    @property
    def statement(self) -> Expr:
        least = Symbol("min_theta beta^*")
        free = sympy.Eq(Symbol("c(T = 512)"), self.free(512))
        return sympy.And(sympy.Le(self.ends, least), sympy.Le(self.middle, least), sympy.Le(least, self.most), free)

    def least(self, sides: int, steps: int) -> Real:
        return evaluate(self.ends if sides == 1 else self.middle, {T: steps})


@claim(
    CLAIM,
    source=Source(PAPER, "App. F.2.1", "derived"),
    quantifiers="offset T at n = T + 1 and 2 T + 1; lower: all T, theta; upper: T = 2^k, c = 1 + 1.5 sqrt(ln(T + 1))",
    statement=lambda best: best.statement,
    variant=Best(),
    controls={
        "the lattice 2 pi/n": Best(free=lambda T: 1),
        "0.0202 n^2 is needed": Best(ends=Rational(202, 10_000) * (T + 1) ** 2),
        "c stays at 3": Best(free=lambda T: 3),
        "u = pi/10 is enough": Best(most=(T + c + 2) ** 2 / (20 * pi)),
    },
    does_not_show="what other offsets need, at which other angles are better, nor the exact limit of min beta*/T^2",
)
def temperature_best_frequency(best: Best, thorough: bool) -> Iterator[Evidence]:
    """Certified thresholds at evenly spaced keys; the lattice roots and their images; random angles."""
    yield Enumeration("beta* at 2 pi/(T + c)", _spaced(best, 13 if thorough else 9))
    yield Enumeration("u* is pi/9 or pi/4, up to its image", _images())
    yield Search("random angles", _random(best, 2000 if thorough else 200), seed=SEED)


def _spaced(best: Best, most: int) -> Iterator[Case]:
    for steps in (2**k for k in range(1, most + 1)):
        free = best.free(steps)
        for sides in (1, 2):
            length, offset = sides * steps + 1, steps
            found = beta_threshold(length, Angle.turn(1, steps + free), offset)
            enough = evaluate(best.most, {T: steps, c: free, u: lattice_root(sides)})
            yield {"T": steps, "sides": sides}, Outcome.every((best.least(sides, steps) <= found, found <= enough))


def _images() -> Iterator[Case]:
    """Poisson: sides (sqrt(pi/u) (1 + 2 e^(-pi^2/u) + ...) - 1)/2 = 1, so u = pi/(1 + 2/sides)^2 (...)^2."""
    for sides, most in ((1, Fraction(3, 10**12)), (2, Fraction(14, 10**6))):
        plain = Real.of(pi / (1 + Rational(2, sides)) ** 2)
        root = lattice_root(sides)
        yield {"sides": sides}, Outcome.every((root > plain, root < plain * (1 + most)))


def _random(best: Best, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        sides, steps = 1 + case % 2, int(random.integers(2, 40))
        turns = random.uniform(0, 0.5) if case % 4 < 2 else 1 / (steps + random.uniform(1, 6))
        found = float_beta(turns, *((0, steps) if sides == 1 else (steps, steps)), 1)
        yield Trial((case, sides, steps), float(best.least(sides, steps)), found, 1e-9 * found)


def float_beta(turns: float, left: int, right: int, bound: int) -> float:
    """The inverse temperature at which F_{left,right} = bound, in float64; infinite where Newton finds none."""
    gaps = 2 * np.sin(np.pi * turns * np.arange(1, max(left, right) + 1)) ** 2
    counts = (np.arange(len(gaps)) < left).astype(float) + (np.arange(len(gaps)) < right)
    beta = 0.0
    for _ in range(200):
        weights = counts * np.exp(-beta * gaps)
        total = weights.sum()
        if not total > bound * (1 + 1e-13):
            return beta
        beta += total * np.log(total / bound) / (weights @ gaps)
    return np.inf


@quantity("best-frequency-beta", unit="inverse temperature; turns", claim=CLAIM)
def best_frequency_beta(n: Length2, offset: Offset) -> dict[str, Bound | Optimum | Exact]:
    """The least inverse temperature at which some angle decodes all inputs with this offset: 0, n - 1 or in the middle.

    `optimum` was searched among the angles 2 pi/(T + c), T the longer side of the target, 0 < c <= 30; `upper` is
    certified at the angle of 2 pi `turns` near it, `lower` holds at every angle. InputError for other offsets, at which
    other angles are better, and for n above 65536.
    """
    from scipy.optimize import minimize_scalar

    check_query(n, offset)
    if offset not in (0, (n - 1) // 2, n // 2, n - 1):
        raise InputError(
            f"offset={offset} is neither at an end nor in the middle of n={n}, and only there is a good angle known; "
            f"give 0, {n // 2} or {n - 1}"
        )
    if n > LONGEST:
        raise InputError(f"n={n} is above {LONGEST}, where sums are long; best-frequency-constants has the limit")
    left, right, bound = offset, n - 1 - offset, decoding_bound(offset)
    longer, lower = reach(n, offset), query_kind(n, offset).needed(n)
    if n - 1 <= bound:
        return {
            "optimum": Optimum(0.0, HOW),
            "optimum/n^2": Optimum(0.0, HOW),
            "turns": Exact(Fraction(1, n)),
            "upper": Bound("upper", Real.of(0)),
            "lower": Bound("lower", lower),
        }

    def needed(free: float) -> float:
        return float_beta(1 / (longer + free), left, right, bound)

    grid = np.geomspace(0.5, 30, 32)
    best = int(np.argmin([needed(free) for free in grid]))
    found = minimize_scalar(needed, bounds=(grid[max(best - 1, 0)], grid[min(best + 1, 31)]), method="bounded")
    turns = 1 / (longer + Fraction(round(float(found.x) * 64), 64))
    upper = beta_threshold(n, angle_of(turns), offset)
    return {
        "optimum": Optimum(float(found.fun), HOW),
        "optimum/n^2": Optimum(float(found.fun) / n**2, HOW),
        "turns": Exact(turns),
        "upper": Bound("upper", upper),
        "lower": Bound("lower", lower),
    }


@quantity("best-frequency-constants", unit="inverse temperature over n^2", claim=CLAIM)
def best_frequency_constants() -> dict[str, Bound]:
    """Bounds on the limits of min beta*/n^2 over all angles, for the offset n - 1 and for the middle offset."""
    lower = {"last": 1 / (18 * TURN / 2), "middle": 1 / (32 * TURN / 2)}
    upper = {"last": lattice_root(1), "middle": lattice_root(2) / 4}
    found = {f"{name} lower": Bound("lower", value) for name, value in lower.items()}
    return found | {f"{name} upper": Bound("upper", value / (TURN**2 / 2)) for name, value in upper.items()}
